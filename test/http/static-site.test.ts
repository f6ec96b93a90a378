/** The static site (contract §0): what its files contain and lead to, and that nothing hidden is in them. */
import { expect, it, beforeAll, describe } from 'vitest';
import { siteOf } from '../../src/doors/web/site.ts';
import { staticSite } from '../../src/doors/web/static/static-site.ts';
import { verifyBundle } from '../../verify/index.ts';
import { onBothStores } from '../support/both-stores.ts';
import { terminalKey, type TestServer } from '../support/server.ts';
import { hidden, readSite, seedStaticSite } from '../support/static-site.ts';

type Files = ReadonlyMap<string, Buffer>;

const text = (files: Files, file: string): string => files.get(file)?.toString('utf8') ?? '';

/** Where the links of a page lead, as they stand in it. */
function linksOf(html: string): readonly string[] {
  return Array.from(
    html.matchAll(/<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g),
    ([, link = '']) => link.replaceAll('&amp;', '&'),
  );
}

/** Links into the site that lead to no file, or on the same page to no id. */
function deadLinks(files: Files): readonly string[] {
  const dead: string[] = [];
  for (const [file, bytes] of files) {
    if (!file.endsWith('.html')) continue;
    const html = bytes.toString('utf8');
    for (const link of linksOf(html)) {
      const url = new URL(link, `https://site.invalid/${file}`);
      if (url.host !== 'site.invalid') continue;
      const path = decodeURIComponent(url.pathname.slice(1));
      const id = decodeURIComponent(url.hash.slice(1));
      if (link.startsWith('/') || !files.has(path)) dead.push(`${file}: ${link}`);
      else if (id !== '' && path.endsWith('.html') && !text(files, path).includes(` id="${id}"`))
        dead.push(`${file}: ${link} has no place there`);
    }
  }
  return dead;
}

onBothStores('the static site', (server: () => TestServer) => {
  let files: Files;
  let image: string;
  let last: object;
  beforeAll(async () => {
    ({ image } = await seedStaticSite(server()));
    ({ files, last } = await readSite(server()));
  });

  it('has the files of each published article, the lists, the search and the image', () => {
    expect(last).toMatchObject({ summary: { articles: 2, tags: 2, series: 1, images: 1 } });
    const names = [...files.keys()].map((file) => file.replace(/^assets\/[\w-]{16}\//, 'assets/'));
    expect(names.filter((file) => !file.startsWith('search/')).sort()).toEqual([
      ...['on-bees', 'on-wasps'].flatMap((slug) =>
        ['bib', 'bundle.js', 'bundle.json', 'csl.json', 'history.html', 'html', 'md'].map(
          (end) => `a/${slug}.${end}`,
        ),
      ),
      'assets/mark.svg',
      'assets/reading.js',
      'assets/site.css',
      'assets/verify.js',
      `blobs/${image}.png`,
      'checkpoint.txt',
      'colophon-site.json',
      'index.html',
      'log-key.txt',
      'search.html',
      'series.html',
      'series/_49nsects.html',
      'tags.html',
      'tags/_42ees_20_26_20co.html',
      'tags/nature.html',
      'verify.html',
    ]);
  });

  it('has no dead link, and none to another host but those that authors wrote', () => {
    expect(deadLinks(files)).toEqual([]);
    const foreign = [...files].flatMap(([file, bytes]) =>
      file.endsWith('.html') ? linksOf(bytes.toString('utf8')).filter((link) => /^[a-z]+:/.test(link)) : [],
    );
    expect([...new Set(foreign)].sort()).toEqual([
      'https://example.org/bees?a=1&b=2',
      'https://example.org/sun',
    ]);
  });

  it('links articles, claims and images by their files, and leaves drafts without a link', () => {
    const page = text(files, 'a/on-bees.html');
    expect(page).toContain('<a href="on-wasps.html" rel="nofollow ugc noopener">another article</a>');
    expect(page).toContain('<a href="#c1" rel="nofollow ugc noopener">a claim</a>');
    expect(page).toContain('<a>a draft</a>');
    expect(page).toContain(`src="../blobs/${image}.png"`);
    expect(page).toContain('<math');
    expect(page).toContain('<span class="hljs-keyword">const</span>');
  });

  it('has no form, loads scripts by a strict policy, and executes no text', () => {
    for (const [file, bytes] of files) {
      if (!file.endsWith('.html')) continue;
      const html = bytes.toString('utf8');
      expect([file, /<form|<iframe|type="module"|\son\w+=|javascript:/.exec(html)?.[0]]).toEqual([
        file,
        undefined,
      ]);
      expect([file, html.includes(`content="default-src 'none'; script-src 'self' file:;`)]).toEqual([
        file,
        true,
      ]);
      expect([file, (html.match(/<script/g) ?? []).length]).toEqual([file, 1]);
    }
  });

  it.each(Object.entries(hidden))('contains nothing of a %s', (_, word) => {
    const found = [...files].filter(
      ([, bytes]) => bytes.includes(word) || bytes.includes(word.split('-')[1] + '-quagga'),
    );
    expect(found.map(([file]) => file)).toEqual([]);
    expect([...files.values()].some((bytes) => bytes.includes('quagga'))).toBe(false);
  });

  it('has a bundle of each article that verifies against the key of the site, in both of its forms', async () => {
    const key = text(files, 'log-key.txt');
    for (const slug of ['on-bees', 'on-wasps']) {
      const bundle = text(files, `a/${slug}.bundle.json`);
      const { ok, checks } = await verifyBundle(bundle, key);
      expect(checks.filter((check) => !check.ok)).toEqual([]);
      expect(ok).toBe(true);
      expect(checks.map(({ id }) => id)).toContain('inclusion');
      expect(text(files, `a/${slug}.bundle.js`)).toBe(
        `colophonBundle(${JSON.stringify(bundle.trimEnd())});\n`,
      );
    }
  });

  it('is the same, byte for byte, when it is made again', async () => {
    const again = (await readSite(server())).files;
    expect([...again.keys()]).toEqual([...files.keys()]);
    expect(
      [...again].filter(([file, bytes]) => files.get(file)?.equals(bytes) !== true).map(([file]) => file),
    ).toEqual([]);
  });

  it('has the text as it was written, the revisions and the discussion', () => {
    expect(text(files, 'a/on-wasps.md')).toBe('# On wasps\n\nWasps build with paper.\n');
    expect(text(files, 'a/on-wasps.history.html')).toContain('History of');
    const page = text(files, 'a/on-bees.html');
    for (const words of ['Which bees?', 'At what time of day?', 'The evidence is stronger.'])
      expect(page).toContain(words);
    expect(page).not.toContain('/discuss');
    expect(page).not.toContain('/owner');
  });

  it('is given to the owner alone', async () => {
    const share = await server().owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: 'row|MIRROR_APPEND|600|3|A test.|low|0',
    });
    for (const headers of [{}, { authorization: `Bearer ${String(share['share'])}` }])
      expect(
        (await server().fetch('/api/static-site', { headers: headers as Record<string, string> })).status,
      ).toBe(403);
  });

  it.each(['ftp://example.org', 'example.org', 'https://example.org/?a=1', 'https://a:b@example.org'])(
    'takes no address %s',
    async (address) => {
      const response = await server().fetch(`/api/static-site?address=${encodeURIComponent(address)}`, {
        headers: { 'x-terminal-key': terminalKey },
      });
      expect(response.status).toBe(400);
    },
  );

  it('has a feed and a site map with absolute addresses where it knows its own', async () => {
    const published = (await readSite(server(), '?address=https%3A%2F%2Fpress.example%2Fcopy%2F')).files;
    expect(text(published, 'feed.xml')).toContain('href="https://press.example/copy/a/on-bees.html"');
    expect(text(published, 'sitemap.xml')).toContain('<loc>https://press.example/copy/a/on-wasps.html</loc>');
    expect(text(published, 'a/on-bees.html')).toContain('href="../feed.xml"');
    expect(deadLinks(published)).toEqual([]);
  });

  it.each([
    [
      'something is scrubbed',
      () => server().owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret: 'Wasps build with' } }),
      'Something was scrubbed while the site was written. Export again.',
    ],
    [
      'an article is withdrawn',
      () =>
        server().owner('/api/protocol/article', { slug: 'on-bees', expected_version: 3, status: 'archived' }),
      'The article on-bees was withdrawn while the site was written. Export again.',
    ],
  ])('is not finished where %s meanwhile', async (_, act, why) => {
    const parts = staticSite(siteOf(server().deployment.service), { address: undefined });
    const written = async (): Promise<void> => {
      for await (const part of parts) if ('file' in part && part.file === 'a/on-wasps.csl.json') await act();
    };
    await expect(written()).rejects.toThrow(why);
  });
});

onBothStores(
  'a static site of a public deployment',
  (server: () => TestServer) => {
    describe('links', () => {
      it('to what it does not have lead to the deployment', async () => {
        await seedStaticSite(server());
        const { files } = await readSite(server());
        const page = text(files, 'a/on-bees.html');
        expect(page).toContain(
          '<a href="https://press.example/colophon/a/on-bees/discuss" rel="nofollow">Answer on the live site</a>',
        );
        expect(page).toContain('<a href="on-wasps.html" rel="nofollow ugc noopener">another article</a>');
        expect(page).toMatch(/<a href="https:\/\/press\.example\/colophon\/receipt\/inv_/);
        expect(text(files, 'verify.html')).toContain(
          'href="https://press.example/colophon/.well-known/colophon-key"',
        );
        expect(deadLinks(files)).toEqual([]);
      });
    });
  },
  { COLOPHON_BASE_URL: 'https://press.example/colophon' },
);
