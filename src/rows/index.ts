/** The built-in directory: every row by its key, and the keys that the interface names but that are not built yet. */
import type { Row } from '../domain/capabilities/row.ts';
import { articleRows, paperRows } from './articles.ts';
import { batchRow } from './batch.ts';
import { capabilityRows, keyRows, webhookRows } from './capabilities.ts';
import { claimRows } from './claims-and-sources.ts';
import { creativeRows, repositoryRows, webRows } from './effects.ts';
import { discourseRows } from './discourse.ts';
import { imageRows } from './images.ts';
import { landscapeRows } from './landscape.ts';
import { mirrorRows } from './mirror.ts';
import { notificationRows } from './notifications.ts';
import { ownerRowRows } from './owner-rows.ts';
import { proofRows } from './proof.ts';
import { protocolRows } from './protocol.ts';
import { questionRows } from './questions.ts';
import { secretRows } from './secrets.ts';
import { voxelRows } from './voxels.ts';
import { workspaceRows } from './workspaces.ts';

const own: readonly Row[] = [
  ...capabilityRows,
  ...protocolRows,
  ...paperRows,
  ...keyRows,
  ...mirrorRows,
  ...claimRows,
  ...articleRows,
  ...discourseRows,
  ...questionRows,
  ...voxelRows,
  ...webhookRows,
  ...webRows,
  ...ownerRowRows,
  ...repositoryRows,
  ...secretRows,
  ...creativeRows,
  ...imageRows,
  ...notificationRows,
  ...landscapeRows,
  ...proofRows,
  ...workspaceRows,
];

export const builtInRows: readonly Row[] = [...own, batchRow(own)].sort((a, b) => (a.key < b.key ? -1 : 1));
