/** Rows that add claims and sources to an article (spec §4.4, contract §5). */
import Type from 'typebox';
import { repairClaim, repairRules, retractClaim, retractRules } from '../domain/articles/amend-claim.ts';
import { lintClaim } from '../domain/articles/claim-rules.ts';
import { appendSources, sourcesRules } from '../domain/articles/append-sources.ts';
import { postClaim } from '../domain/articles/post-claim.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { SourceInput, SourcesWritten } from '../model/source.ts';
import { ClaimInput, ClaimPosted, ClaimRepair, ClaimRetraction, ClaimWritten } from '../model/claim.ts';
import { optionalActor, optionalModel, slug } from '../model/arguments.ts';

const claimPost = defineRow({
  key: 'CLAIM_POST',
  category: 'claim',
  target: 'article',
  wishes: ['add a claim to an article', 'assert something new', 'state a fact with its source'],
  contract: {
    what: 'Posts one falsifiable assertion with its tier, its sources and who claims it. A claim that already stands is refused and pointed to.',
    when: 'When an article should assert something new that can be shown wrong. A claim that stands is changed by CLAIM_REPAIR.',
    example:
      '{"slug":"what-the-ledger-is","text":"Every write leaves a receipt.","tier":"system","who_claims":"Colophon","source_ids":["s1"]}',
  },
  input: Type.Object(
    {
      slug,
      ...ClaimInput.properties,
    },
    { additionalProperties: false },
  ),
  output: ClaimPosted,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rules: (claim, article) => lintClaim(claim, article?.sources),
  plan: ({ slug: at, ...claim }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => postClaim(article, claim, context),
  }),
});

const sourcePost = defineRow({
  key: 'SOURCE_POST',
  category: 'source',
  target: 'article',
  wishes: ['cite a source', 'attach a source with an exact quote', 'add a citation to an article'],
  contract: {
    what: 'Appends sources with exact quotes to the hash chain of an article. A source with the same URL and quote is refused and pointed to.',
    when: 'Before posting a claim that cites them. Without authority, MIRROR_APPEND proposes a source.',
    example:
      '{"slug":"what-the-ledger-is","sources":[{"type":"review","url":"https://www.rfc-editor.org/rfc/rfc6962","title":"RFC 6962","quote":"Certificate Transparency","summary":"Defines Merkle audit proofs."}]}',
  },
  input: Type.Object(
    {
      slug,
      sources: Type.Array(SourceInput, { minItems: 1, maxItems: 100 }),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: SourcesWritten,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rules: ({ sources }) => sourcesRules(sources ?? []),
  plan: ({ slug: at, sources }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => appendSources(article, sources, context),
  }),
});

const claimRetract = defineRow({
  key: 'CLAIM_RETRACT',
  category: 'claim',
  target: 'claim',
  wishes: ['take back a claim', 'withdraw a claim that is wrong', 'delete a claim'],
  contract: {
    what: 'Retracts a claim. It is kept, listed as retracted, and weighs nothing.',
    when: 'When the information behind a claim was found to be bad. A claim is disputed by OBJECTION_LOG.',
    example: 'what-the-ledger-is|c1|The cited page no longer says it.',
  },
  input: Type.Object(
    {
      slug,
      ...ClaimRetraction.properties,
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: ClaimWritten,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  rules: ({ reason }) => retractRules(reason),
  plan: ({ slug: at, ...input }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => retractClaim(article, input, context),
  }),
});

const claimRepair = defineRow({
  key: 'CLAIM_REPAIR',
  category: 'claim',
  target: 'claim',
  wishes: ['change the wording of a claim myself', 'change the tier of a claim'],
  contract: {
    what: 'Rewords a claim, or gives it another tier, as its next version, by compare-and-set on its hash. Earlier versions stay readable.',
    when: 'When a claim is right in substance and wrong in wording or tier. Without authority over the claim, MIRROR_APPEND proposes the repair.',
    example:
      '{"slug":"what-the-ledger-is","claim_id":"c1","text":"Every accepted write leaves a receipt.","rationale":"refused writes may leave none","expected_hash":"<hash_of_c1>"}',
  },
  input: Type.Object(
    {
      slug,
      ...ClaimRepair.properties,
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: ClaimWritten,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  rules: repairRules,
  plan: ({ slug: at, ...input }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => repairClaim(article, input, context),
  }),
});

export const claimRows: readonly Row[] = [claimPost, claimRetract, claimRepair, sourcePost];
