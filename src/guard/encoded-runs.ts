/**
 * Whether a text holds a long run of base64 or hex that could encode ASCII (contract §5 "Secrets"), whatever separates
 * its characters. A run covers one of the places that lie as far apart as it is long; only around those the text is
 * read, and no stretch is read more than twice, so that prose costs a fraction of one pass.
 */

/** Bits of a class: 1, 2 and 4 are set where the character cannot stand in that place of a group of base64. */
const isLetter = 8;
const isDigit = 16;
/** A hex digit that no byte of ASCII begins with. */
const isHigh = 32;

const classes = new Uint8Array(128);
for (const [value, char] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_',
].entries()) {
  const sextet = value < 64 ? value : value - 2;
  // Where a byte begins, by the character of its group: its first bit says that it is no ASCII.
  const misplaced = (sextet & 32 ? 1 : 0) | (sextet & 8 ? 2 : 0) | (sextet & 2 ? 4 : 0);
  const digit = /[0-9a-f]/i.test(char) ? isDigit | (Number.parseInt(char, 16) > 7 ? isHigh : 0) : 0;
  classes[char.charCodeAt(0)] = isLetter | misplaced | digit;
}

/** 0 for what separates: everything that is no character of base64 or base64url. */
export function classOf(code: number): number {
  return code < 128 ? (classes[code] as number) : 0;
}

/** Reads from a place in one direction, not past `limit`: how many characters could belong to a run, and where it ended. */
type ReadRun = (text: string, from: number, step: 1 | -1, limit: number) => void;

/** What the last `ReadRun` read. */
let count = 0;
let end = 0;

/** Longer gaps end a run. */
const gapCharsMax = 64;

/** Whether `text` could hold a run of `charsMin` characters. */
export function holdsRun(text: string, charsMin: number, read: ReadRun): boolean {
  let before = -1;
  for (let probe = charsMin - 1; probe < text.length;) {
    read(text, probe, 1, text.length);
    const after = count;
    const past = end;
    if (after >= charsMin) return true;
    if (after > 0 || classOf(text.charCodeAt(probe)) === 0) {
      read(text, probe - 1, -1, before);
      if (after + count >= charsMin) return true;
    }
    before = probe;
    probe = Math.max(probe + charsMin, past);
  }
  return false;
}

/** Base64 in whichever of the four ways to cut it into groups lasts longest. */
export const base64From: ReadRun = (text, from, step, limit) => {
  let possible = 15;
  let at = from;
  let gap = 0;
  let letters = 0;
  for (; at !== limit && gap <= gapCharsMax; at += step) {
    const its = classOf(text.charCodeAt(at));
    if (its === 0 || isEscapedLineEnd(text, at)) {
      gap++;
      continue;
    }
    gap = 0;
    possible &= groupings[((its & 7) << 2) | ((step === 1 ? letters : 3 - letters) & 3)] as number;
    if (possible === 0) break;
    letters++;
  }
  count = letters;
  end = at;
};

/** By what a character cannot be and how many stood before it: the ways to cut the text that remain. */
const groupings = Uint8Array.from({ length: 32 }, (_, i) => {
  const place = i & 3;
  let possible = 15;
  for (const at of [0, 1, 2]) if ((i >> 2) & (1 << at)) possible &= ~(1 << ((place - at) & 3));
  return possible;
});

/** Hex in whichever of the two ways to pair its digits lasts longer; `0x` and `\u` may stand before them. */
export const hexFrom: ReadRun = (text, from, step, limit) => {
  let possible = 3;
  let at = from;
  let gap = 0;
  let digits = 0;
  for (; at !== limit && gap <= gapCharsMax; at += step) {
    const code = text.charCodeAt(at);
    const its = classOf(code);
    if ((its & isDigit) === 0) {
      gap++;
      if (its === 0 || (code | 0x20) === 0x78 || (code | 0x20) === 0x75 || isEscapedLineEnd(text, at))
        continue;
      break;
    }
    if (code === 0x30 && isBytePrefix(text, at + 1)) continue;
    gap = 0;
    if (its & isHigh) possible &= ((step === 1 ? digits : 1 - digits) & 1) === 0 ? 2 : 1;
    if (possible === 0) break;
    digits++;
  }
  count = digits;
  end = at;
};

/** The `0` of `0x73` is no digit of a byte, even where a line breaks behind it. */
function isBytePrefix(text: string, at: number): boolean {
  let next = at;
  while (next < at + 8 && next < text.length && classOf(text.charCodeAt(next)) === 0) next++;
  return (text.charCodeAt(next) | 0x20) === 0x78;
}

/** In a JSON text inside a string a line ends in `\n`, and its letter is none of the text's. */
function isEscapedLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code === 0x6e || code === 0x72 || code === 0x74) && text.charCodeAt(at - 1) === 0x5c;
}
