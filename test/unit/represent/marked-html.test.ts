/** Rendered comparisons: whole words are marked, elements stay as they were, and nothing new gets in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { articleHtml } from '../../../src/represent/article-html.ts';
import { markedHtml, wholeMarked } from '../../../src/represent/marked-html.ts';

describe('a rendered comparison', () => {
  it.each([
    [
      '<p>Streams poll.</p>',
      '<p>Streams are polled.</p>',
      '<p>Streams <del>poll</del><ins>are polled</ins>.</p>',
    ],
    ['<p>One.</p>\n<p>Two.</p>', '<p>One.</p>', '<p>One.<del> Two.</del></p>'],
    ['<p>One.</p>', '<p>One.</p>\n<p>Two.</p>', '<p>One.</p>\n<p><ins>Two.</ins></p>'],
    ['<p>a <em>b</em> c</p>', '<p>a <em>x</em> c</p>', '<p>a <del>b</del><em><ins>x</ins></em> c</p>'],
    [
      '<p>un<b>do</b> it</p>',
      '<p>un<b>done</b> it</p>',
      '<p><del>undo</del><ins>un</ins><b><ins>done</ins></b> it</p>',
    ],
    ['<p>1 &lt; 2 &amp; 3</p>', '<p>1 &lt; 2 &amp; 4</p>', '<p>1 &lt; 2 &amp; <del>3</del><ins>4</ins></p>'],
    [
      '<ul>\n<li>a</li>\n<li>b</li>\n</ul>',
      '<ul>\n<li>a</li>\n</ul>',
      '<ul>\n<li>a<del>b </del></li>\n</ul>',
    ],
    [
      '<p><img src="/a"/></p>',
      '<p><img src="/b"/></p>',
      '<p><del><img src="/a"/></del><ins><img src="/b"/></ins></p>',
    ],
    [
      '<p>Let <math><mi>a</mi></math>.</p>',
      '<p>Let <math><mi>b</mi></math>.</p>',
      '<p>Let <del><math><mi>a</mi></math></del><ins><math><mi>b</mi></math></ins>.</p>',
    ],
    ['<h2 id="h-a">A b</h2>', '<h2 id="h-a">A c</h2>', '<h2>A <del>b</del><ins>c</ins></h2>'],
    ['<p>gone</p>', '<hr />', '<hr /><p><del>gone</del></p>'],
  ])('of %j and %j marks what differs', (before, after, inline) => {
    expect(markedHtml(before, after).inline).toBe(inline);
  });

  it('shows each side by itself', () => {
    const { before, after, differs } = markedHtml('<p>Streams poll.</p>', '<p>Streams are polled.</p>');
    expect([before, after, differs]).toEqual([
      '<p>Streams <del>poll</del>.</p>',
      '<p>Streams <ins>are polled</ins>.</p>',
      true,
    ]);
  });

  it('tells that formatting alone differs', () => {
    const { inline, differs } = markedHtml('<p>a b</p>', '<p>a <em>b</em></p>');
    expect([inline, differs]).toEqual(['<p>a <em>b</em></p>', false]);
  });

  it('marks a text without a counterpart whole', () => {
    expect(wholeMarked('<ul>\n<li>a b</li>\n<li>c</li>\n</ul>', 'del')).toBe(
      '<ul>\n<li><del>a b</del></li>\n<li><del>c</del></li>\n</ul>',
    );
  });

  it('leaves the words of both sides as they were, whatever they are', () => {
    const piece = fc.constantFrom(
      'a',
      'b ',
      '*',
      '**',
      '`',
      '[x](https://e.org/a"b) ',
      '\n\n',
      '- ',
      '| a |\n|---|\n',
      '&lt;',
      '<b>',
      '</b>',
      '日本',
      '\uFFFC',
      '![i](https://e.org/i) ',
      '# ',
    );
    const markdown = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));
    const html = (text: string): string =>
      articleHtml({ lead: '', pieces: [{ div_id: 'd1', text, sep: '' }] }).divs[0]?.html ?? '';
    const plain = (marked: string): string =>
      marked
        .replace(/ id="[^"]*"/g, '')
        .replace(/<\/?(?:ins|del)>/g, '')
        .replaceAll('&quot;', '"');
    fc.assert(
      fc.property(markdown, markdown, (one, other) => {
        const [was, is] = [html(one), html(other)];
        const { before, after, inline } = markedHtml(was, is);
        expect(plain(before)).toBe(plain(was));
        expect(plain(after)).toBe(plain(is));
        expect(inline.match(/<(?:ins|del)>/g)?.length ?? 0).toBe(
          inline.match(/<\/(?:ins|del)>/g)?.length ?? 0,
        );
      }),
      { numRuns: 500 },
    );
  });
});
