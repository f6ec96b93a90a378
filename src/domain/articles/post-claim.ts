/** Posting a claim (spec §2.2, §4.4; contract §5): linted, compared with existing claims, then appended. */
import { fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { refusalOf } from '../violations.ts';
import { claimIndex, contraries, similars } from './similar-claims.ts';
import { plainWording } from '../similarity/normalise.ts';
import { lintClaim } from './claim-rules.ts';
import { nextRev, provenance } from './events.ts';
import type { ArticleState } from './state.ts';
import { ClaimPosted, type Claim, type ClaimExtra, type ClaimInput } from '../../model/claim.ts';
import { exactly } from '../../model/exact.ts';
import { type Tier, tierWeights } from '../../model/vocabulary.ts';

export function postClaim(
  article: ArticleState,
  input: ClaimInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const findings = lintClaim(input, article.sources);
  const bad = refusalOf(
    findings.filter((finding) => finding.severity === 'error'),
    'The claim',
    'Mend each violation and send the claim again.',
  );
  if (bad !== undefined) return bad;
  const { slug, aid, heads } = article.row;
  const plain = plainWording(input.text);
  const found = claimIndex(article).find(input.text);
  const same = found.find(({ verdict }) => verdict.kind === 'duplicate');
  if (same !== undefined && !(input.distinct === true && (input.rationale ?? '').trim() !== '')) {
    return fault(
      'duplicate_claim',
      `${same.id} already says this.`,
      'Cite the stored claim, or send distinct:true with a rationale.',
      {
        canonical: {
          id: same.id,
          permalink: links.claim(context.base, slug, same.id),
          similarity: same.verdict.similarity,
          differs: same.verdict.differs,
        },
      },
    );
  }
  const n = article.row.claims_made + 1;
  const claim = claimFrom(input, `c${n}`, context);
  return {
    events: [
      provenance(aid, heads.provenance, context, 'claim', nextRev(article), {
        claims: [{ n, plain, claim }],
        of: [claim.id],
      }),
    ],
    warnings: findings,
    conclude(_, after) {
      const permalink = links.claim(context.base, slug, claim.id);
      return {
        result: exactly(ClaimPosted, {
          slug,
          claim_id: claim.id,
          claim,
          contrary: contraries(article, found, claim.id, context),
          similar: similars(article, found, context),
          warnings: findings,
          revision: after.row.version,
          permalink,
        }),
        text: `Posted ${claim.id} to ${slug}: ${claim.text} ${permalink}`,
        material: [{ kind: 'claim', id: `${slug}/${claim.id}`, url: permalink }],
      };
    },
  };
}

function claimFrom(input: ClaimInput, id: string, context: Context): Claim {
  const sourceIds = [...new Set(input.source_ids ?? [])];
  const text = input.text.trim();
  // `lintClaim` refused every other value.
  const tier = input.tier as Tier;
  const slot = (input.slot ?? null) as Claim['slot'];
  const evidence = input.evidence_class as ClaimExtra['evidence_class'];
  return {
    id,
    text,
    tier,
    source_ids: sourceIds,
    source_status: sourceIds.length > 0 ? 'sourced' : 'unsourced',
    why_material: input.why_material ?? null,
    evidence_basis: input.evidence_basis ?? null,
    materiality: input.materiality ?? true,
    weight: tierWeights[tier],
    status: 'active',
    falsifier: input.falsifier ?? null,
    who_claims: input.who_claims.trim(),
    posted_by: {
      actor: context.actor,
      channel: context.channel,
      ts: context.now,
      model: input.model ?? null,
      rationale: input.rationale ?? null,
    },
    slot,
    section: input.section ?? null,
    source_role: input.source_role ?? null,
    extra: {
      ...(evidence === undefined ? {} : { evidence_class: evidence }),
      ...(input.comparison === undefined ? {} : { comparison: { ...input.comparison } }),
      ...(context.actorName === null ? {} : { actor_name: context.actorName }),
    },
    hash: sha256Hex(text),
    version: 1,
  };
}
