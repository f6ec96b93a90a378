/** What the rows answer that write articles whole (contract §5): documents, batches, metadata, imports. */
import Type from 'typebox';
import { Health, Masthead, status } from './article.ts';
import { Discourse } from './discourse.ts';
import { DivList, DivPlace } from './div.ts';
import { assignmentId, lane } from './landscape.ts';
import type { Of } from './exact.ts';
import { SourceList } from './source.ts';
import {
  count,
  flag,
  hash,
  having,
  inv,
  list,
  oneOf,
  open,
  orNull,
  shape,
  slug,
  text,
  time,
  toldBy,
  url,
} from './parts.ts';
import type { InvocationStatus } from './vocabulary.ts';
import { ClaimList } from './standing-claims.ts';
import { Contested } from './contested.ts';

const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };

/** How far the work of an assignment is that a write named. */
const assignment = shape({
  id: assignmentId,
  lane,
  status: oneOf(['open', 'completed']),
  result: list(open),
  opened_article: flag,
  needs: Type.Optional(text),
  expires_at: Type.Optional(time),
  completed_at: Type.Optional(time),
  url,
});

/** What VOXEL_BATCH answers for a document. */
export const DocumentWritten = shape({
  ...written,
  title: text,
  status,
  created: flag,
  body_regenerated: flag,
  divs: list(DivPlace),
  assignment: Type.Optional(assignment),
});

/** What one operation came to: the members of its row's result, or of its refusal. */
const operation = having({
  i: count,
  op: text,
  ok: flag,
  status: Type.Unsafe<InvocationStatus>(oneOf(['success', 'failed', 'denied', 'proposed'])),
  receipt: orNull(shape({ id: inv, url, confirm: url })),
  scrubbed: Type.Optional(list(shape({ path: text, kind: text, count }))),
});
export type OperationResult = Of<typeof operation>;
/** What VOXEL_BATCH answers for operations. */
export const OperationsRun = shape({
  ok: flag,
  landed: count,
  of: count,
  results: list(operation),
  slug: Type.Optional(slug),
  assignment: Type.Optional(assignment),
});

/** What VOXEL_BATCH answers. */
export const BatchRun = Type.Union([DocumentWritten, OperationsRun]);
/** What ARTICLE_META answers. */
export const MetaWritten = shape({ ...written, version: revision, status, title: text, changed: list(text) });
/** Where a bundle says that it comes from; null where it does not say. */
const originMembers = {
  base: orNull(text),
  log: orNull(text),
  verifier_key: orNull(text),
  checkpoint: orNull(text),
  article: orNull(text),
};
const origin = shape(originMembers);
export type BundleOrigin = Of<typeof origin>;
/** What ARTICLE_IMPORT answers. */
export const ArticleImported = shape({
  ...written,
  title: text,
  created: Type.Literal(true),
  imported_from: shape({ ...originMembers, slug, content_hash: hash, entries: count }),
  divs: list(DivPlace),
  claims: count,
  sources: count,
  accepted_violations: count,
});

/** The members of a part; their own shapes are those of its read, which is served under /api/schemas. */
const inspected = (part: string, schema: Type.TObject) =>
  shape({ slug, part: Type.Literal(part), contested: outline(Contested), [part]: outline(toldBy(schema)) });

function outline({ properties }: Type.TObject) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const { type } = schema as { readonly type?: string };
    const outlined = type === undefined ? Type.Unknown() : Type.Unsafe({ type });
    return [name, Type.IsOptional(schema) ? Type.Optional(outlined) : outlined] as const;
  });
  return shape(Object.fromEntries(members));
}

/** What ARTICLE_INSPECT answers. */
export const ArticleInspected = Type.Union([
  inspected('masthead', Masthead),
  inspected('claims', ClaimList),
  inspected('sources', SourceList),
  inspected('voxels', DivList),
  inspected('discourse', Discourse),
  inspected('health', Health),
]);
