import { describe, expect, test } from 'vitest';
import { plainWording } from '../../../src/domain/similarity/normalise.ts';
import { jaccard, trigramsOf } from '../../../src/domain/similarity/trigrams.ts';
import { vectorText } from './pairs.ts';

/** Three ASCII characters in 21 bits. */
const spelt = (gram: number): string => String.fromCharCode(gram >> 14, (gram >> 7) & 127, gram & 127);
const similarity = (a: string, b: string): number =>
  jaccard(trigramsOf(plainWording(a)), trigramsOf(plainWording(b)));

describe('trigrams', () => {
  test('are taken from each word padded with two spaces before and one after', () => {
    expect([...trigramsOf('cat')].map(spelt)).toEqual(['  c', ' ca', 'cat', 'at ']);
    expect([...trigramsOf('a ≤ b')].map(spelt)).toEqual(['  a', ' a ', '  b', ' b ']);
  });

  test('yield the similarities of pg_trgm', () => {
    const known = JSON.parse(vectorText('pg-trgm.json')) as { a: string; b: string; similarity: number }[];
    expect(known).toHaveLength(80);
    expect(known.map(({ a, b }) => ({ a, b, similarity: jaccard(trigramsOf(a), trigramsOf(b)) }))).toEqual(
      known,
    );
  });

  test('are pairs of characters in scripts without word spaces', () => {
    expect(trigramsOf(plainWording('北京大')).size).toBe(4);
    // 水在 在… and …度 度沸 沸腾 stay, the number and its neighbours go.
    expect(similarity('水在100度沸腾', '水在90度沸腾')).toBe(0.5);
    expect(similarity('北京大学', '茶叶原产')).toBe(0);
  });

  test('do not split surrogate pairs', () => {
    expect(trigramsOf(plainWording('𠀀𠀁')).size).toBe(3);
  });
});
