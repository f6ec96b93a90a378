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
import * as article from '../article.ts';
import { DivList } from '../div.ts';
import * as question from '../question.ts';
import { shape, slug, toldBy } from '../parts.ts';

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
    inspected('masthead', article.Masthead),
    inspected('claims', ClaimList),
    inspected('sources', SourceList),
    inspected('voxels', DivList),
    inspected('discourse', discourse.Discourse),
    inspected('health', article.Health),
  ]),
  ARTICLE_ASK: question.QuestionAnswered,
  ARTICLE_INGEST: question.EvidenceStored,
};
