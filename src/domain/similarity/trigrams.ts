/**
 * Padded character trigrams, the ones PostgreSQL's pg_trgm makes: each word with two spaces before and one behind
 * it, cut into threes. Where words are not set apart by spaces a run of characters is cut into padded twos, since
 * two such characters say about what three letters do. Their Jaccard index was the best single score of likeness
 * (docs/adr/0012-near-duplicate-claims.md).
 */

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordCharacter = /[\p{L}\p{M}\p{N}]/u;
const space = 32;

/** The distinct trigrams of a plain wording, each as an integer: exact for ASCII, hashed for the rest, as pg_trgm does. */
export function trigramsOf(plain: string): Set<number> {
  const found = new Set<number>();
  let [first, second] = [space, space];
  let inWord = false;
  let inRun = false;
  const close = (): void => {
    if (inRun) found.add(gram(second, space, space));
    else if (inWord) found.add(gram(first, second, space));
    [first, second, inWord, inRun] = [space, space, false, false];
  };
  // A plain wording has a space between any two tokens; between characters of one run it says nothing.
  for (let i = 0; i < plain.length; i++) {
    const code = plain.codePointAt(i) as number;
    if (code > 0xffff) i++;
    const isUnspaced = code > 127 && unspaced.test(String.fromCodePoint(code));
    if (code === space) {
      if (!inRun) close();
    } else if (isUnspaced) {
      if (!inRun) close();
      found.add(gram(second, code, space));
      [second, inRun] = [code, true];
    } else if (isAlphanumeric(code)) {
      if (inRun) close();
      found.add(gram(first, second, code));
      [first, second, inWord] = [second, code, true];
    } else close();
  }
  close();
  return found;
}

/** Shared trigrams as a part of all, three decimals, 0 to 1. Texts without any are alike only when equal, which is asked before. */
export function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const each of few) if (many.has(each)) shared++;
  return likeness(shared, a.size, b.size);
}

export function likeness(shared: number, sizeA: number, sizeB: number): number {
  return shared === 0 ? 0 : Math.round((1000 * shared) / (sizeA + sizeB - shared)) / 1000;
}

function isAlphanumeric(code: number): boolean {
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  return wordCharacter.test(String.fromCodePoint(code));
}

function gram(a: number, b: number, c: number): number {
  if (a < 128 && b < 128 && c < 128) return (a << 14) | (b << 7) | c;
  const mixed = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 15)) & 0x1fffffff) | 0x20000000;
}
