/** Consistency checks of the word lists, and the word forms and opposites that follow from them. */
import { describe, expect, test } from 'vitest';
import { isInflection, stem } from '../../../src/domain/similarity/inflection.ts';
import { plainWording } from '../../../src/domain/similarity/normalise.ts';
import { areOpposites, oppositeWords } from '../../../src/domain/similarity/opposites.ts';
import {
  articles,
  exclusions,
  fillers,
  negations,
  quantifiers,
} from '../../../src/domain/similarity/words.ts';

describe('the list of opposites', () => {
  const lines = oppositeWords.map((line) => line.split('|').map((side) => side.trim().split(' ')));

  test('has two sides in each line and no word on both', () => {
    expect(lines.filter((sides) => sides.length !== 2)).toEqual([]);
    expect(lines.filter(([left, right]) => left?.some((word) => right?.includes(word)))).toEqual([]);
  });

  test('contains only words in plain form', () => {
    expect(lines.flat(2).filter((word) => plainWording(word) !== word)).toEqual([]);
  });
});

test('the list of harmless words contains no negation, quantifier or exclusion', () => {
  const weighty = [...articles, ...fillers].filter(
    (word) => negations.has(word) || quantifiers.has(word) || exclusions.has(word),
  );
  expect(weighty).toEqual([]);
});

describe('inflections', () => {
  test.each([
    ['cell', 'cells'],
    ['mouse', 'mice'],
    ['study', 'studies'],
    ['class', 'classes'],
    ['gas', 'gases'],
    ['reduce', 'reduced'],
    ['stop', 'stopped'],
    ['rises', 'rose'],
    ['use', 'used'],
    ['die', 'died'],
    ['visit', 'visited'],
    ['analysis', 'analyses'],
  ])('"%s" and "%s" are forms of one word and are aligned', (a, b) => {
    expect(isInflection(a, b)).toBe(true);
    expect(stem(a)).toBe(stem(b));
  });

  test.each([
    ['plan', 'planes'],
    ['found', 'founded'],
    ['car', 'cares'],
    ['hop', 'hoped'],
    ['news', 'new'],
    ['file', 'filled'],
    ['us', 'used'],
    ['fast', 'faster'],
    ['infected', 'infecting'],
    ['thing', 'thed'],
  ])('"%s" and "%s" are not forms of one word', (a, b) => {
    expect(isInflection(a, b)).toBe(false);
  });
});

test.each([
  ['increases', 'reduced'],
  ['activation', 'inhibition'],
  ['larger', 'smaller'],
  ['stable', 'unstable'],
  ['hypertension', 'hypotension'],
  ['encrypts', 'decrypts'],
  ['employer', 'employee'],
  ['legal', 'illegally'.slice(0, 7)],
  ['upstream', 'downstream'],
])('"%s" and "%s" are opposites in either order', (a, b) => {
  expect([areOpposites(a, b), areOpposites(b, a)]).toEqual([true, true]);
});

test.each([
  ['increases', 'increased'],
  ['table', 'stable'],
  ['increases', 'raises'],
  ['cat', 'dog'],
])('"%s" and "%s" are not opposites', (a, b) => {
  expect(areOpposites(a, b)).toBe(false);
});
