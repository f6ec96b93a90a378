/**
 * Redacts secrets that were sent to a host from what the host answers (contract §3 "headers from named secrets", §5
 * "Secrets"), in any encoding: verbatim, behind escapes of HTML, URLs and program texts, in hex, in base64 at any of its
 * three alignments, and nested encodings. Only whole secrets are redacted: redacting a prefix in a text that the host chose
 * would tell the host how the secret begins.
 */
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { decodeBase64, decodeHex, decodeEscapes, undecoded, type DecodedText } from './decoded-text.ts';
import { redactionMarker, secretProblem } from './secret-span.ts';

/** Nested encodings, such as base64 of a URL in JSON. */
const depthMax = 3;
/** Decoded characters per character of the text, beyond `decodedCharsFree`; a text that needs more is redacted whole. */
const decodedRatioMax = 32;
const decodedCharsFree = 65_536;

/**
 * `value` without the secrets; the same value if it holds none. Ignores secrets that are too short (`secretProblem`).
 * `isExact`: letter case must match.
 */
export function redactDisguised<T extends JsonValue>(
  value: T,
  secrets: readonly string[],
  isExact = true,
): T {
  const fit = secrets.filter((secret) => secretProblem(secret) === undefined).flatMap(spellings);
  const needles = { texts: isExact ? fit : fit.map(folded), isExact };
  return (fit.length === 0 ? value : redactIn(value, needles)) as T;
}

interface Needles {
  readonly texts: readonly string[];
  readonly isExact: boolean;
}

/** Lower case of the same length, so that indexes stay valid. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** With spaces also as `+`, as forms encode them. */
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
  const search: Search = { needles, spans: [], left: decodedRatioMax * text.length + decodedCharsFree };
  searchText(undecoded(text), search, 0);
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

function searchText(reading: DecodedText, search: Search, depth: number): void {
  const { text } = reading;
  search.left -= text.length;
  if (search.left < 0) return;
  const { texts, isExact } = search.needles;
  const searched = isExact ? text : folded(text);
  for (const needle of texts)
    for (let i = searched.indexOf(needle); i !== -1; i = searched.indexOf(needle, i + needle.length))
      search.spans.push(reading.sourceSpan(i, i + needle.length));
  if (depth === depthMax) return;
  const shortest = Math.min(...texts.map((needle) => needle.length));
  for (const further of [
    ...decodeEscapes(reading, texts),
    ...decodeBase64(reading, shortest),
    ...decodeHex(reading, shortest),
  ])
    searchText(further, search, depth + 1);
}
