/**
 * Who may append a document to an article that exists (spec §4.4 voxel-batch, §5 rule 2): the tier `act` begins new
 * articles and does no more, so every link of the credential must hold a scope that names the rows that write text.
 * Part of the scope gate.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { covers, grantsOf } from './grants.ts';
import type { Row } from './row.ts';
import type { CapabilityRow, Grant } from './tables.ts';

export function unscopedAppend(row: Row, slug: string, chain: readonly CapabilityRow[]): Fault | undefined {
  const writesText = ({ scope, keys, article }: Grant): boolean =>
    scope !== 'act' &&
    scope !== 'read' &&
    (article ?? slug) === slug &&
    (keys.includes('VOXEL_EDIT') || covers({ scope, keys }, row));
  if (chain.every(({ record }) => grantsOf(record).some(writesText))) return undefined;
  return fault(
    'voxel_scope_required',
    `${slug} stands already, and the credential writes no text of articles that do.`,
    'Send a slug that is free, or ask for a credential with rows:VOXEL_BATCH or pfx:VOXEL_.',
  );
}
