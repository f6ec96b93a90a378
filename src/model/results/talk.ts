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
import * as discourse from '../discourse.ts';
import * as parts from '../article-parts.ts';
import { citation, confidence, gap, nodeMembers } from '../questions.ts';
import { count, list, oneOf, open, orNull, shape, slug, sourceId, text, toldBy, url } from '../parts.ts';

/** Talking makes no revision: this is the one that it was said about. */
const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };
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
  VOXEL_CHALLENGE: discourse.PostWritten,
  VOXEL_ATTEST: discourse.AttestationWritten,
  OBJECTION_LOG: discourse.PostWritten,
  OIP_ARTICLE_REVIEW: discourse.ReviewWritten,
  MODEL_CHAT_INTAKE: discourse.PostWritten,
  THREAD_UPDATE: discourse.UpdateWritten,
  VOXEL_VOTE: discourse.VoteWritten,
  VOXEL_RATIFY: discourse.VoteDecided,
  MIRROR_APPEND: Type.Union([Contributed, RepeatedContribution]),
  MIRROR_FEED: ContributionFeed,
  MIRROR_RESOLVE: ContributionResolved,
  ARTICLE_INSPECT: Type.Union([
    inspected('masthead', parts.masthead),
    inspected('claims', ClaimList),
    inspected('sources', SourceList),
    inspected('voxels', parts.voxels),
    inspected('discourse', discourse.Discourse),
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
