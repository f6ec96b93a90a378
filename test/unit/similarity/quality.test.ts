/** The labelled sets: what the rules were tuned on, what was held out, and pairs written for the purpose. */
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

describe.each(sets)('of the pairs "%s"', (_, pairs, alike) => {
  test('no opposites are called duplicates', () => {
    expect(
      pairs.filter(({ label, a, b }) => label === 'opposite' && compare(a, b).kind === 'duplicate'),
    ).toEqual([]);
  });

  test('most opposites of near-identical wording are named contrary', () => {
    const opposites = tally(pairs, 'opposite').alike;
    expect(opposites.pairs).toBe(alike);
    expect(opposites.contrary / opposites.pairs).toBeGreaterThanOrEqual(0.8);
  });

  test('no different claims are called duplicates', () => {
    expect(tally(pairs, 'different').kinds.duplicate).toBe(0);
  });
});

test('all own pairs that differ in case, punctuation or spacing are called duplicates', () => {
  const [first, last] = [tally(ownPairs('heldout.tsv'), 'trivial'), tally(ownPairs('late.tsv'), 'trivial')];
  expect([first.kinds.duplicate, first.pairs, last.kinds.duplicate, last.pairs]).toEqual([34, 34, 8, 8]);
});

test('paraphrases are called duplicates where rules can tell, and are let pass where they cannot', () => {
  const { kinds, pairs } = tally(ownPairs('heldout.tsv'), 'same');
  expect(pairs).toBe(47);
  expect(kinds.duplicate).toBeGreaterThanOrEqual(20);
  expect(kinds.contrary).toBeLessThanOrEqual(5);
});

test('the own pairs are the ones that were written before the rules', () => {
  expect(sha256Hex(vectorText('heldout.tsv'))).toBe(
    'f4207e70f457138bbfc99f53f5120bd3296493e0869a0f3d2f911d4527ed7089',
  );
});

describe('of 1,105 real claims', () => {
  const claims = scifactClaims();

  test.each(Object.keys(trivialEdits))(
    'at least 97 in 100 with the edit "%s" are called duplicates',
    (name) => {
      const edit = trivialEdits[name] as (text: string) => string;
      const edited = claims
        .map((claim) => [claim, edit(claim)] as const)
        .filter(([claim, other]) => claim !== other);
      const found = edited.filter(([claim, other]) => compare(claim, other).kind === 'duplicate');
      expect(edited.length).toBeGreaterThanOrEqual(10);
      expect(found.length / edited.length).toBeGreaterThanOrEqual(0.97);
    },
  );

  test('no opposite made of one is called a duplicate, and nearly all are named contrary', () => {
    const made = claims.flatMap((claim) =>
      oppositesOf(claim).map((other) => ({ claim, other, kind: compare(claim, other).kind })),
    );
    expect(made.length).toBeGreaterThan(1500);
    expect(made.filter(({ kind }) => kind === 'duplicate')).toEqual([]);
    expect(made.filter(({ kind }) => kind === 'contrary').length / made.length).toBeGreaterThanOrEqual(0.9);
  });

  test('no two are called duplicates of each other', () => {
    const index = new SimilarityIndex(claims.map((claim, n) => [n, claim] as const));
    const found = claims.flatMap((claim, n) =>
      index.find(claim).filter(({ id, verdict }) => id !== n && verdict.kind === 'duplicate'),
    );
    expect(found).toEqual([]);
  });
});
