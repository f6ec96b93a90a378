/**
 * A secret that somebody names, found wherever a text holds it (contract §5 "Secrets"): as it is, inside JSON and
 * addresses, with other line ends, paragraph by paragraph where dividing took it apart, and at the cut ends of an
 * excerpt. What the rules of `secrets.ts` know by its shape, this knows by its bytes.
 */
import { isFault } from '../kernel/fault.ts';
import { badText, canonicalJson, parseJson, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { redactionMarker, type PlacedFind, type Scrubbed } from './secrets.ts';

/** Takes secrets out of a value: those of the rules, or one that was named. */
export interface Redactor {
  /** Quick, and may be wrong in one direction: false only for a text that surely holds none. */
  suspects(text: string): boolean;
  redact(value: JsonValue): Scrubbed<JsonValue>;
  /** Whether bytes that are no JSON hold one. */
  isIn(bytes: Uint8Array): boolean;
}

export const secretCharsMin = 8;
export const secretCharsMax = 65_536;
/** A paragraph of the secret, or a piece of it at the end of an excerpt, is a secret too from this length on. */
const pieceCharsMin = 16;
const endCharsMin = 8;
const ellipsis = '…';

/** Why a text cannot be looked for, or nothing. */
export function unfitSecret(secret: string): string | undefined {
  const bad = badText(secret);
  if (bad !== undefined) return `it cannot stand in a text: ${bad}`;
  if (secret.trim().length < secretCharsMin)
    return `it has fewer than ${secretCharsMin} characters, and would be found in texts that hold no secret`;
  if (secret.length > secretCharsMax) return `it has more than ${secretCharsMax} characters`;
  if (redactionMarker.includes(secret)) return 'it is part of the marker that would replace it';
  return undefined;
}

/** `secret` must be fit (`unfitSecret`). */
export function literalSecret(secret: string): Redactor {
  const forms = formsOf(secret);
  const pattern = new RegExp(forms.map(escaped).join('|'), 'g');
  const hints = [...new Set(forms.flatMap((form) => [form.slice(0, endCharsMin), form.slice(-endCharsMin)]))];
  const bytes = forms.map((form) => Buffer.from(form, 'utf8'));
  const clean: Clean = (text) => {
    let count = 0;
    const whole = text.replace(pattern, () => {
      count++;
      return redactionMarker;
    });
    const parts = whole.split(ellipsis);
    const cut = parts.map((part, i) => {
      const tail = i < parts.length - 1 || parts.length === 1 ? withoutEnd(part, secret) : part;
      const both = i > 0 || parts.length === 1 ? withoutStart(tail, secret) : tail;
      if (both !== part) count++;
      return both;
    });
    return { text: count === 0 ? text : cut.join(ellipsis), count };
  };
  return {
    // A body is recorded as it came, and JSON may write any character as an escape.
    suspects: (text) =>
      text.includes('\\u') || text.includes('\\/') || hints.some((hint) => text.includes(hint)),
    redact(value) {
      const finds: PlacedFind[] = [];
      return { value: redactIn(value, '', clean, finds), finds };
    },
    isIn(given) {
      const held = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      return bytes.some((form) => held.includes(form));
    },
  };
}

/** Longest first, so that what is inside another goes with it. */
function formsOf(secret: string): string[] {
  const bare = secret.trim();
  const lines = bare.replaceAll('\r\n', '\n');
  // An excerpt may have lost its line breaks, and a quote its markup.
  const line = lines.replace(/\s+/g, ' ');
  const unmarked = line
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const whole = [secret, bare, lines, lines.replaceAll('\n', '\r\n'), line];
  if (unmarked.length >= pieceCharsMin) whole.push(unmarked);
  const pieces = lines.split(/\n[ \t]*\n/).map((piece) => piece.trim());
  const texts = new Set([...whole, ...pieces.filter((piece) => piece.length >= pieceCharsMin)]);
  const forms = new Set<string>();
  for (const text of texts) {
    forms.add(text);
    let inJson = text;
    // A receipt holds a request, which holds a document: a text within a text within a text.
    for (let depth = 0; depth < 3; depth++) forms.add((inJson = JSON.stringify(inJson).slice(1, -1)));
    const inAddress = encodeURIComponent(text);
    forms.add(inAddress);
    forms.add(inAddress.replaceAll('%20', '+'));
    forms.add(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** An excerpt may end within the secret. */
function withoutEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= endCharsMin; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + redactionMarker;
  return text;
}

function withoutStart(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= endCharsMin; length--)
    if (text.startsWith(secret.slice(-length))) return redactionMarker + text.slice(length);
  return text;
}

type Clean = (text: string) => { readonly text: string; readonly count: number };

/** A JSON text whose escapes hide the secret is written anew without it. */
function behindEscapes(text: string, path: string, clean: Clean, finds: PlacedFind[]): string {
  const parsed = parseJson(text);
  if (isFault(parsed)) return text;
  const inside: PlacedFind[] = [];
  const value = redactIn(parsed.value, path, clean, inside);
  if (inside.length === 0) return text;
  for (const find of inside) finds.push(find);
  return canonicalJson(value);
}

function redactIn(value: JsonValue, path: string, clean: Clean, finds: PlacedFind[]): JsonValue {
  if (typeof value === 'string') {
    const { text, count } = clean(value);
    if (count > 0) finds.push({ path, kind: 'given', count });
    return text.startsWith('{') && text.includes('\\') ? behindEscapes(text, path, clean, finds) : text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item, i) => redactIn(item, `${path}/${i}`, clean, finds));
  const members = new Map<string, JsonValue>();
  for (const [key, member] of Object.entries(value as JsonObject)) {
    if (member === undefined) continue;
    const { text, count } = clean(key);
    let name = text;
    while (members.has(name)) name += '~';
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (count > 0) finds.push({ path: at, kind: 'given', count });
    members.set(name, redactIn(member, at, clean, finds));
  }
  return Object.fromEntries(members);
}
