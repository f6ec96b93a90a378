/**
 * Padded character trigrams as PostgreSQL's pg_trgm makes them: each word with two spaces before it and one after it,
 * cut into threes. Scripts without spaces between words are cut into padded pairs. The Jaccard index of the trigrams
 * was the best single measure of similarity (docs/adr/0012-near-duplicate-claims.md), and `TrigramIndex` computes it for all texts at once.
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
  // A plain wording has a space between any two tokens, which means nothing between characters of one run.
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

/** Shared trigrams divided by all trigrams, 0 to 1, three decimals. 0 for two texts without trigrams. */
export function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const each of few) if (many.has(each)) shared++;
  return jaccardOf(shared, a.size, b.size);
}

function jaccardOf(shared: number, sizeA: number, sizeB: number): number {
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

/** Which texts contain which trigram. Append-only: a text keeps the number that it got when it was added. */
export class TrigramIndex {
  readonly #texts = new Map<number, number[]>();
  /** How many trigrams each text has. */
  readonly #sizes: number[] = [];

  get length(): number {
    return this.#sizes.length;
  }

  add(trigrams: ReadonlySet<number>): number {
    const number = this.#sizes.push(trigrams.size) - 1;
    for (const trigram of trigrams) {
      const texts = this.#texts.get(trigram);
      if (texts === undefined) this.#texts.set(trigram, [number]);
      else texts.push(number);
    }
    return number;
  }

  /** Calls `visit` for every text whose Jaccard index is at least `min`. */
  similar(
    trigrams: ReadonlySet<number>,
    min: number,
    visit: (text: number, similarity: number) => void,
  ): void {
    const shared = new Uint16Array(this.length);
    for (const trigram of trigrams)
      for (const text of this.#texts.get(trigram) ?? []) shared[text] = (shared[text] as number) + 1;
    // Similarities are rounded to three decimals.
    const sharedMin = Math.max(1, (min - 0.0005) * trigrams.size);
    for (let text = 0; text < shared.length; text++) {
      const count = shared[text] as number;
      if (count < sharedMin) continue;
      const similarity = jaccardOf(count, trigrams.size, this.#sizes[text] as number);
      if (similarity >= min) visit(text, similarity);
    }
  }
}
