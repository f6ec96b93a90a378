/**
 * Expected refusals are values. A `Fault` carries a code from a closed union, what was wrong, and one
 * sentence that says what to do next; the door that received the request turns the code into a status
 * (contract §2). Broken invariants throw; they are never Faults.
 */
import type { JsonValue } from './json-value.ts';

export const faultCodes = [
  'invalid_json',
  'invalid_request',
  'credential_required',
  'token_malformed',
  'token_corrupted',
  'token_expired',
  'token_revoked',
  'ancestor_revoked',
  'ancestor_expired',
  'signature_required',
  'signature_invalid',
  'scope_denied',
  'risk_ceiling',
  'owner_gate_required',
  'fixed_body_only',
  'token_exhausted',
  'voxel_scope_required',
  'owner_only',
  'row_disabled',
  'not_found',
  'unknown_key',
  'method_not_allowed',
  'payload_ceiling',
  'unsupported_media_type',
  'hash_stale',
  'order_stale',
  'thread_moved',
  'near_duplicate',
  'duplicate_claim',
  'duplicate_source',
  'conflict',
  'idempotency_conflict',
  'already_decided',
  'body_mismatch',
  'content_rule',
  'boundary_moved',
  'invalid_decision',
  'batch_limit',
  'keys_not_public',
  'rate_limited',
  'runner_failed',
  'runner_timeout',
  'overloaded',
  'shutting_down',
  'not_implemented',
  'internal',
] as const;

export type FaultCode = (typeof faultCodes)[number];

/** The nine gates of contract §3, in the order in which they are judged and reported. */
export const gateNames = [
  'credential',
  'scope',
  'ancestor',
  'tenant',
  'risk',
  'owner_gate',
  'fixed_body',
  'use_budget',
  'payload_ceiling',
] as const;

export type GateName = (typeof gateNames)[number];

/** Marks what `fault` made: no JSON from a client can be mistaken for a refusal of this service. */
const mark: unique symbol = Symbol('fault');

export interface Fault {
  readonly [mark]: true;
  readonly fault: FaultCode;
  /** What was wrong, for a person. Texts may change; codes do not. */
  readonly message: string;
  /** One sentence: what to do next. */
  readonly fix: string;
  readonly gate?: GateName;
  /** Members merged into the error body, such as `current_text` or `violations`. */
  readonly details?: Readonly<Record<string, JsonValue>>;
}

/** What a sentence quotes of a caller may be cut within a character, and a refusal is recorded as any text is. */
export function fault(
  code: FaultCode,
  message: string,
  fix: string,
  details?: Readonly<Record<string, JsonValue>>,
): Fault {
  const texts = { message: message.toWellFormed(), fix: fix.toWellFormed() };
  const made = { [mark]: true, fault: code, ...texts } as const;
  return details === undefined ? made : { ...made, details };
}

/** The kinds of objects that a refusal can be about. */
export const subjectKinds = [
  'article',
  'part',
  'claim',
  'div',
  'source',
  'entry',
  'contribution',
  'vote',
  'question',
  'revision',
  'assignment',
  'cohort',
  'receipt',
  'capability',
  'workspace',
  'row',
  'schema',
  'system',
] as const;

/** The object that a refusal is about, as the caller named it: `app/refusals` finds by it what leads on. */
export interface Subject {
  readonly kind: (typeof subjectKinds)[number];
  readonly id: string;
  /** The article that it belongs to. */
  readonly slug?: string;
}

const subjectCharsMax = 120;

/** The refusal with its object as the member `about`. */
export function about(refusal: Fault, { kind, id, slug }: Subject): Fault {
  const cut = (name: string): string => name.slice(0, subjectCharsMax).toWellFormed();
  const subject = { kind, id: cut(id), ...(slug === undefined ? {} : { slug: cut(slug) }) };
  return { ...refusal, details: { ...refusal.details, about: subject } };
}

/** The object of a refusal, also of one that was read from its receipt. */
export function subjectOf({ details }: Fault): Subject | undefined {
  return details?.['about'] as Subject | undefined;
}

/** A parameter or member of a request that cannot be used. */
export function invalidParameter(parameter: string, message: string, fix: string): Fault {
  return fault('invalid_request', message, fix, { parameter });
}

export function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && mark in value;
}
