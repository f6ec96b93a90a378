/** Discourse rows: open intake for challenges, attestations, votes and objections; ratifying is the owner's (contract §3). */
import { challenge } from '../domain/discourse/challenge.ts';
import {
  attest,
  bodyRules,
  note,
  object,
  objectionRules,
  review,
  turnRules,
  update,
} from '../domain/discourse/say.ts';
import { settlementRules } from '../domain/discourse/settle.ts';
import { ratify, vote, voteRules } from '../domain/discourse/vote.ts';
import { splitAddress } from '../domain/articles/slugs.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { readRouterTags } from '../domain/capabilities/router-tags.ts';
import { refusalOf, violation, type Violation, decisionRules } from '../domain/violations.ts';
import { actorRules } from '../domain/text-rules.ts';
import {
  AttestationInput,
  AttestationWritten,
  ChallengeInput,
  ChatInput,
  EntrySettled,
  ObjectionInput,
  PostWritten,
  ReviewInput,
  ReviewWritten,
  SettlementInput,
  UpdateInput,
  UpdateWritten,
  VoteDecided,
  VoteDecisionInput,
  VoteInput,
  VoteWritten,
} from '../model/discourse.ts';
import type { Fault } from '../kernel/fault.ts';
import { sizeLimits } from '../kernel/size-limits.ts';
import { isOneOf, voteDecisions } from '../model/vocabulary.ts';

/** What a deployment lets anonymous callers write is checked with the decision. */
const anyLength = { ...sizeLimits, intakeCharsMax: Number.POSITIVE_INFINITY };
const open = { auth: 'none', risk: 'low', safe: false, inAct: true } as const;

const voxelChallenge = defineRow({
  ...open,
  key: 'VOXEL_CHALLENGE',
  category: 'discourse',
  target: 'div',
  wishes: [
    'challenge a passage',
    'dispute a block of text',
    'support a passage',
    'flag a paragraph that overstates',
  ],
  contract: {
    what: 'Challenges, supports or upgrades a DIV, by compare-and-set on the head of the thread and on the hash of the DIV. The standing text is not rewritten.',
    when: 'When a block of text is wrong, right for a further reason, or could be better, and its hash was read. Otherwise OBJECTION_LOG takes slug/d3.',
    example:
      '{"slug":"what-the-ledger-is","expected_thread_head":"<thread_head>","target_div":"d2","expected_hash":"<vx_hash_of_d2>","stance":"challenge","body":"The passage names no source.","actor":"ada"}',
  },
  input: ChallengeInput,
  output: PostWritten,
  rules: (given, _article, limits) => bodyRules(given, limits),
  plan: ({ slug: at, ...input }) => ({
    do: 'say',
    slug: at,
    decide: (article, thread, compareBodies, context) =>
      challenge(article, thread, input, compareBodies, context),
  }),
});

const voxelAttest = defineRow({
  ...open,
  key: 'VOXEL_ATTEST',
  category: 'discourse',
  target: 'article',
  wishes: ['say that I read the whole article', 'attest that a reading found nothing new'],
  contract: {
    what: 'Attests what a reading of exactly this text came to: novel_objection, duplicate_confirm, upgrade_proposal or nothing_to_add. The hash is compared with the text.',
    when: 'After reading an article whole. A judgement with a verdict is OIP_ARTICLE_REVIEW, an inspected proof PROOF_CERTIFY.',
    example: 'what-the-ledger-is|nothing_to_add|<content_hash>|ada',
  },
  input: AttestationInput,
  output: AttestationWritten,
  rules: ({ actor: who }) => actorRules(who),
  plan: ({ slug: at, ...input }) => ({
    do: 'say',
    slug: at,
    decide: (article, thread, _alike, context) => attest(article, thread, input, context),
  }),
});

const voxelVote = defineRow({
  ...open,
  key: 'VOXEL_VOTE',
  category: 'discourse',
  target: 'div',
  wishes: [
    'vote to split an article',
    'vote to merge articles',
    'propose to make a block an article of its own',
  ],
  contract: {
    what: 'Proposes what should become of a DIV, a claim or an article: should_be_div, should_be_article, should_merge, should_split, should_burn, should_transclude or should_retier. What its execution takes may be carried along (at, into, tier): ratified, the ready call comes back. A vote may name the open entry of the discourse that it answers.',
    when: 'When the shape of an article should change and the owner is to decide. Another wording of a claim is proposed by MIRROR_APPEND.',
    example: 'what-the-ledger-is|d4|should_split|It holds two subjects.|ada',
  },
  input: VoteInput,
  byName: ['expected_hash'],
  output: VoteWritten,
  rules: (given, _article, limits) => voteRules(given, limits),
  plan: ({ slug: at, ...input }) => ({
    do: 'say',
    slug: at,
    decide: (article, thread, _alike, context, published) => vote(article, thread, input, context, published),
  }),
});

const voxelRatify = defineRow({
  key: 'VOXEL_RATIFY',
  category: 'discourse',
  target: 'vote',
  wishes: ['decide a vote'],
  contract: {
    what: 'Decides a vote: ratified, rejected, or deferred, which leaves it open. Deciding records; the call that carries it out is returned ready. Ratified by the owner, it settles the entry of the discourse that the vote names.',
    when: 'When a vote (vote_…) has been open long enough. A contribution is decided by MIRROR_RESOLVE.',
    example: '<vote_id>|ratified',
  },
  input: VoteDecisionInput,
  output: VoteDecided,
  auth: 'share',
  risk: 'high',
  safe: false,
  inAct: false,
  prefixable: false,
  rules: ({ decision }) => decisionRules(voteDecisions, decision),
  plan: ({ vote_id: voteId, decision }) =>
    isOneOf(voteDecisions, decision)
      ? {
          do: 'decide-vote',
          voteId,
          decide: (article, thread, context, published) =>
            ratify(article, thread, voteId, decision, context, published),
        }
      : (refusalOf(decisionRules(voteDecisions, decision)) as Fault),
});

const objectionLog = defineRow({
  ...open,
  key: 'OBJECTION_LOG',
  category: 'discourse',
  target: 'article',
  wishes: [
    'file an objection',
    'file an objection to a claim',
    'object to a claim',
    'dispute a claim',
    'object to an article',
    'something in this article is wrong',
    'say that a claim is wrong',
  ],
  contract: {
    what: 'Files an objection to an article, or to the claim or block whose address is given (slug/c2, slug/d3), with the surface it concerns (S1 to S8) and the smallest patch that would meet it.',
    when: 'To dispute an article, one of its claims (slug/c2) or a DIV (slug/d3). Changes are proposed by MIRROR_APPEND; VOXEL_CHALLENGE challenges a DIV, and is refused if the text of the DIV has changed since it was read.',
    example: 'what-the-ledger-is|The second claim cites no source.|S2|Cite one.|ada',
  },
  input: ObjectionInput,
  byName: ['expected_hash', 'duplicate_of'],
  output: PostWritten,
  rules: (given, _article, limits) => objectionRules(given, limits),
  plan: ({ slug: address, ...input }) => {
    const { slug, part } = splitAddress(address);
    return {
      do: 'say',
      slug,
      decide: (article, thread, _alike, context) =>
        object(article, thread, { ...input, target: part }, context),
    };
  },
});

const threadSettle = defineRow({
  key: 'THREAD_SETTLE',
  category: 'discourse',
  target: 'discourse',
  wishes: ['settle an objection', 'close a challenge that was answered'],
  contract: {
    what: 'Settles an open entry of the discourse (challenge, upgrade or objection) with a note, once. The settlement is an entry of the provenance; thread_head stays.',
    when: 'When an open entry has been answered. The owner alone settles.',
    example: 'what-the-ledger-is|<entry_id>|The second claim cites RFC 6962 now.',
  },
  input: SettlementInput,
  output: EntrySettled,
  rest: 'note',
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: (given) => settlementRules(given),
  plan: (input) => ({ do: 'settle-entry', input }),
});

const articleReview = defineRow({
  ...open,
  key: 'OIP_ARTICLE_REVIEW',
  category: 'discourse',
  target: 'article',
  wishes: ['review an article as a whole', 'give a verdict on an article', 'rate an article'],
  contract: {
    what: 'Records a review of an article with a verdict: sound, needs_work or unsound.',
    when: 'After judging an article as a whole. A single fault is filed by OBJECTION_LOG.',
    example: 'what-the-ledger-is|sound|Every claim cites a source that says it.|ada',
  },
  input: ReviewInput,
  byName: ['content_hash'],
  output: ReviewWritten,
  rules: (given, _article, limits) => bodyRules(given, limits),
  plan: ({ slug: at, ...input }) => ({
    do: 'say',
    slug: at,
    decide: (article, thread, _alike, context) => review(article, thread, input, context),
  }),
});

const chatIntake = defineRow({
  ...open,
  key: 'MODEL_CHAT_INTAKE',
  category: 'discourse',
  target: 'article',
  wishes: ['keep a conversation beside an article', 'leave a note on an article', 'leave a comment'],
  contract: {
    what: 'Keeps a turn of a conversation about an article as it was said. Tags inside it never run.',
    when: 'When a conversation should stay beside the article that it is about. To have its router tags called, THREAD_UPDATE.',
    example: 'what-the-ledger-is|ada|The proof of the third receipt verified.',
  },
  input: ChatInput,
  output: PostWritten,
  rest: 'text',
  rules: (given, _article, limits) => turnRules('text', given, limits),
  plan: ({ slug: at, ...input }) => ({
    do: 'say',
    slug: at,
    decide: (article, thread, _alike, context) => note(article, thread, input, context),
  }),
});

/** A turn of a conversation calls a few things, not a batch of them. */
export const updateTagsMax = 20;

function tagRules({ length }: readonly unknown[]): Violation[] {
  if (length <= updateTagsMax) return [];
  return [
    violation(
      'batch_limit',
      '/raw_text',
      `The text holds ${length} router tags; at most ${updateTagsMax} are taken in one update.`,
      'Split it into several updates, or quote the tags that are not meant as calls.',
    ),
  ];
}

const threadUpdate = defineRow({
  ...open,
  key: 'THREAD_UPDATE',
  category: 'discourse',
  target: 'article',
  wishes: ['post a conversation turn with router tags'],
  contract: {
    what: 'Keeps a turn of a conversation as one entry of the thread and calls what its router tags name. Low-risk rows that need no credential run, each with its own receipt; other calls are listed as proposed_calls. Quoted tags and tags inside tags are text.',
    when: 'When what was said about an article should stand beside it, with what its router tags ask for. Without tags, MODEL_CHAT_INTAKE.',
    example:
      'ada|what-the-ledger-is|The proof verified. [OBJECTION_LOG]what-the-ledger-is|The third claim cites no source.[/OBJECTION_LOG]',
  },
  input: UpdateInput,
  output: UpdateWritten,
  rest: 'raw_text',
  rules: (given, _article, limits) => [
    ...turnRules('raw_text', given, limits),
    ...tagRules(readRouterTags(given.raw_text ?? '')),
  ],
  plan({ actor: who, target, raw_text: rawText }) {
    const tags = readRouterTags(rawText);
    const tooMany = tagRules(tags);
    const others = turnRules('raw_text', { actor: who, raw_text: rawText }, anyLength);
    // Everything else is judged with the limits that are in force, where it is decided.
    const bad = tooMany.length === 0 ? undefined : refusalOf([...others, ...tooMany]);
    if (bad !== undefined) return bad;
    return {
      do: 'thread-update',
      slug: target,
      tags,
      decide: (article, thread, proposed, context) =>
        update(article, thread, { actor: who, raw_text: rawText }, proposed, context),
    };
  },
});

export const discourseRows: readonly Row[] = [
  voxelChallenge,
  voxelAttest,
  voxelVote,
  voxelRatify,
  objectionLog,
  threadSettle,
  articleReview,
  chatIntake,
  threadUpdate,
];
