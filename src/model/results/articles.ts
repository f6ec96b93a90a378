/** What the rows that write articles answer with (contract §5, "Shapes others lean on"). */
import Type from 'typebox';
import { status } from '../article.ts';
import { SourcesWritten } from '../source.ts';
import { ClaimPosted, ClaimWritten } from '../claim.ts';
import { assignmentId, lane } from '../landscape.ts';
import {
  count,
  divId,
  entry,
  flag,
  hash,
  inv,
  list,
  oneOf,
  open,
  orNull,
  shape,
  slug,
  text,
  time,
  url,
} from '../parts.ts';

const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };

const div = shape({
  div_id: divId,
  kind: text,
  text,
  sep: text,
  status: oneOf(['current', 'consolidated', 'burned']),
  vx_hash: hash,
  permalink: url,
});
const chainEntry = Type.Intersect([entry, Type.Object({ op: text, text_sha: hash, inv, hash })]);
const divWritten = { ...written, chain_entry: chainEntry, body_regenerated: flag };
const place = shape({ div_id: divId, vx_hash: hash, permalink: url });

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
  divs: list(place),
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
    divs: list(place),
    claims: count,
    sources: count,
    accepted_violations: count,
  }),
  CLAIM_POST: ClaimPosted,
  CLAIM_REPAIR: ClaimWritten,
  CLAIM_RETRACT: ClaimWritten,
  SOURCE_POST: SourcesWritten,
  VOXEL_DIVIDE: shape({
    ...written,
    unchanged: flag,
    body_regenerated: flag,
    divs: list(shape({ div_id: divId, order: revision, kind: text, vx_hash: hash, permalink: url })),
  }),
  VOXEL_EDIT: shape({ ...divWritten, div, separators: Type.Optional(list(open)) }),
  VOXEL_MOVE: shape({ ...divWritten, div, order: revision }),
  VOXEL_SPLIT: shape({ ...divWritten, divs: list(div) }),
  VOXEL_CONSOLIDATE: shape({ ...divWritten, div, absorbed: list(divId) }),
  VOXEL_BURN: shape({
    ...divWritten,
    divs: list(shape({ div_id: divId, status: Type.Literal('burned'), vx_hash: hash, permalink: url })),
  }),
};
