/**
 * The number of documents of a search file that contain a term. FTS5 walks all documents to count them, 15 ms for a
 * million, so counts are cached and updated with every document added or removed. Only one connection writes the file.
 */
import { LRUCache } from 'lru-cache';

const rememberedMax = 4096;

export class TermFrequencies {
  readonly #known = new LRUCache<string, number>({ max: rememberedMax });
  readonly #count: (term: string) => number;

  /** `count` walks the index. */
  constructor(count: (term: string) => number) {
    this.#count = count;
  }

  of(term: string): number {
    let frequency = this.#known.get(term);
    if (frequency === undefined) this.#known.set(term, (frequency = this.#count(term)));
    return frequency;
  }

  /** A document with these terms, a space between two, came (1) or went (-1). */
  change(terms: string, by: 1 | -1): void {
    if (this.#known.size === 0) return;
    for (const term of new Set(terms.split(' '))) {
      const frequency = this.#known.peek(term);
      if (frequency !== undefined) this.#known.set(term, frequency + by);
    }
  }

  forget(): void {
    this.#known.clear();
  }
}
