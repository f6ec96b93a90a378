/**
 * The envelope (contract §2): every JSON body describes itself in `_self`, faults are problem details (RFC 9457)
 * with a stable code, and `?soft=1` answers faults with status 200 for clients that cannot see error bodies.
 */
import { protocolName, protocolVersion, untrusted } from '../../model/vocabulary.ts';
import type { FastifyRequest } from 'fastify';
import { isFault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { fingerprintOf, isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { scrubJson, scrubText } from '../../guard/secrets.ts';
import { retryable, statusOf } from './statuses.ts';
import { excerptOf } from '../../kernel/text.ts';

export interface Self {
  readonly kind: string;
  readonly name: string;
  /** A one-line description. */
  readonly what: string;
  readonly read?: string | undefined;
  readonly write?: string | undefined;
  readonly schema?: string | undefined;
  /** Absolute URLs of what to read next. */
  readonly next?: readonly string[] | undefined;
}

/** Keeps `_self` below one kilobyte (contract §2). */
const whatCharsMax = 160;

export function selfOf(self: Self): JsonObject {
  return {
    protocol: protocolName,
    version: protocolVersion,
    kind: self.kind,
    name: self.name,
    what: excerptOf(self.what, whatCharsMax),
    read: self.read ?? null,
    write: self.write ?? null,
    schema: self.schema ?? null,
    next: self.next ?? [],
  };
}

export function body(self: Self, members: JsonObject): JsonObject {
  return { ok: true, trust: untrusted, ...members, _self: selfOf(self) };
}

/** The envelope around the result of a read, or its fault. */
export function bodyOr(self: Self, found: JsonObject | Fault): JsonObject | Fault {
  return isFault(found) ? found : body(self, found);
}

/** A fault may quote a token from the request, so its texts are scrubbed. */
export function withoutSecrets(refusal: Fault): Fault {
  const { message, fix, details } = refusal;
  const scrubbed = scrubJson({ message, fix, details }, fingerprintOf).value as Pick<
    Fault,
    'message' | 'fix' | 'details'
  >;
  return { ...refusal, ...scrubbed };
}

/** Details that contain texts of an article. */
const articleTextDetails = ['current_text', 'base_text', 'thread_summary', 'canonical', 'divs', 'operations'];

export function problem(refusal: Fault, base: string, instance: string, more: JsonObject = {}): JsonObject {
  const fault = withoutSecrets(refusal);
  return {
    // First, so that details cannot override members of the envelope.
    ...fault.details,
    ...(articleTextDetails.some((name) => fault.details?.[name] !== undefined) ? { trust: untrusted } : {}),
    type: `${base}/docs/errors#${fault.fault}`,
    title: fault.fault.replaceAll('_', ' '),
    status: statusOf[fault.fault],
    detail: fault.message,
    instance,
    ok: false,
    error: fault.fault,
    gate: fault.gate ?? null,
    retryable: retryable.has(fault.fault),
    charged: false,
    invocation: null,
    fix: fault.fix,
    next: fault.details?.['next'] ?? defaultNext(base, fault.fault),
    ...more,
    _self: selfOf({ kind: 'error', name: fault.fault, what: fault.message, next: [`${base}/api/dispatch`] }),
  };
}

/** The `next` of a refusal whose request could not be read (`app/refusals` has it for all others). */
function defaultNext(base: string, code: FaultCode): string[] {
  const errors = `${base}/docs/errors#${code}`;
  if (statusOf[code] === 401) return [`${base}/start`, errors];
  if (statusOf[code] >= 500) return [`${base}/healthz`, errors];
  return code === 'not_found'
    ? [`${base}/api/articles`, `${base}/api/dispatch`, `${base}/llms.txt`]
    : [`${base}/api/dispatch`, errors];
}

/**
 * Puts the share of the request's own address into the addresses that lead on, for a client that can only open them;
 * they name it by its fingerprint until then.
 */
function withOwnShare(request: FastifyRequest, value: JsonObject): JsonObject {
  const { share } = (request.query ?? {}) as { readonly share?: unknown };
  if (request.method !== 'GET' || typeof share !== 'string' || isFingerprint(share)) return value;
  const named = `share=${fingerprintOf(share)}`;
  const open = (url: string): string => url.replace(named, `share=${encodeURIComponent(share)}`);
  const { next, did_you_mean: near } = value as { next: string[]; did_you_mean?: { url: string }[] };
  return {
    ...value,
    next: next.map(open),
    ...(near === undefined ? {} : { did_you_mean: near.map((each) => ({ ...each, url: open(each.url) })) }),
  };
}

/** The problem as the request's own client can go on from it. */
export function problemFor(
  request: FastifyRequest,
  refusal: Fault,
  base: string,
  more: JsonObject,
): JsonObject {
  return withOwnShare(request, problem(refusal, base, instanceOf(request), more));
}

/** Parameters that may contain credentials, whatever their value. */
export const credentialParameter = /^(?:share|token|x-terminal-key|terminal_?key|api_?key|authorization)$/i;

/** The path and query of the request for display and logs: tokens are replaced by their fingerprints. */
export function instanceOf(request: FastifyRequest): string {
  const [path = '', ...rest] = request.url.split('?');
  const shown = redactPart(path);
  if (rest.length === 0) return shown;
  return `${shown}?${rest.join('?').split('&').map(redactParameter).join('&')}`;
}

function redactParameter(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return redactPart(pair);
  const name = pair.slice(0, at);
  const value = redactPart(pair.slice(at + 1));
  const hidden = /^[ct]k_/.test(value) || (credentialParameter.test(name) && !isFingerprint(value));
  return `${redactPart(name)}=${hidden ? '[credential]' : value}`;
}

/** Unchanged without secrets, which may be percent-encoded. */
function redactPart(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // Malformed encodings are shown unchanged.
  }
  const shown = scrubText(plain, fingerprintOf).value.replace(truncatedShare, '[credential]');
  return shown === plain ? part : shown;
}

/** A share that was truncated or extended. */
export const truncatedShare = /sh\.[A-Za-z0-9_-]{20,}/g;

/** Also works for malformed paths, whose query Fastify does not parse. */
export function isSoft(request: FastifyRequest): boolean {
  if (request.method !== 'GET') return false;
  const query = request.query as { readonly soft?: unknown } | null;
  return (query?.soft ?? new URLSearchParams(request.url.split('?')[1]).get('soft')) === '1';
}

/**
 * Serializes a body to the same bytes on every node and after every restart: nested members are sorted, because
 * their order differs between state that was written and state that was loaded. Top-level members keep their order.
 */
export function stableJson(value: JsonObject): string {
  return JSON.stringify(value, (name: string, member: JsonValue) =>
    name === '' || typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).sort(byName)),
  );
}

/** Longer lists and objects are serialized in time slices, down to the second level. */
const membersPerSlice = 200;

/** Minimum characters of a chunk. */
const chunkChars = 65_536;

/** As `stableJson`, in chunks and time slices, for large answers. */
export async function stableJsonInSlices(value: JsonObject): Promise<readonly string[]> {
  const slices = new TimeSlices();
  const chunks: string[] = [];
  let chunk = '';
  const write = async (member: JsonValue, name: string, depth: number): Promise<void> => {
    const isLong =
      typeof member === 'object' &&
      member !== null &&
      (depth === 0 || (depth < 3 && Object.keys(member).length > membersPerSlice));
    if (!isLong) {
      chunk += JSON.stringify(member, sortMembers);
      return;
    }
    const isList = Array.isArray(member);
    const members = Object.entries(depth === 0 ? member : (sortMembers(name, member) as JsonObject));
    chunk += isList ? '[' : '{';
    let isFirst = true;
    for (const [key, each] of members) {
      if (each === undefined && !isList) continue;
      if (!isFirst) chunk += ',';
      isFirst = false;
      if (!isList) chunk += `${JSON.stringify(key)}:`;
      await write(each ?? null, key, depth + 1);
      if (chunk.length > chunkChars) {
        chunks.push(chunk);
        chunk = '';
      }
      if (slices.isDue) await slices.yieldTurn();
    }
    chunk += isList ? ']' : '}';
  };
  await write(value, '', 0);
  return [...chunks, chunk];
}

function sortMembers(_name: string, member: JsonValue): JsonValue {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
  return Object.fromEntries(Object.entries(member).sort(byName));
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Adds the share of the URL to the URL of the next page. */
export function withShareInNext(request: FastifyRequest, value: JsonObject): JsonObject {
  const { share } = (request.query ?? {}) as { readonly share?: unknown };
  const { next } = value;
  if (typeof share !== 'string' || typeof next !== 'string') return value;
  return { ...value, next: `${next}${next.includes('?') ? '&' : '?'}share=${encodeURIComponent(share)}` };
}

/** Whether `If-None-Match` contains the tag (RFC 9110 §13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header === '*') return true;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

/** `Cache-Control` of public answers: caches store them and revalidate every use. */
export const publicCache = 'public, max-age=0, must-revalidate';

/** `Cache-Control` of answers that depend on the caller. */
export const privateCache = 'private, no-store';
