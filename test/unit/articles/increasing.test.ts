/** The longest increasing subsequence, against all subsequences. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestIncreasing } from '../../../src/domain/articles/increasing.ts';

function longestOf(numbers: readonly number[]): number {
  let longest = 0;
  for (let mask = 0; mask < 2 ** numbers.length; mask++) {
    const chosen = numbers.filter((_, i) => (mask >> i) & 1);
    if (chosen.every((number, i) => i === 0 || number > (chosen[i - 1] as number)))
      longest = Math.max(longest, chosen.length);
  }
  return longest;
}

describe('the longest increasing subsequence', () => {
  it.each<[string, (number | undefined)[], number[]]>([
    ['of nothing', [], []],
    ['of an order that stayed', [1, 2, 3], [0, 1, 2]],
    ['without the one that moved to the end', [2, 3, 4, 1], [0, 1, 2]],
    ['without the one that moved to the beginning', [4, 1, 2, 3], [1, 2, 3]],
    ['without absent ones', [undefined, 5, undefined, 6], [1, 3]],
    ['of equal ones is one', [2, 2, 2], [2]],
  ])('%s', (_of, numbers, places) => {
    expect([...longestIncreasing(numbers)].sort((a, b) => a - b)).toEqual(places);
  });

  it('increases and is as long as the longest of all', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }), (numbers) => {
        const found = numbers.filter((_, i) => longestIncreasing(numbers).has(i));
        expect(found.every((number, i) => i === 0 || number > (found[i - 1] as number))).toBe(true);
        expect(found).toHaveLength(longestOf(numbers));
      }),
    );
  });
});
