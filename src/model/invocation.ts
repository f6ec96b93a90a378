/**
 * Invocations (spec §2.8; contract §3): what came of those on an article and of the calls of a row, and the receipt,
 * which `schema=invocation` serves as JSON Schema.
 */
import Type, { type TSchema } from 'typebox';
import { gateNames } from '../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../kernel/json-value.ts';
import { rowKey } from './capability.ts';
import type { Of } from './exact.ts';
import {
  actor,
  alteredPart,
  anything,
  count,
  flag,
  hash,
  hashedEntry,
  inv,
  list,
  oneOf,
  open,
  orNull,
  plainSchema,
  read,
  shape,
  slug,
  text,
  time,
  url,
} from './parts.ts';
import { invocationStatuses } from './vocabulary.ts';

const eventMembers = { id: inv, key: text, status: text, actor, ts: time };

/** One that ended on an article. */
export const ConformanceEventView = shape({ ...eventMembers, url, confirm: url });
export type ConformanceEventView = Of<typeof ConformanceEventView>;

export const InvocationList = read({
  slug,
  count,
  total: count,
  success_events: count,
  failure_events: count,
  invocations: list(ConformanceEventView),
  ...alteredPart,
  next: orNull(url),
});

/** A call of a row; what was sent and answered is shown to who may read the receipt. */
export const CallView = shape({
  id: inv,
  status: text,
  actor,
  ts: time,
  confirm: url,
  url,
  request: Type.Optional(shape({ body: anything })),
  response: Type.Optional(shape({ result: anything })),
  yield: Type.Optional(open),
});
export type CallView = Of<typeof CallView>;
export const CallList = read({
  object_id: text,
  count,
  invocations: list(CallView),
  ...alteredPart,
  next: orNull(url),
});

// A receipt may get members that this version does not know: its objects are open, and nullable members are spelled
// as lists of types.
const instant = Type.Unsafe<string>({ type: 'string', format: 'date-time' });
const instantOrNull = Type.Unsafe<string | null>({ anyOf: [instant, { type: 'null' }] });
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const invOrNull = Type.Unsafe<string | null>({ anyOf: [inv, { type: 'null' }] });
const plain = Type.Unsafe<JsonValue>({});
const plainObject = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true });
const oneOfEnum = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ enum: [...values] });
/** An object that has these members among others. */
const having = <T>(members: TSchema) => Type.Unsafe<T>(members);
const spent = { in: Type.Integer(), out: Type.Integer(), total: Type.Integer() };

export const recordedStates = ['present', 'scrubbed', 'withheld', 'missing', 'none'] as const;
const recordedMembers = {
  content_sha: textOrNull,
  salt: textOrNull,
  state: Type.Optional(oneOfEnum(recordedStates)),
  replacement: Type.Optional(plain),
};
const cost = Type.Object({ usd: Type.Unsafe<number | null>({ type: ['number', 'null'] }) });

/** The offline-verifiable proof of one entry, in answers, receipts and confirmations. */
const proofMembers = {
  ok: flag,
  entry: open,
  entry_hash: hash,
  log_index: orNull(count),
  tlog_proof: orNull(text),
  receipt: url,
  confirm: url,
  say_to_user: text,
};
const proof = shape(proofMembers);
export type Proof = Of<typeof proof>;
const newest = Type.Pick(proof, ['entry', 'entry_hash', 'log_index', 'tlog_proof']);

const receiptMembers = {
  id: inv,
  key: text,
  object_type: text,
  status: oneOfEnum(invocationStatuses),
  ok: Type.Boolean(),
  ran: Type.Boolean(),
  error: textOrNull,
  tenant: text,
  actor: text,
  authority: Type.Object({ kind: text, fingerprint: textOrNull, chain: list(text), purpose: textOrNull }),
  /** Up to the one that refused. */
  gates: list(Type.Object({ gate: oneOfEnum(gateNames), ok: Type.Boolean(), note: text })),
  contract_hash: text,
  request: Type.Object({ body: plain, ...recordedMembers }),
  response: Type.Object({ result: plain, ...recordedMembers }),
  idempotency_key: textOrNull,
  started_at: instant,
  finished_at: instantOrNull,
  duration_ms: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  // What the caller typed beside the request.
  said: plainObject,
  // How far a call is that is not at its end.
  progress: Type.Unsafe<{ stage: string; since: string; lease_until: string | null } | null>({
    anyOf: [
      Type.Object({
        stage: oneOfEnum(['running', 'submitted', 'resumed']),
        since: instant,
        lease_until: instantOrNull,
      }),
      { type: 'null' },
    ],
  }),
  // What came of it; cost.usd is null where tokens were spent and no price is known.
  yield: Type.Object({
    tokens: Type.Object(spent),
    cost,
    material: list(Type.Object({ kind: text, id: text, url: text })),
    waste: Type.Unsafe<number>({ type: 'integer' }),
  }),
  // The list of what came of it, with what it was committed to.
  material: Type.Object({ items: plain, ...recordedMembers }),
  replay_of: invOrNull,
  repairs: invOrNull,
  repaired_by: invOrNull,
  root: invOrNull,
  entries: list(having<JsonObject>(hashedEntry)),
  proof: having<JsonObject>(Type.Object(proofMembers)),
  verbs: list(plainObject),
  // Addresses with a place for the share that may open them: the receipt, a replay, a repair.
  templates: list(text),
  links: plainObject,
};

const latest = Type.Optional(
  having<JsonObject>(
    Type.Object(newest.properties, {
      description: 'The proof of the newest entry, where one stands behind the entry of `proof`.',
    }),
  ),
);

/** A receipt, which OIP_RECEIPT answers. */
export const Receipt = Type.Object({ ...receiptMembers, latest });
export type Receipt = Of<typeof Receipt>;

/** Something that a call wrote on a published article, and what became of it. */
const written = shape({
  kind: text,
  id: text,
  slug: text,
  /** A claim id, a DIV id, the article's slug or empty for the whole; null where a batch wrote it. */
  target: orNull(text),
  status: text,
  /** What the owner decided, where something was to be decided and is. */
  decision: orNull(text),
  url,
});
export type Written = Of<typeof written>;

/** The public confirmation of an invocation: what happened when, under which hashes. */
export const Confirmation = shape({
  confirmed: Type.Literal(true),
  id: inv,
  key: text,
  status: oneOf(invocationStatuses),
  ran: flag,
  started_at: time,
  finished_at: orNull(time),
  request_sha: orNull(hash),
  response_sha: orNull(hash),
  contract_hash: text,
  /** Counts are public; material is for readers of the receipt. */
  yield: Type.Omit(receiptMembers.yield, ['material']),
  replay_of: orNull(inv),
  repairs: orNull(inv),
  repaired_by: orNull(inv),
  root: orNull(inv),
  entries: list(hashedEntry),
  proof,
  written: list(written),
  latest: Type.Optional(newest),
});
export type Confirmation = Of<typeof Confirmation>;

export function invocationSchema(base: string): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${base}/api/dispatch?schema=invocation`,
    title: 'invocation',
    ...plainSchema(Receipt),
  };
}

/** A further call: its lineage, how it ended, and the result of its own row. */
const further = {
  key: rowKey,
  invocation: shape({ id: inv, status: oneOf(invocationStatuses), url }),
  confirm: url,
  ran: flag,
  status: oneOf(invocationStatuses),
  result: orNull(open),
};

/** What OIP_APPROVE answers. */
export const ProposalDecided = shape({
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
});
/** What OIP_REPLAY answers. */
export const Replayed = shape({ replay_of: inv, ...further });
/** A high-risk target does not fire: the owner gets what to send. */
export const RepairProposed = shape({
  fired: Type.Literal(false),
  ran: Type.Literal(false),
  proposal: shape({ key: rowKey, body: text, repairs: inv }),
  send_to: url,
});
/** What OIP_REPAIR answers. */
export const Repaired = Type.Union([shape({ repairs: inv, ...further }), RepairProposed]);
