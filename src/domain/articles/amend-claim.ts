/**
 * Retracting and repairing claims (spec §3, contract §5). A retracted claim stays and weighs nothing; a
 * repaired one becomes its next version, by compare-and-set on its hash. Earlier wordings stay in the chain.
 */
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { blankRules, reasonRules } from '../text-rules.ts';
import { refusalOf, type PartialInput, type Violation } from '../violations.ts';
import { claimIndex, contraries, similars } from './similar-claims.ts';
import { plainWording } from '../similarity/normalise.ts';
import { lintClaim } from './claim-rules.ts';
import { medicalRules } from './medical-rules.ts';
import { nextRev, provenance, type Change } from './events.ts';
import type { ArticleState } from './state.ts';
import { type ClaimRow } from './tables.ts';
import { exactly } from '../../model/exact.ts';
import { type Claim, type ClaimRepair, type ClaimRetraction, ClaimWritten } from '../../model/claim.ts';
import { type Tier, tierWeights } from '../../model/vocabulary.ts';

/** The reason is shown on the claim, so that it keeps the rules of the claim's texts. */
export function retractRules(reason: string | null | undefined): Violation[] {
  return [...reasonRules(reason, 'Say what was found to be wrong.'), ...medicalRules({ reason })];
}

export function retractClaim(
  article: ArticleState,
  input: ClaimRetraction,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(retractRules(input.reason));
  if (bad !== undefined) return bad;
  const row = activeClaim(article, input.claim_id);
  if (isFault(row)) return row;
  const claim: Claim = {
    ...row.claim,
    status: 'retracted',
    weight: 0,
    extra: {
      ...row.claim.extra,
      retracted: { reason: input.reason, at: context.now, by: context.actor, receipt: context.inv },
    },
  };
  return amended(article, row, claim, 'claim_retract', { reason: input.reason }, context);
}

export function repairClaim(
  article: ArticleState,
  input: ClaimRepair,
  context: Context,
): Outcome<ArticleState> | Fault {
  const repaired = repairedClaim(article, input, context);
  if (isFault(repaired)) return repaired;
  return amended(article, repaired.row, repaired.claim, 'claim_repair', { reason: input.rationale }, context);
}

/** The claim's next version, judged as a new claim would be; also what an accepted mirror repair makes. */
export function repairedClaim(
  article: ArticleState,
  input: ClaimRepair,
  context: Context,
): { readonly row: ClaimRow; readonly claim: Claim } | Fault {
  const bad = refusalOf(
    repairRules(input, article),
    'The repaired claim',
    'Mend each violation and send the repair again.',
  );
  if (bad !== undefined) return bad;
  const row = activeClaim(article, input.claim_id);
  if (isFault(row)) return row;
  const before = row.claim;
  if (input.expected_hash !== before.hash) {
    return fault(
      'hash_stale',
      `${before.id} has changed since that hash was read.`,
      'Repair current_text and send current_hash as expected_hash.',
      {
        claim_id: before.id,
        expected_hash: input.expected_hash,
        current_text: before.text,
        current_hash: before.hash,
        version: before.version,
      },
    );
  }
  const text = input.text.trim();
  const tier = (input.tier ?? before.tier) as Tier;
  const equal = claimIndex(article).equal(text);
  const [same] = equal;
  if (same !== undefined && !equal.includes(before.id)) {
    return fault(
      'duplicate_claim',
      `${same} already says this.`,
      'Retract the claim instead, or cite the stored one.',
      {
        canonical: {
          id: same,
          permalink: links.claim(context.base, article.row.slug, same),
          similarity: 1,
          differs: [],
        },
      },
    );
  }
  if (text === before.text && tier === before.tier)
    return fault('conflict', `${before.id} already reads exactly so.`, 'Nothing is left to repair.');
  const claim: Claim = {
    ...before,
    text,
    tier,
    weight: tierWeights[tier],
    hash: sha256Hex(text),
    version: before.version + 1,
    posted_by: {
      ...before.posted_by,
      actor: context.actor,
      channel: context.channel,
      ts: context.now,
      model: context.model,
      rationale: input.rationale,
    },
  };
  return { row, claim: { ...claim, extra: stillBroken(claim, article) } };
}

/** An imported claim bears the codes of the rules that it breaks; a repair takes away those that it mended. */
function stillBroken(claim: Claim, article: ArticleState): Claim['extra'] {
  const { violations, ...extra } = claim.extra;
  if (violations === undefined) return claim.extra;
  // What was left out when it was posted is stored as null, which the rules read as unreadable.
  const given = Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== null));
  const found = new Set(lintClaim(given, article.sources).map(({ code }) => code));
  const left = violations.filter((code) => found.has(code));
  return left.length === 0 ? extra : { ...extra, violations: left };
}

/** The wording and the tier are judged as a new claim's would be; a wording that stays is not judged again. */
export function repairRules(
  input: PartialInput<ClaimRepair>,
  article: ArticleState | undefined,
): Violation[] {
  const before = article?.claims.get(input.claim_id ?? '')?.claim;
  const findings = lintClaim(
    {
      text: input.text === before?.text ? undefined : input.text,
      rationale: input.rationale,
      tier: input.tier === undefined ? before?.tier : input.tier,
      slot: before?.slot,
      // What it cites and why it matters is not what a repair changes.
      source_ids: null,
      why_material: null,
    },
    undefined,
  );
  return [
    ...blankRules('rationale', input.rationale, 'Say why.'),
    ...findings.filter(({ severity }) => severity === 'error'),
  ];
}

export function activeClaim(article: ArticleState, claimId: string): ClaimRow | Fault {
  const row = article.claims.get(claimId);
  if (row === undefined)
    return about(
      fault(
        'not_found',
        `${article.row.slug} has no claim ${claimId.slice(0, 40)}.`,
        'Read the claims under /claims.',
      ),
      { kind: 'claim', id: claimId, slug: article.row.slug },
    );
  if (row.claim.status === 'retracted')
    return fault('conflict', `${claimId} is retracted and takes no more writes.`, 'Post a new claim.', {
      claim_id: claimId,
      claim_status: 'retracted',
    });
  return row;
}

function amended(
  article: ArticleState,
  row: ClaimRow,
  claim: Claim,
  action: string,
  change: Change,
  context: Context,
): Outcome<ArticleState> {
  const { aid, heads, slug } = article.row;
  const plain = plainWording(claim.text);
  // What is retracted asserts nothing that another claim could contradict.
  const similar =
    claim.status === 'retracted'
      ? []
      : claimIndex(article)
          .find(claim.text)
          .filter(({ id }) => id !== claim.id);
  return {
    events: [
      provenance(aid, heads.provenance, context, action, nextRev(article), {
        ...change,
        claims: [{ n: row.n, plain, claim }],
        of: [claim.id],
      }),
    ],
    conclude(_, after) {
      const permalink = links.claim(context.base, slug, claim.id);
      return {
        result: exactly(ClaimWritten, {
          slug,
          claim_id: claim.id,
          claim,
          contrary: contraries(article, similar, claim.id, context),
          similar: similars(article, similar, context),
          revision: after.row.version,
          permalink,
        }),
        text: `${action === 'claim_retract' ? 'Retracted' : 'Repaired'} ${claim.id} of ${slug} (version ${claim.version}): ${permalink}`,
        material: [{ kind: 'claim', id: `${slug}/${claim.id}`, url: permalink }],
      };
    },
  };
}
