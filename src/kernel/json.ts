/**
 * JSON in and out. `canonicalJson` is RFC 8785 (JCS): the exact bytes that hashes commit to. `parseJson`
 * is strict where two readers of the same bytes could disagree: duplicate keys, lone surrogates, NUL,
 * invalid UTF-8 and absurd nesting are refused before anything is hashed (contract §1.6).
 */
import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './fault.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

const nestingMax = 64;

/**
 * RFC 8785 text of a value. Members whose value is `undefined` are left out, as `JSON.stringify` does;
 * anything else JSON has no word for, and strings with lone surrogates, throw a `TypeError`.
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no NaN or Infinity');
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value as readonly JsonValue[]) : canonicalObject(value as JsonObject);
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`);
  }
}

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('canonical JSON refuses lone surrogates');
  return JSON.stringify(text);
}

function canonicalArray(items: readonly JsonValue[]): string {
  let out = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ',';
    out += canonicalJson(items[i] as JsonValue);
  }
  return `${out}]`;
}

function canonicalObject(object: JsonObject): string {
  // Array.prototype.sort without a comparator orders by UTF-16 code units, which is what RFC 8785 §3.2.3 asks.
  const keys = Object.keys(object).sort();
  let out = '';
  for (const key of keys) {
    const value = object[key];
    if (value === undefined) continue;
    out += `${out === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(value)}`;
  }
  return `{${out}}`;
}

/** Parses attacker-written JSON bytes or text; a `Fault` of code `invalid_json` says what is wrong and where. */
export function parseJson(input: Uint8Array | string): JsonValue | Fault {
  let text: string;
  if (typeof input === 'string') {
    text = input;
    if (!text.isWellFormed()) return refuse('the text has a lone surrogate');
  } else {
    if (!isUtf8(input)) return refuse('the bytes are not valid UTF-8');
    text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8');
  }
  const shape = scan(text);
  if (typeof shape === 'string') return refuse(shape);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return refuse((error as Error).message);
  }
  if (shape.escapes) {
    const bad = badString(value);
    if (bad !== undefined) return refuse(bad);
  }
  if (shape.members !== countMembers(value)) return refuse('an object has the same key twice');
  return value;
}

function refuse(what: string): Fault {
  return fault('invalid_json', `The JSON cannot be read: ${what}.`, 'Send one well-formed UTF-8 JSON value with unique keys.');
}

interface Shape {
  /** Colons outside strings: the members that the text spells out. */
  readonly members: number;
  /** Whether a \u escape occurs, so that a parsed string may hold what the raw text does not. */
  readonly escapes: boolean;
}

/** One pass over the raw text, before the recursive work of parsing. */
function scan(text: string): Shape | string {
  let members = 0;
  let depth = 0;
  let escapes = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i++;
      for (; i < text.length; i++) {
        const s = text.charCodeAt(i);
        if (s === 0x22) break;
        if (s === 0x5c) {
          i++;
          if (text.charCodeAt(i) === 0x75) escapes = true;
        }
      }
    } else if (c === 0x3a) {
      members++;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > nestingMax) return `it is nested more than ${nestingMax} deep`;
    } else if (c === 0x7d || c === 0x5d) {
      depth--;
    }
  }
  return { members, escapes };
}

function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) count += countMembers(item);
    return count;
  }
  const object = value as JsonObject;
  for (const key of Object.keys(object)) count += 1 + countMembers(object[key] as JsonValue);
  return count;
}

function badString(value: JsonValue): string | undefined {
  if (typeof value === 'string') return badText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const bad = badText(key) ?? badString(member as JsonValue);
    if (bad !== undefined) return bad;
  }
  return undefined;
}

/** Says what makes a text unfit for the ledger, or nothing: NUL and lone surrogates have no place in it. */
export function badText(text: string): string | undefined {
  if (text.includes('\0')) return 'a string holds a NUL character';
  if (!text.isWellFormed()) return 'a string holds a lone surrogate';
  return undefined;
}
