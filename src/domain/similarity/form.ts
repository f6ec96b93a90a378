/**
 * One form of a word, written or spelt, with what it is compared by: its possible bases and roots, the sides of the
 * list of opposites on which it stands, and what its opposite could look like. Two words are compared far more often
 * than a word is met first, and most pairs are told apart by a few bits.
 */
import { bases, isInflection, roots } from './inflection.ts';
import { remembering } from './remember.ts';
import { respell } from './spelling.ts';
import { oppositePrefixes, oppositeSuffixes, oppositeWords } from './words/opposites.ts';

export interface Form {
  readonly word: string;
  readonly bases: readonly string[];
  readonly roots: readonly string[];
  /** A bit for each first letter of its roots; several letters may share one. */
  readonly initials: number;
  /** Of the list of opposites: 2n is the left of line n, 2n + 1 its right. */
  readonly sides: readonly number[];
  /** A bit for each line on which it stands; several lines may share one. */
  readonly lines: number;
  /** How it may begin as an opposite: what would stand there instead of its prefix, before the same rest. */
  readonly beginnings: readonly { readonly instead: string; readonly rest: string }[];
  /** Its opposites by another ending. */
  readonly otherEndings: readonly string[];
}

export const formOf = remembering((word): Form => {
  const sides = [...new Set(roots(word).flatMap((root) => sidesOf.get(root) ?? []))];
  return {
    word,
    bases: bases(word),
    roots: roots(word),
    initials: roots(word).reduce((bits, root) => bits | (1 << (root.charCodeAt(0) & 31)), 0),
    sides,
    lines: sides.reduce((bits, side) => bits | (1 << ((side >> 1) & 31)), 0),
    beginnings: word.length < affixedMin ? [] : beginningsOf(word),
    otherEndings: word.length < affixedMin ? [] : otherEndingsOf(word),
  };
}, 8192);

export function areOpposites(a: Form, b: Form): boolean {
  const opposed = (a.lines & b.lines) !== 0 && a.sides.some((side) => b.sides.includes(side ^ 1));
  return (opposed || isByAffix(a, b) || isByAffix(b, a)) && !shareBase(a, b);
}

/** Two words of one side of the list: not the same, but pointing the same way. */
export function pointAlike(a: Form, b: Form): boolean {
  return (a.lines & b.lines) !== 0 && a.sides.some((side) => b.sides.includes(side));
}

/** Forms of one word that leave the claim as it is: number, person, tense. */
export function shareBase(a: Form, b: Form): boolean {
  return (a.initials & b.initials) !== 0 && a.bases.some((base) => b.bases.includes(base));
}

/** Forms of one word that may turn it: `infected` and `infecting`, `fast` and `faster`. */
export function shareRoot(a: Form, b: Form): boolean {
  return (a.initials & b.initials) !== 0 && a.roots.some((root) => b.roots.includes(root));
}

const sidesOf = new Map<string, number[]>();
for (const [n, line] of oppositeWords.entries()) {
  for (const [side, words] of line.split('|').entries()) {
    // A respelt form stands beside the written one, so that either can be looked up.
    for (const word of words
      .trim()
      .split(' ')
      .flatMap((each) => [...new Set([each, respell(each)])])) {
      sidesOf.set(word, [...(sidesOf.get(word) ?? []), 2 * n + side]);
    }
  }
}

/** Shorter words have no prefix or ending that could be told from the word. */
const affixedMin = 5;
/** Letters that prefix and ending must leave. */
const restMin = 3;
/** These begin many words that they are no prefix of. */
const shortPrefixes = new Set(['a', 'an', 'ant', 'de', 'pre']);

function beginningsOf(word: string): { instead: string; rest: string }[] {
  return oppositePrefixes
    .filter(([prefix, instead]) => {
      const least = instead === '' && shortPrefixes.has(prefix) ? 5 : restMin;
      return word.startsWith(prefix) && word.length - prefix.length >= least;
    })
    .map(([prefix, instead]) => ({ instead, rest: word.slice(prefix.length) }));
}

function otherEndingsOf(word: string): string[] {
  return oppositeSuffixes
    .filter(([ending]) => word.endsWith(ending) && word.length - ending.length >= restMin)
    .map(([ending, instead]) => word.slice(0, word.length - ending.length) + instead);
}

function isByAffix({ beginnings, otherEndings }: Form, { word }: Form): boolean {
  for (const { instead, rest } of beginnings) {
    // The rests begin alike, whatever their inflection.
    if (rest.charCodeAt(0) !== word.charCodeAt(instead.length)) continue;
    if (rest.charCodeAt(1) !== word.charCodeAt(instead.length + 1) || !word.startsWith(instead)) continue;
    if (isInflection(rest, word.slice(instead.length))) return true;
  }
  return otherEndings.includes(word);
}
