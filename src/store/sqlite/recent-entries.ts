/**
 * Where the chains that an audit met lately ended, so that a successor's `prev` is judged without a look into the
 * database. The hashes lie in one buffer and become text for a successor only: most entries never have one.
 */
import { hashBytes } from '../../ledger/merkle.ts';

const entriesMax = 4096;

export class RecentEntries {
  readonly #slots = new Map<string, number>();
  readonly #places = new Float64Array(entriesMax);
  readonly #hashes = Buffer.allocUnsafeSlow(entriesMax * hashBytes);
  #next = 0;

  /** `leaf`: 32 bytes. */
  set(chain: string, n: number, leaf: Uint8Array): void {
    // Emptied when full: finding the oldest of a map that loses its oldest each time walks over all the holes.
    if (this.#next === entriesMax) {
      this.#slots.clear();
      this.#next = 0;
    }
    const slot = this.#next++;
    this.#slots.set(chain, slot);
    this.#places[slot] = n;
    this.#hashes.set(leaf, slot * hashBytes);
  }

  /** Hash of entry `n` of a chain in hex, where it is the chain's latest. */
  hash(chain: string, n: number): string | undefined {
    const slot = this.#slots.get(chain);
    if (slot === undefined || this.#places[slot] !== n) return undefined;
    return this.#hashes.toString('hex', slot * hashBytes, (slot + 1) * hashBytes);
  }
}
