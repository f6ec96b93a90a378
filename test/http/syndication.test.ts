import { Parser } from 'htmlparser2';
import { expect, it } from 'vitest';
import { sitemapPart, wholeSitemap } from '../../src/app/reads/syndication.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { TestServer } from '../support/server.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML strictly enough for what stands here: one root, everything closed, references resolved. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element: Element = { name, attributes, children: [], text: '' };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        (open.at(-1) as Element).text += text;
      },
      onclosetag(name, implied) {
        expect({ closed: name, implied: implied && !/^(?:link|category)$/.test(name) }).toEqual({
          closed: open.pop()?.name,
          implied: false,
        });
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  expect(root.children).toHaveLength(1);
  return root.children[0] as Element;
}

const all = (element: Element, name: string): Element[] =>
  element.children.filter((each) => each.name === name);
const one = (element: Element, name: string): string => all(element, name)[0]?.text ?? '';
const linkOf = (element: Element, rel: string, type?: string): string | undefined =>
  all(element, 'link').find(
    ({ attributes }) => attributes['rel'] === rel && (type ?? attributes['type']) === attributes['type'],
  )?.attributes['href'];

async function xmlAt(server: TestServer, address: string): Promise<Element> {
  const response = await server.fetch(address.replace(server.base, ''));
  expect(`${response.status} ${address}`).toBe(`200 ${address}`);
  return parseXml(await response.text());
}

const hostile = 'Tom & <script>alert("1")</script> ]]> \u{1F642}';

onBothStores('the Atom feed', (server) => {
  it('is valid and has no entries while nothing is published', async () => {
    const feed = await xmlAt(server(), '/feed.xml');
    expect(feed.attributes['xmlns']).toBe('http://www.w3.org/2005/Atom');
    expect(all(feed, 'entry')).toEqual([]);
    expect([one(feed, 'title'), one(feed, 'updated')]).toEqual([
      'Colophon: what changed last',
      '1970-01-01T00:00:00.000Z',
    ]);
    expect(one(all(feed, 'author')[0] as Element, 'name')).toBe('Colophon');
  });

  it('lists published articles by last change, each with a summary and its addresses', async () => {
    const { base } = server();
    await server().article('# First\n\nIt opens so.\n', { slug: 'first', tags: ['proof & more'] });
    await server().article('# Second\n\nTwo.\n', { slug: 'second' });
    await server().article('# Hidden\n\nNobody sees it.\n', { slug: 'hidden', status: 'draft' });
    await server().owner('/api/protocol/claim', {
      slug: 'first',
      text: 'A log of three entries has one root.',
      tier: 'system',
      who_claims: 'RFC 6962',
      rationale: 'A test.',
      why_material: 'It is one.',
    });
    const feed = await xmlAt(server(), '/feed.xml');
    const entries = all(feed, 'entry');
    expect(entries.map((entry) => one(entry, 'title'))).toEqual(['First', 'Second']);
    const [first, second] = entries as [Element, Element];
    expect(one(first, 'id')).toMatch(/^tag:127\.0\.0\.1,\d{4}-\d\d-\d\d:art_[a-z2-7]+$/);
    expect(linkOf(first, 'alternate', 'text/html')).toBe(`${base}/a/first`);
    expect(linkOf(first, 'alternate', 'application/json')).toBe(`${base}/api/articles/first`);
    expect(one(first, 'summary')).toBe('A log of three entries has one root.');
    expect(one(second, 'summary')).toBe('Two.');
    expect(all(first, 'category').map(({ attributes }) => attributes['term'])).toEqual(['proof & more']);
    const { created_at: created, updated_at: updated } = await server().read('/api/articles/first');
    expect([one(first, 'published'), one(first, 'updated')]).toEqual([created, updated]);
    expect(one(feed, 'updated')).toBe(updated);
    expect([linkOf(feed, 'self'), one(feed, 'id')]).toEqual([`${base}/feed.xml`, `${base}/feed.xml`]);
  });

  it('keeps the id of an edited article, and drops an article that is no longer published', async () => {
    const before = await xmlAt(server(), '/feed.xml');
    const second = all(before, 'entry').find((entry) => one(entry, 'title') === 'Second') as Element;
    await server().owner('/api/protocol/article', { slug: 'second', expected_version: 1, title: 'Renamed' });
    const [renamed] = all(await xmlAt(server(), '/feed.xml'), 'entry') as [Element];
    expect(one(renamed, 'title')).toBe('Renamed');
    expect(one(renamed, 'id')).toBe(one(second, 'id'));
    await server().owner('/api/protocol/article', {
      slug: 'second',
      expected_version: 2,
      status: 'archived',
    });
    const after = await xmlAt(server(), '/feed.xml');
    expect(all(after, 'entry').map((entry) => one(entry, 'title'))).toEqual(['First']);
  });

  it('escapes hostile titles, and omits characters that XML forbids', async () => {
    await server().article('Opens \u000b so.\n', { slug: 'hostile', title: hostile });
    const response = await server().fetch('/feed.xml');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const xml = await response.text();
    expect(xml).not.toContain('<script>');
    expect(xml).not.toContain('\u000b');
    const [entry] = all(parseXml(xml), 'entry') as [Element];
    expect(one(entry, 'title')).toBe(hostile);
    expect(one(entry, 'summary')).toBe('Opens so.');
    expect(entry.children.map(({ name }) => name)).toEqual([
      'id',
      'title',
      'published',
      'updated',
      'link',
      'link',
      'summary',
    ]);
  });

  it('is paginated, and contains every article once', async () => {
    for (let n = 0; n < 60; n++) await server().article(`# Number ${n}\n\nText.\n`, { slug: `number-${n}` });
    const titles: string[] = [];
    let pages = 0;
    for (let at: string | undefined = `${server().base}/feed.xml`; at !== undefined; pages++) {
      const feed = await xmlAt(server(), at);
      expect([linkOf(feed, 'self'), linkOf(feed, 'first')]).toEqual([at, `${server().base}/feed.xml`]);
      titles.push(...all(feed, 'entry').map((entry) => one(entry, 'title')));
      at = linkOf(feed, 'next');
    }
    expect(pages).toBe(2);
    expect(titles.slice(0, 2)).toEqual(['Number 59', 'Number 58']);
    expect(new Set(titles).size).toBe(62);
    expect(titles).toHaveLength(62);
  });

  it('is revalidated by its ETag, which changes with its content', async () => {
    const first = await server().fetch('/feed.xml');
    const etag = first.headers.get('etag') as string;
    expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
    expect((await server().fetch('/feed.xml', { headers: { 'if-none-match': etag } })).status).toBe(304);
    await server().article('# Newest\n\nText.\n', { slug: 'newest' });
    const moved = await server().fetch('/feed.xml', { headers: { 'if-none-match': etag } });
    expect(moved.status).toBe(200);
  });

  it('exists for an open workspace; for a closed workspace it is not found', async () => {
    await server().owner('/api/workspace', { name: 'survey', title: 'Survey', status: 'open' });
    await server().owner('/api/workspace', { name: 'vault', title: 'Vault', status: 'closed' });
    await server().owner('/api/protocol/voxel-batch?workspace=survey', {
      document: { slug: 'survey--notes', markdown: '# Notes\n\nText.\n' },
    });
    const feed = await xmlAt(server(), '/feed.xml?workspace=survey');
    expect(all(feed, 'entry').map((entry) => one(entry, 'title'))).toEqual(['Notes']);
    expect(linkOf(feed, 'alternate')).toBe(`${server().base}/workspace/survey`);
    expect(linkOf(feed, 'self')).toBe(`${server().base}/feed.xml?workspace=survey`);
    const closed = await server().fetch('/feed.xml?workspace=vault');
    const absent = await server().fetch('/feed.xml?workspace=nowhere');
    expect([closed.status, absent.status]).toEqual([404, 404]);
    const main = await xmlAt(server(), '/feed.xml');
    expect(all(main, 'entry').map((entry) => one(entry, 'title'))).not.toContain('Notes');
  });

  it.each(['?cursor=x', '?limit=5', '?cursor=2026-01-01', '?workspace=survey&workspace=main'])(
    'rejects the query %s',
    async (query) => {
      expect((await server().fetch(`/feed.xml${query}`)).status).toBe(400);
    },
  );

  it('is linked from every page', async () => {
    for (const path of ['/', '/a/first', '/docs', '/nowhere'])
      expect(await (await server().fetch(path)).text()).toContain(
        '<link rel="alternate" type="application/atom+xml" href="/feed.xml" title="What changed last"/>',
      );
  });
});

onBothStores('the sitemap', (server) => {
  const pagesOf = (map: Element): string[] => all(map, 'url').map((url) => one(url, 'loc'));

  it('lists the pages of published articles, and robots.txt links to it', async () => {
    const { base } = server();
    for (const slug of ['delta', 'alpha', 'echo', 'charlie', 'bravo'])
      await server().article(`# ${slug}\n\nText.\n`, {
        slug,
        ...(slug === 'bravo' ? { tags: ['A & B'] } : {}),
      });
    await server().owner('/api/protocol/article', {
      slug: 'alpha',
      expected_version: 1,
      traversal: { series: 'One, two', position: 1, of: 2 },
    });
    await server().article('# Hidden\n\nText.\n', { slug: 'hidden', status: 'draft', tags: ['unpublished'] });
    const map = await xmlAt(server(), '/sitemap.xml');
    expect(map.name).toBe('urlset');
    expect(map.attributes['xmlns']).toBe('http://www.sitemaps.org/schemas/sitemap/0.9');
    expect(pagesOf(map)).toEqual([
      ...['/', '/recent', '/tags', '/series', '/start/help', '/docs', '/protocol', '/directory'].map(
        (path) => base + path,
      ),
      `${base}/log`,
      `${base}/verify`,
      `${base}/tags/A%20%26%20B`,
      `${base}/series/One%2C%20two`,
      ...['alpha', 'bravo', 'charlie', 'delta', 'echo'].map((slug) => `${base}/a/${slug}`),
    ]);
    const { updated_at: updated } = await server().read('/api/articles/alpha');
    const changed = Object.fromEntries(
      all(map, 'url').map((url) => [one(url, 'loc').replace(base, ''), one(url, 'lastmod')]),
    );
    expect(changed).toMatchObject({
      '/': expect.stringMatching(/^\d{4}-/),
      '/docs': '',
      '/series/One%2C%20two': updated,
      '/a/alpha': updated,
    });
    for (const page of pagesOf(map)) {
      const response = await server().fetch(page.replace(base, ''));
      const text = await response.text();
      expect([page, response.status, text.includes('content="noindex"')]).toEqual([page, 200, false]);
    }
    const robots = await (await server().fetch('/robots.txt')).text();
    expect(robots).toBe(
      [
        'User-agent: *',
        'Allow: /start/help',
        'Disallow: /start',
        'Disallow: /api/dispatch',
        'Disallow: /owner',
        'Disallow: /search?',
        'Disallow: /recent?',
        '',
        `Sitemap: ${base}/sitemap.xml`,
        '',
      ].join('\n'),
    );
  });

  it('becomes an index of parts that contain every page once', async () => {
    const { base, deployment } = server();
    const index = parseXml(await wholeSitemap(deployment.service, 2));
    expect(index.name).toBe('sitemapindex');
    expect(all(index, 'sitemap').map((each) => one(each, 'loc'))).toEqual([
      `${base}/sitemap.xml?after=_lists`,
      `${base}/sitemap.xml?after=0`,
      `${base}/sitemap.xml?after=bravo`,
      `${base}/sitemap.xml?after=delta`,
    ]);
    expect(pagesOf(await xmlAt(server(), '/sitemap.xml?after=_lists'))).toContain(`${base}/tags/A%20%26%20B`);
    const parts = await Promise.all(
      ['0', 'bravo', 'delta'].map((after) => sitemapPart(deployment.service, after, 2)),
    );
    expect(parts.flatMap((part) => pagesOf(parseXml(part)).map((page) => page.split('/').at(-1)))).toEqual([
      'alpha',
      'bravo',
      'charlie',
      'delta',
      'echo',
    ]);
    expect(pagesOf(await xmlAt(server(), '/sitemap.xml?after=charlie'))).toEqual([
      `${base}/a/delta`,
      `${base}/a/echo`,
    ]);
  });

  it('is updated after an article is published', async () => {
    await server().article('# Foxtrot\n\nText.\n', { slug: 'foxtrot' });
    await expect
      .poll(async () => pagesOf(await xmlAt(server(), '/sitemap.xml')), { timeout: 10_000 })
      .toContain(`${server().base}/a/foxtrot`);
    const first = await server().fetch('/sitemap.xml');
    const etag = first.headers.get('etag') as string;
    expect(first.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect((await server().fetch('/sitemap.xml', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it.each(['?after=A', '?after=', '?page=2', '?after=a%00'])('rejects the query %s', async (query) => {
    expect((await server().fetch(`/sitemap.xml${query}`)).status).toBe(400);
  });
});
