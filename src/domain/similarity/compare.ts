/**
 * Whether two texts say the same, the contrary, something alike or something else. Likeness of wording never
 * decides alone, since near-identical wording often says the opposite; it only decides which pairs are looked at
 * (contract §5 "Near-duplicates and contraries", spec §4.5.6). In stages, from the surest to the least:
 * equal wording, then what differs and how much that weighs. In doubt two texts are never called the same.
 */
import { align, type Gap } from './align.ts';
import { differencesIn, formDifference, type Difference } from './differences.ts';
import { jaccard, trigramsOf } from './trigrams.ts';
import { casedUnits } from './units.ts';
import { areEnglish, wordingOf, type Token, type Wording } from './wording.ts';
import { plainTokens } from './normalise.ts';
import { differentSpacing } from './spacing.ts';
import { articles, fillers } from './words/harmless.ts';

export interface Verdict {
  readonly kind: 'duplicate' | 'contrary' | 'similar' | 'different';
  /** Jaccard index of the padded trigrams, three decimals; 1 for equal wording. */
  readonly similarity: number;
  /** What differs, kind first: `negation: not`, `antonym: increases/decreases`, `number: 5/7`, `word order: …`. */
  readonly differs: readonly string[];
}

/** Below this likeness two texts are `different`, whatever they say. */
export const similarityMin = 0.4;

/** A text prepared once for many comparisons. Its words are only read when something like it is met. */
export interface Prepared {
  readonly text: string;
  readonly plain: readonly string[];
  wording?: Wording;
}

export function prepare(text: string): Prepared {
  return { text, plain: plainTokens(text) };
}

/** The same for (a, b) and (b, a): the pair is put in one order first. */
export function compare(a: string, b: string): Verdict {
  return comparePrepared(prepare(a), prepare(b));
}

/** With the likeness of the two, where it is known already. */
export function comparePrepared(a: Prepared, b: Prepared, known?: number): Verdict {
  const plainA = a.plain.join(' ');
  const plainB = b.plain.join(' ');
  if (plainA === plainB) return { kind: 'duplicate', similarity: 1, differs: [], ...otherUnits(a, b) };
  const similarity = known ?? jaccard(trigramsOf(plainA), trigramsOf(plainB));
  if (similarity < similarityMin) return { kind: 'different', similarity, differs: [] };
  const differences = plainA < plainB ? between(a, b) : between(b, a);
  const kind = kindOf(differences);
  const differs = [...new Set(differences.map((each) => each.label))];
  return { kind, similarity, differs, ...(kind === 'duplicate' ? otherUnits(a, b) : {}) };
}

/** All else is the same, but `5 Mb` is not `5 MB`. */
function otherUnits(a: Prepared, b: Prepared): Partial<Verdict> {
  const [first, second] = [casedUnits(a.text), casedUnits(b.text)].sort() as [string, string];
  return first === '' || first === second
    ? {}
    : { kind: 'contrary', differs: [`number: ${first}/${second}`] };
}

function between(first: Prepared, second: Prepared): Difference[] {
  const spaced = differentSpacing(first.plain, second.plain);
  if (spaced !== undefined) return [{ label: `spacing: ${spaced}`, kind: 'spacing', weight: 'harmless' }];
  const a = (first.wording ??= wordingOf(first.plain));
  const b = (second.wording ??= wordingOf(second.plain));
  const english = areEnglish(a, b);
  const alignment = align(a.tokens, b.tokens);
  if (alignment === undefined)
    return [{ label: 'word: too much to compare', kind: 'word', weight: 'content' }];
  const found: Difference[] = [];
  for (const [left, right] of alignment.pairs) {
    const difference = formDifference(left, right, english);
    if (difference !== undefined) found.push(difference);
  }
  const { gaps, moved } = withoutMoved(alignment.gaps, english);
  if (moved.length > 0)
    found.push({ label: `word order: ${moved.join(' ')}`, kind: 'word order', weight: 'turns' });
  for (const gap of gaps) found.push(...differencesIn(gap, english));
  return found;
}

function kindOf(differences: readonly Difference[]): Verdict['kind'] {
  const contents = differences.filter((each) => each.weight === 'content');
  // Among many other changes a moved word is chance, and with many words exchanged two texts speak of two things.
  const turns = differences.filter(
    (each) => each.weight === 'turns' && (!loose.has(each.kind) || contents.length <= changesMax),
  );
  const exchanged = contents.filter((each) => each.kind === 'word');
  if (turns.length > 0 && exchanged.length <= changesMax && !cancelOut(turns)) return 'contrary';
  return differences.every((each) => each.weight === 'harmless') ? 'duplicate' : 'similar';
}

const changesMax = 2;
const loose = new Set(['word order', 'voice']);

/** `not valid` and `invalid`, `Rome conquered` and `was conquered by Rome`: two turns that may undo each other. */
function cancelOut(turns: readonly Difference[]): boolean {
  const kinds = new Set(turns.map((each) => each.kind));
  if (turns.length === 2 && kinds.has('negation') && kinds.has('antonym')) return true;
  return (
    kinds.has('word order') &&
    kinds.has('voice') &&
    kinds.isSubsetOf(new Set(['word order', 'voice', 'direction']))
  );
}

/** Words that stand in both texts but not at the same place. Articles and the like may move freely. */
function withoutMoved(
  gaps: readonly Gap[],
  english: boolean,
): { gaps: readonly Gap[]; moved: readonly string[] } {
  const left = gaps.flatMap((gap) => gap.left);
  const right = gaps.flatMap((gap) => gap.right);
  const isBoth = new Map<string, number>();
  for (const token of left) isBoth.set(token.stem, (isBoth.get(token.stem) ?? 0) + 1);
  const shared = new Map<string, number>();
  for (const token of right) {
    const count = isBoth.get(token.stem) ?? 0;
    if (count > (shared.get(token.stem) ?? 0)) shared.set(token.stem, (shared.get(token.stem) ?? 0) + 1);
  }
  if (shared.size === 0) return { gaps, moved: [] };
  const strip = (tokens: readonly Token[], budget: Map<string, number>): Token[] =>
    tokens.filter((token) => {
      const some = budget.get(token.stem) ?? 0;
      if (some === 0) return true;
      budget.set(token.stem, some - 1);
      return false;
    });
  const [budgetLeft, budgetRight] = [new Map(shared), new Map(shared)];
  const stripped = gaps.map((gap) => ({
    ...gap,
    left: strip(gap.left, budgetLeft),
    right: strip(gap.right, budgetRight),
  }));
  const moved = left.filter((token) => shared.has(token.stem) && !(english && isFreeToMove(token.word)));
  return { gaps: stripped, moved: [...new Set(moved.map((token) => token.word))] };
}

function isFreeToMove(word: string): boolean {
  return articles.has(word) || fillers.has(word);
}
