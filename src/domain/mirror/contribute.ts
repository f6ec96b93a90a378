/**
 * Mirror contributions (spec §2.10, contract §5): typed proposals on a claim, open to anyone, on a chain of
 * their own. Nothing a contributor sends changes a claim before the owner acts; the very same contribution
 * sent again is answered with the first, as long as that is among the article's newest.
 */
import { actEntry } from '../entries.ts';
import type { EventDraft, View } from '../../engine/act.ts';
import type { RowOf } from '../../engine/tables.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { repairedClaim } from '../articles/amend-claim.ts';
import { articleChain } from '../articles/chains.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { refusalOf } from '../violations.ts';
import { contributionRules, changesWording, missingClaim } from './contribution-rules.ts';
import { mirrorTable, recentContributionTable, digestPrefix, type RecentContribution } from './tables.ts';
import {
  type Contribution,
  type ContributionInput,
  RepeatedContribution,
  Contributed,
} from '../../model/contribution.ts';
import { exactly } from '../../model/exact.ts';

export interface MirrorState {
  readonly mirror: RowOf<typeof mirrorTable> | undefined;
  /** Of what is contributed now. */
  readonly digest: string;
  /** The same contribution, made before. */
  readonly first: RecentContribution | undefined;
  /** What was decided on the first, where there is one. */
  readonly decided?: string | undefined;
}

/** The chain's head, and the same contribution where it was made lately. */
export function mirrorState(tx: View, aid: string, input: ContributionInput): MirrorState {
  const newest = tx.row(recentContributionTable, aid)?.newest ?? [];
  const digest = contributionDigest(aid, input);
  const short = digestPrefix(digest);
  return { mirror: tx.row(mirrorTable, aid), digest, first: newest.find((each) => each.digest === short) };
}

/** Names a contribution by everything its sender wrote. */
export function contributionDigest(aid: string, input: ContributionInput): string {
  const parts = [aid, input.claim_id, input.kind, input.actor, input.body];
  if (input.tier !== undefined) parts.push(input.rationale ?? '', input.tier);
  else if (input.rationale !== undefined) parts.push(input.rationale);
  return sha256Hex(canonicalJson(parts));
}

export function contribute(
  article: ArticleState,
  state: MirrorState,
  input: ContributionInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const refused = checkContribution(article, input, context);
  if (refused !== undefined) return refused;
  const { slug, aid } = article.row;
  const permalink = contributionPermalink(context.base, slug, input);
  if (state.first !== undefined) {
    const { id, receipt } = state.first;
    return {
      events: [],
      conclude: () => ({
        result: exactly(RepeatedContribution, {
          slug,
          contribution: {
            id,
            article: slug,
            claim_id: input.claim_id,
            kind: input.kind,
            actor: input.actor,
            body: input.body,
            status: state.decided ?? 'proposed',
            receipt,
          },
          repeated: true,
          revision: article.row.version,
          permalink,
        }),
        text: `${id} already says exactly this; nothing new was recorded.`,
        material: [],
      }),
    };
  }
  const claim = article.claims.get(input.claim_id)?.claim;
  const contribution: Contribution = {
    id: context.id('mc_'),
    article: slug,
    claim_id: input.claim_id,
    kind: input.kind,
    actor: input.actor,
    body: input.body,
    ts: context.now,
    receipt: context.inv,
    claim_hash: claim?.hash ?? null,
    ...(claim !== undefined && changesWording(input) ? { claim_version: claim.version } : {}),
    rationale: input.rationale ?? null,
    ...(input.tier === undefined ? {} : { tier: input.tier }),
  };
  const event: EventDraft = actEntry(
    context,
    articleChain(aid, 'mirror'),
    state.mirror?.head ?? null,
    'contribute',
    { ...contribution, digest: state.digest },
  );
  return {
    events: [event],
    conclude: ([appended]) => ({
      result: exactly(Contributed, {
        slug,
        contribution: {
          ...contribution,
          timestamp: contribution.ts,
          status: 'proposed',
          prev: appended?.sealed.entry.prev ?? '',
          hash: appended?.sealed.hash ?? '',
        },
        repeated: false,
        revision: article.row.version,
        permalink,
      }),
      text: `Proposed ${contribution.id} (${input.kind}) on ${slug}${input.claim_id === '' ? '' : ` ${input.claim_id}`}: ${permalink}`,
      material: [{ kind: 'contribution', id: contribution.id, url: permalink }],
    }),
  };
}

/** The claim that it is about, or the article. */
export function contributionPermalink(
  base: string,
  slug: string,
  { claim_id: claimId }: { readonly claim_id: string },
): string {
  return claimId === '' ? links.article(base, slug) : links.claim(base, slug, claimId);
}

function checkContribution(
  article: ArticleState,
  input: ContributionInput,
  context: Context,
): Fault | undefined {
  const [unknown] = missingClaim(article, input.claim_id);
  const violations = contributionRules(input, context.limits, article);
  // Alone, it is no breach of a rule: what is meant is not there.
  if (unknown !== undefined && violations.length === 1)
    return about(fault('not_found', unknown.message, unknown.fix), {
      kind: 'claim',
      id: input.claim_id,
      slug: article.row.slug,
    });
  const bad = refusalOf(violations, 'The contribution');
  if (bad !== undefined) return bad;
  const claim = article.claims.get(input.claim_id)?.claim;
  if (input.claim_hash !== undefined && input.claim_hash !== claim?.hash)
    return fault(
      'hash_stale',
      input.claim_id === ''
        ? 'The article as a whole has no claim hash.'
        : `${input.claim_id} no longer reads as that hash says.`,
      'Read current_text and propose again, with current_hash.',
      {
        claim_id: input.claim_id,
        expected_hash: input.claim_hash,
        current_text: claim?.text ?? '',
        current_hash: claim?.hash ?? '',
      },
    );
  if (claim === undefined || !changesWording(input)) return undefined;
  // What accepting would refuse (a retracted claim, a wording that stands already) is refused now.
  const { claim_id, body, tier, rationale } = input;
  const repaired = repairedClaim(
    article,
    { claim_id, text: body, rationale: rationale ?? input.kind, expected_hash: claim.hash, tier },
    context,
  );
  return isFault(repaired) ? repaired : undefined;
}
