/** HTML as Markdown (contract §8, importing): what is taken over, what is told, and what stays inert. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { articleHtml } from '../../../src/represent/article-html.ts';
import {
  decodeHtml,
  htmlToMarkdown,
  looksLikeHtml,
  type ConvertedHtml,
} from '../../../src/represent/intake/html-to-markdown.ts';

async function convert(html: string, path = 'notes/Bees.html'): Promise<ConvertedHtml> {
  const converted = await htmlToMarkdown(path, html);
  if (typeof converted === 'string') throw new Error(converted);
  return converted;
}
const markdownOf = async (html: string): Promise<string> => (await convert(html)).markdown.trimEnd();

/** As pages show it. */
function rendered(markdown: string): string {
  return articleHtml({ lead: '', pieces: [{ div_id: 'd1', text: markdown, sep: '' }] })
    .divs.map(({ html }) => html)
    .join('');
}

describe('HTML', () => {
  it.each([
    ['<h1>Bees</h1><p>They <b>dance</b> at <i>noon</i>.</p>', '# Bees\n\nThey **dance** at *noon*.'],
    ['<ul><li>a<ul><li>b</li></ul></li></ul><ol start="3"><li>c</ol>', '- a\n  - b\n\n3. c'],
    ['<ul><li><input type="checkbox" checked> done</li></ul>', '- [x] done'],
    [
      '<table><tr><th>a<th style="text-align:right">b<tr><td>1|2<td>x<br>y</table>',
      '| a    |   b |\n| ---- | --: |\n| 1\\|2 | x y |',
    ],
    ['<pre><code class="language-js">a &lt; b\n</code></pre>', '```js\na < b\n```'],
    [
      '<p>Costs $5 and $6, &lt;b&gt; &amp;amp; *x* [[y]]</p>',
      'Costs \\$5 and \\$6, \\<b> \\&amp; \\*x\\* \\[\\[y]]',
    ],
    [
      '<math><semantics><mrow><mi>a</mi></mrow><annotation encoding="application/x-tex">a_k^2</annotation></semantics></math>',
      '$a_k^2$',
    ],
    ['<span class="katex"><span aria-hidden="true">x2</span></span><p hidden>no</p>yes', 'yes'],
    ['<nav>Menu</nav><main><p>Text.</p></main><footer>Foot</footer>', 'Text.'],
    [
      '<p><a href="https://x.example/a">x</a> <a href="mailto:a@x.example">m</a></p>',
      '[x](https://x.example/a) [m](mailto:a@x.example)',
    ],
    ['<h2 id="two">Two things</h2><p><a href="#two">see</a></p>', '## Two things\n\n[see](#two-things)'],
    ['<base href="https://x.example/w/"><p><a href="Bee">b</a></p>', '[b](https://x.example/w/Bee)'],
    ['<p><a href="Other page.html#part">o</a></p>', '[o](<Other page.html#part>)'],
  ])('%j reads %j', async (html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it.each([
    [
      'of Markdown programs',
      '<p>Text<sup><a href="#fn1" id="fnref1">1</a></sup>.</p><section class="footnotes"><ol><li id="fn1"><p>Note. <a href="#fnref1">↩</a></p></li></ol></section>',
    ],
    [
      'of pandoc',
      '<p>Text<a href="#fn1" class="footnote-ref" id="fnref1"><sup>1</sup></a>.</p><section><ol><li id="fn1"><p>Note.<a href="#fnref1" role="doc-backlink">↩︎</a></p></li></ol></section>',
    ],
    [
      'of Wikipedia',
      '<p>Text<sup id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup>.</p><ol><li id="cite_note-1"><span><a href="#cite_ref-1">↑</a></span> <span>Note.</span></li></ol>',
    ],
  ])('keeps footnotes %s', async (_, html) => {
    expect(await markdownOf(html)).toBe('Text[^1].\n\n[^1]: Note.');
  });

  it.each([
    '<script>alert(1)</script><p onclick="alert(1)">x</p>',
    '<a href="javascript:alert(1)">x</a><a href="&#106;avascript:alert(1)">y</a>',
    '<img src=x onerror=alert(1)><svg onload=alert(1)><script>alert(1)</script></svg>',
    '<p>&lt;img src=x onerror=alert(1)&gt;</p>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe><style>@import url(https://evil.example)</style>',
    '<math><annotation encoding="application/x-tex">x$<img src=x onerror=alert(1)>$</annotation></math>',
    '<p title="&quot;><script>alert(1)</script>">x</p>',
  ])('stays inert: %j', async (html) => {
    const { markdown } = await convert(html);
    const page = rendered(markdown);
    expect(page).not.toMatch(/<(?:script|iframe|style|svg|img[^>]*onerror)|javascript:|onclick=/i);
  });

  it('tells what it left out, and takes the images that the document holds', async () => {
    const { problems, images, markdown, title } = await convert(
      '<title>Of &amp; bees</title><video src="a.mp4"></video><iframe src="https://x.example"></iframe><a href="/wiki/X">X</a><a href="#gone">gone</a><img alt="own" src="data:image/png;base64,iVBORw0KGgo="><img src="/logo.png">',
    );
    expect(title).toBe('Of & bees');
    expect(problems).toEqual([
      'Links to other pages of the site became text: their address lacks the host (/wiki/X).',
      'Links to places of the page that are no headings became text.',
      'An image without an address that can be read was left out.',
      'Left out: films (<video>) ×1.',
      'Left out: embedded pages (<iframe>) ×1.',
    ]);
    expect(images.map(({ path, bytes }) => [path, bytes.length])).toEqual([['notes/Bees image 1', 8]]);
    expect(markdown).toContain('![own](Bees%20image%201)');
  });

  it.each([
    ['<div>'.repeat(100_000), 'open elements'],
    ['<b>'.repeat(100_000), 'open elements'],
    ['<p>x</p>'.repeat(60_000), 'more than 50000 elements'],
  ])('of too many elements is refused: case %#', async (html, why) => {
    expect(await htmlToMarkdown('x.html', html)).toContain(why);
  });

  it('is read in the character set that it names', () => {
    expect(decodeHtml(Buffer.from('<meta charset="windows-1252"><p>caf\xe9</p>', 'latin1'))).toContain(
      'café',
    );
    expect(decodeHtml(Buffer.from('<p>caf\xe9</p>', 'latin1'))).toBeUndefined();
    expect(decodeHtml(Buffer.from('<meta charset="no-such"><p>caf\xe9</p>', 'latin1'))).toBeUndefined();
    expect(decodeHtml(Buffer.from('<p>café</p>'))).toBe('<p>café</p>');
  });

  it.each([
    ['<!DOCTYPE html><p>x', true],
    ['  <p>x</p>', true],
    ['<meta charset="utf-8"><b>x</b>', true],
    ['<p>x', false],
    ['# Title\n\n<p>x</p>', false],
    ['<https://x.example>', false],
    ['a < b', false],
  ])('%j looks like HTML: %j', (text, expected) => {
    expect(looksLikeHtml(text)).toBe(expected);
  });

  it('of any text is answered, and renders', async () => {
    const part = fc.constantFrom(
      '<p>',
      '</p>',
      '<a href="#x">',
      '</a>',
      '<li id=x>',
      '<sup>',
      '<table>',
      '<td>',
      '<pre>',
      '<code>',
      '<math>',
      '<img src="',
      '">',
      '`',
      '$',
      '|',
      '\n',
      ' ',
      'x',
      '&lt;',
      '<!--',
      '-->',
      '<h1 id=x>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 40 }), async (parts) => {
        const converted = await htmlToMarkdown('x.html', parts.join(''));
        if (typeof converted !== 'string')
          expect(rendered(converted.markdown)).not.toMatch(/<(?:script|style)/);
      }),
      { numRuns: 200 },
    );
  });
});
