/** What the rows answer with that hand out work, keep workspaces, or reach outside (contract §3, §7). */
import Type from 'typebox';
import { assignmentMembers, target } from '../landscape.ts';
import { count, flag, hash, inv, list, oneOf, open, orNull, shape, slug, text, time, url } from '../parts.ts';

const countedMembers = {
  articles: count,
  divs: count,
  claims: count,
  sources: count,
  revisions: count,
  contributions: count,
  discourse: count,
};
const counted = shape(countedMembers);
/** What has come and gone since: a difference may be below nothing. */
const change = shape(
  Object.fromEntries(Object.keys(countedMembers).map((name) => [name, Type.Integer()])) as Record<
    keyof typeof countedMembers,
    Type.TInteger
  >,
);
const ring = shape({
  ring: Type.Integer({ minimum: 1 }),
  ts: time,
  log_size: count,
  log_root: hash,
  counts: counted,
  gained: change,
});

const workspace = shape({
  workspace: shape({ id: text, title: text, purpose: text, status: oneOf(['open', 'closed']) }),
  page: url,
  enter: url,
});

const stored = { sha256: hash, media_type: text, url };

export const otherResults = {
  PAPER_STATE: shape({
    slug: orNull(slug),
    url: orNull(url),
    rings: count,
    latest_ring: orNull(ring),
    live: shape({ ...countedMembers, log_size: count, log_root: hash }),
    drift: orNull(change),
    drifted: flag,
  }),
  PAPER_GROW: shape({ slug, version: count, ring, ring_hash: hash, url }),
  LANDSCAPE_QUEUE: shape({
    cohort: text,
    queued: count,
    already_queued: count,
    items: list(shape({ n: count, target, axis: orNull(text), slot: orNull(text), article: slug })),
    total: count,
    open: flag,
    permalink: url,
  }),
  LANDSCAPE_NEXT: shape(assignmentMembers),
  WORKSPACE_CREATE: workspace,
  WORKSPACE_SET: workspace,
  WEBHOOK_SECRET: shape({ slug, fingerprint: text, revoked: orNull(text), url }),
  WEB_FETCH: shape({
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
  }),
  REPO_TAIL: shape({
    name: text,
    branch: orNull(text),
    head: orNull(text),
    object_format: oneOf(['sha1', 'sha256']),
    root: list(
      shape({ name: text, type: oneOf(['blob', 'tree', 'commit']), sha: text, size: orNull(count) }),
    ),
    root_truncated: flag,
    commits: list(shape({ sha: text, parents: list(text), author: text, ts: time, subject: text })),
  }),
  CREATIVE_GENERATE: shape({
    ...stored,
    creative_run: shape({
      id: Type.String({ pattern: '^run_' }),
      engine: text,
      provider: text,
      model: text,
      form: oneOf(['image', 'video']),
      prompt: text,
      product_id: orNull(text),
      payload: Type.Unknown({ description: 'the exact payload, pictures in it by their hashes' }),
      raw_response: Type.Unknown({ description: 'the raw response, pictures in it by their hashes' }),
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
  }),
};
