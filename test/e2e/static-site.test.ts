/** The static site opened from the file system: it verifies, names what was changed, searches, and asks nobody. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer } from '../support/server.ts';
import { readSite, seedStaticSite, writeSite } from '../support/static-site.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let folder: string;

const open = (path: string, options: BrowserContextOptions = {}, below = folder) =>
  visit(browser, `file://${below}`, path, options);

async function sealOf(
  page: Page,
): Promise<{ readonly state: string | undefined; readonly failed: readonly string[] }> {
  await page.waitForFunction(() =>
    ['sound', 'broken'].includes(document.getElementById('seal')?.dataset['state'] ?? ''),
  );
  return page.evaluate(() => ({
    state: document.getElementById('seal')?.dataset['state'],
    failed: [...document.querySelectorAll('#seal-checks li')]
      .map((item) => item.textContent ?? '')
      .filter((text) => text.startsWith('Broken: ')),
  }));
}

/** The result of an article's page in a copy of the site in which one file was changed. */
async function changed(
  file: string,
  from: string,
  to: string,
  page = '/a/on-bees.html',
): Promise<readonly string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'colophon-site-'));
  cpSync(folder, copy, { recursive: true });
  const text = readFileSync(join(copy, file), 'utf8');
  expect(text.split(from).length - 1).toBeGreaterThan(0);
  writeFileSync(join(copy, file), text.replace(from, to));
  const visited = await open(page, {}, copy);
  const { state, failed } = await sealOf(visited.page);
  await visited.close();
  rmSync(copy, { recursive: true });
  expect(state).toBe('broken');
  return failed;
}

describe.skipIf(chromiumPath === undefined)(`the static site from files${needsChromium}`, () => {
  beforeAll(async () => {
    const server = await startServer();
    await seedStaticSite(server);
    const { files } = await readSite(server);
    await server.stop();
    folder = mkdtempSync(join(tmpdir(), 'colophon-site-'));
    writeSite(folder, files);
    browser = await launchBrowser();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  it.each(['on-bees', 'on-wasps'])('verifies %s without a server', async (slug) => {
    const { page, complaints, strays, close } = await open(`/a/${slug}.html`);
    expect(await sealOf(page)).toEqual({ state: 'sound', failed: [] });
    expect(await page.locator('#seal-text').innerText()).toBe('Verified in this browser.');
    expect([complaints, strays]).toEqual([[], []]);
    await close();
  });

  it.each([
    ['a word of a block', 'Bees find their way', 'Bees lose their way', 'block d2'],
    ['one letter of highlighted code', '>const</span>', '>Const</span>', 'block d7'],
    ['a formula', '<mi>n</mi><mn>2</mn>', '<mi>n</mi><mn>3</mn>', 'block d4'],
    ['where a link leads', 'href="on-wasps.html"', 'href="on-bees.html"', 'block d2'],
    [
      'where a foreign link leads',
      'href="https://example.org/sun"',
      'href="https://example.com/sun"',
      'block d2',
    ],
    ['a hidden block', '<div class="div" id="d12"', '<div class="div" hidden id="d12"', 'block d12'],
    ['a cell of a table', '>10000<', '>10001<', 'block d6'],
    ['which image is shown', 'src="../blobs/', 'src="../blobs/0', 'block d5'],
    ['the title', '>On bees</h1>', '>On Bees</h1>', 'block d1'],
    ['words between blocks', '<div class="div" id="d7"', 'Added.<div class="div" id="d7"', 'in no block'],
    [
      'words where a block has its link',
      '>link</a></details><p>Bees',
      '>link</a> Added.</details><p>Bees',
      'in no block',
    ],
    [
      'a block twice',
      '<div class="div" id="d12"',
      '<div class="div" id="d2">x</div><div class="div" id="d12"',
      'not what the entries say',
    ],
    [
      'the words of a claim',
      '>Honey bees keep the angle between path and sun.</p><p class="note-foot">',
      '>Honey bees keep no angle.</p><p class="note-foot">',
      'claim c1',
    ],
    [
      'the tier of a claim',
      '<span class="tier">human</span>',
      '<span class="tier">system</span>',
      'tier of claim c1',
    ],
    ['a quote', 'to the sun.</p></blockquote>', 'to the moon.</p></blockquote>', 'quote of s1'],
    ['what was said', 'Which bees?', 'Which wasps?', 'dx_'],
    [
      'the thesis',
      'dir="auto">Honey bees keep the angle between path and sun. <a href="#c1">',
      'dir="auto">Honey bees keep no angle. <a href="#c1">',
      'the thesis',
    ],
    ['the stance of an entry', '<span>challenge</span>', '<span>support</span>', 'dx_'],
    ['the rationale of a vote', 'The evidence is stronger.', 'The evidence is weaker.', 'vote_'],
    ['the name below an entry', '<bdi>ada</bdi>', '<bdi>eve</bdi>', 'who signed'],
    ['the summary of a source', '>A review.</p>', '>A rumour.</p>', 'summary of s1'],
    ['what a claim rests on', '<a href="#s1">s1</a>', '<a href="#s1">s2</a>', 'rests on'],
    [
      'words in a notice',
      '<div class="div" id="d7"',
      '<div class="notice">Added.</div><div class="div" id="d7"',
      'in no block',
    ],
    [
      'a claim twice',
      '<li class="note" id="c1">',
      '<li class="note" id="c1">x</li><li class="note" id="c1">',
      'c1',
    ],
    ['the version', 'data-version="3"', 'data-version="4"', 'the version'],
  ])('names %s that was changed on the page', async (_, from, to, named) => {
    const failed = await changed('a/on-bees.html', from, to);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.filter((text) => !text.includes(named))).toEqual([]);
  });

  it('says what only the publisher vouches for in an article that began as a draft', async () => {
    const { page, close } = await open('/a/on-wasps.html');
    await sealOf(page);
    expect(await page.locator('#seal-note').textContent()).toBe(
      'The words of each block are those that the signed entries commit to, as of this copy. Only the publisher vouches for the title, the order of the blocks: the article began as a draft, and entries from before publication are not opened.',
    );
    await close();
  });

  it('names a block that was changed in page and bundle alike', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'colophon-site-'));
    cpSync(folder, copy, { recursive: true });
    for (const file of ['a/on-bees.html', 'a/on-bees.bundle.js'])
      writeFileSync(
        join(copy, file),
        readFileSync(join(copy, file), 'utf8').replaceAll('Bees find their way', 'Bees lose their way'),
      );
    const { page, close } = await open('/a/on-bees.html', {}, copy);
    const { state, failed } = await sealOf(page);
    expect(state).toBe('broken');
    expect(failed.join('\n')).toContain('d2');
    await close();
    rmSync(copy, { recursive: true });
  });

  it('does not verify against another key, and says so where a file is missing', async () => {
    const failed = await changed('a/on-bees.html', 'data-key="127', 'data-key="128');
    expect(failed.join('\n')).toMatch(/sign|key/);
    const copy = mkdtempSync(join(tmpdir(), 'colophon-site-'));
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'a/on-bees.bundle.js'));
    const { page, close } = await open('/a/on-bees.html', {}, copy);
    await page.waitForFunction(() =>
      document.getElementById('seal-note')?.textContent?.includes('could not'),
    );
    expect(await page.locator('#seal-note').textContent()).toBe(
      'It could not be done: the file on-bees.bundle.js is missing.',
    );
    await close();
    rmSync(copy, { recursive: true });
  });

  it('finds articles while words are typed, the last one unfinished, and keeps the search in the address', async () => {
    const { page, complaints, strays, close } = await open('/search.html');
    await page.locator('#q').fill('wasps pap');
    await page.locator('#hits a').first().waitFor();
    expect(await page.locator('#hits a').allInnerTexts()).toEqual(['On wasps']);
    expect(await page.locator('#search-count').innerText()).toBe('1 article');
    await page.locator('#q').fill('太阳');
    await page.getByRole('link', { name: 'On bees' }).waitFor();
    await page.locator('#q').fill('quagga');
    await page.getByText('No article has all of these words.').waitFor();
    await page.locator('#q').fill('angle');
    await page.getByRole('link', { name: 'On bees' }).click();
    await page.getByRole('heading', { name: 'On bees' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'On bees' }).waitFor();
    expect([complaints, strays]).toEqual([[], []]);
    await close();
  });

  it('is read without JavaScript from its list of articles to the source of a claim', async () => {
    const { page, strays, close } = await open('/index.html', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'On bees' }).click();
    expect(await page.locator('#seal').innerText()).toMatch(/^Not verified in this browser\./);
    expect(
      await page.locator('img[alt="A dance"]').evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(3);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'History of On bees' }).waitFor();
    await page.getByRole('link', { name: 'Search' }).click();
    expect(await page.locator('noscript').innerText()).toMatch(/^Searching a copy needs JavaScript\./);
    await page.getByRole('link', { name: 'About this copy and how to verify it' }).click();
    await page.getByRole('heading', { name: 'What it does not prove' }).waitFor();
    expect(strays).toEqual([]);
    await close();
  });

  it('has no finding of axe on any page, in light and dark, on a desk and on a phone', async () => {
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.html'),
    );
    expect(pages.length).toBe(12);
    const found: string[] = [];
    // Pages forbid other scripts, tests put them in.
    const context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const file of pages) {
      await page.goto(`file://${folder}/${file}`);
      await page.evaluate(axe);
      for (const [colorScheme, width] of [
        ['light', 1440],
        ['dark', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        // Boxes that begin to scroll are named after the next layout.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
        for (const { id, nodes } of violations)
          found.push(...nodes.map(({ target }) => `${file} ${colorScheme}: ${id} ${target.join(' ')}`));
      }
    }
    await context.close();
    expect(found).toEqual([]);
  });

  it('works below any path of a static host', async () => {
    const types: Readonly<Record<string, string>> = {
      html: 'text/html',
      js: 'text/javascript',
      css: 'text/css',
      png: 'image/png',
      svg: 'image/svg+xml',
    };
    const host: Server = createServer((request, reply) => {
      const path = decodeURIComponent((request.url ?? '').replace(/^\/deep\/copy/, ''));
      reply.writeHead(200, { 'content-type': types[path.slice(path.lastIndexOf('.') + 1)] ?? 'text/plain' });
      reply.end(readFileSync(join(folder, path)));
    });
    await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
    const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}/deep/copy`;
    const { page, complaints, strays, close } = await visit(browser, base, '/a/on-bees.html');
    expect(await sealOf(page)).toEqual({ state: 'sound', failed: [] });
    expect([complaints, strays]).toEqual([[], []]);
    await close();
    await new Promise((done) => host.close(done));
  });
});
