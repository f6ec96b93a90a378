/** What the rows answer that write articles whole (contract §5): documents, batches, metadata, imports. */
import Type from 'typebox';
import { Health, Masthead, status } from './article.ts';
import { Discourse } from './discourse.ts';
import {
  divId as divIdArgument,
  hash as hashArgument,
  optionalActor,
  optionalModel,
  slug as slugArgument,
  words,
} from './arguments.ts';
import { DivList, DivPlace } from './div.ts';
import { worked } from './landscape.ts';
import type { Of } from './exact.ts';
import { SourceList } from './source.ts';
import {
  count,
  divId,
  flag,
  hash,
  hashedEntry,
  having,
  inv,
  list,
  oneOf,
  orNull,
  shape,
  slug,
  text,
  toldBy,
  url,
} from './parts.ts';
import type { InvocationStatus } from './vocabulary.ts';
import { ClaimList } from './standing-claims.ts';
import { Contested } from './contested.ts';

const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };

/** What VOXEL_BATCH answers for a document. */
export const DocumentWritten = shape({
  ...written,
  title: text,
  status,
  created: flag,
  body_regenerated: flag,
  divs: list(DivPlace),
  ...worked,
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
  ...worked,
});

/** What VOXEL_BATCH answers. */
export const BatchRun = Type.Union([DocumentWritten, OperationsRun]);
/** What ARTICLE_META answers. */
export const MetaWritten = shape({ ...written, version: revision, status, title: text, changed: list(text) });
const expectedVersion = Type.Integer({ minimum: 1, description: 'the version that was read' });
const noteArgument = words(2000, 'why');
/** What ARTICLE_REWRITE takes. */
export const RewriteInput = Type.Object(
  {
    slug: slugArgument,
    expected_version: expectedVersion,
    blocks: Type.Array(
      Type.Object(
        {
          div_id: Type.Optional({
            ...divIdArgument,
            description: 'the DIV that the block is; left out for a new one',
          }),
          expected_hash: Type.Optional(hashArgument),
          text: Type.String({ description: 'the Markdown of the block' }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, description: 'all blocks of the article, in the order in which it is to read' },
    ),
    note: noteArgument,
    actor: optionalActor,
    model: optionalModel,
  },
  { additionalProperties: false },
);
export type RewriteInput = Of<typeof RewriteInput>;
/** What ARTICLE_REVERT takes. */
export const RevertInput = Type.Object(
  {
    slug: slugArgument,
    rev: Type.Integer({ minimum: 1, description: 'the revision whose text is restored' }),
    expected_version: expectedVersion,
    note: noteArgument,
  },
  { additionalProperties: false },
);
export type RevertInput = Of<typeof RevertInput>;

const blockChange = oneOf(['kept', 'edited', 'moved', 'made']);
/** What a rewrite did to a block. */
export type BlockChange = Of<typeof blockChange>;
/** What ARTICLE_REWRITE and ARTICLE_REVERT answer. */
export const ArticleRewritten = shape({
  ...written,
  /** The article read so already; no revision was made. */
  unchanged: flag,
  body_regenerated: flag,
  content_hash: hash,
  divs: list(shape({ div_id: divId, order: revision, change: blockChange, vx_hash: hash, permalink: url })),
  burned: list(divId),
  /** The revision whose text was restored. */
  restores: Type.Optional(revision),
  /** The entry of the provenance. */
  chain_entry: orNull(hashedEntry),
});
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
