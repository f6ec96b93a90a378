/**
 * Words that stand in both texts but not at the same place: `men … than women` and `women … than men` hold the
 * same words and say the opposite. They are taken out of the gaps and named.
 */
import type { Gap } from './align.ts';
import { trait, type Token } from './token.ts';

export interface Moved {
  /** The gaps without what has only moved. */
  readonly gaps: readonly Gap[];
  /** As the left text says it; English articles and the like may move freely and are not named. */
  readonly words: readonly string[];
}

export function withoutMoved(gaps: readonly Gap[], english: boolean): Moved {
  // What both sides of one gap say has not moved: it would have been laid side by side.
  if (gaps.length < 2) return { gaps, words: [] };
  const left = gaps.flatMap((gap) => gap.left);
  const right = gaps.flatMap((gap) => gap.right);
  if (!left.some(({ stem }) => right.some((token) => token.stem === stem))) return { gaps, words: [] };
  const shared = countShared(left, right);
  const moved: Token[] = [];
  const [fromLeft, fromRight] = [new Map(shared), new Map(shared)];
  const remaining = gaps.map((gap) => ({
    ...gap,
    left: gap.left.filter((token) => !spend(fromLeft, token) || (moved.push(token), false)),
    right: gap.right.filter((token) => !spend(fromRight, token)),
  }));
  const counts = moved.filter(({ traits }) => !english || (traits & (trait.article | trait.filler)) === 0);
  return { gaps: remaining, words: counts.map((token) => token.text) };
}

/** How often each stem is on both sides. */
function countShared(left: readonly Token[], right: readonly Token[]): Map<string, number> {
  const unmatched = new Map<string, number>();
  for (const { stem } of left) unmatched.set(stem, (unmatched.get(stem) ?? 0) + 1);
  const shared = new Map<string, number>();
  for (const token of right) {
    if (spend(unmatched, token)) shared.set(token.stem, (shared.get(token.stem) ?? 0) + 1);
  }
  return shared;
}

function spend(budget: Map<string, number>, { stem }: Token): boolean {
  const left = budget.get(stem) ?? 0;
  if (left > 0) budget.set(stem, left - 1);
  return left > 0;
}
