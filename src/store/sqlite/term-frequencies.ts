/**
 * How many documents of a search file hold a term. FTS5 knows it by walking all of them, 15 ms for a million: so
 * what was asked for once is remembered, and kept right by every document that comes or goes. One connection
 * alone writes the file.
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
