/**
 * Recorded verdicts. A change for speed or structure must keep them; after a change of a rule or a word list they are
 * recorded again.
 */
import { expect, test } from 'vitest';
import { compare } from '../../../src/domain/similarity/compare.ts';
import { SimilarityIndex } from '../../../src/domain/similarity/similarity-index.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { changedPairs, labelledPairs, ruledPairs, starterClaims } from './neighbours.ts';
import { manyClaims, scifactClaims, vectorText } from './pairs.ts';

test('compare returns the recorded verdicts for the labelled pairs', () => {
  const lines = labelledPairs().map(([a, b]) => {
    const { kind, similarity, differs } = compare(a, b);
    return [kind, similarity, ...differs].join('\t');
  });
  expect(lines).toEqual(vectorText('verdicts.tsv').trimEnd().split('\n').slice(1));
});

test('compare returns the recorded verdicts for claims with their edits and opposites', () => {
  const pairs = ruledPairs();
  expect([pairs.length, digest(pairs.map(([a, b]) => compare(a, b)))]).toEqual([
    16_468,
    'e0a2d60f54a8e4d539f292e94df25ef9ecd801b1536eb12b7860b988af428a3d',
  ]);
});

test('compare returns the recorded verdicts for changed texts, in both directions', () => {
  const verdicts = changedPairs(10_000).map(([a, b]) => [compare(a, b), compare(b, a)]);
  const kinds = ['duplicate', 'contrary', 'similar', 'different'];
  expect(kinds.map((kind) => verdicts.filter(([first]) => first?.kind === kind).length)).toEqual([
    183, 4953, 4374, 490,
  ]);
  expect(digest(verdicts)).toBe('6e82e4633a0a97ab9469e9f8b7b18a65526ea33956d562baab6327356b06faa6');
});

test('SimilarityIndex returns the recorded results in the recorded order', () => {
  const texts = [...manyClaims(5000), ...starterClaims(), ...labelledPairs().flat()];
  const index = new SimilarityIndex(texts.map((text, n) => [n, text] as const));
  const asked = [...scifactClaims(), ...starterClaims(), ...labelledPairs().flat()];
  const found = asked.map((text) => index.find(text));
  expect([found.flat().length, digest(found)]).toEqual([
    13_363,
    '89f075e6f4532e55df78f4e59c264102b877d0bb154801476fb95a1c38b11428',
  ]);
  const again = asked.slice(0, 100).map((text) => index.find(text, 100));
  expect([again.flat().length, digest(again)]).toEqual([
    774,
    '554bce54df86cbea0ffa59b7d3c4c917fdde1fb62dd4afb78402e9f71595e9e3',
  ]);
});

function digest(answers: unknown): string {
  return sha256Hex(JSON.stringify(answers));
}
