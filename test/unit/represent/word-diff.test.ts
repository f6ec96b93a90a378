/** Word differences: whole words in every script, exact texts on both sides, bounded work. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordDiff, wordsOf, type WordChange } from '../../../src/represent/word-diff.ts';

/** `[-removed-]{+added+}`, as git writes it. */
function written(before: string, after: string): string {
  const signs = { same: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;
  return wordDiff(before, after)
    .map(({ op, text }) => `${signs[op][0]}${text}${signs[op][1]}`)
    .join('');
}

describe('a word diff', () => {
  it.each([
    ['Streams poll.', 'Streams are polled.', 'Streams [-poll-]{+are polled+}.'],
    ['It doesn’t count.', 'It didn’t count.', 'It [-doesn’t-]{+didn’t+} count.'],
    ['a well-known law', 'a well-made law', 'a [-well-known-]{+well-made+} law'],
    ['It costs 3.50 now', 'It costs 3.75 now', 'It costs [-3.50-]{+3.75+} now'],
    ['Привет, мир', 'Приветы, мир', '[-Привет-]{+Приветы+}, мир'],
    ['नमस्ते दुनिया', 'नमस्कार दुनिया', '[-नमस्ते-]{+नमस्कार+} दुनिया'],
    ['公开日志是透明的', '公开账本是透明的', '公开[-日志-]{+账本+}是透明的'],
    ['caf\u00e9 noir', 'cafe\u0301s noir', '[-caf\u00e9-]{+cafe\u0301s+} noir'],
    ['a 👩‍🚀 flies', 'a 👨‍🚀 flies', 'a [-👩‍🚀-]{+👨‍🚀+} flies'],
    ['one two three', 'uno due three', '[-one two-]{+uno due+} three'],
    ['same\nold line\nend', 'same\nnew line\nend', 'same\n[-old-]{+new+} line\nend'],
    ['', 'all new', '{+all new+}'],
    ['gone', '', '[-gone-]'],
  ])('of %j and %j marks whole words', (before, after, expected) => {
    expect(written(before, after)).toBe(expected);
  });

  it('says nothing of equal texts', () => {
    expect(wordDiff('a b', 'a b')).toEqual([{ op: 'same', text: 'a b' }]);
    expect(wordDiff('', '')).toEqual([]);
  });

  it('gives both texts exactly, whatever they are', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'wort',
      ' ',
      '\n',
      '日',
      '本語',
      '\u0301',
      '\u200d',
      '\ud83d',
      '.',
      '-',
      '’',
      '\r\n',
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    const join = (changes: readonly WordChange[], other: WordChange['op']): string =>
      changes.flatMap(({ op, text: part }) => (op === other ? [] : [part])).join('');
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = wordDiff(before, after);
        expect(join(changes, 'added')).toBe(before);
        expect(join(changes, 'removed')).toBe(after);
        expect(wordsOf(before).join('')).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('sets a text whole beside one that has nothing in common with it', () => {
    const words = (from: number): string => Array.from({ length: 3000 }, (_, i) => `w${from + i}`).join(' ');
    expect(wordDiff(words(0), words(3000)).map(({ op }) => op)).toEqual(['removed', 'added']);
  });
});
