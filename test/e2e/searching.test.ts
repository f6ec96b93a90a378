/** The search page as readers with and without JavaScript use it, and what hostile words do to it: nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { unmarked } from '../support/unmarked.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# On bees\n\nA waggle dance <img src=x onerror=alert(1)> tells the way.\n', {
    slug: 'on-bees',
  });
  await server.article('# Not yet\n\nA waggle in a draft.\n', { slug: 'not-yet', status: 'draft' });
  const filler = Array.from({ length: 25 }, (_, i) => `Paragraph ${i} of pollen.`).join('\n\n');
  await server.article(`# Pollen\n\n${filler}\n`, { slug: 'pollen' });
});

afterAll(async () => {
  await server.stop();
  expect(server.errors).toEqual([]);
});

async function html(query: string): Promise<string> {
  const response = await server.fetch(`/search?${query}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  return response.text();
}

describe('the search page', () => {
  it('highlights matches and escapes the rest', async () => {
    const markup = await html('q=waggle+way');
    expect(markup).toContain('A <mark>waggle</mark> dance tells the <mark>way</mark>.');
    expect(markup).not.toContain('<img');
    expect(markup).not.toContain('not-yet');
    expect(markup).toContain('<h2 id="results">1 result in 1 article</h2>');
  });

  it('keeps hostile words inside their field', async () => {
    const markup = await html(`q=${encodeURIComponent('"><script>alert()</script>')}`);
    expect(markup).not.toContain('<script>alert');
    expect(markup).toContain('value="&quot;>&lt;script>alert()&lt;/script>"');
    expect(markup).toContain('Nothing was found');
  });

  it.each([
    ['kind=person&q=bees', 'is no kind of result'],
    [`q=${'x'.repeat(401)}`, 'has more than 400 characters'],
  ])('explains beside the form why it cannot answer %j', async (query, says) => {
    expect(await html(query)).toMatch(new RegExp(`<p role="alert">[^<]*${says}`));
  });

  it('shows three hits of an article with their headings, and all of them behind a link, by pages', async () => {
    const first = await html('q=pollen+paragraph');
    expect(first).toContain('<h2 id="results">27 results in 1 article</h2>');
    const hits = (markup: string): string[] => markup.match(/href="\/a\/pollen\/d\d+/g) ?? [];
    expect(hits(first)).toHaveLength(3);
    const more = /<a href="(\/search\?[^"]*article=pollen)">23 more /.exec(first)?.[1] ?? '';
    expect(more).toBe('/search?q=pollen+paragraph&amp;article=pollen');
    const own = await html('q=pollen+paragraph&kind=div&article=pollen');
    expect(own).toContain('In <bdi>Pollen</bdi> only.');
    const next = /<a href="(\/search\?[^"]*cursor=20)">More results/.exec(own)?.[1] ?? '';
    const second = await html(next.replaceAll('&amp;', '&').slice('/search?'.length));
    expect(second).toContain('The first results');
    expect(new Set([...hits(own), ...hits(second)]).size).toBe(26);
    expect(await html('q=pollen&article=not-yet')).toMatch(/<p role="alert">There is no article not-yet/);
  });

  it('has the kinds as tabs with their totals, and says where else something was found', async () => {
    const markup = await html('q=waggle&kind=claim');
    const tabs = [
      ...markup.matchAll(/<a href="\/search\?q=waggle[^"]*"[^>]*>(\w+)<span class="tab-count"> (\d+)/g),
    ];
    expect(tabs.map(([, name, count]) => `${name} ${count}`)).toEqual([
      'All 1',
      'Titles 0',
      'Text 1',
      'Claims 0',
      'Sources 0',
      'Discussion 0',
    ]);
    expect(markup).toMatch(/<a href="\/search\?q=waggle">Show the one result of other kinds<\/a>/);
  });

  it('suggests a near word that a reader may read, and none of a draft', async () => {
    expect(await html('q=wagle')).toContain('Did you mean <a href="/search?q=waggle" dir="auto">waggle</a>?');
    await server.article('# Hush\n\nA chrysoprase.\n', { slug: 'hush', status: 'draft' });
    expect(await html('q=crysoprase')).not.toContain('Did you mean');
  });

  it('searches the named workspace if it is public', async () => {
    expect(await html('q=waggle')).not.toContain('name="workspace"');
    for (const [name, status] of [
      ['survey', 'open'],
      ['secluded', 'closed'],
    ]) {
      await server.owner('/api/workspace', { name, title: `The ${name} <b>`, purpose: 'A test.', status });
      const document = {
        slug: `${name}--notes`,
        title: 'Notes',
        markdown: `# Notes\n\nOf propolis in ${name}.\n`,
      };
      await server.owner(`/api/protocol/voxel-batch?workspace=${name}`, { document });
    }
    expect(await html('q=propolis')).toContain('Nothing was found');
    const found = await html('q=propolis&workspace=survey');
    expect(found).toContain('Of <mark>propolis</mark> in survey.');
    expect(found).toContain('<option value="survey" selected dir="auto">The survey &lt;b></option>');
    expect(found).not.toContain('secluded');
    const closed = await html('q=propolis&workspace=secluded');
    const absent = await html('q=propolis&workspace=nobody');
    expect(closed).toMatch(/<p role="alert">There is no workspace secluded that you could enter/);
    expect(unmarked(closed).replaceAll('secluded', 'nobody')).toBe(unmarked(absent));
    const many = Array.from({ length: 25 }, (_, i) => `Propolis ${i}.`).join('\n\n');
    await server.owner('/api/protocol/voxel-batch?workspace=survey', {
      document: { slug: 'survey--many', title: 'Many', markdown: `# Many\n\n${many}\n` },
    });
    expect(await html('q=propolis&kind=div&article=survey--many&workspace=survey')).toContain(
      'href="/search?q=propolis&amp;kind=div&amp;article=survey--many&amp;workspace=survey&amp;cursor=20"',
    );
  });

  describe.skipIf(chromiumPath === undefined)(`in a browser${needsChromium}`, () => {
    let browser: Browser;
    beforeAll(async () => void (browser = await launchBrowser()));
    afterAll(() => browser.close());

    it('works without JavaScript, from the navigation to a result', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/', {
        javaScriptEnabled: false,
      });
      await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Search' }).click();
      await page.getByLabel('Words to look for').fill('waggle');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(new URL(page.url()).search).toBe('?q=waggle&workspace=main');
      await page.getByRole('link', { name: 'Text 1' }).click();
      expect(new URL(page.url()).search).toBe('?q=waggle&kind=div');
      await page.getByRole('link', { name: 'A waggle dance tells the way.' }).click();
      expect(new URL(page.url()).pathname).toBe('/a/on-bees/d2');
      expect(complaints).toEqual([]);
      await close();
    });

    it('shows and announces results while a reader types, and the arrow keys go through them', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/search');
      const field = page.getByLabel('Words to look for');
      await field.fill('waggle');
      await page.getByRole('heading', { name: '1 result in 1 article' }).waitFor();
      expect(await page.getByRole('status').textContent()).toContain('1 result in 1 article');
      expect(new URL(page.url()).search).toBe('?q=waggle&workspace=main');
      expect(await page.title()).toBe('Search: waggle · Colophon');
      const focused = (): Promise<string | null> =>
        page.evaluate(
          () => document.activeElement?.getAttribute('href') ?? document.activeElement?.id ?? null,
        );
      await field.press('ArrowDown');
      expect(await focused()).toBe('/a/on-bees');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe('/a/on-bees/d2');
      await page.keyboard.press('Escape');
      expect(await focused()).toBe('q');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      expect(await focused()).toBe('q');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/a/on-bees');
      expect(complaints).toEqual([]);
      await close();
    });

    it('drops the answer of an earlier search that comes after a later one, and keeps what is there when none comes', async () => {
      const { page, close } = await visit(browser, server.base, '/search');
      const waiting: (() => void)[] = [];
      await page.route('**/search?q=waggle*', async (route) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        await route.continue().catch(() => undefined);
      });
      const field = page.getByLabel('Words to look for');
      await field.fill('waggle');
      await expect.poll(() => waiting.length).toBe(1);
      await field.fill('pollen');
      await page.getByRole('heading', { name: /results in 1 article/ }).waitFor();
      waiting[0]?.();
      await page.route('**/search?q=none*', (route) => route.fulfill({ status: 503, body: 'busy' }));
      const answered = page.waitForResponse('**/search?q=none*');
      await field.fill('none');
      await answered;
      await expect.poll(() => page.locator('#found').getAttribute('aria-busy')).toBeNull();
      expect(await page.locator('.found-title').allTextContents()).toEqual(['Pollen ']);
      await close();
    });
  });
});
