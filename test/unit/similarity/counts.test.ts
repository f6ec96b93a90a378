/** Counting in planes of bits must come to what counting one by one does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Counts } from '../../../src/domain/similarity/counts.ts';
import { Postings } from '../../../src/domain/similarity/postings.ts';
import { jaccard } from '../../../src/domain/similarity/trigrams.ts';

const size = 100;
const sets = fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 60 }), { maxLength: 40 });

test('numbers are in as many sets as counting one by one finds, whether sets come as members or as bits', () => {
  fc.assert(
    fc.property(sets, sets, fc.integer({ min: 1, max: 30 }), (listed, asBits, least) => {
      const counts = new Counts(size, listed.length + asBits.length);
      counts.addSets(asBits.map(bitsOf));
      for (const members of listed) counts.addMembers(members);
      const found: [number, number][] = [];
      counts.atLeast(least, (member, count) => found.push([member, count]));
      const all = [...listed, ...asBits];
      const expected = Array.from({ length: size }, (_, n): [number, number] => [
        n,
        all.filter((members) => members.includes(n)).length,
      ]);
      expect(found).toEqual(expected.filter(([, count]) => count >= least));
    }),
  );
});

test('texts are found as like as their trigrams are, however common these are or become', () => {
  // The lower a trigram, the more texts have it; few are common among the first texts and rare among all.
  const texts = Array.from({ length: 1300 }, (_, n) => {
    const own = Array.from(
      { length: 20 },
      (__, i) => (Math.imul(n * 31 + i * 7, 2654435761) >>> 8) % (9 * i + 2),
    );
    return new Set(n < 120 ? [...own, 1000 + (n % 3)] : own);
  });
  const postings = new Postings();
  for (const each of texts) postings.add(each);
  const isVisible = (ordinal: number): boolean => ordinal % 3 > 0;
  const half = postings.compacted(isVisible);
  const kept = texts.filter((_, n) => isVisible(n));
  for (const asked of texts.filter((_, n) => n % 50 === 7)) {
    expect(likeIn(postings, asked, isVisible)).toEqual(likeAmong(texts, asked, isVisible));
    expect(likeIn(half, asked, () => true)).toEqual(likeAmong(kept, asked, () => true));
  }
});

function bitsOf(members: readonly number[]): Int32Array {
  const bits = new Int32Array(Math.ceil(size / 32));
  for (const member of members) bits[member >> 5] = (bits[member >> 5] as number) | (1 << (member & 31));
  return bits;
}

type Likes = [number, number][];

function likeIn(postings: Postings, asked: ReadonlySet<number>, isVisible: (n: number) => boolean): Likes {
  const found: Likes = [];
  postings.alike(asked, 0.4, isVisible, (ordinal, similarity) => found.push([ordinal, similarity]));
  return found;
}

function likeAmong(
  texts: readonly ReadonlySet<number>[],
  asked: ReadonlySet<number>,
  isVisible: (n: number) => boolean,
): Likes {
  return texts
    .map((each, n): [number, number] => [n, jaccard(asked, each)])
    .filter(([n, similarity]) => isVisible(n) && similarity >= 0.4);
}
