/**
 * Redactors of stored content (contract §5 "Secrets"). `literalRedactor` finds a given secret by its bytes: in any letter
 * case, inside JSON and URLs, with other line ends, by paragraph where dividing split it, at the cut ends of an excerpt, as
 * normalised wording, in base64 at any alignment, in hex, and behind escapes. `ruleRedactor` finds secrets by their shape.
 */
import { isUtf8 } from 'node:buffer';
import { isFault } from '../kernel/fault.ts';
import { canonicalJson, parseJson, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { redactDisguised } from './disguised-secret.ts';
import { mayHideToken } from './disguised-token.ts';
import { suspectedFamilies } from './secret-prefilter.ts';
import { base64From, hexFrom, holdsRun } from './encoded-runs.ts';
import { redactionMarker, secretCharsMin } from './secret-span.ts';
import { scrubJson, scrubText, type TokenRecorder, type PlacedFind, type Scrubbed } from './secrets.ts';

/** Removes secrets from a value. */
export interface Redactor {
  /** Cheap prefilter with false positives and no false negatives. */
  mayContain(text: string): boolean;
  redact(value: JsonValue): Scrubbed<JsonValue>;
  /** Whether bytes that are no JSON hold one. */
  isIn(bytes: Uint8Array): boolean;
}

/** A paragraph of the secret, or a piece of it at the end of an excerpt, is a secret too from this length on. */
const pieceCharsMin = 16;
const endCharsMin = 8;
const ellipsis = '…';

/** `secret` must be fit (`secretProblem`); `wording` replaces it where texts are compared. */
export function literalRedactor(secret: string, wording = ''): Redactor {
  const spelled = formsOf(secret);
  if (wording.length >= secretCharsMin) spelled.push(wording);
  const cased = new Set([
    secret.trim(),
    secret.trim().toLowerCase(),
    secret.trim().toUpperCase(),
    ...spelled,
  ]);
  const encoded = [...cased].flatMap(encodedForms);
  const pattern = new RegExp(spelled.map(escaped).join('|'), 'gi');
  const encodedPattern = new RegExp(encoded.map(({ pattern: each }) => each).join('|'), 'g');
  const forms = [...spelled, ...encoded.map(({ core }) => core)];
  const hints = [
    ...new Set(
      forms
        .flatMap((form) => [form.slice(0, endCharsMin), form.slice(-endCharsMin)])
        .map((each) => each.toLowerCase()),
    ),
  ];
  const bytes = forms.map((form) => Buffer.from(form.toLowerCase(), 'utf8').toString('latin1'));
  const runMin = Math.ceil((secret.trim().length * 4) / 3) - 3;
  const isDisguised = (text: string): boolean =>
    /[%&\\]/.test(text) ||
    holdsRun(text, runMin, base64From) ||
    holdsRun(text, 2 * secret.trim().length, hexFrom);
  const clean: Clean = (text) => {
    let count = 0;
    const replace = (): string => {
      count++;
      return redactionMarker;
    };
    const plain = text.replace(encodedPattern, replace).replace(pattern, replace);
    const whole = isDisguised(plain) ? redactDisguised(plain, [secret], false) : plain;
    if (whole !== plain) count++;
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
    mayContain: (text) => {
      const lower = text.toLowerCase();
      return isDisguised(text) || hints.some((hint) => lower.includes(hint));
    },
    redact(value) {
      const finds: PlacedFind[] = [];
      return { value: redactIn(value, '', clean, finds), finds };
    },
    isIn(given) {
      const held = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      const lower = held.toString('utf8').toLowerCase();
      const raw = Buffer.from(lower, 'utf8').toString('latin1');
      return bytes.some((form) => raw.includes(form)) || clean(held.toString('utf8')).count > 0;
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

/** Base64 and base64url at the three alignments of a group, and hex: what the secret's own bytes settle, and its edges. */
function encodedForms(text: string): { readonly core: string; readonly pattern: string }[] {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const inHex = [hex, hex.toUpperCase()].map((core) => ({ core, pattern: core }));
  const inBase64 = [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
    return (['base64', 'base64url'] as const).map((alphabet) => {
      const last = Math.floor((whole.length * 8) / 6);
      const core = whole.toString(alphabet).slice(Math.ceil((shift * 8) / 6), last);
      return {
        core,
        pattern: `${shift === 0 ? '' : edge}${escaped(core)}${whole.length % 3 === 0 ? '' : edge}`,
      };
    });
  });
  return [...inHex, ...inBase64];
}

/** A character of base64 that holds some bits of the secret and some of its neighbour. */
const edge = '[A-Za-z0-9+/_-]?';

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

/** A JSON text whose escapes hide the secret is rewritten without it. */
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

/**
 * The rules that every write passes, as a redactor of stored content: it finds secrets that were written before their
 * rule existed (contract §5 "Secrets").
 */
export function ruleRedactor(tokenRecorder: TokenRecorder): Redactor {
  return {
    // Canonical JSON hides nothing from the marks but escapes, and a key may tell what its value is.
    mayContain: (text) =>
      text.includes('\\') ||
      suspectedFamilies(text) !== 0 ||
      mayHideToken(text) ||
      /uthorization|ccess_?[kK]ey|_authToken/.test(text),
    redact: (value) => withinText(value, tokenRecorder) ?? scrubJson(value, tokenRecorder),
    isIn: (bytes) =>
      isUtf8(bytes) && scrubText(Buffer.from(bytes).toString('utf8'), tokenRecorder).finds.length > 0,
  };
}

/** A recorded body is a text, and most often the text of a JSON object: its members are looked at one by one. */
function withinText(value: JsonValue, tokenRecorder: TokenRecorder): Scrubbed<JsonValue> | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return undefined;
  const parsed = parseJson(value);
  if (isFault(parsed)) return undefined;
  const { value: clean, finds } = scrubJson(parsed.value, tokenRecorder);
  return { value: finds.length === 0 ? value : canonicalJson(clean), finds };
}
