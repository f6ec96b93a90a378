/**
 * Which texts hold which trigram, so that the texts most like another are found without reading any. A text as
 * like as asked must share so many trigrams that some are among the rarer ones: only their lists are walked, the
 * commonest are looked into for what is left (the count filter of exact set-similarity search). The answer is
 * the same as that of comparing with every text.
 *
 * Append-only: texts are numbered in the order in which they come, and keep their number.
 */
import { likeness } from './trigrams.ts';

type IsVisible = (ordinal: number) => boolean;

/** Of the trigrams that must be shared, the part that may all be common ones; the rest pays for walking the rarer lists. */
const commonPart = 0.5;

export class Postings {
  readonly #lists = new Map<number, number[]>();
  readonly #sizes: number[] = [];

  get length(): number {
    return this.#sizes.length;
  }

  add(trigrams: ReadonlySet<number>): number {
    const ordinal = this.#sizes.length;
    for (const trigram of trigrams) {
      const list = this.#lists.get(trigram);
      if (list === undefined) this.#lists.set(trigram, [ordinal]);
      else list.push(ordinal);
    }
    this.#sizes.push(trigrams.size);
    return ordinal;
  }

  /** Shows `visit` every visible text whose likeness is at least `similarityMin`; how many were looked at. */
  alike(
    trigrams: ReadonlySet<number>,
    similarityMin: number,
    isVisible: IsVisible,
    visit: (ordinal: number, similarity: number) => void,
  ): number {
    const lists = this.#rarestFirst(trigrams);
    // Half a thousandth less, since likeness is rounded.
    const least = Math.max(1, Math.ceil((similarityMin - 0.0005) * trigrams.size));
    if (lists.length < least) return 0;
    const commonest = Math.floor((least - 1) * commonPart);
    const common = lists.splice(lists.length - commonest);

    const shared = new Uint32Array(this.length);
    const candidates: number[] = [];
    for (const list of lists) {
      for (const ordinal of list) {
        const count = (shared[ordinal] as number) + 1;
        shared[ordinal] = count;
        if (count === least - commonest && isVisible(ordinal)) candidates.push(ordinal);
      }
    }
    // Sharing all the common ones too, would it be enough for two texts of these sizes?
    const hopeful = candidates.filter((ordinal) => {
      const most = (shared[ordinal] as number) + common.length;
      return likeness(most, trigrams.size, this.#sizes[ordinal] as number) >= similarityMin;
    });
    addCommon(shared, hopeful, common);

    for (const ordinal of hopeful) {
      const similarity = likeness(shared[ordinal] as number, trigrams.size, this.#sizes[ordinal] as number);
      if (similarity >= similarityMin) visit(ordinal, similarity);
    }
    return candidates.length;
  }

  /** The same texts without those that `isVisible` hides, numbered anew in the same order. */
  compacted(isVisible: IsVisible): Postings {
    const kept = new Postings();
    const renumbered = new Int32Array(this.length).fill(-1);
    for (const [ordinal, size] of this.#sizes.entries()) {
      if (isVisible(ordinal)) renumbered[ordinal] = kept.#sizes.push(size) - 1;
    }
    for (const [trigram, list] of this.#lists) {
      const left = list.map((ordinal) => renumbered[ordinal] as number).filter((ordinal) => ordinal >= 0);
      if (left.length > 0) kept.#lists.set(trigram, left);
    }
    return kept;
  }

  #rarestFirst(trigrams: ReadonlySet<number>): number[][] {
    const lists: number[][] = [];
    for (const trigram of trigrams) {
      const list = this.#lists.get(trigram);
      if (list !== undefined) lists.push(list);
    }
    return lists.sort((a, b) => a.length - b.length);
  }
}

/** Completes the counts of the candidates: looks each up in a long list, or walks the list where they are many. */
function addCommon(shared: Uint32Array, candidates: readonly number[], common: readonly number[][]): void {
  for (const list of common) {
    if (candidates.length * Math.log2(list.length) > list.length) {
      for (const ordinal of list) shared[ordinal] = (shared[ordinal] as number) + 1;
    } else {
      for (const ordinal of candidates)
        if (holds(list, ordinal)) shared[ordinal] = (shared[ordinal] as number) + 1;
    }
  }
}

/** Binary search: lists grow in the order of the ordinals. */
function holds(list: readonly number[], ordinal: number): boolean {
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = list[middle] as number;
    if (at === ordinal) return true;
    if (at < ordinal) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
