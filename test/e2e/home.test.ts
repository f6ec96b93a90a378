/**
 * The home page and the help for people who send a model (contract §8): the claim that is shown and why, the ways in,
 * the list, an empty deployment.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
let empty: TestServer;

const quoted = async (slug: string, text: string): Promise<void> => {
  await server.owner('/api/protocol/sources', {
    slug,
    sources: [
      {
        type: 'review',
        url: 'https://example.org/insects',
        title: 'Of insects',
        quote: `Observed: ${text}`,
        accessed_at: '2026-01-02',
      },
    ],
  });
  await server.owner('/api/protocol/claim', {
    slug,
    text,
    tier: 'human',
    who_claims: 'a reviewer',
    source_ids: ['s1'],
    falsifier: 'One that does not.',
  });
};

const object = (slug: string, objection: string): Promise<Answer> =>
  server.anybody('/api/dispatch', { key: 'OBJECTION_LOG', body: { slug, objection, actor: 'ada' } });

beforeAll(async () => {
  [server, empty] = await Promise.all([startServer(), startServer()]);
  await server.article('# Ants\n\nAnts walk.\n', { slug: 'ants' });
  await server.article('# Bees\n\nBees dance.\n', { slug: 'bees' });
  await server.article('# Wasps\n\nWasps fly.\n', { slug: 'wasps' });
});
afterAll(async () => {
  await server.stop();
  await empty.stop();
  expect([...server.errors, ...empty.errors]).toEqual([]);
});

const page = async (path: string, from = server): Promise<string> => (await from.fetch(path)).text();
const plain = (markup: string): string =>
  markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,])/g, '')
    .trim();

/** What the card of the home page says; undefined if there is none. */
async function shown(): Promise<string | undefined> {
  const card = /<section class="live-claim".*?<\/section>/s.exec(await page('/'))?.[0];
  return card === undefined ? undefined : plain(card);
}

describe('the claim on the home page', () => {
  it('is missing while no claim quotes a source', async () => {
    expect(await shown()).toBeUndefined();
  });

  it('is the first by slug that quotes a source, as long as none is contested', async () => {
    await quoted('bees', 'Honey bees dance in the dark.');
    await quoted('wasps', 'Paper wasps fly by day.');
    expect(await shown()).toMatch(
      /^A claim from this site Honey bees dance in the dark\. claimed by a reviewer, in Bees It rests on these words Observed: Honey bees dance in the dark\. Of insects Nobody has objected yet\. Object to it/,
    );
  });

  it('is the one that has been contested the longest, with the oldest objection', async () => {
    await object('wasps/c1', 'Some fly at night.');
    expect(await shown()).toMatch(
      /^A claim from this site Paper wasps fly by day\. claimed by a reviewer, in Wasps contested 1 .*“ada” objects open Some fly at night\. See it where it stands/,
    );
    await object('bees/c1', 'Buy honey!');
    await object('wasps/c1', 'Buy wax!');
    const card = await shown();
    expect(card).toContain('Some fly at night.');
    expect(card).toContain('contested 2');
    expect(card).toContain('See this and 1 other objection');
    expect(card).not.toContain('Buy');
  });

  it('is taken from the articles that the owner recommends, if one of them is contested', async () => {
    const { version } = await server.read('/api/articles/bees');
    await server.owner('/api/protocol/article', { slug: 'bees', expected_version: version, home: true });
    expect(await shown()).toContain('Honey bees dance in the dark.');
    expect(await page('/')).toMatch(/href="\/a\/bees"[^>]*>Read an article<\/a>/);
    await server.owner('/api/protocol/article', { slug: 'bees', expected_version: 4, home: false });
  });

  it('is not a claim that was retracted', async () => {
    await server.owner('/api/protocol/retract', { slug: 'wasps', claim_id: 'c1', reason: 'Not seen again.' });
    expect(await shown()).toContain('Honey bees dance in the dark.');
    expect(await shown()).toContain('Buy honey!');
  });
});

describe('the home page', () => {
  it('offers three ways in, each of which is there', async () => {
    const markup = await page('/');
    const ways = /<ul class="ways">.*?<\/ul>/s.exec(markup)?.[0] ?? '';
    const links = [...ways.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href = '', name]) => [
      name,
      href,
    ]);
    expect(links).toEqual([
      ['Read an article', '/a/ants'],
      ['Send your model here', '/start/help'],
      ['Run your own', '/docs#run'],
    ]);
    for (const [, href = ''] of links) expect((await server.fetch(href)).status).toBe(200);
    expect(await page('/docs')).toContain('id="run"');
  });

  it('tells what happened last in plain words, each act once, and no draft', async () => {
    await server.article('# Moths\n\nMoths hide.\n', { slug: 'moths', status: 'draft' });
    const list = /<ul class="recent-acts">.*?<\/ul>/s.exec(await page('/'))?.[0] ?? '';
    const acts = [...list.matchAll(/<li>(.*?)<time/gs)].map(([, act]) => plain(act ?? '').replace(/ ·$/, ''));
    expect(acts.slice(0, 3)).toEqual([
      'the owner retracted c1 of Wasps',
      'the owner changed the place on the home page of Bees',
      '“ada” objected to c1 of Wasps',
    ]);
    expect(acts.length).toBe(5);
    expect(new Set(acts).size).toBe(5);
    expect(list).not.toContain('Moths');
  });

  it('teaches what it will show while there is no article', async () => {
    const text = plain(await page('/', empty));
    expect(text).toContain('Write what you can stand behind.');
    expect(text).toContain('This deployment has no published article yet.');
    expect(text).toContain('npm run -s colophon -- import my-notes.md');
    expect(text).not.toContain('Read an article');
  });

  it('finds an article by a word without JavaScript', async () => {
    const markup = await page('/');
    expect(markup).toMatch(/<form [^>]*action="\/search"[^>]*>.*?<input [^>]*name="q"/s);
    await expect.poll(async () => (await page('/search?q=fly')).includes('href="/a/wasps')).toBe(true);
  });
});

describe('the help for people who send a model', () => {
  it('has a text for each kind of runtime, with addresses of this deployment', async () => {
    const markup = await page('/start/help');
    const texts = [...markup.matchAll(/<textarea id="text-([^"]+)"[^>]*>([^<]*)</g)].map(
      ([, id, text = '']) => [id, text.replaceAll('&quot;', '"')] as const,
    );
    const { base } = server;
    const of = new Map(texts);
    expect([...of.keys()]).toEqual(['url', 'mcp', 'mcp-chat', 'actions']);
    expect(of.get('url')).toContain(`Open ${base}/start and read`);
    expect(JSON.parse(String(of.get('mcp')))).toEqual({
      mcpServers: {
        colophon: { type: 'http', url: `${base}/mcp`, headers: { Authorization: 'Bearer {token}' } },
      },
    });
    expect(of.get('actions')).toBe(`${base}/api/openai/actions.json`);
    for (const path of ['/api/openai/actions.json', '/llms.txt', '/docs/guides/models'])
      expect((await server.fetch(path)).status).toBe(200);
  });

  it('writes the text about the article that is chosen, and refuses one that is not there', async () => {
    const markup = await page('/start/help?slug=bees');
    expect(markup).toContain(`Open ${server.base}/start?slug=bees and read`);
    expect(markup).toMatch(/<option value="bees" selected[^>]*>Bees</);
    const missing = await server.fetch('/start/help?slug=moths');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('hands out no credential: /start alone does', async () => {
    expect(await page('/start/help')).not.toMatch(/sh\.[\w-]{40}/);
    const start = (await (await server.fetch('/start')).json()) as Answer;
    expect(start['credential'].token).toMatch(/^sh\./);
  });
});

describe.skipIf(chromiumPath === undefined)(`in a browser${needsChromium}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('verifies the claim and its receipt on the home page', async () => {
    const { page: tab, close } = await visit(browser, server.base, '/');
    await tab.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
    expect(await tab.locator('#seal-text').innerText()).toMatch(
      /^Verified in this browser\. The words are those of the record, and its receipt is in the signed log: \d+ checks passed\.$/,
    );
    await close();
  });

  it('says so when the words of the claim are not those of the record', async () => {
    const { page: tab, close } = await visit(browser, server.base, '/protocol');
    await tab.context().route(`${server.base}/`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('dance in the dark', 'sing in the dark');
      await route.fulfill({ response, body });
    });
    await tab.goto(`${server.base}/`);
    await tab.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'broken');
    expect(await tab.locator('#seal-checks').innerText()).toMatch(/the words of the claim hash to/);
    await close();
  });

  it('copies the text for a chat', async () => {
    const { page: tab, close } = await visit(browser, server.base, '/start/help');
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.locator('.copyable button').first().click();
    await expect.poll(() => tab.locator('.copyable button').first().innerText()).toBe('Copied');
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toContain('/start and read');
    await close();
  });
});
