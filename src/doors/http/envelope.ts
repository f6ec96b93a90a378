/**
 * The envelope (contract §2): every JSON body says what it is in `_self`, faults are problem details
 * (RFC 9457) with a stable code, and `?soft=1` answers a fault as 200 for readers that are blind to error
 * bodies. One mechanism; no route has its own.
 */
import { protocolName, protocolVersion, untrusted } from '../../model/protocol.ts';
import type { FastifyRequest } from 'fastify';
import { isFault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { fingerprintOf, isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { scrubJson, scrubText } from '../../guard/secrets.ts';
import { retryable, statusOf } from './statuses.ts';

export interface Self {
  readonly kind: string;
  readonly name: string;
  /** One line: what this is. */
  readonly what: string;
  readonly read?: string | undefined;
  readonly write?: string | undefined;
  readonly schema?: string | undefined;
  /** Where to go from here: absolute URLs, usable as they stand. */
  readonly next?: readonly string[] | undefined;
}

/** Keeps `_self` below its kilobyte (contract §2). */
const whatCharsMax = 160;

export function selfOf(self: Self): JsonObject {
  return {
    protocol: protocolName,
    version: protocolVersion,
    kind: self.kind,
    name: self.name,
    what: self.what.length > whatCharsMax ? `${self.what.slice(0, whatCharsMax)}…` : self.what,
    read: self.read ?? null,
    write: self.write ?? null,
    schema: self.schema ?? null,
    next: self.next ?? [],
  };
}

export function body(self: Self, members: JsonObject): JsonObject {
  return { ok: true, trust: untrusted, ...members, _self: selfOf(self) };
}

/** The envelope around what a read found, or the refusal that it came to. */
export function bodyOr(self: Self, found: JsonObject | Fault): JsonObject | Fault {
  return isFault(found) ? found : body(self, found);
}

/** A refusal may quote what was sent, and what was sent may hold a token: its words are scrubbed as bodies are. */
export function withoutSecrets(refusal: Fault): Fault {
  const { message, fix, details } = refusal;
  const scrubbed = scrubJson({ message, fix, details }, fingerprintOf).value as unknown as Pick<
    Fault,
    'message' | 'fix' | 'details'
  >;
  return { ...refusal, ...scrubbed };
}

/** Details of a refusal that hold texts of an article. */
const articleTextDetails = ['current_text', 'base_text', 'thread_summary', 'canonical', 'divs', 'operations'];

export function problem(refusal: Fault, base: string, instance: string, more: JsonObject = {}): JsonObject {
  const fault = withoutSecrets(refusal);
  return {
    // First, so that no detail takes the place of a member of the envelope.
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

/** Where a reader goes on from a refusal that names no place: to a credential, or to what there is. */
function defaultNext(base: string, code: FaultCode): string[] {
  const rows = `${base}/api/dispatch?registry=1`;
  if (statusOf[code] === 401) return [`${base}/start`, rows];
  return code === 'not_found' ? [`${base}/api/articles`, rows] : [rows];
}

/** Parameters that carry credentials, whatever they look like: the owner's key may be any text. */
export const credentialParameter = /^(?:share|token|x-terminal-key|terminal_?key|api_?key|authorization)$/i;

/** The request's path and query as it may be shown and logged: a token of ours is its fingerprint there. */
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

/** As it came where it holds no secret; a secret may hide behind percent signs. */
function redactPart(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // What cannot be decoded is shown as it came.
  }
  const shown = scrubText(plain, fingerprintOf).value.replace(truncatedShare, '[credential]');
  return shown === plain ? part : shown;
}

/** A share that lost its end, or that something grew on to. */
export const truncatedShare = /sh\.[A-Za-z0-9_-]{20,}/g;

/** Of a URL whose path could not be read nothing was parsed; what stands behind the path is read here. */
export function isSoft(request: FastifyRequest): boolean {
  if (request.method !== 'GET') return false;
  const query = request.query as { readonly soft?: unknown } | null;
  return (query?.soft ?? new URLSearchParams(request.url.split('?')[1]).get('soft')) === '1';
}

/**
 * A body whose bytes are the same on every node and after every restart: state that a node wrote itself and
 * state that it loaded may have their members in different orders. Those of the body itself stay as they are.
 */
export function stableJson(value: JsonObject): string {
  return JSON.stringify(value, (name: string, member: JsonValue) =>
    name === '' || typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).sort(byName)),
  );
}

/** Lists and objects of more members than this are spelled in slices, down to the second level. */
const membersPerSlice = 200;

/** Characters of one piece, or as many more as its last member has. */
const chunkChars = 65_536;

/** As `stableJson`, of an answer that may be large: in pieces, its long lists spelled member by member. */
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

/** What was read with a share in its address goes on with it: the next page is asked for alike. */
export function withShareInNext(request: FastifyRequest, value: JsonObject): JsonObject {
  const { share } = (request.query ?? {}) as { readonly share?: unknown };
  const { next } = value;
  if (typeof share !== 'string' || typeof next !== 'string') return value;
  return { ...value, next: `${next}${next.includes('?') ? '&' : '?'}share=${encodeURIComponent(share)}` };
}

/** Whether a client says it has the representation of that strong tag (RFC 9110 §13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header === '*') return true;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

/** Cache header of what anybody may see: kept by whom it pleases, and asked about at every use. */
export const publicCache = 'public, max-age=0, must-revalidate';

/** Cache header of an answer that depends on who asks. */
export const privateCache = 'private, no-store';
