/**
 * A ledger entry and its hash (contract §1). An entry is a flat or nested JSON object that commits to
 * content without holding it; its RFC 8785 text, hashed as an RFC 6962 leaf, is at once its `hash`, the
 * next entry's `prev` and its leaf in the log. Sealing checks what no later reader could repair.
 */
import { hash } from 'node:crypto';
import { canonicalJson, sortNames, type JsonObject, type JsonValue } from '../kernel/json.ts';

export interface Entry extends JsonObject {
  readonly chain: string;
  readonly n: number;
  readonly ts: string;
  readonly actor: string;
  readonly prev: string;
}

/** The newest entry of a chain. */
export interface Head {
  readonly n: number;
  readonly hash: string;
  readonly ts: string;
}

/** An entry before it has a place: no `n`, no `prev`, no `hash`. */
export interface Draft {
  readonly chain: string;
  readonly ts: string;
  readonly actor: string;
  readonly [member: string]: JsonValue | undefined;
}

export interface Sealed {
  readonly entry: Entry;
  /** RFC 8785 text of the entry without `hash`: the exact bytes that the log holds. */
  readonly text: string;
  /** 32 bytes: SHA-256(0x00 ‖ text). */
  readonly leaf: Uint8Array;
  /** Lowercase hex of `leaf`. */
  readonly hash: string;
}

export const genesis = 'genesis';
/** Entries travel in bundles behind a 16-bit length (C2SP tlog-tiles). */
export const entryBytesMax = 65_535;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Gives a draft its place behind `head` (null begins a chain) and hashes it. An entry is never dated before
 * the one it follows. Throws a `TypeError` on a draft that the hash law has no room for (contract §1.1, §1.6).
 */
export function seal(draft: Draft, head: Head | null): Sealed {
  checkDraft(draft);
  const entry = placed(draft, head);
  const text = canonicalJson(entry);
  // A UTF-16 unit takes at most three bytes, so short texts need no count.
  if (text.length * 3 > entryBytesMax && Buffer.byteLength(text) > entryBytesMax) {
    throw new TypeError(
      `an entry may take ${entryBytesMax} bytes, this one takes ${Buffer.byteLength(text)}`,
    );
  }
  const leaf = leafHash(text) as Buffer;
  return { entry, text, leaf, hash: leaf.toString('hex') };
}

/** Members are put down in the order of RFC 8785, so that spelling the entry copies nothing. */
function placed(draft: Draft, head: Head | null): Entry {
  const entry: Record<string, JsonValue> = {};
  for (const name of sortNames([...Object.keys(draft), 'n', 'prev']))
    entry[name] = memberOf(name, draft, head);
  return entry as Entry;
}

function memberOf(name: string, draft: Draft, head: Head | null): JsonValue {
  if (name === 'n') return head === null ? 0 : head.n + 1;
  if (name === 'prev') return head === null ? genesis : head.hash;
  if (name === 'ts' && head !== null && head.ts > draft.ts) return head.ts;
  return draft[name] as JsonValue;
}

export function headOf(sealed: Sealed): Head {
  // In the order of its canonical text, as it is stored.
  return { hash: sealed.hash, n: sealed.entry.n, ts: sealed.entry.ts };
}

/** RFC 6962 leaf hash of an entry's text, 32 bytes. */
export function leafHash(text: string): Uint8Array {
  // Asking for a binary string and copying it costs half of asking for a buffer.
  return Buffer.from(leafOneByte(text), 'latin1');
}

/** The same hash as a string of 32 characters below 256, for callers that write many hashes into one buffer. */
export function leafOneByte(text: string): string {
  return hash('sha256', `\0${text}`, 'binary');
}

/** Hashing is synchronous, so one buffer is enough; leftover bytes are never read. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

export const saltBytes = 32;

/** Contract §1.4: lowercase hex of SHA-256(salt ‖ RFC 8785 text of the content). The salt has 32 bytes. */
export function commitment(salt: Uint8Array, contentJcs: string): string {
  if (salt.length !== saltBytes) throw new TypeError(`a salt has ${saltBytes} bytes`);
  if (saltBytes + contentJcs.length * 3 > scratch.length) {
    return hash('sha256', Buffer.concat([salt, Buffer.from(contentJcs, 'utf8')]), 'hex');
  }
  scratch.set(salt, 0);
  const end = 32 + scratch.write(contentJcs, 32, 'utf8');
  return hash('sha256', scratch.subarray(0, end), 'hex');
}

function checkDraft(draft: Draft): void {
  const { chain, actor, ts, op, action } = draft;
  if (typeof chain !== 'string' || chain === '') throw new TypeError('an entry names its chain');
  if (typeof actor !== 'string' || actor === '') throw new TypeError('an entry names its actor');
  if (typeof ts !== 'string' || !instant.test(ts)) {
    throw new TypeError('an entry has a UTC time to the millisecond, such as 2026-01-31T09:00:00.000Z');
  }
  if (typeof op !== 'string' && typeof action !== 'string') {
    throw new TypeError('an entry has a verb: op on DIV chains, action elsewhere');
  }
  if ('n' in draft || 'prev' in draft || 'hash' in draft)
    throw new TypeError('sealing gives n, prev and hash');
  // Assigned plainly it would be lost.
  if (Object.hasOwn(draft, '__proto__')) throw new TypeError('an entry has no member __proto__');
  checkMembers(draft);
}

/** Two readers of a fraction or a huge integer may print it differently; a missing member may be lost. */
function checkMembers(value: JsonObject): void {
  for (const name in value) {
    const member = value[name];
    if (typeof member === 'string') continue;
    if (member === undefined) throw new TypeError(`entry member ${name} is undefined`);
    checkValue(member, name);
  }
}

function checkValue(value: JsonValue, name: string): void {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value))
      throw new TypeError(`entry member ${name} must be an integer within ±2^53`);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) checkValue(item, name);
  } else if (typeof value === 'object' && value !== null) {
    checkMembers(value as JsonObject);
  }
}
