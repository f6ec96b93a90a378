/**
 * The verdicts as they were recorded before a check was made quicker: what is looked up, kept or left out for speed
 * must change none of them. A change to a rule or a word list does, on purpose; then these are recorded anew.
 */
import { expect, test } from 'vitest';
import { compare } from '../../../src/domain/similarity/compare.ts';
import { similarityIndex } from '../../../src/domain/similarity/similarity-index.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { changedPairs, labelledPairs, ruledPairs, starterClaims } from './neighbours.ts';
import { manyClaims, scifactClaims, vectorText } from './pairs.ts';

test('the labelled pairs have the verdicts that were recorded', () => {
  const lines = labelledPairs().map(([a, b]) => {
    const { kind, similarity, differs } = compare(a, b);
    return [kind, similarity, ...differs].join('\t');
  });
  expect(lines).toEqual(vectorText('verdicts.tsv').trimEnd().split('\n').slice(1));
});

test('claims have the verdicts that were recorded beside their edits and opposites', () => {
  const pairs = ruledPairs();
  expect([pairs.length, digest(pairs.map(([a, b]) => compare(a, b)))]).toEqual([
    16_468,
    'e0a2d60f54a8e4d539f292e94df25ef9ecd801b1536eb12b7860b988af428a3d',
  ]);
});

test('changed texts have the verdicts that were recorded, either way round', () => {
  const verdicts = changedPairs(10_000).map(([a, b]) => [compare(a, b), compare(b, a)]);
  const kinds = ['duplicate', 'contrary', 'similar', 'different'];
  expect(kinds.map((kind) => verdicts.filter(([first]) => first?.kind === kind).length)).toEqual([
    183, 5215, 4112, 490,
  ]);
  expect(digest(verdicts)).toBe('e0296160fc3125ffb4890b31c3d64eea1ab44a94bb3cc6d35226be594153e0d3');
});

test('an index answers as it did when it was recorded, member by member and in order', () => {
  const texts = [...manyClaims(5000), ...starterClaims(), ...labelledPairs().flat()];
  const index = similarityIndex(texts.map((text, n) => [n, text] as const));
  const asked = [...scifactClaims(), ...starterClaims(), ...labelledPairs().flat()];
  const found = asked.map((text) => index.find(text));
  expect([found.flat().length, digest(found)]).toEqual([
    13_363,
    'be73216c569944e1bc480c9132ae9382eeababf423b1bf9c4c8f6daf6ea17836',
  ]);
  const again = asked.slice(0, 100).map((text) => index.find(text, { limit: 100 }));
  expect([again.flat().length, digest(again)]).toEqual([
    774,
    '92bbeec41a96eceb007b45a2c359a36143c7b36743c8ee58e3b89a0996a7debc',
  ]);
});

function digest(answers: unknown): string {
  return sha256Hex(JSON.stringify(answers));
}
