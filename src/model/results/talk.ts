/** What the rows answer with by which an article is talked about, asked and contributed to (contract §5). */
import Type from 'typebox';
import { SourceList } from '../source.ts';
import { ClaimList } from '../claim.ts';
import {
  Contributed,
  ContributionFeed,
  ContributionResolved,
  RepeatedContribution,
} from '../contribution.ts';
import * as parts from '../article-parts.ts';
import { citation, confidence, gap, nodeMembers } from '../questions.ts';
import {
  claimId,
  count,
  divId,
  flag,
  hash,
  inv,
  list,
  oneOf,
  open,
  orNull,
  prev,
  shape,
  slug,
  sourceId,
  text,
  time,
  toldBy,
  url,
} from '../parts.ts';
import { attestOutcomes, reviewVerdicts, voteDecisions, voteProposals } from '../vocabulary.ts';

/** Talking makes no revision: this is the one that it was said about. */
const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };
const said = { ...written, entry: parts.barePost, thread_head: prev };

const voteMembers = {
  id: Type.String({ pattern: '^vote_[a-z2-7]{16}$' }),
  slug,
  target: Type.Union([divId, claimId, slug]),
  proposal: oneOf(voteProposals),
  carries: parts.carried,
  rationale: text,
  actor: text,
  ts: time,
  receipt: inv,
  status: oneOf(['open', 'decided']),
};

const question = shape({ ...nodeMembers, written_by: Type.Optional(text) });
const source = shape({ type: text, url: text, title: text, quote: text, summary: text });

/** The members of a part; their own shapes are those of its read, which is served under /api/schemas. */
const inspected = (part: string, schema: Type.TObject) =>
  shape({ slug, part: Type.Literal(part), [part]: outline(toldBy(schema)) });

function outline({ properties }: Type.TObject) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const { type } = schema as { readonly type?: string };
    const outlined = type === undefined ? Type.Unknown() : Type.Unsafe({ type });
    return [name, Type.IsOptional(schema) ? Type.Optional(outlined) : outlined] as const;
  });
  return shape(Object.fromEntries(members));
}

export const talkResults = {
  VOXEL_CHALLENGE: shape(said),
  VOXEL_ATTEST: shape({ ...said, outcome: oneOf(attestOutcomes), content_hash: hash }),
  OBJECTION_LOG: shape(said),
  OIP_ARTICLE_REVIEW: shape({ ...said, verdict: oneOf(reviewVerdicts) }),
  MODEL_CHAT_INTAKE: shape(said),
  THREAD_UPDATE: shape({
    ...said,
    calls: list(Type.Object({ key: text, body: text, ok: flag, status: text, invocation: orNull(inv) })),
    proposed_calls: list(parts.proposedCall),
  }),
  VOXEL_VOTE: shape({
    ...written,
    vote_id: voteMembers.id,
    vote: shape({ ...voteMembers, decision: Type.Null() }),
    missing: orNull(text),
  }),
  VOXEL_RATIFY: shape({
    ...written,
    vote_id: voteMembers.id,
    decision: oneOf(voteDecisions),
    status: oneOf(['open', 'decided']),
    vote: shape({ ...voteMembers, decision: oneOf(voteDecisions) }),
    execute: orNull(shape({ key: text, body: open })),
    missing: orNull(text),
    beside: list(shape({ vote_id: voteMembers.id, carries: parts.carried, agrees: flag })),
  }),
  MIRROR_APPEND: Type.Union([Contributed, RepeatedContribution]),
  MIRROR_FEED: ContributionFeed,
  MIRROR_RESOLVE: ContributionResolved,
  ARTICLE_INSPECT: Type.Union([
    inspected('masthead', parts.masthead),
    inspected('claims', ClaimList),
    inspected('sources', SourceList),
    inspected('voxels', parts.voxels),
    inspected('discourse', parts.discourse),
    inspected('health', parts.health),
  ]),
  ARTICLE_ASK: shape({
    ...written,
    question: text,
    answer: text,
    answered_by: shape({ kind: oneOf(['extraction', 'model']), model: orNull(text), note: text }),
    confidence,
    citations: list(citation),
    gaps: list(gap),
    ingest_hint: orNull(
      shape({ why: text, method: Type.Literal('POST'), url, body: open, put_in: list(text) }),
    ),
    question_node: question,
  }),
  ARTICLE_INGEST: shape({
    ...written,
    evidence: shape({
      id: Type.String({ pattern: '^ev_[a-z2-7]{16}$' }),
      chars: count,
      covers: list(text),
      url,
    }),
    proposed_sources: list(
      shape({ contribution_id: text, ...source.properties, status: Type.Literal('proposed') }),
    ),
    found_sources: list(source),
    known_source_ids: list(sourceId),
    question_node: orNull(question),
    note: text,
  }),
};
