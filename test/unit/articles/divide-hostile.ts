/**
 * Markdown that is meant to go wrong: fragments that open what they don't close, meet their neighbours badly
 * or are no Markdown at all, put together at random with every kind of line end.
 */
import fc from 'fast-check';

// prettier-ignore
export const hostileLines: readonly string[] = [
  'A paragraph.', 'another line', '2. not one', 'a | b', '--- | ---', '| x | y |', '|---|:-:|', '| 1 | 2', '---', '===', '***', '- - -',
  '# Title', '## Title ##', '####### seven', '#', '- item', '-', '* item', '+ item', '1. one', '1) one', '7. seven', '  - nested', '    - deep', '   indented 3',
  '    indented code', '\tcode by tab', ' \t mixed', '> quote', '>', '> - in quote', '>> twice', '> ```', '> # in quote', 'lazy',
  '```', '```js', '````', '~~~', '~~~ info', '``` `` ', '<div>', '</div>', '<!-- open', 'close -->', '<!-- whole -->', '<pre>', '</pre>', '<script>', '</script>',
  '<?php', '?>', '<![CDATA[', ']]>', '<!DOCTYPE html', '<b>inline', '<del>', '<https://example.org>', '</p',
  '[a]: /one', '[a]: /two "t"', '[b]:', '/dest', "'title", "title'", '[A]: <x y>', '[c]: /c (t', ')', '> [a]: /quoted', '- [b]: /listed', '[long', 'label]: /x',
  'see [a] and [b][]', '![a]', '[text][A]', '# [a] heading', '[^1]: note', 'text[^1]', '&amp; &#91;a]', '\\[a]', '`[a]`', '*em', 'em*', '**', 'trailing  ', 'back\\',
  'key: value', '---', '...', 'title: x', '- [ ] task', '\u2028', '\u00a0', '\u000c', '\u000b', '\ufeff', '\ufeff# Title', 'a\u2028b', '\u200b', '字字', '🜂 e\u0301', '\u0085', '\u001f',
];

const line = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...hostileLines) },
  { weight: 5, arbitrary: fc.constantFrom('', '', ' ', '\t', '   ') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('> ', '- ', '  ', '   ', '    ', '1. ', '\t', '>\t'),
        fc.constantFrom(...hostileLines),
      )
      .map(([a, b]) => a + b),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
  },
);

const lineEnd = fc.oneof(
  { weight: 6, arbitrary: fc.constant('\n') },
  { weight: 3, arbitrary: fc.constant('\n\n') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\r\n', '\r\n\r\n', '\r', '\r\r', '\n\r', '\n \n', '\r\n\t\n', '\n\n\n\n'),
  },
);

/** Whole articles, front matter and byte order marks included. */
export const hostileMarkdown: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '', '', '\ufeff', '\n', ' \r\n', '---\ntitle: x\n---\n', '---\nkey: v\n'),
    fc.array(fc.tuple(line, lineEnd), { maxLength: 14 }),
    fc.boolean(),
  )
  .map(([head, lines, final]) => {
    const text = head + lines.map(([body, end]) => body + end).join('');
    return final ? text : text.replace(/[\r\n]+$/, '');
  });

/** Texts for one DIV: one to four lines. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, lineEnd), { minLength: 1, maxLength: 4 })
  .map((lines) =>
    lines
      .map(([body, end]) => body + end)
      .join('')
      .replace(/[\r\n]+$/, ''),
  );
