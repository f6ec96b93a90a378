/**
 * Finds encoded tokens of ours (contract §5 "Secrets"): percent-encoded, as entities or escapes, in base64, base64url or
 * hex, broken over lines, and nested encodings. A cheap pass finds which encodings a text could contain; only those are
 * decoded. The attacker controls the text: the work is bounded by its length.
 */
import { findTokens, tokenAt, tokenCharsMin } from './token-finder.ts';
import { base64From, classOf, hexFrom, holdsRun } from './encoded-runs.ts';
import {
  decodeBase64,
  decodeHex,
  joinBrokenEscapes,
  decodeEscapes,
  undecoded,
  type DecodedText,
} from './decoded-text.ts';
import { add, type Span } from './secret-span.ts';
import { visibleText } from './visible-text.ts';

/** Base64 of percent-encoded base64, say. */
const depthMax = 3;
/** Decoded characters per character of the text, beyond `decodedCharsFree`; a text that needs more is redacted whole. */
const decodedRatioMax = 8;
const decodedCharsFree = 65_536;

const sign = { token: 1, escapes: 2, base64: 4, hex: 8 } as const;

const base64RunMin = 56;
const hexRunMin = 80;
/** Escapes as they are, and with a break inside: there may be no other kind. */
const escapeStart =
  /%[^\w%]{0,8}[0-9a-f][^\w%]{0,8}[0-9a-f]|&#?[a-z0-9]|&[^\w&]{0,8}#[^\w&]{0,8}[0-9x]|\\[ux0-7]/i;

/** Whether `text` could hold an encoded token; has false positives and no false negatives. */
export function mayHideToken(text: string): boolean {
  if (text.length < tokenCharsMin) return false;
  if (signsIn(text) !== 0) return true;
  const clean = visibleText(undecoded(text));
  return clean !== undefined && signsIn(clean.text) !== 0;
}

/** Adds the tokens of ours in `text`, plain or encoded. */
export function findDisguisedTokens(text: string, spans: Span[]): void {
  const asItIs = undecoded(text);
  const clean = visibleText(asItIs);
  for (const reading of clean === undefined ? [asItIs] : [asItIs, clean]) {
    // Bundles hold texts within texts within escapes, and need most of it.
    const search: Search = { spans, left: decodedRatioMax * text.length + decodedCharsFree };
    searchText(reading, search, 0);
    if (search.left < 0) add(spans, 0, text.length, 'token-flood');
  }
}

interface Search {
  readonly spans: Span[];
  left: number;
}

function searchText(reading: DecodedText, search: Search, depth: number): void {
  const { text } = reading;
  search.left -= text.length;
  if (search.left < 0) return;
  for (const { start, end, kind, token } of findTokens(text)) {
    const [from, to] = reading.sourceSpan(start, end);
    add(search.spans, from, to, kind, token);
  }
  if (depth === depthMax || text.length < tokenCharsMin) return;
  const signs = signsIn(text);
  const further = [
    ...(signs & sign.escapes ? [...decodeEscapes(reading, []), ...joinBrokenEscapes(reading)] : []),
    ...(signs & sign.base64 ? decodeBase64(reading, tokenCharsMin) : []),
    ...(signs & sign.hex ? decodeHex(reading, tokenCharsMin) : []),
  ];
  for (const each of further) searchText(each, search, depth + 1);
}

/** The encodings that `text` could contain. */
function signsIn(text: string): number {
  return (
    (hasPrefix(text) ? sign.token : 0) |
    (hasEscape(text) ? sign.escapes : 0) |
    (holdsRun(text, base64RunMin, base64From) ? sign.base64 : 0) |
    (holdsRun(text, hexRunMin, hexFrom) ? sign.hex : 0)
  );
}

function hasPrefix(text: string): boolean {
  for (let at = text.indexOf('.'); at !== -1; at = text.indexOf('.', at + 1))
    if (endsPrefix(text, at, 0x68) && tokenAt(text, at) !== undefined) return true;
  for (let at = text.indexOf('_'); at !== -1; at = text.indexOf('_', at + 1))
    if (endsPrefix(text, at, 0x6b) && tokenAt(text, at) !== undefined) return true;
  return false;
}

/** Whether the character before is that of a prefix, or one that may stand between its characters. */
function endsPrefix(text: string, at: number, second: number): boolean {
  const previous = text.charCodeAt(at - 1);
  return previous === second || classOf(previous) === 0;
}

function hasEscape(text: string): boolean {
  return (text.includes('%') || text.includes('&') || text.includes('\\')) && escapeStart.test(text);
}
