/**
 * Tiles that were lately used for proofs, by their names. What a tile holds at a given width never changes, so that
 * none of them goes out of date; both adapters keep theirs like this.
 */
import { Subtree } from '../ledger/subtree.ts';

/** 16 KB each. */
const keptMax = 256;

export class KeptSubtrees {
  readonly #kept = new Map<string, Subtree>();

  get(name: string): Subtree | undefined {
    const subtree = this.#kept.get(name);
    return subtree === undefined ? undefined : this.#keep(name, subtree);
  }

  add(name: string, tile: Uint8Array): Subtree {
    return this.#keep(name, Subtree.of(tile));
  }

  #keep(name: string, subtree: Subtree): Subtree {
    this.#kept.delete(name);
    this.#kept.set(name, subtree);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break;
      this.#kept.delete(oldest);
    }
    return subtree;
  }
}
