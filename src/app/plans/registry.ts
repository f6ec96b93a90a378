/** The registry of plan kinds. A shape in `Plans` without a kind here does not compile. */
import type { Plan, PlanName } from '../../domain/capabilities/plan.ts';
import { readPlan } from './read.ts';
import { batchPlan } from './batch.ts';
import { certifyPlan } from './certify.ts';
import { contributePlan } from './contribute.ts';
import { decideProposalPlan } from './decide-proposal.ts';
import { decideVotePlan } from './decide-vote.ts';
import { effectPlan } from './effect.ts';
import { growPaperPlan } from './grow-paper.ts';
import { importBundlePlan } from './import-bundle.ts';
import { inquirePlan } from './inquire.ts';
import { leaseItemPlan } from './lease-item.ts';
import { mintKeyPlan } from './mint-key.ts';
import { mintPlan } from './mint.ts';
import type { PlanKind } from './plan.ts';
import { queueTargetsPlan } from './queue-targets.ts';
import { replayPlan } from './replay.ts';
import { resolveContributionPlan } from './resolve-contribution.ts';
import { returnItemPlan } from './return-item.ts';
import { revertArticlePlan } from './revert-article.ts';
import { revokePlan } from './revoke.ts';
import { rotateWebhookPlan } from './rotate-webhook.ts';
import { sayPlan } from './say.ts';
import { scrubPlan } from './scrub.ts';
import { settleEntryPlan } from './settle-entry.ts';
import { threadUpdatePlan } from './thread-update.ts';
import { writeArticlePlan } from './write-article.ts';
import { writeDocumentPlan } from './write-document.ts';
import { writeNotificationPlan } from './write-notification.ts';
import { writeRowPlan } from './write-row.ts';
import { writeWorkspacePlan } from './write-workspace.ts';

const kinds: { readonly [K in PlanName]: PlanKind<K> } = {
  read: readPlan,
  batch: batchPlan,
  certify: certifyPlan,
  contribute: contributePlan,
  'decide-proposal': decideProposalPlan,
  'decide-vote': decideVotePlan,
  effect: effectPlan,
  'grow-paper': growPaperPlan,
  'import-bundle': importBundlePlan,
  inquire: inquirePlan,
  'lease-item': leaseItemPlan,
  mint: mintPlan,
  'mint-key': mintKeyPlan,
  'queue-targets': queueTargetsPlan,
  replay: replayPlan,
  'resolve-contribution': resolveContributionPlan,
  'return-item': returnItemPlan,
  'revert-article': revertArticlePlan,
  revoke: revokePlan,
  'rotate-webhook': rotateWebhookPlan,
  say: sayPlan,
  scrub: scrubPlan,
  'settle-entry': settleEntryPlan,
  'thread-update': threadUpdatePlan,
  'write-article': writeArticlePlan,
  'write-document': writeDocumentPlan,
  'write-notification': writeNotificationPlan,
  'write-row': writeRowPlan,
  'write-workspace': writeWorkspacePlan,
};

export function kindOf(plan: Plan): PlanKind {
  return kinds[plan.do];
}
