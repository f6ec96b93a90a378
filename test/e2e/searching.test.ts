/** The search page as a reader without JavaScript uses it, and what hostile words do to it: nothing. */
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
    expect(markup).toContain('<h2 id="results">1 result</h2>');
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

  it('pages through its results', async () => {
    const first = await html('q=pollen+paragraph&kind=div');
    expect(first).toContain('20 results on this page');
    const next = /<a href="(\/search\?[^"]*cursor=20)">More results/.exec(first)?.[1] ?? '';
    expect(next).not.toBe('');
    const second = await html(next.replaceAll('&amp;', '&').slice('/search?'.length));
    expect(second).toContain('The first results');
    const hits = (markup: string): string[] => markup.match(/\/a\/pollen\/d\d+/g) ?? [];
    expect(new Set([...hits(first), ...hits(second)]).size).toBe(26);
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
    expect(await html('q=propolis&kind=div&workspace=survey')).toContain(
      'href="/search?q=propolis&amp;kind=div&amp;workspace=survey&amp;cursor=20"',
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
      await page.getByLabel('In', { exact: true }).selectOption('Text of articles');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(new URL(page.url()).search).toBe('?q=waggle&kind=div&workspace=main');
      await page.getByRole('link', { name: 'On bees' }).click();
      expect(new URL(page.url()).pathname).toBe('/a/on-bees/d2');
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
