/**
 * Secrets that went out and must not come back (contract §3 "headers from named secrets", §5 "Secrets"), found in
 * whatever a host writes them in: as they are, behind the escapes of HTML, addresses and program texts, in hex, in base64
 * at any of its three alignments, and in one of these inside another. A text is read as each of them, whoever finds the
 * secret there is led back to where it stands, and the marker takes its place. Only whole secrets are taken out: what is
 * taken out of a text that somebody else chose would otherwise tell that somebody how a secret begins.
 */
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { redactionMarker } from './secret-span.ts';
import { asBase64, asHex, unescaped, whole, type Reading } from './secret-readings.ts';
import { unfitSecret } from './unfit-secret.ts';

/** Base64 of an address in JSON, say: one inside another inside another. */
const depthMax = 3;
/** How often a text is read over, by its length; one that is made to need more is taken out whole. */
const readOverMax = 32;
const charsFree = 65_536;

/**
 * `value` without the secrets; the same value where it holds none. Secrets too short to be told from words are left, and
 * other cases of their letters where `isExact`.
 */
export function withoutDisguised<T extends JsonValue>(
  value: T,
  secrets: readonly string[],
  isExact = true,
): T {
  const fit = secrets.filter((secret) => unfitSecret(secret) === undefined).flatMap(spellings);
  const needles = { texts: isExact ? fit : fit.map(folded), isExact };
  return (fit.length === 0 ? value : redactIn(value, needles)) as T;
}

interface Needles {
  readonly texts: readonly string[];
  readonly isExact: boolean;
}

/** In lower case, character by character: a longer spelling would move what stands behind it. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A form writes a space as a plus. */
function spellings(secret: string): string[] {
  const bare = secret.trim();
  return bare.includes(' ') ? [bare, bare.replaceAll(' ', '+')] : [bare];
}

function redactIn(value: JsonValue, needles: Needles): JsonValue {
  if (typeof value === 'string') return redact(value, needles);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const clean = items.map((item) => redactIn(item, needles));
    return clean.some((item, i) => item !== items[i]) ? clean : items;
  }
  const members = new Map<string, JsonValue>();
  let changed = false;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    if (member === undefined) continue;
    let name = redact(key, needles);
    while (members.has(name)) name += '~';
    const clean = redactIn(member, needles);
    changed ||= name !== key || clean !== member;
    members.set(name, clean);
  }
  return changed ? Object.fromEntries(members) : value;
}

function redact(text: string, needles: Needles): string {
  const search: Search = { needles, spans: [], left: readOverMax * text.length + charsFree };
  look(whole(text), search, 0);
  if (search.left < 0) return redactionMarker;
  let out = '';
  let at = 0;
  for (const [start, end] of search.spans.sort(([a], [b]) => a - b)) {
    if (start >= at) out += text.slice(at, start) + redactionMarker;
    at = Math.max(at, end);
  }
  return at === 0 ? text : out + text.slice(at);
}

interface Search {
  readonly needles: Needles;
  /** Start and end in the outermost text. */
  readonly spans: (readonly [number, number])[];
  left: number;
}

function look(reading: Reading, search: Search, depth: number): void {
  const { text } = reading;
  search.left -= text.length;
  if (search.left < 0) return;
  const { texts, isExact } = search.needles;
  const searched = isExact ? text : folded(text);
  for (const needle of texts)
    for (let i = searched.indexOf(needle); i !== -1; i = searched.indexOf(needle, i + needle.length))
      search.spans.push(reading.place(i, i + needle.length));
  if (depth === depthMax) return;
  const shortest = Math.min(...texts.map((needle) => needle.length));
  for (const further of [
    ...unescaped(reading, texts),
    ...asBase64(reading, shortest),
    ...asHex(reading, shortest),
  ])
    look(further, search, depth + 1);
}
