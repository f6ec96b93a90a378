/** The article as readers use it in a browser (contract §8): contents, margin notes, previews, actions, rich text. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { findings } from './accessibility.ts';

const paragraph = 'Some words that make a paragraph of a proper length, as one finds it in a text. '.repeat(
  6,
);
const text = `# The set $\\{a_k\\}$ of marks

A tree proves inclusion in $\\log_2 n$ hashes[^proof], where $\\{a_k\\}$ are the leaves. It costs $5 and not $10.

## Motivation

$$
\\int_0^1 f(x)\\,dx = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}
$$

Broken: $\\frac{a$ stays.

\`\`\`ts
const prefix = 0x01; // RFC 9162
export function parent(left: Uint8Array, right: Uint8Array): string { return "a rather long line of code that scrolls"; }
\`\`\`

| Measure that has a long name | Another measure with a long name | Right |
|:--|:-:|--:|
| Inclusion proofs of the tree | yes, and by a lot of hashes, more or less | 1,204 |

- [ ] A task that is open

<details>
<summary>More on the proof</summary>

Inside there is *text*, and $x^2$.

1. One

</details>

Outside.

[^proof]: RFC 9162, section 2.1.3, says how it is made.

## What follows

${paragraph}

### Deeper

${paragraph.repeat(4)}

## The last part

${paragraph.repeat(6)}
`;

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  server = await startServer();
  await server.article(text, { slug: 'marks', title: 'The set $\\{a_k\\}$ of marks' });
  await server.owner('/api/protocol/sources', {
    slug: 'marks',
    sources: [
      {
        type: 'review',
        url: 'https://example.org/rfc9162',
        title: 'Certificate Transparency',
        quote: 'The proof that the entry is in the tree.',
        summary: 'The standard.',
        accessed_at: '2026-01-02',
      },
    ],
  });
  const blocks = Array.from({ length: 60 }, (_, i) => `Paragraph ${i}. ${paragraph}`);
  await server.article(`# Sixty\n\n${blocks.join('\n\n')}\n`, { slug: 'sixty' });
  const claims = [
    ['A Merkle tree proves inclusion in a logarithmic number of hashes.', null, ['s1']],
    ['Inclusion proofs of a tree with a billion leaves hold thirty hashes.', 'Motivation', ['s1']],
    ['Consistency proofs show that a log only grew.', 'The last part', []],
  ] as const;
  for (const [said, section, ids] of claims)
    await server.owner('/api/protocol/claim', {
      slug: 'marks',
      text: said,
      tier: 'mechanistic',
      who_claims: 'a reviewer',
      source_ids: ids,
      why_material: 'It is what the article is about.',
      ...(section === null ? {} : { section }),
    });
  if (chromiumPath !== undefined) browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server.stop();
  expect(server.errors).toEqual([]);
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describe.skipIf(chromiumPath === undefined)(`an article in a browser${needsChromium}`, () => {
  const open = (options: Parameters<typeof visit>[3] = {}) =>
    visit(browser, server.base, '/a/marks', options);

  it('begins with its title, its thesis and who wrote its version when', async () => {
    const { page, complaints, close } = await open();
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('h1 math').count()).toBe(1);
    expect(await page.locator('.thesis').innerText()).toBe(
      'A Merkle tree proves inclusion in a logarithmic number of hashes. c1',
    );
    expect(await page.locator('.byline > p').allInnerTexts()).toEqual([
      'Version 5 by the owner, just now',
      'What links here · Feed',
    ]);
    expect(await page.locator('.machinery').getAttribute('open')).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it('links to its tags, its series with the neighbours, what links to it, its feed, and the questions asked', async () => {
    await server.article('# Part one\n\nThe first.\n', { slug: 'part-one' });
    await server.article('# Part two\n\nThe second, after [one](/a/part-one).\n', {
      slug: 'part-two',
      tags: ['logs & trees'],
      category: 'essay',
    });
    await server.owner('/api/protocol/article', {
      slug: 'part-two',
      expected_version: 1,
      traversal: { prev: 'part-one', next: 'marks', hub: null, series: 'Proofs', position: 2, of: 3 },
    });
    const { page, complaints, close } = await visit(browser, server.base, '/a/part-two', {
      javaScriptEnabled: false,
    });
    const byline = page.locator('.byline');
    expect(await byline.locator('p').nth(1).innerText()).toMatch(
      /^Part 2 of 3 of Proofs · previous: Part one · next: The set /,
    );
    expect(await byline.locator('math').count()).toBe(1);
    expect(await byline.locator('p').nth(2).innerText()).toBe(
      'essay · logs & trees · What links here · Feed',
    );
    for (const [name, heading] of [
      ['logs & trees', 'logs & trees'],
      ['Proofs', 'Proofs'],
      ['Part one', 'Part one'],
      ['What links here', 'What links to Part two'],
    ] as const) {
      await byline.getByRole('link', { name, exact: true }).click();
      expect(await page.locator('h1').innerText()).toContain(heading);
      await page.goBack();
    }
    expect(
      await page
        .locator('link[type="application/atom+xml"]')
        .evaluateAll((links) => links.map((link) => new URL((link as HTMLLinkElement).href).pathname)),
    ).toEqual(['/a/part-two/feed.xml', '/feed.xml']);
    await page.locator('.article-bar').getByRole('link', { name: 'Ask' }).click();
    expect(await page.locator('#questions').innerText()).toBe('Questions asked');
    await page.getByRole('link', { name: 'Propose a question' }).click();
    expect(await page.locator('main').innerText()).toContain('Part two');
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows formulas, code, tasks, tables and folded parts, accessibly in light and dark, wide and narrow', async () => {
    const { page, close } = await open();
    const height = async (css: string): Promise<number> =>
      (await page.locator(css).first().boundingBox())?.height ?? 0;
    expect(await height('.equation math')).toBeGreaterThan(25);
    expect(await page.locator('.text mtable').count()).toBe(1);
    expect(await page.locator('.tex').innerText()).toBe('$\\frac{a$');
    expect(await page.locator('.text').innerText()).toContain('It costs $5 and not $10.');
    expect(await page.locator('.hljs-keyword').allInnerTexts()).toEqual([
      'const',
      'export',
      'function',
      'return',
    ]);
    expect(await page.locator('td.align-right').innerText()).toBe('1,204');
    const inside = page.getByText('Inside there is');
    expect(await inside.isVisible()).toBe(false);
    await page.getByText('More on the proof').click();
    expect(await inside.isVisible()).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect([colorScheme, width, ...(await findings(page))]).toEqual([colorScheme, width]);
      }
    const table = page.getByRole('group', { name: 'Table, scrolls sideways' });
    await table.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => table.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0);
    await close();
  });

  it('marks the present place in the contents, which name sources, discussion and contributions', async () => {
    await server.anybody('/api/articles/marks/mirror', {
      claim_id: 'c1',
      kind: 'question',
      actor: 'ada',
      body: 'Since when?',
    });
    const { page, close } = await open();
    const current = page.locator('.contents [aria-current]');
    await page.evaluate(() => document.getElementById('h-deeper')?.scrollIntoView());
    await expect.poll(() => current.allInnerTexts()).toEqual(['Deeper']);
    await page.evaluate(() => document.getElementById('contributions')?.scrollIntoView());
    await expect.poll(() => current.allInnerTexts()).toEqual(['Contributions 1']);
    expect(await page.locator('.contents-parts').innerText()).toBe('Sources 1\nContributions 1\nColophon');
    await close();
  });

  it('keeps the contents at the top of a phone, and folds them after a choice', async () => {
    const { page, close } = await open(phone);
    await page.evaluate(() => scrollTo(0, 1500));
    const summary = page.locator('.contents summary');
    await expect.poll(async () => (await summary.boundingBox())?.y).toBeLessThan(20);
    await summary.tap();
    await page.locator('.contents').getByRole('link', { name: 'The last part' }).tap();
    expect(await page.locator('.contents details').getAttribute('open')).toBeNull();
    expect(new URL(page.url()).hash).toBe('#h-the-last-part');
    await close();
  });

  it('opens claims in their place on a phone, without JavaScript', async () => {
    const { page, close } = await open({ ...phone, javaScriptEnabled: false });
    const claim = page.locator('#c2 .claim-text');
    expect(await claim.isVisible()).toBe(false);
    await page.locator('.notes summary').nth(1).tap();
    expect(await claim.isVisible()).toBe(true);
    const [heading, note, next] = await Promise.all(
      ['#h-motivation', '#c2', '.text .equation'].map((css) => page.locator(css).first().boundingBox()),
    );
    expect(note?.y).toBeGreaterThan(heading?.y ?? Infinity);
    expect(next?.y).toBeGreaterThan(note?.y ?? Infinity);
    await close();
  });

  it('has the actions of blocks and claims as links, without JavaScript', async () => {
    const { page, close } = await open({ javaScriptEnabled: false });
    const block = page.locator('.div', { hasText: 'Outside.' }).last();
    const id = await block.getAttribute('id');
    // The actions stand below the block: not beyond the edge of the window, whatever the fonts of the machine.
    await block.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await block.hover();
    expect(
      await block.locator('.acts a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual([
      `/a/marks/${id}`,
      `/a/marks/discuss?on=${id}&as=challenge`,
      `/a/marks/discuss?on=${id}&as=upgrade`,
    ]);
    const link = await block.getByRole('link', { name: 'object' }).boundingBox();
    await page.mouse.move((link?.x ?? 0) + 5, (link?.y ?? 0) + 8, { steps: 25 });
    await block.getByRole('link', { name: 'object' }).click();
    expect(await page.locator('main').innerText()).toContain('Outside.');
    await page.goBack();
    expect(await page.getByRole('link', { name: 'Object to c2' }).getAttribute('href')).toBe(
      '/a/marks/discuss?on=c2&as=objection',
    );
    await close();
  });

  it('opens the actions of a block by keyboard, copies its address, and closes them by Escape', async () => {
    const { page, close } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('.div', { hasText: 'Outside.' }).last();
    await block.locator('.acts summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied the address of this block' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${server.base}/a/marks/${await block.getAttribute('id')}`,
    );
    await page.keyboard.press('Escape');
    expect(await block.locator('.acts').getAttribute('open')).toBeNull();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('¶');
    await close();
  });

  it('previews sources and footnotes on hover and focus, and closes by Escape', async () => {
    const { page, close } = await open();
    const preview = page.getByRole('tooltip');
    await page.locator('#c2 a[href="#s1"]').hover();
    await expect.poll(() => preview.isVisible()).toBe(true);
    expect(await preview.innerText()).toContain('The proof that the entry is in the tree.');
    expect(await preview.locator('a, [id]').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await preview.isVisible()).toBe(false);
    await page.locator('.acts summary').first().focus();
    await page.keyboard.press('Tab');
    const note = page.locator('sup a[href="#h-note__1"]');
    await note.focus();
    await expect.poll(() => preview.innerText()).toContain('RFC 9162, section 2.1.3, says how it is made.');
    expect(await note.getAttribute('aria-describedby')).toBe('peek');
    await close();
  });

  it('shows a footnote in its place at a first tap and follows the link at a second', async () => {
    const { page, close } = await open(phone);
    const note = page.locator('sup a[href="#h-note__1"]');
    await note.tap();
    await expect.poll(() => page.getByRole('tooltip').isVisible()).toBe(true);
    expect(new URL(page.url()).hash).toBe('');
    await note.tap();
    await expect.poll(() => new URL(page.url()).hash).toBe('#h-note__1');
    await close();
  });

  it('is cited by revision as text, BibTeX and CSL-JSON, without JavaScript and by copying', async () => {
    const plain = await open({ javaScriptEnabled: false });
    await plain.page.getByText('Cite', { exact: true }).click();
    const box = await plain.page.locator('#cite').innerText();
    expect(box).toContain(`${server.base}/a/marks?rev=5`);
    expect(box).toContain('@misc{marks,');
    expect(box).toContain('"type": "webpage"');
    await plain.close();
    const { page, close } = await visit(browser, server.base, '/a/marks#cite');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy BibTeX' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied BibTeX' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^@misc\{marks,[^]*version 5|Version 5/i,
    );
    await close();
  });

  it('loads a long article in four requests, and verifies it in three more at its end or when asked', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    const nameOf = (url: string): string => new URL(url).pathname.replace(/^.*\/assets\/[^/]+/, '');
    page.on('request', (request) => {
      // A browser without windows never asks for the icon, the fourth.
      if (nameOf(request.url()) !== '/mark.svg') asked.push(nameOf(request.url()));
    });
    const verified = () =>
      page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
    await page.goto(`${server.base}/a/sixty`, { waitUntil: 'networkidle' });
    expect(asked.sort()).toEqual(['/a/sixty', '/site.css', '/site.js']);
    const icons = await page
      .locator('link[rel~=icon]')
      .evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).href));
    expect(icons.map(nameOf)).toEqual(['/mark.svg']);
    expect((await fetch(icons[0] as string)).status).toBe(200);
    expect(await page.locator('#seal').innerText()).toMatch(/^Not verified in this browser\.\s+verify$/);
    await page.locator('.seal').getByText('verify', { exact: true }).click();
    await verified();
    expect(asked.slice(3).sort()).toEqual([
      '/.well-known/colophon-key',
      '/api/articles/sixty/bundle',
      '/verify.js',
    ]);
    expect(await page.locator('#seal-checks').isVisible()).toBe(true);
    await page.goto(`${server.base}/a/sixty`, { waitUntil: 'networkidle' });
    await page.evaluate(() => document.getElementById('colophon')?.scrollIntoView());
    await verified();
    await context.close();
  });

  it('prints its address, folded parts and where links lead, and no controls', async () => {
    await server.article(
      '# On paper\n\nA [link](https://example.org/far) and https://example.org/bare and [here](/a/marks).\n\n<details>\n<summary>Folded</summary>\n\nInside.\n\n</details>\n',
      { slug: 'on-paper' },
    );
    const { page, close } = await visit(browser, server.base, '/a/on-paper', { javaScriptEnabled: false });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.byline').innerText()).toMatch(
      new RegExp(`^Version 1 by the owner, .*, ${server.base}/a/on-paper\\?rev=1$`),
    );
    const behind = await page
      .locator('.text .div > p a')
      .evaluateAll((links) => links.map((link) => getComputedStyle(link, '::after').content));
    expect(behind).toEqual(['" (https://example.org/far)"', 'none', 'none']);
    expect((await page.getByText('Inside.').boundingBox())?.height).toBeGreaterThan(5);
    for (const css of ['.article-bar', '.acts', '.respond', '.site-search', '.divisions', '.site-foot nav'])
      expect([css, await page.locator(css).first().isVisible()]).toEqual([css, false]);
    await close();
  });

  it('says that the verifier could not be loaded, and tries again when asked', async () => {
    const { page, close } = await visit(browser, server.base, '/protocol');
    await page.context().route('**/verify.js', (route) => route.abort());
    await page.goto(`${server.base}/a/sixty`);
    await page.locator('.seal').getByText('verify', { exact: true }).click();
    await page.getByText('The verifier could not be loaded.').waitFor();
    await page.context().unroute('**/verify.js');
    await page.locator('.seal').getByText('verify', { exact: true }).click();
    await page.locator('.seal').getByText('verify', { exact: true }).click();
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
    expect(await page.locator('#seal-text').innerText()).toBe('Verified in this browser.');
    await close();
  });

  it('moves nothing while it loads and verifies', async () => {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const { page, close } = await open({ viewport });
      await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
      const shift = await page.evaluate(
        () =>
          new Promise<number>((done) => {
            let sum = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries())
                sum += (entry as unknown as { readonly value: number }).value;
            }).observe({ type: 'layout-shift', buffered: true });
            setTimeout(() => done(sum), 300);
          }),
      );
      expect([viewport.width, shift]).toEqual([viewport.width, 0]);
      await close();
    }
  });

  it('shows a claim with its sentence first, its quotes, what was said and its versions', async () => {
    await server.owner('/api/protocol/repair', {
      slug: 'marks',
      claim_id: 'c2',
      text: 'Inclusion proofs of a tree with a billion leaves hold at most thirty hashes.',
      rationale: 'More exact.',
      expected_hash: (
        (await server.read('/api/articles/marks/claims'))['claims'] as readonly Record<string, unknown>[]
      ).find(({ id }) => id === 'c2')?.['hash'],
    });
    const { page, complaints, close } = await visit(browser, server.base, '/a/marks/c2');
    expect(await page.locator('h1').innerText()).toBe(
      'Inclusion proofs of a tree with a billion leaves hold at most thirty hashes.',
    );
    expect(await page.locator('h2').allInnerTexts()).toEqual([
      'What it rests on',
      'What was said about it',
      'About the claim',
      'Versions',
    ]);
    expect(await page.locator('blockquote').innerText()).toBe('The proof that the entry is in the tree.');
    expect(await page.locator('.earlier').innerText()).toBe(
      'Version 1 said: “Inclusion proofs of a tree with a billion leaves hold thirty hashes.”',
    );
    await page.getByRole('link', { name: 'Propose wording' }).click();
    expect(new URL(page.url()).search).toBe('?on=c2&as=repair');
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows a block as it stands, then what happened to it, then its exact text and hashes', async () => {
    const { page, close } = await visit(browser, server.base, '/a/marks/d2');
    expect(await page.locator('h1').innerText()).toMatch(/^Block d2 of/);
    expect(await page.locator('.lead').innerText()).toMatch(/^Block 2 of \d+: the owner /);
    expect(await page.locator('.excerpt math').count()).toBe(2);
    await page.locator('.excerpt sup a').first().click();
    expect(await page.locator('#h-note__1').locator('..').innerText()).toBe(
      '1 RFC 9162, section 2.1.3, says how it is made.',
    );
    expect(await page.locator('.source-text').isVisible()).toBe(false);
    await page.getByText('Exact text, hashes and chain').click();
    expect(await page.locator('.source-text').first().innerText()).toContain('$\\{a_k\\}$ are the leaves');
    await close();
  });
});
