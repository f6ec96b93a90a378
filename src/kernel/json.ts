/**
 * JSON in and out. `canonicalJson` is RFC 8785 (JCS): the exact bytes that hashes commit to. `parseJson`
 * is strict where two readers of the same bytes could disagree: duplicate keys, lone surrogates, NUL,
 * invalid UTF-8 and absurd nesting are refused before anything is hashed (contract §1.6).
 */
import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './fault.ts';
import type { JsonObject, JsonValue } from './json-value.ts';

export type { JsonObject, JsonValue } from './json-value.ts';

const nestingMax = 64;

/** JSON values of one body (contract §4); more cost more to keep than their bytes do to send. */
export const valuesMax = 200_000;
/** Members of one object of such a body: no schema names as many, and the runtime is slow to make larger ones. */
export const membersMax = 10_000;

/**
 * RFC 8785 text of a value. Members whose value is `undefined` are left out, as `JSON.stringify` does;
 * anything else JSON has no word for (dates, maps, bytes), and strings with lone surrogates, throw a `TypeError`.
 */
export function canonicalJson(value: JsonValue): string {
  // One native call on a copy with its keys in order is four times as fast as spelling the text out here.
  const ordered = sortedCopy(value);
  if (ordered === undefined) return serialize(value);
  const text = JSON.stringify(ordered);
  // Nothing but a lone surrogate is escaped so: one look at the text instead of one at each string.
  return text.includes('\\ud') ? serialize(value) : text;
}

/** Whether two values are the same JSON, in whatever order their members stand. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/**
 * The value with its members in the order of RFC 8785 §3.2.3, or nothing where no JavaScript object can be. What is in
 * order already is not copied: a document's hundreds of layouts and heads are made so.
 */
function sortedCopy(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? sortedItems(value) : sortedMembers(value as JsonObject);
  checkScalar(value);
  return value;
}

function sortedItems(items: readonly JsonValue[]): JsonValue | undefined {
  let ordered: JsonValue[] | undefined;
  // By index: a hole must be refused, not skipped.
  for (let i = 0; i < items.length; i++) {
    const item = sortedCopy(items[i] as JsonValue);
    if (item === undefined) return undefined;
    if (item !== items[i]) ordered ??= items.slice(0, i);
    ordered?.push(item);
  }
  return ordered ?? items;
}

function sortedMembers(object: JsonObject): JsonValue | undefined {
  const keys = keysOf(object);
  let ordered: Record<string, JsonValue> | undefined = isSorted(keys) ? undefined : {};
  if (ordered !== undefined) sortNames(keys);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const first = key.charCodeAt(0);
    // Objects put numeric keys first whatever the order of insertion, and __proto__ is no plain assignment.
    if ((first >= 0x30 && first <= 0x39) || key === '__proto__') return undefined;
    const value = object[key];
    const member = value === undefined ? undefined : sortedCopy(value);
    if (member === undefined && value !== undefined) return undefined;
    if (member !== value) ordered ??= firstMembers(object, keys, i);
    if (ordered !== undefined && member !== undefined) ordered[key] = member;
  }
  return ordered ?? object;
}

function firstMembers(object: JsonObject, keys: readonly string[], count: number): Record<string, JsonValue> {
  const first: Record<string, JsonValue> = {};
  for (const key of keys.slice(0, count)) if (object[key] !== undefined) first[key] = object[key];
  return first;
}

function keysOf(object: JsonObject): string[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('canonical JSON has no such object');
  return Object.keys(object);
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i] as string) < (keys[i - 1] as string)) return false;
  return true;
}

/** In place, by UTF-16 code units, as both `<` and a sort without a comparator compare; few, and nearly in order. */
export function sortNames(keys: string[]): string[] {
  if (keys.length > 24) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let j = i - 1;
    for (; j >= 0 && (keys[j] as string) > key; j--) keys[j + 1] = keys[j] as string;
    keys[j + 1] = key;
  }
  return keys;
}

function checkScalar(value: JsonValue): void {
  if (typeof value === 'string') checkText(value);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no NaN or Infinity');
  } else if (typeof value !== 'boolean' && value !== null) {
    throw new TypeError(`canonical JSON has no ${typeof value}`);
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('canonical JSON refuses lone surrogates');
}

/** The same text, member by member. */
function serialize(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) {
    checkScalar(value);
    return JSON.stringify(value);
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    for (let i = 0; i < items.length; i++) parts.push(serialize(items[i] as JsonValue));
    return `[${parts.join(',')}]`;
  }
  for (const key of sortNames(keysOf(value as JsonObject))) {
    const member = (value as JsonObject)[key];
    if (member !== undefined) parts.push(`${serialize(key)}:${serialize(member)}`);
  }
  return `{${parts.join(',')}}`;
}

/**
 * Parses attacker-written JSON bytes or text; a `Fault` of code `invalid_json` says what is wrong and where, and one of
 * `payload_ceiling` that there are more than `most` values. They are counted before anything is made of them. The
 * value comes wrapped, so that no reader forgets to look which of the two it got.
 */
export function parseJson(
  input: Uint8Array | string,
  most = Number.POSITIVE_INFINITY,
): { readonly value: JsonValue } | Fault {
  let text: string;
  if (typeof input === 'string') {
    text = input;
    if (!text.isWellFormed()) return refuse('the text has a lone surrogate');
  } else {
    if (!isUtf8(input)) return refuse('the bytes are not valid UTF-8');
    text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8');
  }
  const shape = scan(text, most, most === Number.POSITIVE_INFINITY ? most : membersMax);
  if (shape === 'too many values') return tooManyValues(most);
  if (shape === 'too many members') return tooManyMembers;
  if (typeof shape === 'string') return refuse(shape);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return refuse((error as Error).message);
  }
  const found: Found = { members: 0, bad: undefined };
  inspect(value, shape.escapes, found);
  if (found.bad !== undefined) return refuse(found.bad);
  if (shape.members !== found.members) return refuse('an object has the same key twice');
  return { value };
}

function refuse(what: string): Fault {
  return fault(
    'invalid_json',
    `The JSON cannot be read: ${what}.`,
    'Send one well-formed UTF-8 JSON value with unique keys.',
  );
}

function tooManyValues(most: number): Fault {
  return fault(
    'payload_ceiling',
    `The body has more than ${most} JSON values.`,
    `Send at most ${most} values: objects, arrays, strings, numbers, booleans and nulls, all counted.`,
  );
}

const tooManyMembers = fault(
  'payload_ceiling',
  `An object in the body has more than ${membersMax} members.`,
  `Send at most ${membersMax} members in one object.`,
);

interface Shape {
  /** Colons outside strings: the members that the text spells out. */
  readonly members: number;
  /** Whether a \u escape occurs, so that a parsed string may hold what the raw text does not. */
  readonly escapes: boolean;
}

/**
 * One pass over the raw text, before the recursive work of parsing. Values are one, and one more at each comma and at
 * the first item of each array and object.
 */
function scan(text: string, most: number, mostMembers: number): Shape | string {
  let members = 0;
  /** Members so far of the objects that are open, by depth. */
  const own: number[] = [];
  let depth = 0;
  let values = 1;
  let opened = false;
  let escapes = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c <= 0x20) continue;
    const isFirst = opened && c !== 0x5d && c !== 0x7d;
    opened = false;
    if ((isFirst || c === 0x2c) && ++values > most) return 'too many values';
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
      const count = (own[depth] ?? 0) + 1;
      if (count > mostMembers) return 'too many members';
      own[depth] = count;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > nestingMax) return `it is nested more than ${nestingMax} deep`;
      opened = true;
      own[depth] = 0;
    } else if (c === 0x7d || c === 0x5d) {
      depth--;
    }
  }
  return { members, escapes };
}

interface Found {
  members: number;
  bad: string | undefined;
}

/** Counts the members that parsing kept, and looks for what JSON can spell but the ledger has no place for. */
function inspect(value: JsonValue, escapes: boolean, found: Found): void {
  if (typeof value === 'string') {
    if (escapes) found.bad ??= textProblem(value);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) found.bad ??= 'a number is too large';
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) inspect(item, escapes, found);
  } else if (value !== null && typeof value === 'object') {
    const object = value as JsonObject;
    for (const key of Object.keys(object)) {
      found.members++;
      if (escapes) found.bad ??= textProblem(key);
      inspect(object[key] as JsonValue, escapes, found);
    }
  }
}

/** Says what makes a text unfit for the ledger, or nothing: NUL and lone surrogates have no place in it. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'a string holds a NUL character';
  if (!text.isWellFormed()) return 'a string holds a lone surrogate';
  return undefined;
}
