import { describe, expect, test } from 'vitest';
import { plainTokens } from '../../../src/domain/similarity/normalise.ts';

const tokens = (text: string): string => plainTokens(text).join('|');

describe('plainTokens', () => {
  test('removes case, punctuation, spacing and markup', () => {
    expect(tokens('  “Node.js” runs — *everywhere* (almost)… ')).toBe('node|js|runs|everywhere|almost');
    expect(tokens('# Heading\n> quoted **bold** `code`\n- item')).toBe('heading|quoted|bold|code|item');
    expect(tokens('the U.S. driver’s doesn’t')).toBe('the|us|drivers|doesnt');
  });

  test('keeps every sign that can change the meaning', () => {
    expect(tokens('p ≤ 0.05, x ≠ y, !x, a != b')).toBe('p|≤|0.05|x|≠|y|!|x|a|!|=|b');
    expect(tokens('at −5 °C or -5 or 3-5 or 1/2 or 2:1')).toBe('at|-5|°|c|or|-5|or|3|-|5|or|1|/|2|or|2|:|1');
    expect(tokens('C, C++ and C# for €5 or $5 or 5 %')).toBe('c|c|+|+|and|c|#|for|€|5|or|$|5|or|5|%');
    expect(tokens('10⁵ is not 105, n² not n2, 1½ not 11/2')).toBe(
      '10|^|5|is|not|105|n|^|2|not|n2|1|1|/|2|not|11|/|2',
    );
    expect(tokens('> 5 % of mice')).toBe('>|5|%|of|mice');
  });

  test('folds variants of one character', () => {
    expect(tokens('Ｈ₂Ｏ ﬁrst ㎏ cafe\u0301 soft\u00adhyphen')).toBe('h2o|first|kg|café|softhyphen');
  });

  test('splits scripts without word spaces into single characters', () => {
    expect(tokens('水在100度沸腾。')).toBe('水|在|100|度|沸|腾');
    expect(tokens('Кошка не спит')).toBe('кошка|не|спит');
  });

  test('handles long repetitions of any piece', () => {
    for (const piece of ['1.', '1,', "a'", '-', '> ', 'a.', ' ', '\n', '²', '!x']) {
      expect(plainTokens(piece.repeat(20_000)).length).toBeLessThanOrEqual(60_000);
    }
  });
});
