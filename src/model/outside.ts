/** What rows bring from outside the ledger (contract §7): pages, repositories, generated images and videos. */
import Type from 'typebox';
import type { JsonValue } from '../kernel/json-value.ts';
import type { Of } from './exact.ts';
import { count, flag, hash, inv, list, oneOf, open, orNull, shape, text, time, url } from './parts.ts';

/** What WEB_FETCH answers. */
export const PageFetched = shape({
  untrusted: Type.Literal(true),
  notice: text,
  method: oneOf(['GET', 'HEAD']),
  url: text,
  final_url: text,
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  content_type: orNull(text),
  last_modified: orNull(text),
  bytes: count,
  sha256: hash,
  title: text,
  text,
  truncated: flag,
});
export type PageFetched = Of<typeof PageFetched>;

/** What REPO_TAIL answers. */
export const RepositoryTail = shape({
  name: text,
  /** Null where no branch is checked out. */
  branch: orNull(text),
  head: text,
  object_format: oneOf(['sha1', 'sha256']),
  /** `size` in bytes; null for a folder. */
  root: list(shape({ name: text, type: oneOf(['blob', 'tree', 'commit']), sha: text, size: orNull(count) })),
  /** Whether the root has more entries than are listed. */
  root_truncated: flag,
  /** Newest first. */
  commits: list(shape({ sha: text, parents: list(text), author: text, ts: time, subject: text })),
});
export type RepositoryTail = Of<typeof RepositoryTail>;

/** What IMAGE_STORE answers. */
export const ImageStored = shape({
  sha256: hash,
  url,
  /** Below the address of the deployment, as articles name it. */
  path: Type.String({ pattern: '^/blobs/[0-9a-f]{64}$' }),
  /** The Markdown that shows it. */
  markdown: text,
  media_type: oneOf(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']),
  bytes: count,
  width: count,
  height: count,
  /** Kinds of metadata that were left out. */
  removed: list(text),
  /** Where it was fetched, after redirects; null for an upload. */
  source_url: orNull(text),
});
export type ImageStored = Of<typeof ImageStored>;

const stored = { sha256: hash, media_type: text, url };
/** What CREATIVE_GENERATE answers. */
export const Created = shape({
  ...stored,
  creative_run: shape({
    id: Type.String({ pattern: '^run_' }),
    engine: text,
    provider: text,
    model: text,
    form: oneOf(['image', 'video']),
    prompt: text,
    product_id: orNull(text),
    payload: Type.Unsafe<JsonValue>(
      Type.Unknown({ description: 'the exact payload, pictures in it by their hashes' }),
    ),
    raw_response: Type.Unsafe<JsonValue>(
      Type.Unknown({ description: 'the raw response, pictures in it by their hashes' }),
    ),
    channel: text,
    stored: shape({ ...stored, bytes: count }),
    lineage: shape({
      invocation: inv,
      reference_url: orNull(text),
      parent: orNull(Type.Union([hash, inv])),
    }),
    honoured: list(text),
    warnings: list(Type.Union([text, open])),
    note: text,
  }),
});
export type Created = Of<typeof Created>;
