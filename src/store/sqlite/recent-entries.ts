/**
 * The last entries of recently audited chains, so that `prev` of a successor is checked without a query. A fixed table
 * of some thousand places: chains that share a place overwrite each other. Most entries have no successor, so storing
 * one must be cheap: a map took a tenth of an audit.
 */

/** A power of two. */
const placesMax = 8192;

export class RecentEntries {
  readonly #chains = Array.from<string>({ length: placesMax }).fill('');
  readonly #numbers = new Float64Array(placesMax);
  readonly #hashes = Array.from<string>({ length: placesMax }).fill('');

  /** `leaf`: the hash, as a text of 32 characters below 256. */
  set(chain: string, n: number, leaf: string): void {
    const place = slotOf(chain);
    this.#chains[place] = chain;
    this.#numbers[place] = n;
    this.#hashes[place] = leaf;
  }

  /** Hash of entry `n` of a chain in hex, where it is known to be the chain's latest. */
  hash(chain: string, n: number): string | undefined {
    const place = slotOf(chain);
    if (this.#chains[place] !== chain || this.#numbers[place] !== n) return undefined;
    return Buffer.from(this.#hashes[place] as string, 'latin1').toString('hex');
  }
}

/** From the random part of an opaque id, and from the suffix that distinguishes an article's chains. */
function slotOf(chain: string): number {
  let sum = chain.length;
  for (let i = 12; i < 20; i++) sum = (sum * 31 + chain.charCodeAt(i)) | 0;
  for (let i = chain.length - 4; i < chain.length; i++) sum = (sum * 31 + chain.charCodeAt(i)) | 0;
  return sum & (placesMax - 1);
}
