/**
 * Whether two words are opposites: by the list, by what stands before or behind a common stem, or by a pair of
 * characters in what differs between two texts written without spaces (contract §5, "antonym").
 */
import { isInflection, roots } from './inflection.ts';
import { remembering } from './remember.ts';
import { respell } from './spelling.ts';
import { oppositeCharacters, oppositePrefixes, oppositeSuffixes, oppositeWords } from './words/opposites.ts';

/** Word to the sides it stands on: 2n is the left of line n, 2n + 1 its right. */
const sides = new Map<string, number[]>();
for (const [n, line] of oppositeWords.entries()) {
  for (const [side, words] of line.split('|').entries()) {
    // A respelt form stands beside the written one, so that either can be looked up.
    for (const word of words
      .trim()
      .split(' ')
      .flatMap((each) => [...new Set([each, respell(each)])])) {
      sides.set(word, [...(sides.get(word) ?? []), 2 * n + side]);
    }
  }
}

export function areOpposites(a: string, b: string): boolean {
  if (isInflection(a, b)) return false;
  const other = sidesOf(b);
  for (const side of sidesOf(a)) if (other.has(side ^ 1)) return true;
  return byAffix(a, b) || byAffix(b, a);
}

/** Two words of one side of the list: not the same, but pointing the same way. */
export function pointAlike(a: string, b: string): boolean {
  const other = sidesOf(b);
  for (const side of sidesOf(a)) if (other.has(side)) return true;
  return false;
}

/** The pair of opposites that stand in two runs of characters, `增/减`. */
export function oppositeIn(left: string, right: string): string | undefined {
  for (const [a, b] of oppositeCharacters) {
    if (left.includes(a) && right.includes(b) && !right.includes(a)) return `${a}/${b}`;
    if (left.includes(b) && right.includes(a) && !left.includes(a)) return `${b}/${a}`;
  }
  return undefined;
}

const sidesOf = remembering((word): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const form of roots(word)) for (const side of sides.get(form) ?? []) found.add(side);
  return found;
});

/** By the first letter of what stands before the stem, so that few are tried on a word. */
const prefixes = Map.groupBy(oppositePrefixes, ([front]) => front.charAt(0));
const shortPrefixes = new Set(['a', 'an', 'ant', 'de', 'pre']);

function byAffix(a: string, b: string): boolean {
  if (a.length < 5) return false;
  for (const [x, y] of prefixes.get(a.charAt(0)) ?? []) {
    // The rests begin alike, whatever their inflection.
    if (a.charAt(x.length) !== b.charAt(y.length) || a.charAt(x.length + 1) !== b.charAt(y.length + 1))
      continue;
    const rest = a.slice(x.length);
    if (rest.length < (y === '' && shortPrefixes.has(x) ? 5 : 3) || !a.startsWith(x) || !b.startsWith(y))
      continue;
    if (isInflection(rest, b.slice(y.length))) return true;
  }
  for (const [x, y] of a.slice(0, 3) === b.slice(0, 3) ? oppositeSuffixes : []) {
    if (!a.endsWith(x) || !b.endsWith(y)) continue;
    const rest = a.slice(0, a.length - x.length);
    if (rest.length >= 3 && rest === b.slice(0, b.length - y.length)) return true;
  }
  return false;
}
