/** Hostile text stays text: nothing that a contributor wrote runs, loads a script, or leaves its place (contract §8). */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: Browser;

/** Attacks that others have published; see vectors/markdown/README.md. */
const foreign = JSON.parse(
  readFileSync(new URL('../../vectors/markdown/hostile-html.json', import.meta.url), 'utf8'),
) as readonly string[];

/** Each would set `window.hit` or show a dialog if it ran. */
const spells = [
  '<script>window.hit = 1</script>',
  '<img src=x onerror="window.hit = 2">',
  '<svg onload="window.hit = 3"><script>window.hit = 4</script></svg>',
  '"><script>window.hit = 5</script><a href="',
  "'-window.hit=6-'",
  '</title><script>window.hit = 7</script>',
  '</textarea></pre></blockquote></main><script>window.hit = 8</script>',
  '<iframe srcdoc="<script>parent.hit = 9</script>"></iframe>',
  '<a href="javascript:window.hit=10">click</a>',
  '[click](javascript:window.hit=11)',
  '[click](data:text/html;base64,PHNjcmlwdD5wYXJlbnQuaGl0PTEyPC9zY3JpcHQ+)',
  '<form action="/api/dispatch"><button formaction="javascript:window.hit=13">go</button></form>',
  '<details open ontoggle="window.hit = 14"><summary>s</summary></details>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hit=15&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=window.hit=16>">',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<link rel="stylesheet" href="https://evil.example/x.css"><style>body { display: none }</style>',
  '<p id="seal" class="seal">Verified in this browser.</p><p id="main" style="position: fixed; inset: 0">over it all</p>',
  '![x](x "onerror=window.hit=17")',
  '<a name="location" id="article">clobber</a><img name="cookie">',
  '`<script>window.hit = 18</script>`',
  '```html\n<script>window.hit = 19</script>\n```',
  '|a|\n|-|\n|<script>window.hit = 20</script>|',
  '&lt;script&gt;window.hit = 21&lt;/script&gt;',
  '<!-- --!><script>window.hit = 22</script> -->',
  '<x-element onclick=window.hit=23 tabindex=1 onfocus=window.hit=24 autofocus>x</x-element>',
];
const shortSpell = '<img src=x onerror="window.hit = 41">';
const spell = '"><img src=x onerror="window.hit = 30"></title><script>window.hit = 31</script>';

describe.skipIf(chromiumPath === undefined)(`hostile text${needsChromium}`, () => {
  const paths: string[] = [];

  beforeAll(async () => {
    server = await startServer();
    browser = await launchBrowser();
    const slug = await server.article(`# ${spell}\n\n${spells.join('\n\n')}\n`, {
      slug: 'hostile',
      title: spell,
      tags: [shortSpell, 'tag'],
      category: shortSpell,
    });
    await server.article(`${spell}\n\n# Two\n\n[x]: javascript:window.hit=40 "${spell}"\n\n[link][x]\n`, {
      slug: 'hostile-too',
      title: spell,
    });
    await server.owner('/api/protocol/sources', {
      slug,
      sources: [
        {
          type: shortSpell,
          url: 'https://evil.example/"><script>window.hit=32</script>',
          title: spell,
          quote: `${spell} ${spells.join(' ')}`,
          summary: spell,
        },
      ],
      actor: spell,
    });
    await server.owner('/api/protocol/claim', {
      slug,
      text: `The page ${spell} is inert.`,
      tier: 'system',
      who_claims: spell,
      source_ids: ['s1'],
      falsifier: spell,
      rationale: spell,
      section: spell,
      model: spell,
      evidence_basis: spell,
    });
    await server.anybody(`/api/articles/${slug}/mirror`, {
      claim_id: 'c1',
      kind: 'objection',
      actor: spell,
      body: spells.join('\n'),
    });
    await server.anybody(`/api/articles/${slug}/objections`, {
      actor: spell,
      objection: spells.join('\n'),
      surface: 'S1',
      minimum_patch: spell,
    });
    await server.article(foreign.join('\n\n'), { slug: 'foreign', title: 'Vectors' });
    const divs = (await server.read(`/api/articles/${slug}/voxels`))['divs'] as readonly Answer[];
    const vote = { slug, target: 'c1', proposal: 'should_burn', rationale: spell, actor: spell };
    await server.anybody('/api/protocol/voxel-vote', vote);
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: JSON.stringify({ scope: 'row', key: 'MIRROR_FEED', purpose: spell, actor: spell }),
      actor: spell,
      purpose: spell,
    });
    await server.owner('/api/build-landscape', {
      action: 'queue_targets',
      cohort: 'hostile',
      query: spell,
      sort: spell,
      captured_at: '2026-03-01',
      source_url: 'https://evil.example/"><script>window.hit=33</script>',
      targets: [{ id: 'one', name: spell, repository: 'https://evil.example/<script>', axis: spell }],
    });
    const leased = await server.owner('/api/build-landscape', { action: 'next', lane: 'field' });
    await server.anybody('/api/protocol/voxel-batch', {
      assignment_id: leased['assignment_id'],
      key: leased['share'],
      operations: [
        {
          op: 'source',
          sources: [{ type: 'review', url: 'https://evil.example/', title: spell, quote: spell }],
        },
        {
          op: 'claim',
          text: `The target ${spell} is inert.`,
          tier: 'system',
          who_claims: spell,
          source_ids: ['s1'],
          comparison: { population: spell, axis: spell, captured_at: '2026', selection: spell },
        },
      ],
    });
    paths.push(
      '/landscape/hostile',
      '/a/hostile-one',
      '/',
      `/a/${slug}`,
      '/a/hostile-too',
      '/a/foreign',
      `/a/${slug}/c1`,
      '/log',
      `/receipt/${minted['invocation']['id']}`,
      `/cap/${minted['result']['fingerprint']}`,
      `/nowhere/${encodeURIComponent(spell)}`,
      `/?after=${encodeURIComponent(spell)}`,
      ...divs.map((div) => `/a/${slug}/${div['div_id']}`),
    );
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('runs no script, loads no resource and adds no active element', async () => {
    expect(paths.length).toBeGreaterThan(30);
    const { page, complaints, strays, close } = await visit(browser, server.base, '/protocol');
    for (const path of paths) {
      await page.goto(server.base + path, { waitUntil: 'load' });
      await page.evaluate(() => {
        for (const button of document.querySelectorAll<HTMLElement>('.text button, .text summary'))
          button.click();
      });
      const found = await page.evaluate(() => ({
        hit: (window as unknown as { readonly hit?: number }).hit,
        // A data block has no file and is never run.
        scripts: [...document.scripts]
          .filter(({ type, src }) => type !== 'application/ld+json' || src !== '')
          .map((script) => new URL(script.src).pathname.replace(/^\/assets\/[^/]+/, '')),
        handlers: [...document.querySelectorAll(':not(.note)')].flatMap((element) =>
          [...element.attributes]
            .filter(({ name }) => /^on|^style$|^srcdoc$|^formaction$|^autofocus$/.test(name))
            .map(({ name }) => `${element.tagName} ${name}`),
        ),
        elements: [
          ...document.querySelectorAll(
            'iframe, object, embed, base, style, meta[http-equiv], svg, math, .article form, .article input, .article button:not(#seal-button, .cite button), .record form:not(.find)',
          ),
        ].map((element) => element.outerHTML),
        links: [...document.querySelectorAll('a[href]')]
          .map((link) => (link as HTMLAnchorElement).protocol)
          .filter((protocol) => !/^(?:https?|mailto):$/.test(protocol)),
        given: [
          ...document.querySelectorAll<HTMLAnchorElement>(
            '.text a[href^="http"], .source-title a:not([href^="/a/"])',
          ),
        ]
          .filter((link) => !/\bnofollow\b.*\bugc\b/.test(link.rel))
          .map((link) => link.outerHTML),
        seals: document.querySelectorAll('#seal, .seal').length,
        visible: document.querySelector('main')?.checkVisibility(),
        base: document.baseURI,
      }));
      expect({
        path,
        ...found,
        scripts: found.scripts.filter((src) => !/^\/[\w-]+\.js$/.test(src)),
        seals: found.seals <= 1,
      }).toEqual({
        path,
        hit: undefined,
        scripts: [],
        handlers: [],
        elements: [],
        links: [],
        given: [],
        seals: true,
        visible: true,
        base: server.base + path,
      });
      // A blocked script would be a complaint: there was none to block. A picture that is not there is one.
      expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
      expect(strays).toEqual([]);
    }
    await close();
    expect(server.errors).toEqual([]);
  }, 120_000);

  it('can neither forge nor hide the seal of a page', async () => {
    const { page, close } = await visit(browser, server.base, '/a/hostile');
    await page.waitForFunction(() =>
      ['sound', 'broken'].includes(document.getElementById('seal')?.dataset['state'] ?? ''),
    );
    expect(await page.locator('#seal').count()).toBe(1);
    expect(await page.locator('#seal').getAttribute('data-state')).toBe('sound');
    expect(await page.locator('.masthead #seal').isVisible()).toBe(true);
    await close();
  });

  it('is shown as plain text', async () => {
    const { page, close } = await visit(browser, server.base, '/a/hostile');
    expect(await page.locator('h1').innerText()).toContain('window.hit');
    expect(await page.locator('.source-list blockquote').innerText()).toContain(
      '<script>window.hit = 1</script>',
    );
    expect(await page.locator('.claim-text').innerText()).toContain('<img src=x onerror="window.hit = 30">');
    expect(await page.locator('.contributions .contribution-body').innerText()).toContain('<iframe srcdoc=');
    await close();
  });
});
