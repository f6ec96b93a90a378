import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlighted } from '../../../src/represent/article-html-code.ts';
import { findMath, texToMathML } from '../../../src/represent/article-html-math.ts';
import { anchorPrefix, articleHtml, type TocEntry } from '../../../src/represent/article-html.ts';
import { layoutOf } from '../articles/boundaries-changes.ts';
import { documents, specExamples, vectors } from '../articles/divide-corpus.ts';
import { hostileMarkdown } from '../articles/divide-hostile.ts';
import { elementsOf, readHtml, textOf } from './article-html-reader.ts';

const slow = { timeout: 60_000 };

interface Vector {
  readonly name: string;
  readonly markdown: string;
  readonly divs: readonly string[];
  readonly toc: readonly TocEntry[];
  /** DIVs that open or close a `<details>` over several. */
  readonly folds?: readonly string[];
}

/** Renders, and reads every DIV with the strict reader, which throws at anything that isn't ours. */
function expectClean(markdown: string) {
  const layout = layoutOf(markdown);
  const { divs, toc } = articleHtml(layout);
  expect(divs.map(({ div_id }) => div_id)).toEqual(layout.pieces.map(({ div_id }) => div_id));
  const elements = divs.flatMap(({ html }) => elementsOf(readHtml(html)));
  const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { anchor } of toc) expect(ids).toContain(anchor);
  return { divs, toc, elements };
}

describe('rendering, by the vectors', () => {
  it.each(vectors<Vector>('html'))('$name', ({ markdown, divs, toc, folds = [] }) => {
    const rendered = expectClean(markdown);
    expect(rendered.divs.map(({ html }) => html)).toEqual(divs);
    expect(rendered.toc).toEqual(toc);
    expect(
      rendered.divs.flatMap(({ div_id: id, opens, closes }) => [
        ...(opens === undefined ? [] : [`${id} opens`]),
        ...(closes === undefined ? [] : [`${id} closes ${closes}`]),
      ]),
    ).toEqual(folds);
  });
});

describe('mathematics', () => {
  // prettier-ignore
  it.each([
    ['$x$', 'x'], ['$x$ and $y$', 'x'], ['$a\\$b$', 'a\\$b'], ['$x$s', 'x'], ['$x$.', 'x'], ['$ x$', undefined], ['$x $', undefined], ['$x$y', undefined],
    ['$5 and $10', undefined], ['$5-$10', undefined], ['$20k plus 5$', undefined], ['$$x$$', 'x'], ['$$ $$', undefined], ['$', undefined], ['$$', undefined],
    ['\\(x+1\\)', 'x+1'], ['\\(n\\)', 'n'], ['\\(see below\\)', undefined], ['\\[1\\]', undefined], ['\\[x^2\\]', 'x^2'], ['\\[x^2', undefined],
    [`$${'x'.repeat(1000)}$`, 'x'.repeat(1000)], [`$${'x'.repeat(1001)}$`, undefined], [`$$${'x'.repeat(4001)}$$`, undefined],
  ])('is found in %j as %j', (text, tex) => {
    expect(findMath(text, 0)?.tex).toBe(tex);
  });

  it('does not begin within a word, an amount or an address', () => {
    expect(findMath('US$x$', 2)).toBeUndefined();
    expect(findMath('5$x$', 1)).toBeUndefined();
    expect(findMath('https://a.example/?q=$x$', 21)).toBeUndefined();
    expect(findMath('設$x$', 1)?.tex).toBe('x');
  });

  // prettier-ignore
  it.each([
    ['\\def\\a{\\a\\a}\\a'], ['\\newcommand{\\a}{b}\\a'], ['\\href{javascript:alert(1)}{x}'], ['\\url{https://a.example}'], ['\\includegraphics{https://a.example/x.png}'],
    ['\\class{fence}{x}'], ['\\id{main}{x}'], ['\\style{color:red}{x}'], ['\\data{a=b}{x}'], ['\\ref{a}'], ['\\unknown'], ['{'.repeat(900)], ['{'.repeat(61) + '}'.repeat(61)],
    ['\\sqrt'.repeat(61) + 'x'], ['x^'.repeat(61) + 'x'], ['\\left('.repeat(100)], ['\\begin{matrix}'.repeat(61)], ['x'.repeat(4001)], ['\\csname href\\endcsname{x}{y}'],
  ])('refuses %j', (tex) => {
    expect(texToMathML(tex, true)).toBeUndefined();
  });

  it('writes no text of a formula as markup', () => {
    for (const tex of [
      '\\text{<b onclick="x">&amp;}',
      '<script>alert(1)</script>',
      'a < b > c & d',
      '\\text{"\'}',
      '\\textcolor{red}{x}\\rule{900em}{900em}',
    ])
      expectClean(`$${tex}$\n\n<b>$${tex}$</b>`);
    expect(texToMathML('\\mathrm{SHA256}', false)).toBe('<math><mtext>SHA256</mtext></math>');
    expect(texToMathML('\\text{<b>}', false)).toBe('<math><mtext>&lt;b&gt;</mtext></math>');
    expect(texToMathML('\\rule{900em}{900em}', false)).toBe(
      '<math><mspace width="40em" height="40em"></mspace></math>',
    );
  });

  it('keeps colours out, which might hide what is written', () => {
    expect(texToMathML('\\color{white}x', false)).toBe('<math><mrow><mi>x</mi></mrow></math>');
  });

  it('is written up to a bound, and shown as its source beyond', () => {
    const { elements } = expectClean('$x$ '.repeat(7200));
    expect(elements.filter(({ tag }) => tag === 'math')).toHaveLength(7142);
    expect(elements.filter(({ tag }) => tag === 'code')).toHaveLength(58);
  });

  it('takes no time squared for openings without an end', slow, () => {
    for (const opening of ['$a ', '$$a', '\\(a ', '\\[', '\\[\n', '$\\$', '$\\'])
      expectClean(opening.repeat(20_000));
  });
});

describe('highlighted code', () => {
  it('is plain when it is long, has long lines or names no known language', () => {
    expect(highlighted('let a', 'js')).toBe('<span class="hljs-keyword">let</span> a');
    expect(highlighted('let a', 'nosuch')).toBeUndefined();
    expect(highlighted('let a', '')).toBeUndefined();
    expect(highlighted('let a\n'.repeat(2001), 'js')).toBeUndefined();
    expect(highlighted(`let a${' '.repeat(300)}`, 'js')).toBeUndefined();
    expect(highlighted(`let a${'\n'.repeat(12)}`, 'js')).toBeUndefined();
  });

  it('has only known elements, whatever is written in whatever language', () => {
    for (const language of ['html', 'js', 'php', 'markdown', 'latex', 'css', 'java', 'bash'])
      for (const text of [
        '<script>alert(1)</script>',
        '"><b onclick=x>',
        "${'<i>'}",
        '<style>p{}</style><?php "<u>" ?>',
        '</span></code>',
      ])
        expectClean(
          `\`\`\`${language}\n${text}\n\`\`\`\n\n<b>x</b>\n\n> <i>\n> \`\`\`${language}\n> ${text}\n`,
        );
  });
});

describe('rendering hostile text', () => {
  const payloads = vectors<string>('hostile-html');

  it.each(payloads.map((payload) => [payload]))('renders only allowed elements of %j', (payload) => {
    expectClean(payload);
    expectClean(`words ${payload}`);
    expectClean(`> ${payload.replaceAll('\n', '\n> ')}`);
    expectClean(`- ${payload.replaceAll('\n', '\n  ')}`);
    expectClean(`# heading ${payload}`);
    expectClean(`| a |\n|---|\n| ${payload.replaceAll('\n', ' ')} |`);
    expectClean(`<div>${payload}\n\n${payload}`);
  });

  it('is checked by a strict reader that rejects each forbidden element', () => {
    // prettier-ignore
    const bad = [
      '<script>', '<img src="x" onerror="x" />', '<a href="javascript:alert(1)" rel="nofollow ugc noopener">x</a>', '<p>', '</p>', '<p><b></p></b>', '<p onclick="x">x</p>',
      '<p style="x">x</p>', '<p id="owner">x</p>', '<p class=x>x</p>', 'a < b', '<a href="//evil.example" rel="nofollow ugc noopener">x</a>', '<a href="https://a.example">x</a>',
      '<img src="https://a.example/x.png" />', '<h1 id="owner">x</h1>', '<p>a &x; b</p>', '<svg></svg>', '<!-- -->', '<p title="a" title="b">x</p>', '<b/>', '<br>',
    ];
    expect(bad.filter((html) => readable(html))).toEqual([]);
  });

  it('closes each DIV, even if the DIV before leaves elements open', () => {
    for (const payload of payloads) {
      const markdown = `${payload}\n\nPlain *last* words.\n`;
      const { divs } = expectClean(markdown);
      // A comment, a fence or a raw text element of Markdown may take the rest of the text, as part of its own DIV.
      const own = layoutOf(markdown).pieces.at(-1)?.text === 'Plain *last* words.';
      if (own) expect(divs.at(-1)?.html).toBe('<p>Plain <em>last</em> words.</p>');
    }
    expect(payloads.length).toBeGreaterThan(100);
  });

  it('accepts no ids from the text, because the marker of generated ids is absent from it', () => {
    const { elements } = expectClean(
      '<h1 data-id0="0" DATA-ID1="0" id="h-owner">x</h1>\n\n# Owner\n\n<sup data-id2=0>y</sup>\n',
    );
    expect(elements.map(({ tag, attributes }) => [tag, attributes.get('id')])).toEqual([
      ['h1', undefined],
      ['h1', 'h-owner'],
      ['p', undefined],
      ['sup', undefined],
    ]);
  });

  it('renders text that is nested too deeply as source in a code block', () => {
    for (const source of [`deep ${'<b>'.repeat(2100)} end`, `${'*'.repeat(9000)}a${'*'.repeat(9000)}`]) {
      const { divs, elements } = expectClean(source);
      expect(elements.map(({ tag }) => tag)).toEqual(['pre', 'code']);
      expect(textOf(readHtml(divs[0]?.html ?? ''))).toBe(`${source}\n`);
    }
  });

  it('limits the depth of rendered elements', () => {
    const { elements } = expectClean(
      `x ${'<i>'.repeat(1000)} end\n\n${'*'.repeat(2000)}a${'*'.repeat(2000)}\n`,
    );
    expect(elements.filter(({ tag }) => tag === 'i')).toHaveLength(199);
    expect(elements.filter(({ tag }) => tag === 'strong').length).toBeLessThan(200);
  });
});

describe('rendering ordinary text', () => {
  it('renders every example of the specifications to allowed elements', slow, () => {
    for (const { markdown } of specExamples) expectClean(markdown);
    expect(specExamples).toHaveLength(1328);
  });

  it('renders real documents to allowed elements, with all their headings', slow, () => {
    for (const { text } of documents) {
      const { divs, toc } = expectClean(text);
      expect(divs.some(({ html }) => html !== '')).toBe(true);
      const headings = layoutOf(text).pieces.filter(({ text: piece }) => /^#{1,6} /.test(piece));
      expect(toc.length).toBeGreaterThanOrEqual(headings.length);
    }
  });

  it('agrees with the specifications if nothing was removed or added', slow, () => {
    const other = specExamples.filter(
      ({ markdown, html }) => comparable(markdown, true) !== comparable(html, false),
    );
    expect(other.filter(({ spec }) => spec === 'commonmark')).toHaveLength(104);
    expect(other.filter(({ spec }) => spec === 'gfm')).toHaveLength(113);
    // Raw HTML, local images, empty and exotic links, odd languages, bare URLs and task boxes: nothing else differs.
    const reasons = /<|!\[|\]\(\)|\]\(<>\)|^```|^>[ >\n]*$|\n> \[foo\]: |:\/\/|www\.|@|^- \[/m;
    expect(other.filter(({ markdown }) => !reasons.test(markdown))).toEqual([]);
  });

  it('renders the DIVs together like the whole article', slow, () => {
    fc.assert(
      fc.property(hostileMarkdown, (source) => {
        // With HTML of its own each DIV is balanced by itself, which one big DIV is not.
        const markdown = source.replaceAll('<', '(');
        const layout = layoutOf(markdown);
        const text = layout.pieces.map((piece) => piece.text + piece.sep).join('');
        const apart = articleHtml(layout)
          .divs.map(({ html }) => html)
          .join('');
        const together =
          articleHtml({ lead: layout.lead, pieces: [{ div_id: 'd1', text, sep: '' }] }).divs[0]?.html ?? '';
        if (apart.replace(/\s+/g, '') !== together.replace(/\s+/g, ''))
          throw new Error(JSON.stringify([apart, together]));
      }),
      { numRuns: 1500, seed: 7 },
    );
  });

  it('numbers the anchors of a thousand headings with the same title', () => {
    const { toc } = articleHtml(layoutOf('# Same\n\n'.repeat(1000)));
    expect(toc.at(-1)).toEqual({
      level: 1,
      title: 'Same',
      anchor: `${anchorPrefix}same-999`,
      div_id: 'd1000',
    });
    expect(new Set(toc.map(({ anchor }) => anchor)).size).toBe(1000);
  });

  it('renders an article without DIVs to nothing', () => {
    expect(articleHtml({ lead: ' \n', pieces: [] })).toEqual({ divs: [], toc: [] });
  });
});

function readable(html: string): boolean {
  try {
    readHtml(html);
    return true;
  } catch {
    return false;
  }
}

/**
 * HTML without what we add and without differences that mean nothing: quotes, attribute order, blank lines.
 */
function comparable(source: string, render: boolean): string {
  const html = render
    ? articleHtml(layoutOf(source))
        .divs.map((div) => div.html)
        .filter((each) => each !== '')
        .join('\n')
    : source;
  return html
    .replace(
      / rel="nofollow ugc noopener"| id="h-[^"]*"| loading="lazy" decoding="async" referrerpolicy="no-referrer"/g,
      '',
    )
    .replaceAll(/<span class="hljs-[^"]*">|<\/span>/g, '')
    .replaceAll(' class="align-', ' align="')
    .replaceAll('&quot;', '"')
    .replace(
      /<(a|img) (.*?)( ?\/)?>/gs,
      (_, tag: string, attributes: string) =>
        `<${tag} ${attributes
          .split(/ (?=[a-z]+=")/)
          .sort()
          .join(' ')}>`,
    )
    .replace(/<(br|hr) \/>/g, '<$1>')
    .replace(/\n+/g, '\n')
    .trim();
}
