/**
 * `data base` and `database`, `pre-emptive` and `preemptive`: the same letters cut into words otherwise. Harmless,
 * unless a piece could stand for itself and turn the sentence: `a typical` is not `atypical`, `no table` not
 * `notable`, `1 5` not `15`.
 */
import { articles, beings, fillers } from './words/harmless.ts';
import { directions, exclusions, modals, negations, quantifiers } from './words/polarity.ts';

/** What is cut otherwise, `data base/database`; nothing where the letters differ or a piece weighs something. */
export function differentSpacing(plainLeft: string, plainRight: string): string | undefined {
  const [left, right] = [plainLeft.split(' '), plainRight.split(' ')];
  if (left.join('') !== right.join('')) return undefined;
  const found: string[] = [];
  for (let i = 0, j = 0; i < left.length;) {
    const [a, b] = [[left[i++] as string], [right[j++] as string]];
    let ahead = length(a) - length(b);
    while (ahead !== 0) {
      if (ahead > 0) b.push(right[j++] as string);
      else a.push(left[i++] as string);
      ahead = length(a) - length(b);
    }
    if (a.length === b.length && a.length === 1) continue;
    if (![...a, ...b].every(isInnocent) || !areInnocentCuts(a) || !areInnocentCuts(b)) return undefined;
    found.push(`${a.join(' ')}/${b.join(' ')}`);
  }
  return found.join(', ');
}

function length(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length, 0);
}

/** What stands for itself and turns or weighs something: `in sane`, `re sign`, `use less`. */
const heavy = new Set('a an in re be en on with less more most full'.split(' '));
/** What is never a word of its own, so that `non toxic` can only be `nontoxic`. */
const bound = new Set('non un dis mis pre post anti pro sub'.split(' '));

function isInnocent(word: string): boolean {
  if (bound.has(word)) return true;
  if (heavy.has(word) || negations.has(word) || exclusions.has(word) || modals.has(word)) return false;
  if (articles.has(word) || fillers.has(word) || beings.has(word)) return false;
  return !quantifiers.has(word) && !directions.has(word);
}

/** A cut between two digits makes other numbers, and a sign stands for itself. */
function areInnocentCuts(words: readonly string[]): boolean {
  return words.every((word, i) => {
    const before = words[i - 1];
    if (!/^[\p{L}\p{N}\p{M}.,]+$/u.test(word)) return words.length === 1;
    return before === undefined || !/\p{Nd}$/u.test(before) || !/^[\p{Nd}.,]/u.test(word);
  });
}
