/** Workspaces (contract §7), the paper about each one's ledger (spec §2.6.1), and signed posts to an article. */
import Type from 'typebox';
import type { Of } from './exact.ts';
import {
  claimId,
  count,
  divId,
  flag,
  hash,
  list,
  oneOf,
  orNull,
  prev,
  shape,
  slug,
  text,
  tier,
  time,
  url,
  weight,
} from './parts.ts';
import { roleNames, workspaceStatuses, type Role } from './vocabulary.ts';

const members = { title: text, purpose: text, status: oneOf(workspaceStatuses) };
const stored = shape({ name: text, ...members });
/** What the ledger keeps of a workspace. */
export type WorkspaceState = Of<typeof stored>;

/** What WORKSPACE_CREATE and WORKSPACE_SET answer. */
export const WorkspaceWritten = shape({
  workspace: shape({ id: text, ...members }),
  page: url,
  enter: url,
});

/** A workspace as it is read (contract §7), and where to enter. */
export const WorkspaceView = shape({
  id: text,
  /** What shares, receipts and public entries call it. */
  tenant: text,
  ...members,
  roles: shape(Object.fromEntries(roleNames.map((role) => [role, text])) as Record<Role, typeof text>),
  objects: list(url),
  policies: shape({
    visibility: text,
    slugs: text,
    writes: text,
    proof: text,
    limits: text,
    precedence: text,
  }),
  /** Who grants more than a credential has, and by which rows. */
  grants: shape({ who: text, how: text, contracts: list(url) }),
  page: url,
  enter: list(url),
});
export type WorkspaceView = Of<typeof WorkspaceView>;

/** An article that a newcomer can begin with, and what calls about its first claims and blocks name. */
const EntryArticle = shape({
  slug,
  title: text,
  markdown: url,
  thread_head: prev,
  content_hash: hash,
  claims: list(
    shape({
      id: claimId,
      hash,
      text,
      tier,
      weight,
      /** Objections, contradictions, challenges and proposed repairs that stand open against it. */
      open: count,
      permalink: url,
    }),
  ),
  claims_total: count,
  divs: list(shape({ div_id: divId, vx_hash: hash, begins: text })),
  divs_total: count,
});
export type EntryArticle = Of<typeof EntryArticle>;

/** What entering answers. Who enters a workspace again by the same invitation is shown no token, and where it is. */
export const Entered = shape({
  workspace: Type.Optional(text),
  role: Type.Optional(Type.Unsafe<Role>(text)),
  credential: shape({
    token: orNull(text),
    fingerprint: text,
    expires_at: time,
    grants: list(text),
    /** 0 means unlimited. */
    uses: count,
  }),
  next: list(url),
  templates: Type.Optional(list(text)),
  articles: Type.Optional(list(EntryArticle)),
  precedence: Type.Optional(text),
  drop: Type.Optional(text),
  idempotent_replay: Type.Optional(Type.Literal(true)),
  note: Type.Optional(text),
  /** Of the call that cut the credential from an invitation. */
  receipt: Type.Optional(shape({ id: text, url, confirm: url })),
});
export type Entered = Of<typeof Entered>;

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
/** What is counted of a workspace. */
export type Counts = Of<typeof counted>;
/** What has come and gone since: a difference may be below nothing. */
const change = shape(
  Object.fromEntries(Object.keys(countedMembers).map((name) => [name, Type.Integer()])) as Record<
    keyof typeof countedMembers,
    Type.TInteger
  >,
);
const ring = shape({
  /** From 1. */
  ring: Type.Integer({ minimum: 1 }),
  ts: time,
  log_size: count,
  log_root: hash,
  counts: counted,
  gained: change,
});
/** What one growth of the paper saw. */
export type Ring = Of<typeof ring>;

/** What PAPER_STATE answers. */
export const PaperState = shape({
  slug: orNull(slug),
  url: orNull(url),
  rings: count,
  latest_ring: orNull(ring),
  live: shape({ ...countedMembers, log_size: count, log_root: hash }),
  drift: orNull(change),
  drifted: flag,
});
/** What PAPER_GROW answers. */
export const PaperGrown = shape({ slug, version: count, ring, ring_hash: hash, url });

/** What WEBHOOK_SECRET answers. */
export const WebhookRotated = shape({ slug, fingerprint: text, revoked: orNull(text), url });
