import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, snippetOf } from '../../../src/domain/retrieval/snippet.ts';

function marked(text: string, ...asked: string[]): string[] {
  const snippet = snippetOf(text, asked);
  return snippet.marks.map(([start, end]) => snippet.text.slice(start, end));
}

describe('a snippet', () => {
  it('shows plain words and marks what was asked for in them', () => {
    expect(snippetOf('## The **log**\n\nIt [proves](https://x.test) much.', ['log', 'prov'])).toEqual({
      text: 'The log It proves much.',
      marks: [
        [4, 7],
        [11, 17],
      ],
    });
  });

  it('leaves the marks of footnotes out', () => {
    expect(plainText('Some remember it[^1].\n\n[^1]: Such as **trees**.\n')).toBe(
      'Some remember it. Such as trees.',
    );
  });

  it('leaves the address and the title of a link out', () => {
    expect(plainText('They read the [sun](https://x.test/sun "The sun").')).toBe('They read the sun.');
  });

  it('is cut around the place where most of the asked words stand together', () => {
    const text = `A log. ${'Filler words go on. '.repeat(40)}The log proves receipts. ${'More of it. '.repeat(40)}`;
    const snippet = snippetOf(text, ['log', 'prov', 'receipt']);
    expect(snippet.text).toMatch(/^… .*The log proves receipts\..* …$/);
    expect(snippet.text.length).toBeLessThanOrEqual(250);
    expect(marked(text, 'log', 'prov', 'receipt')).toEqual(['log', 'proves', 'receipts']);
  });

  it('marks overlapping pairs of characters as one place', () => {
    expect(marked('一个公开日志', '公开', '开日', '日志')).toEqual(['公开日志']);
  });

  it('never cuts a character in two, and never marks beyond its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const whole = text.toWellFormed();
        const snippet = snippetOf(whole, ['a', 'log'], 80);
        expect(snippet.text.isWellFormed()).toBe(true);
        for (const [start, end] of snippet.marks) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(snippet.text.length);
        }
      }),
    );
  });

  it.each(['[', '](', '<a ', '`', '* ', ' \t', '[a](b', '[](', '[a][', '_', '#', '-', '(a)'])(
    'reads a text of nothing but %j to its end',
    (piece) => {
      const text = `[x](${piece.repeat(60_000 / piece.length)} x`;
      expect(plainText(text).length).toBeLessThanOrEqual(60_010);
    },
  );
});

describe('plain text', () => {
  it.each([
    ['| Cue | Range |\n|:---|---:|\n| sun | 10 |', 'Cue Range sun 10'],
    ['a * b and *c* and __d__ and snake_case', 'a * b and c and d and snake_case'],
    ['```js\nf(x);\n```', 'f(x);'],
    ['1. One\n- [two](x) ![three](y "z")', 'One two three'],
    ['> <b>Said</b>', 'Said'],
    ['- - -\n***\n# H', 'H'],
  ])('of %j is %j', (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain);
  });
});
