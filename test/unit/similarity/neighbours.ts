/**
 * Pairs of texts that differ little, made by rule and always the same ones: what a change to the code that must not
 * change a verdict is held to.
 */
import { oppositesOf, trivialEdits } from './edits.ts';
import { ownPairs, scifactClaims, scifactPairs, vectorText } from './pairs.ts';
import { oppositeWords } from '../../../src/domain/similarity/opposites.ts';
import { directions, exclusions, negations, quantifiers } from '../../../src/domain/similarity/words.ts';

type Two = readonly [string, string];

export function labelledPairs(): Two[] {
  return [
    ...scifactPairs('tuning'),
    ...scifactPairs('held out'),
    ...ownPairs('heldout.tsv'),
    ...ownPairs('late.tsv'),
  ].map(({ a, b }) => [a, b]);
}

/** Claims of the starter articles as they were when the verdicts were recorded. */
export function starterClaims(): string[] {
  return vectorText('starter-claims.txt').trimEnd().split('\n');
}

/** Each claim with its edits and opposites, and each starter claim with every other. */
export function ruledPairs(): Two[] {
  const starters = starterClaims();
  const edits = Object.values(trivialEdits);
  return [
    ...[...scifactClaims(), ...starters].flatMap((claim): Two[] =>
      [...edits.map((edit) => edit(claim)), ...oppositesOf(claim)].map((other) => [claim, other]),
    ),
    ...starters.flatMap((a) => starters.map((b): Two => [a, b])),
  ];
}

const modals = `must shall may might can could should ought will would need
  muss müssen kann können darf dürfen soll sollen sollte wird werden würde peut doit puede debe`.split(/\s+/);

/** The words of all lists, and the signs, numbers and scripts that rules ask for. */
const vocabulary = [
  ...oppositeWords.flatMap((line) => line.replace(' | ', ' ').split(' ')),
  ...negations,
  ...exclusions,
  ...modals,
  ...quantifiers.keys(),
  ...directions.keys(),
  ...'the a an that do does did also all half of is are was were has have had few number between among'.split(
    ' ',
  ),
  ...'5 7 3.5 1,000 - ≤ % $ 400mg p53 2nd −4 10² # ! ° don’t Mb MB kb U.S. e-mail data base database non toxic'.split(
    ' ',
  ),
  ...'nontoxic infected infecting unlikely careless twenty one million second 一九五七 增 减 不 水 没有 ไม่ 않다'.split(
    ' ',
  ),
];
const endings = ['s', 'ed', 'ing', 'er', 'ly', 'less', 'ful'];
const beginnings = ['un', 'in', 'dis', 'non', 'anti', 'hyper', 'hypo', 're'];

/** A text and what one to five changes make of it. */
export function changedPairs(count: number): Two[] {
  let state = 7;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const of = <T>(each: readonly T[]): T => each[below(each.length)] as T;
  const texts = [...scifactClaims(), ...starterClaims(), ...labelledPairs().flat()];
  const changed = (words: string[]): string[] => {
    const at = below(words.length + 1);
    const before = words.slice(0, at);
    const here = words[at] ?? '';
    const behind = words.slice(at + 1);
    const kind = below(6);
    if (kind === 0) return [...before, of(vocabulary), here, ...behind];
    if (kind === 1) return [...before, ...behind];
    if (kind === 2) return [...before, of(vocabulary), ...behind];
    if (kind === 3) return [...behind, here, ...before];
    if (kind === 4) return [...before, here + of(endings), ...behind];
    return [...before, of(beginnings) + here, ...behind];
  };
  return Array.from({ length: count }, () => {
    const words =
      below(3) === 0 ? Array.from({ length: 2 + below(9) }, () => of(vocabulary)) : of(texts).split(' ');
    let other = words;
    for (let left = 1 + below(5); left > 0; left--) other = changed(other);
    return [words.join(' '), other.join(' ')];
  });
}
