/**
 * Which texts hold which trigram, so that the texts most like another are found without reading any: how many
 * trigrams each shares is counted in all of them at once. A trigram that few texts hold has a list of them, one that
 * many hold a bit for each text, which is shorter then and counted 32 texts at a time. The answer is the same as that
 * of comparing with every text.
 *
 * Append-only: texts are numbered in the order in which they come, and keep their number.
 */
import { Counts } from './counts.ts';
import { likeness } from './trigrams.ts';

type IsVisible = (ordinal: number) => boolean;

/** Shorter lists stay lists: among few texts there is nothing to gain. */
const listedMin = 16;
/** A list is given up for bits where it names so great a part of all texts. */
const commonPart = 1 / 64;

export class Postings {
  readonly #rare = new Map<number, number[]>();
  readonly #common = new Map<number, Int32Array>();
  readonly #sizes: number[] = [];
  /** Words of 32 bits that every common trigram has. */
  #words = 2;

  get length(): number {
    return this.#sizes.length;
  }

  add(trigrams: ReadonlySet<number>): number {
    const ordinal = this.#sizes.push(trigrams.size) - 1;
    if (ordinal >= 32 * this.#words) this.#widen();
    for (const trigram of trigrams) this.#put(trigram, ordinal);
    return ordinal;
  }

  /** Shows `visit` every visible text whose likeness is at least `similarityMin`; how many were looked at. */
  alike(
    trigrams: ReadonlySet<number>,
    similarityMin: number,
    isVisible: IsVisible,
    visit: (ordinal: number, similarity: number) => void,
  ): number {
    const { size } = trigrams;
    const common: Int32Array[] = [];
    const rare: number[][] = [];
    for (const trigram of trigrams) {
      const bits = this.#common.get(trigram);
      const list = bits === undefined ? this.#rare.get(trigram) : undefined;
      if (bits !== undefined) common.push(bits);
      else if (list !== undefined) rare.push(list);
    }
    // Half a thousandth less, since likeness is rounded.
    const least = Math.max(1, Math.ceil((similarityMin - 0.0005) * size));
    if (common.length + rare.length < least) return 0;
    const shared = new Counts(this.length, common.length + rare.length);
    shared.addSets(common);
    for (const list of rare) shared.addMembers(list);

    let looked = 0;
    shared.atLeast(least, (ordinal, count) => {
      if (!isVisible(ordinal)) return;
      looked++;
      const similarity = likeness(count, size, this.#sizes[ordinal] as number);
      if (similarity >= similarityMin) visit(ordinal, similarity);
    });
    return looked;
  }

  /** The same texts without those that `isVisible` hides, numbered anew in the same order. */
  compacted(isVisible: IsVisible): Postings {
    const kept = new Postings();
    const renumbered = new Int32Array(this.length).fill(-1);
    for (const [ordinal, size] of this.#sizes.entries()) {
      if (isVisible(ordinal)) renumbered[ordinal] = kept.#sizes.push(size) - 1;
    }
    while (kept.length > 32 * kept.#words) kept.#widen();
    for (const [trigram, ordinals] of this.#all()) {
      for (const ordinal of ordinals) {
        const left = renumbered[ordinal] as number;
        if (left >= 0) kept.#put(trigram, left);
      }
    }
    return kept;
  }

  /** Ordinals of one trigram are put in their order. */
  #put(trigram: number, ordinal: number): void {
    const bits = this.#common.get(trigram);
    if (bits !== undefined) return setBit(bits, ordinal);
    const list = this.#rare.get(trigram);
    if (list === undefined) this.#rare.set(trigram, [ordinal]);
    else if (list.push(ordinal) >= listedMin && list.length > this.length * commonPart) {
      this.#common.set(trigram, bitsOf(list, this.#words));
      this.#rare.delete(trigram);
    }
  }

  /** Those that have become rare among so many are listed again, so that bits never take much more than lists would. */
  #widen(): void {
    this.#words *= 2;
    for (const [trigram, bits] of Array.from(this.#common)) {
      const members = membersOf(bits);
      this.#common.delete(trigram);
      if (members.length > this.length * commonPart) this.#common.set(trigram, bitsOf(members, this.#words));
      else this.#rare.set(trigram, members);
    }
  }

  *#all(): Iterable<readonly [number, readonly number[]]> {
    yield* this.#rare;
    for (const [trigram, bits] of this.#common) yield [trigram, membersOf(bits)];
  }
}

function setBit(bits: Int32Array, ordinal: number): void {
  bits[ordinal >> 5] = (bits[ordinal >> 5] as number) | (1 << (ordinal & 31));
}

function bitsOf(members: readonly number[], words: number): Int32Array {
  const bits = new Int32Array(words);
  for (const member of members) setBit(bits, member);
  return bits;
}

function membersOf(bits: Int32Array): number[] {
  const members: number[] = [];
  for (const [word, digits] of bits.entries())
    for (let left = digits; left !== 0; left &= left - 1)
      members.push((word << 5) | (31 - Math.clz32(left & -left)));
  return members;
}
