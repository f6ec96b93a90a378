/**
 * Rules for contributions (spec §2.10, contract §5), reported alike whether arguments are
 * wrong or the article lacks what they name.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { repairRules } from '../articles/amend-claim.ts';
import { medicalRules } from '../articles/medical-rules.ts';
import { lintSource } from '../articles/append-sources.ts';
import type { ArticleState } from '../articles/state.ts';
import { actorRules, intakeRules, visibleTextRules } from '../text-rules.ts';
import { violation, type PartialInput, type Violation } from '../violations.ts';
import { proposedSource } from './proposed-source.ts';
import type { ContributionInput } from '../../model/contribution.ts';
import { isOneOf, tiers } from '../../model/vocabulary.ts';
import type { SourceInput } from '../../model/source.ts';

/**
 * What a contribution must keep. A source's body may hold an exact quote with any characters. Wordings and sources are
 * judged by the rules that accepting them applies, so that nothing is recorded that could never be accepted. Where the
 * article is known, an unknown claim is reported beside the other violations.
 */
export function contributionRules(
  input: PartialInput<ContributionInput>,
  { intakeCharsMax }: SizeLimits,
  article?: ArticleState,
): Violation[] {
  const isSource = input.kind === 'source';
  const source = isSource && typeof input.body === 'string' ? proposedSource(input.body) : undefined;
  const violations = intakeRules({ body: input.body }, intakeCharsMax, { verbatim: isSource });
  return [
    ...actorRules(input.actor),
    // Who proposes a source is shown as who found it.
    ...(isSource ? medicalRules({ actor: input.actor }) : []),
    ...(violations.length > 0 ? violations : [...sourceRules(source), ...wordingRules(input, article)]),
    ...(input.rationale === undefined ? [] : visibleTextRules({ rationale: input.rationale })),
    ...tierRules(input),
    ...(article === undefined || typeof input.claim_id !== 'string'
      ? []
      : missingClaim(article, input.claim_id)),
  ];
}

function sourceRules(source: SourceInput | Fault | undefined): readonly Violation[] {
  if (source === undefined) return [];
  return isFault(source)
    ? ((source.details?.['violations'] ?? []) as readonly Violation[])
    : lintSource(source, '/body');
}

/** A new wording of a claim; one of the article as a whole changes no claim. */
function wordingRules(
  input: PartialInput<ContributionInput>,
  article: ArticleState | undefined,
): Violation[] {
  const { kind, claim_id: claimId, body, rationale } = input;
  if (!changesWording({ kind: kind ?? '', claim_id: claimId ?? '' }) || typeof body !== 'string') return [];
  // The rationale is judged as what is said; tier and claim have rules of their own here.
  return repairRules({ claim_id: claimId, text: body, rationale: rationale ?? null, tier: null }, article)
    .filter(({ code, at }) => code !== 'unseen_character' || !at.startsWith('/rationale'))
    .map((each) => ({ ...each, at: each.at.replace(/^\/text/, '/body') }));
}

/** Whether accepting it makes the claim's next version. */
export function changesWording({
  kind,
  claim_id: claimId,
}: {
  readonly kind: string;
  readonly claim_id: string;
}): boolean {
  return (kind === 'repair' || kind === 'compression') && claimId !== '';
}

/** Only a repair says what tier its claim should have. */
function tierRules({ kind, tier }: PartialInput<ContributionInput>): Violation[] {
  if (typeof tier !== 'string') return [];
  if (typeof kind === 'string' && kind !== 'repair')
    return [
      violation('not_carried', '/tier', `A ${kind} carries no tier.`, 'Leave it out, or send a repair.'),
    ];
  return isOneOf(tiers, tier)
    ? []
    : [violation('unknown_tier', '/tier', `"${tier}" is no tier.`, `Use one of ${tiers.join(', ')}.`)];
}

/** A claim that the article has not; the empty name is the article itself. */
export function missingClaim({ row, claims }: ArticleState, claimId: string): Violation[] {
  if (claimId === '' || claims.has(claimId)) return [];
  const fix = 'Read the claims under /claims, or leave claim_id empty for the article as a whole.';
  return [violation('unknown_claim', '/claim_id', `${row.slug} has no claim ${claimId}.`, fix)];
}
