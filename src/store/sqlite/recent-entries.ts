/**
 * Where the chains that an audit met lately ended, so that a successor's `prev` is judged without a look into the
 * database. A chain has one place among some thousands and shares it with others: whoever came last is there.
 * Most entries never have a successor, so keeping one must cost next to nothing: a map took a tenth of an audit.
 */

/** A power of two. */
const placesMax = 8192;

export class RecentEntries {
  readonly #chains = Array.from<string>({ length: placesMax }).fill('');
  readonly #numbers = new Float64Array(placesMax);
  readonly #hashes = Array.from<string>({ length: placesMax }).fill('');

  /** `leaf`: the hash, as a text of 32 characters below 256. */
  set(chain: string, n: number, leaf: string): void {
    const place = placeOf(chain);
    this.#chains[place] = chain;
    this.#numbers[place] = n;
    this.#hashes[place] = leaf;
  }

  /** Hash of entry `n` of a chain in hex, where it is known to be the chain's latest. */
  hash(chain: string, n: number): string | undefined {
    const place = placeOf(chain);
    if (this.#chains[place] !== chain || this.#numbers[place] !== n) return undefined;
    return Buffer.from(this.#hashes[place] as string, 'latin1').toString('hex');
  }
}

/** From the part of an opaque id that is random, and from what tells an article's chains apart. */
function placeOf(chain: string): number {
  let sum = chain.length;
  for (let i = 12; i < 20; i++) sum = (sum * 31 + chain.charCodeAt(i)) | 0;
  for (let i = chain.length - 4; i < chain.length; i++) sum = (sum * 31 + chain.charCodeAt(i)) | 0;
  return sum & (placesMax - 1);
}
