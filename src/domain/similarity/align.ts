/**
 * Aligns two token sequences along their longest common subsequence: common words that are written differently, gaps
 * in which the texts differ, and words that stand in both texts at different places.
 */
import type { Token } from './wording.ts';
import { articles, fillers } from './words.ts';

export interface Gap {
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** The common token before and after the gap. */
  readonly before: Token | undefined;
  readonly after: Token | undefined;
}

export interface Alignment {
  /** Tokens with one stem and different texts. */
  readonly pairs: readonly (readonly [Token, Token])[];
  readonly gaps: readonly Gap[];
}

/** Bounds the time of one comparison. */
const cellsMax = 40_000;
/** The table is allocated once; a comparison ends before the next one begins. */
const lengths = new Uint16Array(cellsMax);

/** Undefined where the differing middles of two long texts need too large a table. */
export function align(left: readonly Token[], right: readonly Token[]): Alignment | undefined {
  const same = (i: number, j: number): boolean => (left[i] as Token).stem === (right[j] as Token).stem;
  let start = 0;
  let [endLeft, endRight] = [left.length, right.length];
  while (start < endLeft && start < endRight && same(start, start)) start++;
  while (endLeft > start && endRight > start && same(endLeft - 1, endRight - 1)) {
    endLeft--;
    endRight--;
  }
  const columns = endRight - start + 1;
  const rows = endLeft - start + 1;
  if (rows * columns > cellsMax) return undefined;
  // How long the longest common subsequence is from each cell on.
  lengths.fill(0, 0, rows * columns);
  for (let i = rows - 2; i >= 0; i--)
    for (let j = columns - 2; j >= 0; j--) {
      const below = (i + 1) * columns + j;
      lengths[i * columns + j] = same(start + i, start + j)
        ? (lengths[below + 1] as number) + 1
        : Math.max(lengths[below] as number, lengths[i * columns + j + 1] as number);
    }

  const matches: [number, number][] = Array.from({ length: start }, (_, n) => [n, n]);
  for (let i = 0, j = 0; i < rows - 1 && j < columns - 1;) {
    const here = lengths[i * columns + j] as number;
    if (same(start + i, start + j)) matches.push([start + i++, start + j++]);
    else if ((lengths[(i + 1) * columns + j] as number) === here) i++;
    else j++;
  }
  for (let n = 0; endLeft + n < left.length; n++) matches.push([endLeft + n, endRight + n]);
  return alignmentAt(left, right, matches);
}

function alignmentAt(
  left: readonly Token[],
  right: readonly Token[],
  matches: readonly (readonly [number, number])[],
): Alignment {
  const pairs: [Token, Token][] = [];
  const gaps: Gap[] = [];
  let [i, j] = [0, 0];
  for (const [nextLeft, nextRight] of [...matches, [left.length, right.length] as const]) {
    const [after, other] = [left[nextLeft], right[nextRight]];
    if (nextLeft > i || nextRight > j)
      gaps.push({
        left: left.slice(i, nextLeft),
        right: right.slice(j, nextRight),
        before: left[i - 1],
        after,
      });
    if (after !== undefined && other !== undefined && after.text !== other.text) pairs.push([after, other]);
    [i, j] = [nextLeft + 1, nextRight + 1];
  }
  return { pairs, gaps };
}

export interface WithoutMoved {
  /** The gaps without the moved words. */
  readonly gaps: readonly Gap[];
  /** Moved words as the left text has them, without English articles and fillers. */
  readonly moved: readonly string[];
}

/** Takes words that both texts have at different places out of the gaps: `men … than women` and `women … than men`. */
export function withoutMoved(gaps: readonly Gap[], english: boolean): WithoutMoved {
  // What both sides of one gap have would have been aligned.
  if (gaps.length < 2) return { gaps, moved: [] };
  const onLeft = countStems(gaps.flatMap((gap) => gap.left));
  const onRight = countStems(gaps.flatMap((gap) => gap.right));
  const shared = new Map(
    [...onLeft].map(([stem, count]) => [stem, Math.min(count, onRight.get(stem) ?? 0)] as const),
  );
  const moved: Token[] = [];
  const [fromLeft, fromRight] = [new Map(shared), new Map(shared)];
  const remaining = gaps.map((gap) => ({
    ...gap,
    left: gap.left.filter((token) => !takeOne(fromLeft, token) || (moved.push(token), false)),
    right: gap.right.filter((token) => !takeOne(fromRight, token)),
  }));
  const named = moved.filter(({ word }) => !english || !(articles.has(word) || fillers.has(word)));
  return { gaps: remaining, moved: named.map(({ text }) => text) };
}

function countStems(tokens: readonly Token[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { stem } of tokens) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

function takeOne(counts: Map<string, number>, { stem }: Token): boolean {
  const left = counts.get(stem) ?? 0;
  if (left > 0) counts.set(stem, left - 1);
  return left > 0;
}
