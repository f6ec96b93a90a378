/**
 * Deciding a mirror contribution (spec §2.10, §3; contract §5): the owner's act, once. Accepting writes what
 * the kind asks for, and lineage both ways: the claim names the contribution, the contribution what became of
 * it. A repair or compression makes the claim's next version; a source is appended and linked; a question becomes
 * a node; everything else is shown beside the claim. Rejected ones stay in the feed.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { nextRev, provenance } from '../articles/events.ts';
import type { ArticleState } from '../articles/state.ts';
import { ContributionResolved, type ResolutionInput } from '../../model/contribution.ts';
import { exactly } from '../../model/exact.ts';
import type { Context, Outcome } from '../context.ts';
import type { QuestionsState } from '../questions/state.ts';
import { contributionPermalink } from '../mirror/contribute.ts';
import type { ContributionRow } from '../mirror/tables.ts';
import { refusalOf, violation } from '../violations.ts';
import { accept, noChange } from './accept.ts';
import type { ResolutionRow } from '../mirror/resolution.ts';

/** `decided` is the resolution that stands already, if any. */
export function resolveContribution(
  article: ArticleState,
  row: ContributionRow,
  decided: ResolutionRow | undefined,
  questions: QuestionsState,
  input: ResolutionInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  // The row's rules refused every other word.
  const decision = input.decision as ResolutionRow['status'];
  if (decided !== undefined)
    return fault(
      'already_decided',
      `${row.id} was ${decided.status} at ${decided.decided_at}.`,
      'Nothing is left to decide; a new contribution can be proposed.',
      { decision: decided.status, decided_at: decided.decided_at, receipt: decided.receipt },
    );
  if (decision === 'rejected' && input.text !== undefined)
    return refusalOf([
      violation('not_carried', '/text', '"text" belongs to an accepted wording.', 'Leave it out, or accept.'),
    ]) as Fault;
  const deed = decision === 'rejected' ? noChange : accept(article, row, questions, input, context);
  if (isFault(deed)) return deed;
  const { slug, aid, heads } = article.row;
  const note = input.note ?? '';
  const event = provenance(
    aid,
    heads.provenance,
    context,
    decision === 'accepted' ? 'mirror_accept' : 'mirror_reject',
    deed.revises ? nextRev(article) : null,
    {
      ...deed.change,
      reason: note,
      of: [row.id, ...(row.claim_id === '' ? [] : [row.claim_id]), ...(deed.change.of ?? [])],
      resolved: { id: row.id, kind: row.contribution.kind, note, effect: deed.effect },
    },
  );
  const permalink = contributionPermalink(context.base, slug, row);
  return {
    events: [{ ...event, draft: { ...event.draft, contribution: row.id, decision } }, ...deed.more],
    conclude: (_, after) => ({
      result: exactly(ContributionResolved, {
        slug,
        contribution: {
          ...row.contribution,
          timestamp: row.contribution.ts,
          status: decision,
          note,
          decided_at: context.now,
          decided_by: context.actor,
          resolution: context.inv,
          effect: deed.effect,
          prev: row.prev,
          hash: row.hash,
        },
        decision,
        effect: deed.effect,
        claim: row.claim_id === '' ? null : (after.claims.get(row.claim_id)?.claim ?? null),
        revision: after.row.version,
        permalink,
      }),
      text: `${row.id} (${row.contribution.kind}) is ${decision}: ${permalink}`,
      material: deed.material,
    }),
  };
}
