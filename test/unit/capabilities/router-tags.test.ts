import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRouterTags } from '../../../src/domain/capabilities/router-tags.ts';

const read = (text: string): (readonly [string, string])[] =>
  readRouterTags(text).map(({ key, args }) => [key, args] as const);

describe('router tags', () => {
  it.each([
    ['[MIRROR_FEED]ledger-basics|5[/MIRROR_FEED]', [['MIRROR_FEED', 'ledger-basics|5']]],
    [
      'Two: [AB]1[/AB] and [CD]2[/CD].',
      [
        ['AB', '1'],
        ['CD', '2'],
      ],
    ],
    ['[AB][/AB]', [['AB', '']]],
    ['[AB]line one\n\nline two | with $pipes[/AB]', [['AB', 'line one\n\nline two | with $pipes']]],
    ['[AB]code:\n```\nx\n```\nend[/AB]', [['AB', 'code:\n```\nx\n```\nend']]],
    ['[AB]{"body":"a [link](x)"}[/AB]', [['AB', '{"body":"a [link](x)"}']]],
  ])('%j calls what it names', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['a tag inside another is part of its arguments', '[AB]x [CD]y[/CD][/AB]', [['AB', 'x [CD]y[/CD]']]],
    [
      'the same key inside itself closes the inner one first',
      '[AB]x[AB]y[/AB]z[/AB]',
      [['AB', 'x[AB]y[/AB]z']],
    ],
    ['an end of an outer tag ends what was never closed in it', '[AB]x[CD]y[/AB]z[/CD]', [['AB', 'x[CD]y']]],
    ['an opening without its end is text', '[AB]x [CD]y[/CD]', [['CD', 'y']]],
    ['an end without its opening is text', 'x[/AB] [CD]y[/CD][/CD]', [['CD', 'y']]],
  ])('%s', (_what, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['a code span', 'Say `[AB]x[/AB]` to call.'],
    ['a code span of two backticks', '``[AB]x`y[/AB]``'],
    ['fenced code', '```\n[AB]x[/AB]\n```\n'],
    ['fenced code that is never closed', 'a\n~~~ md\n[AB]x[/AB]\n'],
    ['indented code', 'a\n\n    [AB]x[/AB]\n'],
    ['a block quote', '> [AB]x[/AB]\n'],
    ['a line that continues a block quote', '> He said:\n[AB]x[/AB]\n'],
    ['an end inside a quote', '[AB]x\n> [/AB]\n'],
    ['an opening inside a quote', '> [AB]\n\nx[/AB]'],
    ['small letters', '[ab]x[/ab]'],
    ['one letter', '[A]x[/A]'],
    ['a Markdown link', '[LINK](https://example.org)'],
    ['nothing', ''],
  ])('%s calls nothing', (_what, text) => {
    expect(read(text)).toEqual([]);
  });

  it('a quote ends with its blank line, and a code span with its paragraph', () => {
    expect(read('> quoted\n\n[AB]x[/AB]')).toEqual([['AB', 'x']]);
    expect(read('one ` alone\n\n[AB]x[/AB] and ` another')).toEqual([['AB', 'x']]);
    expect(read('```\ncode\n```\n[AB]x[/AB]')).toEqual([['AB', 'x']]);
  });

  const part = fc.constantFrom(
    '[AB]',
    '[/AB]',
    '[CD]',
    '[/CD]',
    '`',
    '```\n',
    '> ',
    '\n',
    '\n\n',
    'x',
    '    ',
    '|',
  );

  it('have correct positions, in order and without overlap', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        let behind = 0;
        for (const { key, args, start, end } of readRouterTags(text)) {
          expect(text.slice(start, end)).toBe(`[${key}]${args}[/${key}]`);
          expect(start).toBeGreaterThanOrEqual(behind);
          behind = end;
        }
      }),
    );
  });

  it('are not found in a text that is quoted line by line', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const quoted = parts
          .join('')
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n');
        expect(readRouterTags(quoted)).toEqual([]);
      }),
    );
  });

  it.each(['[AB]', '[/AB]', '[AB][CD]', '[AB]`', '`'.repeat(3), '[AB][/AB]'])(
    'are parsed in a text of 100,000 times %j',
    (piece) => {
      const tags = readRouterTags(piece.repeat(100_000));
      expect(tags).toHaveLength(piece === '[AB][/AB]' ? 100_000 : 0);
    },
  );
});
