/** Quality on labelled pairs: the set used for tuning, the held-out set, and pairs written for these tests. */
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { compare } from '../../../src/domain/similarity/compare.ts';
import { SimilarityIndex } from '../../../src/domain/similarity/similarity-index.ts';
import { oppositesOf, trivialEdits } from './edits.ts';
import { ownPairs, scifactClaims, scifactPairs, tally, vectorText } from './pairs.ts';

const sets = [
  ['SciFact, tuned on', scifactPairs('tuning'), 43],
  ['SciFact, held out', scifactPairs('held out'), 40],
  ['own pairs written first', ownPairs('heldout.tsv'), 116],
  ['own pairs written last', ownPairs('late.tsv'), 34],
] as const;

describe.each(sets)('compare, on the pairs "%s"', (_, pairs, alike) => {
  test('calls no opposites duplicates', () => {
    expect(
      pairs.filter(({ label, a, b }) => label === 'opposite' && compare(a, b).kind === 'duplicate'),
    ).toEqual([]);
  });

  test('calls at least 80 of 100 opposites of near-identical wording contrary', () => {
    const opposites = tally(pairs, 'opposite').alike;
    expect(opposites.pairs).toBe(alike);
    expect(opposites.contrary / opposites.pairs).toBeGreaterThanOrEqual(0.8);
  });

  test('calls no different claims duplicates', () => {
    expect(tally(pairs, 'different').kinds.duplicate).toBe(0);
  });
});

test('compare calls all own pairs that differ in case, punctuation or spacing duplicates', () => {
  const [first, last] = [tally(ownPairs('heldout.tsv'), 'trivial'), tally(ownPairs('late.tsv'), 'trivial')];
  expect([first.kinds.duplicate, first.pairs, last.kinds.duplicate, last.pairs]).toEqual([34, 34, 8, 8]);
});

test('compare calls at least 20 of 47 paraphrases duplicates and at most 5 contrary', () => {
  const { kinds, pairs } = tally(ownPairs('heldout.tsv'), 'same');
  expect(pairs).toBe(47);
  expect(kinds.duplicate).toBeGreaterThanOrEqual(20);
  expect(kinds.contrary).toBeLessThanOrEqual(5);
});

test('the file of own pairs is unchanged since before the rules', () => {
  expect(sha256Hex(vectorText('heldout.tsv'))).toBe(
    'f4207e70f457138bbfc99f53f5120bd3296493e0869a0f3d2f911d4527ed7089',
  );
});

describe('compare, on 1,105 real claims', () => {
  const claims = scifactClaims();

  test.each(Object.keys(trivialEdits))('calls at least 97 of 100 with the edit "%s" duplicates', (name) => {
    const edit = trivialEdits[name] as (text: string) => string;
    const edited = claims
      .map((claim) => [claim, edit(claim)] as const)
      .filter(([claim, other]) => claim !== other);
    const found = edited.filter(([claim, other]) => compare(claim, other).kind === 'duplicate');
    expect(edited.length).toBeGreaterThanOrEqual(10);
    expect(found.length / edited.length).toBeGreaterThanOrEqual(0.97);
  });

  test('calls no generated opposite a duplicate and at least 90 of 100 contrary', () => {
    const made = claims.flatMap((claim) =>
      oppositesOf(claim).map((other) => ({ claim, other, kind: compare(claim, other).kind })),
    );
    expect(made.length).toBeGreaterThan(1500);
    expect(made.filter(({ kind }) => kind === 'duplicate')).toEqual([]);
    expect(made.filter(({ kind }) => kind === 'contrary').length / made.length).toBeGreaterThanOrEqual(0.9);
  });

  test('calls no two of them duplicates', () => {
    const index = new SimilarityIndex(claims.map((claim, n) => [n, claim] as const));
    const found = claims.flatMap((claim, n) =>
      index.find(claim).filter(({ id, verdict }) => id !== n && verdict.kind === 'duplicate'),
    );
    expect(found).toEqual([]);
  });
});
