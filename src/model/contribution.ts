/** Contributions to an article's mirror (spec §2.10, contract §5): what is sent, kept, decided and answered. */
import Type from 'typebox';
import { intake, oneOf as oneArgumentOf, optionalWords, slug as slugArgument, words } from './arguments.ts';
import { Claim } from './claim.ts';
import type { Of } from './exact.ts';
import { worked } from './landscape.ts';
import {
  actor,
  claimId,
  count,
  flag,
  hash,
  imported,
  inv,
  list,
  listed,
  oneOf,
  open,
  orNull,
  prev,
  questionId,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  url,
  verification,
} from './parts.ts';
import { contributionKinds, resolutions } from './vocabulary.ts';

/** What MIRROR_APPEND takes. */
export const ContributionInput = Type.Object(
  {
    slug: slugArgument,
    claim_id: Type.String({
      maxLength: 20,
      description: 'a claim id such as c1; empty for the article as a whole',
    }),
    kind: oneArgumentOf(
      contributionKinds,
      'question, objection, source, repair, compression, contradiction or audit',
    ),
    actor: words(200, 'a name for display'),
    body: intake('the contribution'),
    claim_hash: optionalWords(128, 'the hash of the claim that was read; by name only'),
    rationale: optionalWords(2000, 'why; by name only'),
    tier: optionalWords(40, 'the tier that a repaired claim would have, its own when left out; by name only'),
  },
  { additionalProperties: false },
);
export type ContributionInput = Of<typeof ContributionInput>;

/** What MIRROR_RESOLVE takes. */
export const ResolutionInput = Type.Object(
  {
    slug: slugArgument,
    contribution_id: Type.String({ pattern: '^mc_[a-z2-7]{16}$', description: 'the contribution' }),
    decision: words(40, 'accepted or rejected'),
    note: optionalWords(2000, 'why'),
    expected_hash: optionalWords(
      128,
      'to accept a wording marked stale: the hash of the claim as it stands; by name only',
    ),
    text: optionalWords(
      8000,
      'the wording to accept in place of the one that a repair or compression proposes; by name only',
    ),
  },
  { additionalProperties: false },
);
export type ResolutionInput = Of<typeof ResolutionInput>;

const storedMembers = {
  id: Type.String({ pattern: '^[a-z]+_[a-z2-7]{16}$' }),
  article: slug,
  claim_id: Type.Union([claimId, Type.Literal('')]),
  kind: oneOf(contributionKinds),
  actor: text,
  body: text,
  ts: time,
  receipt: inv,
  /** Hash of the claim that was read or stood; null for the article as a whole. */
  claim_hash: orNull(hash),
  /** Version of the claim that a wording was proposed on: a change of its tier keeps the hash. */
  claim_version: Type.Optional(count),
  rationale: orNull(text),
  /** The tier that a repair proposes; absent where the claim keeps its own. */
  tier: Type.Optional(text),
};
export const StoredContribution = shape(storedMembers);
/** What the ledger keeps. */
export type Contribution = Of<typeof StoredContribution>;

/** What accepting a contribution changed. */
export const ContributionEffect = shape({
  /** The claim that it changed, as it stands since. */
  claim_id: Type.Optional(claimId),
  version: Type.Optional(count),
  hash: Type.Optional(hash),
  /** Hash and version of the claim that it was written against, where the claim has changed since. */
  proposed_on: Type.Optional(hash),
  proposed_on_version: Type.Optional(count),
  source_id: Type.Optional(sourceId),
  /** The node that an accepted question became. */
  question_id: Type.Optional(questionId),
  /** The claim got the owner's wording in place of the proposed one. */
  mended: Type.Optional(Type.Literal(true)),
  /** The source was stored before; it is linked, not appended again. */
  known_source: Type.Optional(flag),
});
export type ContributionEffect = Of<typeof ContributionEffect>;

const members = {
  ...storedMembers,
  /** `ts` under the name of spec §2.10. */
  timestamp: time,
  status: oneOf(['proposed', ...resolutions]),
  /** The claim has changed since this wording of it was proposed. */
  stale: Type.Optional(Type.Literal(true)),
  note: Type.Optional(text),
  decided_at: Type.Optional(time),
  decided_by: Type.Optional(actor),
  resolution: Type.Optional(inv),
  effect: Type.Optional(Type.Unsafe<ContributionEffect>(open)),
};

/** As a write answers it. */
export const ContributionWritten = shape({ ...members, prev, hash });
/** As everybody reads it: what was said, and what became of it. */
export const ContributionView = shape({ ...members, prev, hash, permalink: url });
export type ContributionView = Of<typeof ContributionView>;
/** The same with the entry that commits to it. */
export const ListedContribution = shape({ ...members, permalink: url, ...listed });
export type ListedContribution = Of<typeof ListedContribution>;

const { timestamp: _timestamp, ...listedMembers } = ListedContribution.properties;
/** The same as bundles show it: what its entry commits to, each once. */
export const BundledContribution = shape(listedMembers);
export type BundledContribution = Of<typeof BundledContribution>;

const byStatus = shape({ proposed: list(text), accepted: list(text), rejected: list(text) });
/** Contributions by their status. */
export type ByStatus = Of<typeof byStatus>;
const feedMembers = {
  slug,
  count,
  total: count,
  by_status: byStatus,
  by_claim: Type.Record(Type.String({ pattern: '^(?:c\\d+)?$' }), byStatus),
};

/** What MIRROR_FEED answers. */
export const ContributionFeed = shape({ ...feedMembers, contributions: list(ContributionView) });
export type ContributionFeed = Of<typeof ContributionFeed>;
/** The reads of an article's contributions. */
export const Mirror = read({ ...feedMembers, contributions: list(ListedContribution), verification });
export const ContributionList = read({
  slug,
  count,
  total: count,
  contributions: list(ListedContribution),
  verification,
  imported,
});

/** Contributing makes no revision: this is the one that it was said about. */
const written = { slug, revision: Type.Integer({ minimum: 1 }), permalink: url };

/** A new contribution. */
export const Contributed = shape({
  ...written,
  contribution: ContributionWritten,
  repeated: Type.Literal(false),
  ...worked,
});
/** Said before: who said it, and what became of it, without its place in the chain. */
export const RepeatedContribution = shape({
  ...written,
  contribution: shape({
    id: text,
    article: slug,
    claim_id: text,
    kind: text,
    actor: text,
    body: text,
    status: text,
    receipt: inv,
  }),
  repeated: Type.Literal(true),
  ...worked,
});
/** What MIRROR_APPEND answers. */
export const ContributionProposed = Type.Union([Contributed, RepeatedContribution]);

/** What MIRROR_RESOLVE answers. */
export const ContributionResolved = shape({
  ...written,
  contribution: ContributionWritten,
  decision: oneOf(resolutions),
  effect: orNull(ContributionEffect),
  claim: orNull(Claim),
});
