/** What the rows answer with that are about capabilities, calls and the directory itself (contract §3, §4). */
import { protocolName } from '../protocol.ts';
import Type from 'typebox';
import { Receipt } from '../invocation.ts';
import { assignmentId } from '../landscape.ts';
import { bareCertificate } from '../proofs.ts';
import {
  count,
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
import { invocationStatuses } from '../vocabulary.ts';

const fingerprint = Type.String({ pattern: '^cap_[0-9a-f]{16}$' });
const actor = Type.Union([fingerprint, oneOf(['owner', 'anonymous', 'system'])]);
const scope = oneOf(['row', 'rows', 'pfx', 'act', 'read']);
const key = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' });

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
  role: Type.Optional(text),
  assignment: Type.Optional(assignmentId),
  kind: Type.Optional(oneOf(['share', 'key'])),
  grants: Type.Optional(list(shape({ scope, keys: list(text), article: orNull(slug) }))),
};
const record = shape(recordMembers);
const revoked = shape({ fingerprint, state: Type.Literal('revoked'), revoked_at: time });

/** A further call: its lineage, how it ended, and the result of its own row. */
const further = {
  key,
  invocation: shape({ id: inv, status: oneOf(invocationStatuses), url }),
  confirm: url,
  ran: flag,
  status: oneOf(invocationStatuses),
  result: orNull(open),
};

const rowWritten = shape({
  key,
  version: Type.Integer({ minimum: 1 }),
  /** False where the row was so already, and no version was made. */
  changed: flag,
  enabled: flag,
  ledger_enabled: flag,
  authority_required: flag,
  contract_hash: orNull(hash),
  secrets: list(text),
  read: url,
  read_version: url,
});

const found = list(shape({ path: text, kind: text, count }));

export const protocolResults = {
  CAP_MINT: shape({ capability: record, fingerprint, expires_at: time, max_uses: count }),
  KEY_MINT: shape({ capability: record, fingerprint, scopes: text }),
  CAP_REVOKE: revoked,
  KEY_REVOKE: revoked,
  CAP_EXPLAIN: shape({
    ...recordMembers,
    verbs: list(key),
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
  }),
  OIP_TREE: shape({
    protocol: Type.Literal(protocolName),
    version: text,
    systems: list(
      shape({
        name: text,
        rows: list(
          shape({
            key,
            what: text,
            contract: text,
            auth: oneOf(['none', 'share', 'owner']),
            risk: oneOf(['low', 'high']),
            safe: flag,
            read: url,
          }),
        ),
      }),
    ),
  }),
  OIP_RECEIPT: Receipt,
  OIP_APPROVE: shape({
    decision: oneOf(['approved', 'declined']),
    id: inv,
    status: oneOf(invocationStatuses),
    ran: flag,
    result: orNull(open),
    error: Type.Optional(text),
    message: Type.Optional(text),
    fix: Type.Optional(text),
    receipt: url,
    confirm: url,
  }),
  OIP_REPLAY: shape({ replay_of: inv, ...further }),
  OIP_REPAIR: Type.Union([
    shape({ repairs: inv, ...further }),
    // A high-risk target does not fire: the owner gets what to send.
    shape({
      fired: Type.Literal(false),
      ran: Type.Literal(false),
      proposal: shape({ key, body: text, repairs: inv }),
      send_to: url,
    }),
  ]),
  DIRECTORY_PUT: rowWritten,
  DIRECTORY_PATCH: rowWritten,
  ROW_SECRET: shape({ key, secret: text, action: oneOf(['set', 'forget']) }),
  PROOF_CERTIFY: shape({
    slug: Type.Optional(slug),
    certificate_id: text,
    certificate: bareCertificate,
    permalink: url,
  }),
  SECRET_SCRUB: shape({
    scope: text,
    contents: count,
    occurrences: count,
    kinds: Type.Record(Type.String(), count),
    places: list(shape({ chain: text, n: count, field: text, found })),
    more_places: flag,
    unreadable: count,
    unreadable_names: Type.Optional(list(text)),
    blobs: count,
    held: count,
    blobs_removed: Type.Optional(list(hash)),
  }),
};
