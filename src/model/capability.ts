/** Shares and API keys (spec §5; contract §3, §4): what the ledger keeps of a credential, and what its rows answer. */
import Type from 'typebox';
import type { Of } from './exact.ts';
import {
  entry,
  flag,
  hash,
  list,
  oneOf,
  orNull,
  read,
  shape,
  slug,
  text,
  time,
  url,
  count,
} from './parts.ts';
import { assignmentId } from './landscape.ts';
import type { Role } from './vocabulary.ts';

const fingerprint = Type.String({ pattern: '^cap_[0-9a-f]{16}$' });
export const rowKey = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' });
const actor = Type.Union([fingerprint, oneOf(['owner', 'anonymous', 'system'])]);
const scopes = ['row', 'rows', 'pfx', 'act', 'read'] as const;
const scope = oneOf(scopes);
const grant = shape({ scope, keys: list(text), article: orNull(slug) });

/** The record of a share or an API key (contract §4). */
const recordMembers = {
  fingerprint,
  tenant: text,
  origin: oneOf(['owner', 'self']),
  scope,
  keys: list(text),
  article: orNull(slug),
  ttl: count,
  expires_at: time,
  /** 0 means unlimited. */
  max_uses: count,
  purpose: text,
  risk_ceiling: oneOf(['low', 'high']),
  owner_gate: flag,
  body_fixed: orNull(text),
  max_body_bytes: orNull(count),
  parent: orNull(fingerprint),
  depth: Type.Integer({ minimum: 0, maximum: 8 }),
  issuer: actor,
  actor: orNull(text),
  minted_at: time,
  contract_hash: orNull(hash),
  /** An invitation: whoever holds it enters the workspace in this role. */
  role: Type.Optional(Type.Unsafe<Role>(text)),
  /** A lease cut it: the assignment that it and every share cut from it is bound to. */
  assignment: Type.Optional(assignmentId),
  kind: Type.Optional(oneOf(['share', 'key'])),
  grants: Type.Optional(list(grant)),
};
const record = shape(recordMembers);
export type StoredCapability = Of<typeof record>;
/** Rows that a credential covers, for one article or for all. */
export type Grant = Of<typeof grant>;

/** What CAP_MINT answers. */
export const Minted = shape({ capability: record, fingerprint, expires_at: time, max_uses: count });
/** What KEY_MINT answers. */
export const KeyMinted = shape({ capability: record, fingerprint, scopes: text });
/** What CAP_REVOKE and KEY_REVOKE answer. */
export const Revoked = shape({ fingerprint, state: Type.Literal('revoked'), revoked_at: time });
/** What CAP_EXPLAIN answers. */
export const Explained = shape({
  ...recordMembers,
  verbs: list(rowKey),
  uses: count,
  uses_left: orNull(count),
  ttl_left: count,
  state: oneOf(['valid', 'revoked', 'ancestor_revoked', 'expired', 'ancestor_expired', 'exhausted']),
  revoked: flag,
  revoked_at: orNull(time),
  denials: count,
  ancestors: list(
    shape({ fingerprint, expires_at: time, revoked_at: orNull(time), max_uses: count, uses: count }),
  ),
  ledger: list(Type.Intersect([entry, Type.Object({ action: text, hash })])),
  page: url,
});
export type Explained = Of<typeof Explained>;
/** What a record is for and for whom is private to its holder; a fingerprint shows the rest. */
const privateMembers = [
  'purpose',
  'actor',
  'article',
  'grants',
  'body_fixed',
  'max_body_bytes',
  'role',
  'assignment',
] as const;
export type PublicExplained = Omit<Explained, (typeof privateMembers)[number]>;
export const isPrivateMember = (name: string): boolean =>
  (privateMembers as readonly string[]).includes(name);

/** A new token, shown once, with its addresses and a drop to pass on. */
const handedMembers = {
  share: text,
  fingerprint,
  expires_at: time,
  max_uses: count,
  invoke_url: Type.Optional(url),
  explain_url: url,
  templates: list(text),
  next: list(url),
  drop: text,
};
export const HandedShare = shape(handedMembers);
export type HandedShare = Of<typeof HandedShare>;
/** What cutting a share without a key answers. */
export const SelfCutShare = shape({
  capability: record,
  granted: list(rowKey),
  refused: list(text),
  ...handedMembers,
});
export type SelfCutShare = Of<typeof SelfCutShare>;

/** The owner's API keys, never a key itself. */
const listedKey = shape({
  fingerprint,
  scopes: list(text),
  purpose: text,
  actor: orNull(text),
  minted_at: time,
  expires_at: orNull(time),
  revoked_at: orNull(time),
  state: oneOf(['valid', 'revoked', 'expired']),
  page: url,
});
export type ListedKey = Of<typeof listedKey>;
export const KeyList = read({ count, keys: list(listedKey) });
