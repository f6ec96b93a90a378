/**
 * Secrets are scrubbed before the first commit on every write path (contract §5 "Secrets"): each is replaced
 * by a marker, one of our own tokens by its fingerprint, and what was found is reported by path, kind and
 * count, never by its text. Everything here is synchronous, since the rules of the preset are, and clean
 * text leaves after the prefilter: about a microsecond for 300 bytes.
 */
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { findDisguisedTokens, mayHideToken } from './disguised-token.ts';
import { suspectedFamilies } from './secret-prefilter.ts';
import { findSecrets } from './secret-rules.ts';
import { redactionMarker, type Span } from './secret-span.ts';

export { redactionMarker };

export interface Find {
  /** The family of secrets, such as `github`, `privatekey` or `share-token`. */
  readonly kind: string;
  readonly count: number;
}

/** A find and where it was: a JSON Pointer (RFC 6901) into the scrubbed value, `''` for a text. */
export type PlacedFind = Find & { readonly path: string };

export interface Scrubbed<T> {
  readonly value: T;
  /** One item for each path and kind, in reading order. */
  readonly finds: readonly PlacedFind[];
}

/** Records a leaked token of ours and returns its fingerprint; undefined if no such token exists. */
export type TokenRecorder = (token: string) => string | undefined;

/** Redacting can bring new neighbours together; a text that still changes after this many passes is left. */
const passesMax = 4;

/** Member names whose values are secrets whatever they look like. */
const secretKeyName = /(?:authorization|secret_?access_?key|_authToken)$/i;

/** `text` without its secrets, and what they were; the same string when it holds none. */
export function scrubText(text: string, tokenRecorder?: TokenRecorder): Scrubbed<string> {
  const finds: PlacedFind[] = [];
  return { value: redact(text, '', '', finds, tokenRecorder), finds };
}

/** `value` without the secrets in its strings and keys; the same value when it holds none. */
export function scrubJson(value: JsonValue, tokenRecorder?: TokenRecorder): Scrubbed<JsonValue> {
  const finds: PlacedFind[] = [];
  return { value: isSuspectJson(value) ? scrubValue(value, '', finds, tokenRecorder) : value, finds };
}

/** Whether strings or keys of `value` may hold a secret: the walk that clean values take, without paths or copies. */
export function isSuspectJson(value: JsonValue): boolean {
  if (typeof value === 'string') return isSuspectText(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(isSuspectJson);
  for (const key in value as JsonObject) {
    const member = (value as JsonObject)[key];
    if (isSuspectText(key) || (member !== undefined && isSuspectJson(member))) return true;
    if (typeof member === 'string' && namesSecret(key)) return true;
  }
  return false;
}

function isSuspectText(text: string): boolean {
  return suspectedFamilies(text) !== 0 || mayHideToken(text);
}

function namesSecret(key: string): boolean {
  const last = key.charCodeAt(key.length - 1) | 0x20;
  return (last === 0x6e || last === 0x79) && secretKeyName.test(key);
}

function scrubValue(
  value: JsonValue,
  path: string,
  finds: PlacedFind[],
  tokenRecorder?: TokenRecorder,
): JsonValue {
  if (typeof value === 'string') return redact(value, '', path, finds, tokenRecorder);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return scrubObject(value as JsonObject, path, finds, tokenRecorder);
  const items = value as readonly JsonValue[];
  const scrubbed = items.map((item, i) => scrubValue(item, `${path}/${i}`, finds, tokenRecorder));
  return scrubbed.some((item, i) => item !== items[i]) ? scrubbed : items;
}

function scrubObject(
  object: JsonObject,
  path: string,
  finds: PlacedFind[],
  tokenRecorder?: TokenRecorder,
): JsonValue {
  const members = new Map<string, JsonValue>();
  let changed = false;
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue;
    const keyFinds: PlacedFind[] = [];
    let name = redact(key, '', '', keyFinds, tokenRecorder);
    while (members.has(name)) name += '~';
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    for (const find of keyFinds) finds.push({ ...find, path: at });
    const scrubbed =
      typeof member === 'string' && namesSecret(key)
        ? redact(member, `${key}=`, at, finds, tokenRecorder)
        : scrubValue(member, at, finds, tokenRecorder);
    changed ||= name !== key || scrubbed !== member;
    members.set(name, scrubbed);
  }
  return changed ? Object.fromEntries(members) : object;
}

/** `text` without its secrets, read as if `context` stood before it. */
function redact(
  text: string,
  context: string,
  path: string,
  finds: PlacedFind[],
  tokenRecorder: TokenRecorder | undefined,
): string {
  let current = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const whole = context + current;
    const bits = suspectedFamilies(whole);
    const found = bits === 0 ? [] : findSecrets(whole, bits);
    if (mayHideToken(whole)) findDisguisedTokens(whole, found);
    // Called for each token, also one that another secret covers: the caller revokes all found tokens.
    const fingerprints = new Map(
      found.map(({ token }) => [token, token && fingerprintOf(token, tokenRecorder)]),
    );
    const spans = disjoint(found, context.length);
    if (spans.length === 0) break;
    let out = '';
    let at = context.length;
    for (const span of spans) {
      out += whole.slice(at, span.start) + (fingerprints.get(span.token) ?? redactionMarker);
      at = span.end;
      count(finds, path, span.kind);
    }
    current = out + whole.slice(at);
  }
  return current;
}

/** Markdown may leave its own `_` or `-` after a token without a marked end. */
function fingerprintOf(token: string, tokenRecorder?: TokenRecorder): string | undefined {
  return tokenRecorder?.(token) ?? tokenRecorder?.(token.replace(/[-_]+$/, ''));
}

/** The spans in order, overlapping ones joined, without what lies before `from`. */
function disjoint(spans: Span[], from: number): Span[] {
  spans.sort(
    (a, b) =>
      a.start - b.start || b.end - a.end || Number(b.token !== undefined) - Number(a.token !== undefined),
  );
  const joined: Span[] = [];
  for (const span of spans) {
    if (span.end <= from) continue;
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end)
      joined.push({ ...span, start: Math.max(span.start, from) });
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end, token: undefined };
  }
  return joined;
}

function count(finds: PlacedFind[], path: string, kind: string): void {
  const known = finds.findIndex((find) => find.path === path && find.kind === kind);
  if (known === -1) finds.push({ path, kind, count: 1 });
  else finds[known] = { path, kind, count: (finds[known] as PlacedFind).count + 1 };
}
