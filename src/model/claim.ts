/**
 * Claims (spec §2.2, §2.12; contract §5): what a poster sends, what the ledger keeps, what reads answer, and what a
 * bundle may bring. Rows, tables, answers and documents derive from here.
 */
import Type, { type TSchema } from 'typebox';
import {
  importedActor,
  importedTime,
  importedViolations,
  oneWordOf,
  optionalActor,
  optionalModel,
  optionalWords,
  words,
} from './arguments.ts';
import type { Of } from './exact.ts';
import { worked } from './landscape.ts';
import {
  actor,
  claimId,
  flag,
  hash,
  inv,
  list,
  open,
  oneOf,
  orNull,
  shape,
  slug,
  sourceId,
  text,
  tier,
  time,
  url,
  weight,
} from './parts.ts';
import { claimStatuses, evidenceClasses, slots, tiers } from './vocabulary.ts';

export const claimCharsMax = {
  text: 4000,
  who_claims: 300,
  why_material: 2000,
  rationale: 2000,
  falsifier: 1000,
  evidence_basis: 200,
  section: 200,
  source_role: 100,
  comparison: 500,
  captured_at: 100,
} as const;

const closed = { additionalProperties: false };
const bounded = (maxLength: number) => Type.String({ maxLength });

/** What a comparing claim states of the comparison. */
const comparisonInput = Type.Object(
  {
    population: Type.Optional(bounded(claimCharsMax.comparison)),
    axis: Type.Optional(bounded(claimCharsMax.comparison)),
    captured_at: Type.Optional(bounded(claimCharsMax.captured_at)),
    selection: Type.Optional(bounded(claimCharsMax.comparison)),
  },
  closed,
);
export type Comparison = Of<typeof comparisonInput>;

/** What a poster sends. */
export const ClaimInput = Type.Object({
  text: words(claimCharsMax.text, 'one falsifiable assertion'),
  tier: words(40, 'human, preclinical, anecdotal, mechanistic, speculative or system'),
  who_claims: words(claimCharsMax.who_claims, 'who makes the claim'),
  source_ids: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 100 })),
  rationale: optionalWords(claimCharsMax.rationale, 'why it is posted'),
  why_material: optionalWords(claimCharsMax.why_material, 'required without source_ids'),
  falsifier: optionalWords(claimCharsMax.falsifier, 'what would show it wrong'),
  materiality: Type.Optional(Type.Boolean()),
  evidence_basis: optionalWords(claimCharsMax.evidence_basis, 'such as derived_inference'),
  evidence_class: optionalWords(60, 'for software claims'),
  slot: optionalWords(60, 'a constitution slot'),
  section: optionalWords(claimCharsMax.section, 'a section name'),
  source_role: optionalWords(claimCharsMax.source_role, 'such as adjacent_context'),
  model: optionalModel,
  distinct: Type.Optional(
    Type.Boolean({ description: 'insist, with a rationale, that it differs from the stored claim' }),
  ),
  comparison: Type.Optional(comparisonInput),
  actor: optionalActor,
});
export type ClaimInput = Of<typeof ClaimInput>;

/** What a call about a stored claim sends. */
export const ClaimIdInput = Type.String({ pattern: '^c[0-9]{1,7}$', description: 'a claim id such as c1' });
export const ClaimRetraction = Type.Object({
  claim_id: ClaimIdInput,
  reason: words(2000, 'what was found'),
});
export type ClaimRetraction = Of<typeof ClaimRetraction>;
export const ClaimRepair = Type.Object({
  claim_id: ClaimIdInput,
  text: ClaimInput.properties.text,
  rationale: words(claimCharsMax.rationale, 'why'),
  expected_hash: words(128, 'the hash of the claim that was read'),
  tier: optionalWords(40, 'another tier; its own when left out'),
});
export type ClaimRepair = Of<typeof ClaimRepair>;

/** What else is kept of a claim: what its poster sent, and what was decided on it. */
const importedExtra = Type.Object(
  {
    evidence_class: Type.Optional(oneWordOf(evidenceClasses)),
    comparison: Type.Optional(comparisonInput),
    actor_name: Type.Optional(bounded(200)),
    contributions: Type.Optional(Type.Array(Type.String({ pattern: '^mc_[a-z2-7]{16}$' }))),
    retracted: Type.Optional(
      Type.Object(
        {
          reason: bounded(32_000),
          at: importedTime,
          by: importedActor,
          receipt: Type.String({ pattern: '^inv_[a-z2-7]{16}$' }),
        },
        closed,
      ),
    ),
    imported_from: Type.Optional(orNull(Type.String({ pattern: '^https?://', maxLength: 4000 }))),
    violations: Type.Optional(importedViolations),
  },
  closed,
);
export type ClaimExtra = Of<typeof importedExtra>;

const members = {
  id: claimId,
  text,
  tier,
  source_ids: list(sourceId),
  source_status: oneOf(['sourced', 'unsourced']),
  why_material: orNull(text),
  evidence_basis: orNull(text),
  materiality: flag,
  weight,
  status: oneOf(claimStatuses),
  falsifier: orNull(text),
  who_claims: text,
  posted_by: shape({ actor, channel: text, ts: time, model: orNull(text), rationale: orNull(text) }),
  slot: orNull(oneOf(slots)),
  section: orNull(text),
  source_role: orNull(text),
  /** Open: of what stands in it, these members are described. */
  extra: Type.Unsafe<ClaimExtra>(
    Type.Object({
      evidence_class: Type.Optional(oneOf(evidenceClasses)),
      comparison: Type.Optional(shape({ population: text, axis: text, captured_at: text, selection: text })),
      actor_name: Type.Optional(text),
    }),
  ),
  hash,
  version: Type.Integer({ minimum: 1 }),
};

/** What the ledger keeps, and a write answers with. */
export const Claim = shape(members);
export type Claim = Of<typeof Claim>;

/** The same members with the bounds that an imported claim must keep. */
export const ImportedClaim = Type.Object(
  {
    id: Type.String(),
    text: bounded(claimCharsMax.text),
    tier: oneWordOf(tiers),
    source_ids: Type.Array(Type.String({ pattern: '^s[1-9][0-9]{0,6}$' }), { maxItems: 1000 }),
    source_status: oneWordOf(['sourced', 'unsourced']),
    why_material: orNull(bounded(claimCharsMax.why_material)),
    evidence_basis: orNull(bounded(claimCharsMax.evidence_basis)),
    materiality: Type.Boolean(),
    weight,
    status: oneWordOf(claimStatuses),
    falsifier: orNull(bounded(claimCharsMax.falsifier)),
    who_claims: bounded(claimCharsMax.who_claims),
    posted_by: Type.Object(
      {
        actor: importedActor,
        channel: Type.String({ pattern: '^[a-z_]{1,40}$' }),
        ts: importedTime,
        model: orNull(bounded(200)),
        // The body of a contribution that was accepted may be its rationale.
        rationale: orNull(bounded(32_000)),
      } satisfies Record<keyof Claim['posted_by'], TSchema>,
      closed,
    ),
    slot: orNull(oneWordOf(slots)),
    section: orNull(bounded(claimCharsMax.section)),
    source_role: orNull(bounded(claimCharsMax.source_role)),
    extra: importedExtra,
    hash: Type.String(),
    version: members.version,
  } satisfies Record<keyof Claim, TSchema>,
  closed,
);

const viewMembers = {
  ...members,
  claim: Type.String({ pattern: '^claim:c\\d+$' }),
  permalink: url,
};

/** What a read answers. */
export const ClaimView = shape(viewMembers);
export type ClaimView = Of<typeof ClaimView>;

/** One wording that a claim has had. */
export const Wording = shape({
  version: members.version,
  text,
  hash,
  status: members.status,
  action: text,
  ts: time,
  actor,
  receipt: orNull(inv),
  contribution: Type.Optional(Type.String({ description: 'the contribution that it was accepted from' })),
});
export type Wording = Of<typeof Wording>;

/** A claim that a posted one resembles. */
const likenessMembers = {
  id: text,
  text,
  permalink: url,
  similarity: Type.Number({ minimum: 0, maximum: 1 }),
  differs: list(text),
};
const Similar = shape(likenessMembers);
export type Similar = Of<typeof Similar>;
const Contrary = shape({
  ...likenessMembers,
  proposal: shape({ key: Type.Literal('MIRROR_APPEND'), body: open }),
});
export type Contrary = Of<typeof Contrary>;

/** What CLAIM_RETRACT and CLAIM_REPAIR answer. */
const writtenMembers = {
  slug,
  revision: Type.Integer({ minimum: 1 }),
  permalink: url,
  claim_id: claimId,
  claim: Claim,
  contrary: list(Contrary),
  similar: list(Similar),
};
export const ClaimWritten = shape(writtenMembers);
export const ClaimPosted = shape({ ...writtenMembers, warnings: list(open), ...worked });
