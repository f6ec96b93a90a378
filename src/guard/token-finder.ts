/**
 * Recognizes tokens of ours in a text, also where line breaks, quote marks or invisible characters break them into
 * parts (contract §5 "Secrets"). Shares and API keys end in a CRC-32, so that no other text is taken for one. The
 * attacker controls the text: each place costs a bounded number of steps.
 */
import { crc32 } from 'node:zlib';

export interface FoundToken {
  readonly start: number;
  readonly end: number;
  readonly kind: 'share-token' | 'api-key' | 'terminal-key';
  /** The token as it was minted, without what broke it into parts. */
  readonly token: string;
}

/** The shortest of our tokens: `tk_` and 43 characters. */
export const tokenCharsMin = 46;

const bodyChars = 48;
const terminalChars = 43;
/** How many characters may stand between two characters of a token. */
const gapCharsMax = 64;
/**
 * A terminal key has no checksum. In words most letters follow one of their own case; in a random key 7 of 42 do, and
 * what it is broken into is rarely a word.
 */
const pairsMax = 26;
const wordLettersMax = 21;

/** The value of each base64url character, by its code; 255 for any other character. */
const sextets = new Uint8Array(128).fill(255);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
for (const [value, char] of [...alphabet].entries()) sextets[char.charCodeAt(0)] = value;

/** What else may stand between two parts of a token: tags, entities, escapes of invisible characters and line ends. */
const markup =
  /<[^<>]{0,200}>|&(?:#x?0*[0-9a-f]{1,7}|[a-z]{2,31});?|%[89a-f][0-9a-f]|\\+(?:u[0-9a-f]{4}|[nrt])?|[<&%]/iy;

/** All tokens of ours that `text` spells out, in order; they do not overlap. */
export function findTokens(text: string): FoundToken[] {
  const found: FoundToken[] = [];
  for (const anchor of ['.', '_'])
    for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, at + 1)) {
      const token = tokenAt(text, at);
      if (token !== undefined) found.push(token);
    }
  found.sort((a, b) => a.start - b.start);
  return found.filter((token, i) => i === 0 || token.start >= (found[i - 1] as FoundToken).end);
}

/** The token whose prefix ends at `at`, where a `.` or `_` stands; undefined where there is none. */
export function tokenAt(text: string, at: number): FoundToken | undefined {
  const isShare = text.charCodeAt(at) === 0x2e;
  const second = before(text, at);
  if (text.charCodeAt(second) !== (isShare ? 0x68 : 0x6b)) return undefined;
  const first = before(text, second);
  const letter = text[first];
  if (isShare ? letter !== 's' : letter !== 'c' && letter !== 't') return undefined;
  const isTerminal = letter === 't';
  const length = isTerminal ? terminalChars : bodyChars;
  for (const joinsHyphens of [false, true]) {
    const read = readBody(text, at + 1, length, joinsHyphens);
    if (read === undefined) return undefined;
    if (isTerminal ? looksRandom(text.slice(at + 1, read.end)) : hasChecksum()) {
      const prefix = isShare ? 'sh.' : `${letter}k_`;
      const kind = isShare ? 'share-token' : isTerminal ? 'terminal-key' : 'api-key';
      return { start: first, end: read.end, kind, token: prefix + charsOf(length) };
    }
    if (!read.isHyphenated) return undefined;
  }
  return undefined;
}

/** The place of the character before `at` that could belong to a token, or -1. */
function before(text: string, at: number): number {
  // How far back a `<` and a `&` were looked for: no part of the text is searched twice.
  let tag = at;
  let entity = at;
  for (let i = at - 1, steps = 0; i >= 0 && steps < gapCharsMax; i--, steps++) {
    const code = text.charCodeAt(i);
    if (code < 128 && sextets[code] !== 255) return i;
    // `s<wbr>h.` and `s&shy;h.`
    let open = -1;
    if (code === 0x3e) open = tag = lastWithin(text, 0x3c, Math.min(i, tag), i - gapCharsMax);
    else if (code === 0x3b) open = entity = lastWithin(text, 0x26, Math.min(i, entity), i - gapCharsMax);
    if (open >= 0 && open >= i - gapCharsMax && !/\s/.test(text[open + 1] as string)) i = open;
  }
  return -1;
}

/** The last place of `code` from `from` down to `to`; where there is none, the first place below that. */
function lastWithin(text: string, code: number, from: number, to: number): number {
  let at = from;
  while (at >= to && at >= 0 && text.charCodeAt(at) !== code) at--;
  return at;
}

/** The body that was read last, one sextet a character. */
const body = new Uint8Array(bodyChars);
const bytes = Buffer.alloc(36);

interface Read {
  readonly end: number;
  /** A hyphen at the end of a line may belong to the token or to the line. */
  readonly isHyphenated: boolean;
}

/** Reads the next `length` characters of base64url into `body`. */
function readBody(text: string, from: number, length: number, joinsHyphens: boolean): Read | undefined {
  let count = 0;
  let gap = 0;
  let at = from;
  let isHyphenated = false;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const sextet = code < 128 ? (sextets[code] as number) : 255;
    if (sextet !== 255) {
      if (code === 0x2d && isLineEnd(text, at + 1)) {
        isHyphenated = true;
        if (joinsHyphens) {
          at++;
          continue;
        }
      }
      body[count++] = sextet;
      at++;
      gap = 0;
      if (count === length) return { end: at, isHyphenated };
      continue;
    }
    if (gap++ === gapCharsMax) return undefined;
    at += code === 0x3c || code === 0x26 || code === 0x25 || code === 0x5c ? markupLength(text, at) : 1;
  }
  return undefined;
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isBreak(code) || (code === 0x20 && isBreak(text.charCodeAt(at + 1)));
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function charsOf(length: number): string {
  let chars = '';
  for (let i = 0; i < length; i++) chars += alphabet[body[i] as number];
  return chars;
}

function markupLength(text: string, at: number): number {
  markup.lastIndex = at;
  return markup.test(text) ? markup.lastIndex - at : 1;
}

/** Whether the last 4 of the 36 bytes in `body` are the CRC-32 of those before. */
function hasChecksum(): boolean {
  for (let i = 0, at = 0; i < bodyChars; i += 4) {
    const group =
      ((body[i] as number) << 18) |
      ((body[i + 1] as number) << 12) |
      ((body[i + 2] as number) << 6) |
      (body[i + 3] as number);
    bytes[at++] = group >> 16;
    bytes[at++] = (group >> 8) & 255;
    bytes[at++] = group & 255;
  }
  return crc32(bytes.subarray(0, 32)) === bytes.readUInt32BE(32);
}

function looksRandom(spelled: string): boolean {
  const pairs = [0, 0, 0, 0];
  for (let i = 1; i < terminalChars; i++) {
    const its = classOf(body[i] as number);
    if (its === classOf(body[i - 1] as number)) pairs[its] = (pairs[its] as number) + 1;
  }
  return Math.max(...pairs) <= pairsMax && lettersInWords(spelled) <= wordLettersMax;
}

function lettersInWords(spelled: string): number {
  const words = spelled.split(/[^\w-]+/).filter((part) => /^(?:[A-Z]?[a-z]{3,}|[A-Z]{4,})$/.test(part));
  return words.reduce((letters, word) => letters + word.length, 0);
}

/** Upper case, lower case, digits, and `-` and `_`. */
function classOf(sextet: number): number {
  if (sextet < 26) return 0;
  if (sextet < 52) return 1;
  return sextet < 62 ? 2 : 3;
}
