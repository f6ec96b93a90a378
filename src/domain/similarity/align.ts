/**
 * Two token sequences laid side by side along their longest common subsequence: what is common, pair by pair, and
 * the gaps between, each holding what only one side says there.
 */
import type { Token } from './wording.ts';

export interface Gap {
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** The common token before and after the gap. */
  readonly before: Token | undefined;
  readonly after: Token | undefined;
}

export interface Alignment {
  readonly pairs: readonly (readonly [Token, Token])[];
  readonly gaps: readonly Gap[];
}

/** Beyond this the table would cost more than a check may take; nothing is then said about the order. */
const cellsMax = 40_000;

/** Nothing where the differing middles of two long texts are too big to be laid side by side. */
export function align(left: readonly Token[], right: readonly Token[]): Alignment | undefined {
  let start = 0;
  let endLeft = left.length;
  let endRight = right.length;
  const same = (i: number, j: number): boolean => (left[i] as Token).stem === (right[j] as Token).stem;
  while (start < endLeft && start < endRight && same(start, start)) start++;
  while (endLeft > start && endRight > start && same(endLeft - 1, endRight - 1)) {
    endLeft--;
    endRight--;
  }
  const columns = endRight - start + 1;
  const rows = endLeft - start + 1;
  if (rows * columns > cellsMax) return undefined;
  const lengths = new Uint16Array(rows * columns);
  for (let i = rows - 2; i >= 0; i--) {
    for (let j = columns - 2; j >= 0; j--) {
      lengths[i * columns + j] = same(start + i, start + j)
        ? (lengths[(i + 1) * columns + j + 1] as number) + 1
        : Math.max(lengths[(i + 1) * columns + j] as number, lengths[i * columns + j + 1] as number);
    }
  }
  const common: [number, number][] = [];
  for (let n = 0; n < start; n++) common.push([n, n]);
  for (let i = 0, j = 0; i < rows - 1 && j < columns - 1;) {
    const here = lengths[i * columns + j] as number;
    if (same(start + i, start + j) && here === (lengths[(i + 1) * columns + j + 1] as number) + 1)
      common.push([start + i++, start + j++]);
    else if ((lengths[(i + 1) * columns + j] as number) === here) i++;
    else j++;
  }
  for (let n = 0; endLeft + n < left.length; n++) common.push([endLeft + n, endRight + n]);
  return between(left, right, common);
}

function between(
  left: readonly Token[],
  right: readonly Token[],
  common: readonly [number, number][],
): Alignment {
  const gaps: Gap[] = [];
  let [i, j] = [0, 0];
  for (const [atLeft, atRight] of [...common, [left.length, right.length] as const]) {
    if (atLeft > i || atRight > j) {
      gaps.push({
        left: left.slice(i, atLeft),
        right: right.slice(j, atRight),
        before: left[i - 1],
        after: left[atLeft],
      });
    }
    [i, j] = [atLeft + 1, atRight + 1];
  }
  return { pairs: common.map(([a, b]) => [left[a] as Token, right[b] as Token] as const), gaps };
}
