/** What the rows that write articles answer with (contract §5, "Shapes others lean on"). */
import Type from 'typebox';
import { status } from '../article.ts';
import * as div from '../div.ts';
import { SourcesWritten } from '../source.ts';
import { ClaimPosted, ClaimWritten } from '../claim.ts';
import { assignmentId, lane } from '../landscape.ts';
import { count, flag, hash, inv, list, oneOf, open, orNull, shape, slug, text, time, url } from '../parts.ts';

const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };

/** How far the work of an assignment is that a write named. */
const assignment = shape({
  id: assignmentId,
  lane,
  status: oneOf(['leased', 'complete']),
  result: list(open),
  opened_article: flag,
  needs: Type.Optional(text),
  expires_at: Type.Optional(time),
  completed_at: Type.Optional(time),
  url,
});

const document = shape({
  ...written,
  title: text,
  status,
  created: flag,
  body_regenerated: flag,
  divs: list(div.DivPlace),
  assignment: Type.Optional(assignment),
});

/** What one operation came to: the members of its row's result, or of its refusal. */
const operation = Type.Object({
  i: count,
  op: text,
  ok: flag,
  status: oneOf(['success', 'failed', 'denied', 'proposed']),
  receipt: orNull(shape({ id: inv, url, confirm: url })),
  scrubbed: Type.Optional(list(shape({ path: text, kind: text, count }))),
});
const operations = shape({
  ok: flag,
  landed: count,
  of: count,
  results: list(operation),
  slug: Type.Optional(slug),
  assignment: Type.Optional(assignment),
});

export const articleResults = {
  VOXEL_BATCH: Type.Union([document, operations]),
  ARTICLE_META: shape({ ...written, version: revision, status, title: text, changed: list(text) }),
  ARTICLE_IMPORT: shape({
    ...written,
    title: text,
    created: Type.Literal(true),
    imported_from: shape({
      base: url,
      log: text,
      verifier_key: text,
      checkpoint: text,
      article: url,
      slug,
      content_hash: hash,
      entries: count,
    }),
    divs: list(div.DivPlace),
    claims: count,
    sources: count,
    accepted_violations: count,
  }),
  CLAIM_POST: ClaimPosted,
  CLAIM_REPAIR: ClaimWritten,
  CLAIM_RETRACT: ClaimWritten,
  SOURCE_POST: SourcesWritten,
  VOXEL_DIVIDE: div.Divided,
  VOXEL_EDIT: div.DivEdited,
  VOXEL_MOVE: div.DivMoved,
  VOXEL_SPLIT: div.DivSplit,
  VOXEL_CONSOLIDATE: div.DivsConsolidated,
  VOXEL_BURN: div.DivsBurned,
};
