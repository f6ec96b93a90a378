/**
 * What a contribution says and what is asked of it (spec §2.10, contract §5), told alike whether arguments are
 * wrong or the article lacks what they name.
 */
import { isFault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { ArticleState } from '../articles/state.ts';
import { tierWeights } from '../articles/tables.ts';
import { actorRules, intakeRules, seenRules } from '../text-rules.ts';
import { violation, type Fitting, type Violation } from '../violations.ts';
import { proposedSource } from './proposed-source.ts';

export interface ContributeInput {
  readonly slug: string;
  readonly claim_id: string;
  readonly kind: string;
  readonly actor: string;
  readonly body: string;
  readonly claim_hash?: string | undefined;
  readonly rationale?: string | undefined;
  readonly tier?: string | undefined;
}

/**
 * What is asked of a contribution. A source's body may hold an exact quote, with whatever that holds. Where the article
 * is known, a claim that it has not is told beside what else is wrong.
 */
export function contributionRules(
  input: Fitting<ContributeInput>,
  { intakeCharsMax }: SizeLimits,
  article?: ArticleState,
): Violation[] {
  const isSource = input.kind === 'source';
  const source = isSource && typeof input.body === 'string' ? proposedSource(input.body) : undefined;
  const unread = isFault(source) ? ((source.details?.['violations'] ?? []) as readonly Violation[]) : [];
  const said = intakeRules({ body: input.body }, intakeCharsMax, { verbatim: isSource });
  return [
    ...actorRules(input.actor),
    ...(said.length > 0 ? said : unread),
    ...(input.rationale === undefined ? [] : seenRules({ rationale: input.rationale })),
    ...tierRules(input),
    ...(article === undefined || typeof input.claim_id !== 'string'
      ? []
      : unknownClaim(article, input.claim_id)),
  ];
}

/** Only a repair says what tier its claim should have. */
function tierRules({ kind, tier }: Fitting<ContributeInput>): Violation[] {
  if (typeof tier !== 'string') return [];
  if (typeof kind === 'string' && kind !== 'repair')
    return [
      violation('not_carried', '/tier', `A ${kind} carries no tier.`, 'Leave it out, or send a repair.'),
    ];
  const tiers = Object.keys(tierWeights);
  return tiers.includes(tier)
    ? []
    : [violation('unknown_tier', '/tier', `"${tier}" is no tier.`, `Use one of ${tiers.join(', ')}.`)];
}

/** A claim that the article has not; the empty name is the article itself. */
export function unknownClaim({ row, claims }: ArticleState, claimId: string): Violation[] {
  if (claimId === '' || claims.has(claimId)) return [];
  const fix = 'Read the claims under /claims, or leave claim_id empty for the article as a whole.';
  return [violation('unknown_claim', '/claim_id', `${row.slug} has no claim ${claimId}.`, fix)];
}
