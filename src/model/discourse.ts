/**
 * The discourse of an article (spec §2.11, §4.4; contract §5): posts of its thread and votes on its shape. Inputs of
 * the rows, what the ledger keeps, what reads and rows answer.
 */
import Type from 'typebox';
import {
  divId as divIdArgument,
  partAddress,
  intake,
  oneOf as oneArgumentOf,
  optionalActor,
  optionalOneOf,
  optionalWords,
  slug as slugArgument,
  words,
} from './arguments.ts';
import { Contested } from './contested.ts';
import { ContributionView } from './contribution.ts';
import type { Of } from './exact.ts';
import { worked } from './landscape.ts';
import {
  actor,
  alteredPart,
  claimId,
  count,
  divId,
  flag,
  hash,
  having,
  imported,
  inv,
  list,
  listed,
  oneOf,
  open,
  orNull,
  ranged,
  prev,
  read,
  shape,
  slug,
  text,
  tier,
  time,
  url,
  verification,
} from './parts.ts';
import {
  attestOutcomes,
  reviewVerdicts,
  stances,
  surfaceList,
  surfaces,
  tiers,
  voteDecisions,
  voteProposals,
} from './vocabulary.ts';

const closed = { additionalProperties: false };
const voteId = Type.String({ pattern: '^vote_[a-z2-7]{16}$' });
const actorArgument = words(200, 'a name for display');
const bodyArgument = intake('what is said');
const readHash = optionalWords(128, 'the hash of what was read, or its first 12 characters');
const confirmedId = optionalWords(40, 'confirms the entry that a refusal pointed to');

export const ChallengeInput = Type.Object(
  {
    slug: slugArgument,
    expected_thread_head: words(
      128,
      'the thread_head that was read, or its first 12 characters; genesis for an empty thread',
    ),
    target_div: divIdArgument,
    expected_hash: words(128, 'the vx_hash of the DIV that was read, or its first 12 characters'),
    stance: oneArgumentOf(stances, 'challenge, support or upgrade'),
    body: bodyArgument,
    actor: actorArgument,
    duplicate_of: confirmedId,
  },
  closed,
);
export type ChallengeInput = Of<typeof ChallengeInput>;

export const AttestationInput = Type.Object(
  {
    slug: slugArgument,
    outcome: oneArgumentOf(attestOutcomes, 'what the reading came to'),
    content_hash: words(128, 'content_hash of the article'),
    actor: actorArgument,
  },
  closed,
);
export type AttestationInput = Of<typeof AttestationInput>;

export const ObjectionInput = Type.Object(
  {
    slug: partAddress,
    objection: bodyArgument,
    surface: optionalOneOf(surfaces, surfaceList),
    minimum_patch: optionalWords(8000, 'the smallest change that would meet it'),
    actor: optionalActor,
    expected_hash: readHash,
    duplicate_of: confirmedId,
  },
  closed,
);
export type ObjectionInput = Of<typeof ObjectionInput>;

export const ReviewInput = Type.Object(
  {
    slug: slugArgument,
    verdict: oneArgumentOf(reviewVerdicts, 'sound, needs_work or unsound'),
    body: bodyArgument,
    actor: actorArgument,
    content_hash: optionalWords(128, 'content_hash of the article that was read'),
  },
  closed,
);
export type ReviewInput = Of<typeof ReviewInput>;

export const ChatInput = Type.Object(
  { slug: slugArgument, actor: actorArgument, text: bodyArgument },
  closed,
);
export const UpdateInput = Type.Object(
  {
    actor: actorArgument,
    target: { ...slugArgument, description: 'the article that it is about' },
    raw_text: bodyArgument,
  },
  closed,
);

export const VoteInput = Type.Object(
  {
    slug: slugArgument,
    target: words(120, 'a div_id, a claim_id or the slug'),
    proposal: oneArgumentOf(voteProposals, 'one of the seven'),
    rationale: intake('why'),
    actor: actorArgument,
    at: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'should_split: the exact words that the second part begins with',
      }),
    ),
    into: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 120,
        description:
          'should_merge: the DIV or claim that the target goes into; should_transclude: the article that shows it',
      }),
    ),
    tier: optionalOneOf(tiers, 'should_retier: the tier that the claim should have'),
    entry: optionalWords(40, 'an open entry of the discourse, which is settled if the vote is ratified'),
    expected_hash: readHash,
  },
  closed,
);
export type VoteInput = Of<typeof VoteInput>;

export type VoteDecision = (typeof voteDecisions)[number];
export const VoteDecisionInput = Type.Object(
  {
    vote_id: { ...voteId, description: 'the vote' },
    decision: words(40, 'ratified, rejected or deferred'),
    actor: optionalActor,
  },
  closed,
);

export const SettlementInput = Type.Object(
  {
    slug: slugArgument,
    entry: words(40, 'an open challenge, upgrade or objection, such as dx_…'),
    note: words(2000, 'what answers it'),
  },
  closed,
);
export type SettlementInput = Of<typeof SettlementInput>;

/** A call that an update names and that did not run with it: the row, its body, and why it waits. */
export const ProposedCall = shape({ key: text, body: text, why: text });
export type ProposedCall = Of<typeof ProposedCall>;

export type Stance =
  (typeof stances)[number] | 'objection' | 'attestation' | 'confirmation' | 'review' | 'note' | 'update';

const postMembers = {
  id: Type.String({ pattern: '^dx_' }),
  stance: Type.Unsafe<Stance>(text),
  /** A DIV id, a claim id, or empty for the article as a whole. */
  target: Type.Union([divId, claimId, Type.Literal('')]),
  /** Hash that the target had when this was said. */
  target_hash: orNull(hash),
  body: text,
  actor: text,
  surface: orNull(oneOf(surfaces)),
  minimum_patch: orNull(text),
  outcome: orNull(oneOf(attestOutcomes)),
  verdict: orNull(oneOf(reviewVerdicts)),
  /** The entry that a confirmation confirms. */
  confirms: orNull(text),
  proposed_calls: Type.Optional(list(ProposedCall)),
  ts: time,
  receipt: inv,
};
export const StoredPost = shape(postMembers);
/** What the ledger keeps of a post. */
export type Post = Of<typeof StoredPost>;

/** How an entry was settled, in the terms of a decided contribution. */
const settlementMembers = {
  note: text,
  decided_at: time,
  decided_by: actor,
  resolution: inv,
  /** The ratified vote that named the entry. */
  vote: Type.Optional(voteId),
};
const settlement = shape(settlementMembers);
export type Settlement = Of<typeof settlement>;

/** What a post says under the names of spec §2.11; null where it says no such thing. */
const spokenMembers = {
  /** `target`, where that is a DIV. */
  target_div: orNull(divId),
  /** `target_hash`, which the caller had read. */
  expected_hash: orNull(hash),
  /** The head of the thread that a challenge, support or upgrade named: that of the entry before it. */
  expected_thread_head: orNull(prev),
  /** `body`, where that is an objection. */
  objection: orNull(text),
};
const spoken = shape(spokenMembers);
export type SpokenNames = Of<typeof spoken>;

const listedMembers = {
  ...postMembers,
  ...Type.Partial(settlement).properties,
  /** The wording that duplicates are found by; its entry commits to it. */
  plain: text,
  status: oneOf(['open', 'settled']),
  /** The DIV that it is about reads otherwise now, or has left the article. */
  text_changed: Type.Optional(Type.Literal(true)),
  permalink: url,
  ...listed,
};
/** A post as a bundle shows it: what its entry commits to, each once. */
export const BundledPost = shape(listedMembers);
export type BundledPost = Of<typeof BundledPost>;
/** A post as a read shows it. */
export const PostView = shape({ ...listedMembers, ...spokenMembers });
export type PostView = Of<typeof PostView>;

/** A review as the article lists it. */
export const ReviewView = shape({
  id: postMembers.id,
  actor: text,
  verdict: oneOf(reviewVerdicts),
  body: text,
  ts: time,
  receipt: url,
});
export type ReviewView = Of<typeof ReviewView>;

const counts = shape({
  total: count,
  open: count,
  settled: count,
  by_stance: Type.Record(Type.String(), count),
});
export type DiscourseCounts = Of<typeof counts>;

export const Discourse = read({
  slug,
  thread_head: prev,
  counts,
  /** Of thread and mirror. */
  contested: Contested,
  entries: list(PostView),
  verification,
  imported,
  ...ranged,
});
/** An objection of the mirror, with the members of one of the thread (spec §2.11). */
export const MirrorObjection = shape({
  ...ContributionView.properties,
  objection: text,
  surface: Type.Null(),
  minimum_patch: Type.Null(),
});
/** Objections of the thread, and those of the mirror behind them. */
export const Objections = read({
  slug,
  thread_head: prev,
  count,
  total: count,
  objections: list(Type.Union([PostView, MirrorObjection])),
  ...alteredPart,
});
/** A proposed call as the state of a thread shows it, with the payload that makes it. */
export const ProposedCallView = shape({
  entry: text,
  actor: text,
  ts: time,
  key: text,
  why: text,
  call: shape({ method: Type.Literal('POST'), url, payload: shape({ key: text, body: text }) }),
});
export type ProposedCallView = Of<typeof ProposedCallView>;
export const ThreadStateView = read({
  target: slug,
  thread_head: prev,
  /** Entries of the thread, and contributions of the mirror that stand open; newest first. */
  open: list(Type.Union([PostView, ContributionView])),
  settled: list(Type.Union([PostView, ContributionView])),
  contested: Contested,
  proposed_calls: list(ProposedCallView),
  counts,
});

const carriedMembers = shape({
  /** should_split: the exact words that the second part begins with. */
  at: Type.Optional(text),
  /** should_merge: the DIV or claim that the target goes into; should_transclude: the article it is shown in. */
  into: Type.Optional(text),
  /** should_retier: the tier that the claim should have. */
  tier: Type.Optional(tier),
});
/** What executing a vote takes beyond its target, where the vote says so. */
export type Carried = Of<typeof carriedMembers>;
const carried = orNull(carriedMembers);

const voteMembers = {
  id: voteId,
  slug,
  target: Type.Union([divId, claimId, slug]),
  proposal: oneOf(voteProposals),
  carries: carried,
  /** The entry of the discourse that its ratification by the owner settles. */
  entry: orNull(text),
  rationale: text,
  actor: text,
  ts: time,
  receipt: inv,
  status: oneOf(['open', 'decided']),
};
const { carries: _carries, entry: _entry, status: _status, ...storedVoteMembers } = voteMembers;
export const StoredVote = shape({
  ...storedVoteMembers,
  carries: Type.Optional(carriedMembers),
  entry: Type.Optional(text),
});
/** What the ledger keeps of a vote. */
export type Vote = Of<typeof StoredVote>;

export const VoteView = shape({
  vote_id: voteMembers.id,
  ...voteMembers,
  id: text,
  target: text,
  decision: orNull(oneOf(voteDecisions)),
  decided_by: orNull(actor),
  decided_at: orNull(time),
  permalink: url,
});
export type VoteView = Of<typeof VoteView>;
export const VoteList = read({ slug, count, total: count, votes: list(VoteView), verification, imported });

/** A post makes no revision: this is the one that it was said about. */
const written = { slug, revision: Type.Integer({ minimum: 1 }), permalink: url };
const saidMembers = {
  ...written,
  entry: shape({ ...postMembers, ...spokenMembers, prev, hash }),
  thread_head: prev,
  ...worked,
};

/** What VOXEL_CHALLENGE, OBJECTION_LOG and MODEL_CHAT_INTAKE answer. */
export const PostWritten = shape(saidMembers);
export type PostWritten = Of<typeof PostWritten>;
/** What VOXEL_ATTEST answers. */
export const AttestationWritten = shape({
  ...saidMembers,
  outcome: oneOf(attestOutcomes),
  content_hash: hash,
});
export type AttestationWritten = Of<typeof AttestationWritten>;
/** What OIP_ARTICLE_REVIEW answers. */
export const ReviewWritten = shape({ ...saidMembers, verdict: oneOf(reviewVerdicts) });
export type ReviewWritten = Of<typeof ReviewWritten>;
const threadCall = having({ key: text, body: text, ok: flag, status: text, invocation: orNull(inv) });
export type ThreadCall = Of<typeof threadCall>;
/** What THREAD_UPDATE answers. */
export const UpdateWritten = shape({
  ...saidMembers,
  calls: list(threadCall),
  proposed_calls: list(ProposedCall),
});
/** What THREAD_SETTLE answers. */
export const EntrySettled = shape({
  ...written,
  entry: shape({ ...postMembers, ...settlementMembers, status: Type.Literal('settled'), prev, hash }),
  thread_head: prev,
});
/** What VOXEL_VOTE answers. */
export const VoteWritten = shape({
  ...written,
  vote_id: voteMembers.id,
  vote: shape({ ...voteMembers, decision: Type.Null() }),
  missing: orNull(text),
  ...worked,
});
/** What VOXEL_RATIFY answers. */
export const VoteDecided = shape({
  ...written,
  vote_id: voteMembers.id,
  decision: oneOf(voteDecisions),
  status: oneOf(['open', 'decided']),
  vote: shape({ ...voteMembers, decision: oneOf(voteDecisions) }),
  execute: orNull(shape({ key: text, body: open })),
  missing: orNull(text),
  /** The entry of the discourse that was settled with it. */
  settled: orNull(text),
  beside: list(shape({ vote_id: voteMembers.id, carries: carried, agrees: flag })),
});
export type VoteDecided = Of<typeof VoteDecided>;
