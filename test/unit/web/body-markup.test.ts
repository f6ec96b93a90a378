/** Building the HTML of an article's body from its rendered DIVs. */
import { describe, expect, it } from 'vitest';
import {
  bodyMarkup,
  divMarkup,
  shiftHeadings,
  plainMarkup,
  titleIn,
} from '../../../src/doors/web/body-markup.ts';

const options = {
  base: 'https://colophon.example',
  headingShift: 0,
  omitIndex: -1,
  actions: (id: string) => [
    { name: 'link', href: `/a/x/${id}` },
    { name: 'respond', href: `/a/x/discuss?on=${id}&as=challenge` },
  ],
  notesAfter: new Map<string, string>(),
} as const;
const acts = (id: string): string =>
  `<details class="acts" dir="ltr"><summary aria-label="Actions for ${id}">¶</summary><a href="/a/x/${id}">link</a> <a href="/a/x/discuss?on=${id}&amp;as=challenge" rel="nofollow">respond</a></details>`;

describe('body markup', () => {
  it('wraps each DIV in its own element with its actions', async () => {
    const pieces = await bodyMarkup(
      {
        divs: [
          { div_id: 'd1', html: '<p>one</p>' },
          { div_id: 'd7', html: '<p>two</p>' },
        ],
        toc: [],
      },
      options,
    );
    expect(pieces.join('')).toBe(
      `<div class="div" id="d1" dir="auto">${acts('d1')}<p>one</p></div><div class="div" id="d7" dir="auto">${acts('d7')}<p>two</p></div>`,
    );
  });

  it('keeps an empty element for a DIV without HTML and omits the DIV at `omitIndex`', async () => {
    const pieces = await bodyMarkup(
      {
        divs: [
          { div_id: 'd1', html: '<h1>T</h1>' },
          { div_id: 'd2', html: '' },
        ],
        toc: [],
      },
      { ...options, omitIndex: 0 },
    );
    expect(pieces.join('')).toBe('<div class="div" id="d2"></div>');
  });

  it('puts the DIVs between the two ends of a `<details>` into it', async () => {
    const pieces = await bodyMarkup(
      {
        divs: [
          { div_id: 'd1', html: '<details><summary>S</summary></details>', opens: true },
          { div_id: 'd2', html: '<p>in</p>' },
          { div_id: 'd3', html: '', closes: 1 },
          { div_id: 'd4', html: '<p>out</p>' },
        ],
        toc: [],
      },
      options,
    );
    expect(pieces.join('')).toBe(
      `<div class="div" id="d1" dir="auto">${acts('d1')}<details><summary>S</summary><div class="div" id="d2" dir="auto">${acts('d2')}<p>in</p></div></details></div><div class="div" id="d3"></div><div class="div" id="d4" dir="auto">${acts('d4')}<p>out</p></div>`,
    );
  });

  it('puts the claims of a DIV after it', async () => {
    const pieces = await bodyMarkup(
      { divs: [{ div_id: 'd2', html: '<h2>H</h2>' }], toc: [] },
      { ...options, notesAfter: new Map([['d2', '<div class="notes">c1</div>']]) },
    );
    expect(pieces.join('')).toBe(
      `<div class="div" id="d2" dir="auto">${acts('d2')}<h2>H</h2></div><div class="notes">c1</div>`,
    );
  });

  it('has no actions where there are none, as in the title', () => {
    expect(divMarkup('d1', '<h1>T</h1>', { ...options, actions: () => [] })).toBe(
      '<div class="div" id="d1" dir="auto"><h1>T</h1></div>',
    );
  });

  it('wraps every table, nested ones too, in its own scroll container', () => {
    const html = divMarkup(
      'd1',
      '<table><tr><td><table align="left"></table></td></tr></table><p>tables</p>',
      options,
    );
    expect(html).toContain(
      '<div class="scroll"><table><tr><td><div class="scroll"><table align="left"></table></div></td></tr></table></div><p>tables</p>',
    );
  });

  it('adds alternative text only to images without an alt attribute', () => {
    const html = divMarkup(
      'd1',
      '<img src="a.png" /><img alt="" src="b.png" /><img src="c.png" alt="c" />',
      options,
    );
    expect(html).toContain(
      '<img alt="Image without a description" src="a.png" /><img alt="" src="b.png" /><img src="c.png" alt="c" />',
    );
  });

  it('links images that are not blobs of this host instead of loading them, and loads its blobs', () => {
    const blob = `https://colophon.example/blobs/${'0'.repeat(64)}`;
    const html = divMarkup(
      'd1',
      `<p><img src="https://a.example/x.png?a=1&amp;b=2" alt="A &lt;b&gt; &quot;c&quot;" loading="lazy" /><img alt="" src="http://b.example:81/y" /></p><a href="https://c.example/" rel="nofollow"><img src="https://d.example/z" alt="Z" /></a><img src="${blob}" alt="" /><img src="https://colophon.example/start" alt="S" /><img src="${blob}?x" alt="Q" />`,
      options,
    );
    expect(html).toContain(
      `<p><a href="https://a.example/x.png?a=1&amp;b=2" rel="nofollow ugc noopener">A &lt;b&gt; &quot;c&quot; (a.example)</a><a href="http://b.example:81/y" rel="nofollow ugc noopener">Image (b.example:81)</a></p><a href="https://c.example/" rel="nofollow">Z (d.example)</a><img src="${blob}" alt="" /><a href="https://colophon.example/start" rel="nofollow ugc noopener">S (colophon.example)</a><a href="${blob}?x" rel="nofollow ugc noopener">Q (colophon.example)</a>`,
    );
  });

  it('shows unrendered text as escaped plain text', async () => {
    const pieces = await plainMarkup([{ div_id: 'd1', text: '<script>"&\'' }], options);
    expect(pieces.join('')).toBe(
      `<div class="div" id="d1" dir="auto">${acts('d1')}<pre class="unrendered">&lt;script&gt;&quot;&amp;&#39;</pre></div>`,
    );
  });
});

describe('shiftHeadings', () => {
  it('moves headings one level down, except h6', () => {
    expect(shiftHeadings('<h1 id="h-a">A</h1><h5>B</h5><h6>C</h6><hr /><header>h1</header>')).toBe(
      '<h2 id="h-a">A</h2><h6>B</h6><h6>C</h6><hr /><header>h1</header>',
    );
  });
});

describe('the title of a page', () => {
  const heading = (level: number, title: string, divId: string) => ({
    level,
    title,
    anchor: `h-${divId}`,
    div_id: divId,
  });

  it('is the first heading of the text if its wording equals the title', () => {
    const divs = [
      { div_id: 'd1', kind: 'heading' },
      { div_id: 'd2', kind: 'paragraph' },
    ];
    expect(titleIn('On  bees', divs, [heading(1, 'On bees', 'd1'), heading(2, 'More', 'd2')])).toEqual({
      at: 0,
      headingShift: 0,
    });
  });

  it('is found after front matter', () => {
    const divs = [
      { div_id: 'd1', kind: 'front_matter' },
      { div_id: 'd2', kind: 'heading' },
    ];
    expect(titleIn('T', divs, [heading(1, 'T', 'd2')])).toEqual({ at: 1, headingShift: 0 });
  });

  it.each([
    ['has other wording', [{ div_id: 'd1', kind: 'heading' }], [heading(1, 'Other', 'd1')], 1],
    ['has a lower level', [{ div_id: 'd1', kind: 'heading' }], [heading(2, 'T', 'd1')], 0],
    ['shares its DIV with other blocks', [{ div_id: 'd1', kind: 'mixed' }], [heading(1, 'T', 'd1')], 1],
    [
      'follows another block',
      [
        { div_id: 'd1', kind: 'paragraph' },
        { div_id: 'd2', kind: 'heading' },
      ],
      [heading(1, 'T', 'd2')],
      1,
    ],
  ] as const)('is not a heading that %s', (_why, divs, toc, headingShift) => {
    expect(titleIn('T', divs, toc)).toEqual({ at: -1, headingShift });
  });

  it('shifts other first-level headings below the title', () => {
    const divs = [
      { div_id: 'd1', kind: 'heading' },
      { div_id: 'd2', kind: 'heading' },
    ];
    expect(titleIn('T', divs, [heading(1, 'T', 'd1'), heading(1, 'Summary', 'd2')])).toEqual({
      at: 0,
      headingShift: 1,
    });
  });
});
