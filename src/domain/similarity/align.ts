/**
 * Two token sequences laid side by side along their longest common subsequence: which common words are written
 * otherwise, pair by pair, and the gaps between, each holding what only one side says there.
 */
import type { Token } from './token.ts';

export interface Gap {
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** The common token before and after the gap. */
  readonly before: Token | undefined;
  readonly after: Token | undefined;
}

export interface Alignment {
  /** Of one stem, but not of one text. */
  readonly pairs: readonly (readonly [Token, Token])[];
  readonly gaps: readonly Gap[];
}

/** Beyond this the table would cost more than a check may take; nothing is then said about the order. */
const cellsMax = 40_000;
/** The table, made once: a comparison is over before the next begins. */
const lengths = new Uint16Array(cellsMax);

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
  fill(left, right, start, rows, columns);

  const laid = new Laid(left, right);
  for (let n = 0; n < start; n++) laid.meet(n, n);
  for (let i = 0, j = 0; i < rows - 1 && j < columns - 1;) {
    const here = lengths[i * columns + j] as number;
    if (same(start + i, start + j) && here === (lengths[(i + 1) * columns + j + 1] as number) + 1)
      laid.meet(start + i++, start + j++);
    else if ((lengths[(i + 1) * columns + j] as number) === here) i++;
    else j++;
  }
  for (let n = 0; endLeft + n <= left.length; n++) laid.meet(endLeft + n, endRight + n);
  return laid;
}

/** How long the longest common subsequence is from each place on, row by row from the last. */
function fill(
  left: readonly Token[],
  right: readonly Token[],
  start: number,
  rows: number,
  columns: number,
): void {
  lengths.fill(0, (rows - 1) * columns, rows * columns);
  for (let i = rows - 2; i >= 0; i--) {
    const { stem } = left[start + i] as Token;
    const row = i * columns;
    lengths[row + columns - 1] = 0;
    for (let j = columns - 2; j >= 0; j--) {
      const below = row + columns + j;
      lengths[row + j] =
        (right[start + j] as Token).stem === stem
          ? (lengths[below + 1] as number) + 1
          : Math.max(lengths[below] as number, lengths[row + j + 1] as number);
    }
  }
}

class Laid implements Alignment {
  readonly pairs: [Token, Token][] = [];
  readonly gaps: Gap[] = [];
  readonly #left: readonly Token[];
  readonly #right: readonly Token[];
  /** Where what is not laid yet begins. */
  #i = 0;
  #j = 0;

  constructor(left: readonly Token[], right: readonly Token[]) {
    this.#left = left;
    this.#right = right;
  }

  /** The next place where both say the same, or the ends of both. */
  meet(i: number, j: number): void {
    const before = this.#left[this.#i - 1];
    const [after, other] = [this.#left[i], this.#right[j]];
    if (i > this.#i || j > this.#j) {
      this.gaps.push({
        left: this.#left.slice(this.#i, i),
        right: this.#right.slice(this.#j, j),
        before,
        after,
      });
    }
    if (after !== undefined && other !== undefined && after.text !== other.text)
      this.pairs.push([after, other]);
    this.#i = i + 1;
    this.#j = j + 1;
  }
}
