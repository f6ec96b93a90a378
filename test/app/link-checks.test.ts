import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkLinks, startLinkChecks, type LinkCheckOptions } from '../../src/app/background/link-checks.ts';
import { holdsQuote, linkStatusOf } from '../../src/domain/articles/link-checks.ts';
import type { FetchText } from '../../src/domain/outside/outside.ts';
import { schema } from '../../src/domain/schema.ts';
import { fault } from '../../src/kernel/fault.ts';
import { checkProjections } from '../support/check-projections.ts';
import { startPeer } from '../support/peer.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

const source = { type: 'review', title: 'A page', summary: 'It says so.' };
const dayMs = 86_400_000;

describe('a quote', () => {
  it.each([
    ['Every leaf\n   is hashed.', 'every leaf is hashed', true],
    ['He said \u201cone\u2019s own\u201d \u2013 twice.', '"one\'s own" - twice', true],
    ['zero\u00adwidth \ufb01ne\u00a0print', 'zerowidth fine print', true],
    ['Every leaf is not hashed.', 'every leaf is hashed', false],
    ['anything', '   ', false],
    ['', 'x', false],
  ])('in the page %j: %j is found: %s', (page, quote, found) => {
    expect(holdsQuote(page, quote)).toBe(found);
  });

  it.each([
    [200, 'ok'],
    [304, 'ok'],
    [404, 'missing'],
    [410, 'missing'],
    [403, 'closed'],
    [429, 'closed'],
    [500, 'failing'],
  ])('HTTP status %i counts as %s', (status, name) => {
    expect(linkStatusOf(status)).toBe(name);
  });
});

describe.each(storeEnvironments())('link checks of sources on $name', (store) => {
  let server: TestServer;
  let env: Readonly<Record<string, string>>;
  let now = Date.now();
  const asked: string[] = [];
  const fetchText: FetchText = async (url) => {
    asked.push(url);
    if (url.endsWith('/gone')) return { status: 404, finalUrl: url, text: 'Not here.' };
    if (url.endsWith('/down')) return fault('runner_failed', 'Nothing answered.', 'Try later.');
    if (url.endsWith('/moved')) return { status: 200, finalUrl: `${url}-to`, text: 'Said elsewhere.' };
    return { status: 200, finalUrl: url, text: 'Here it is said\n  word for word.' };
  };
  const options: LinkCheckOptions = { fetchText, holder: 'node_a', pauseMs: 0 };
  const round = (more: Partial<LinkCheckOptions> = {}): Promise<{ checked: number }> =>
    checkLinks(server.deployment.service, { ...options, ...more });

  beforeAll(async () => {
    await store.start();
    env = await store.env();
    server = await startServer(env, { now: () => now });
    await server.article('# Cited\n\nOne.\n', { slug: 'cited' });
    await server.article('# Kept back\n\nOne.\n', { slug: 'kept-back', status: 'draft' });
    const at = 'https://example.org';
    for (const slug of ['cited', 'kept-back'])
      await server.owner('/api/protocol/sources', {
        slug,
        sources: [
          { ...source, url: `${at}/here`, quote: 'It is said word for word' },
          { ...source, url: `${at}/gone`, quote: 'Nothing' },
          { ...source, url: `${at}/down`, quote: 'Nothing' },
          { ...source, url: `${at}/moved`, quote: 'Said here' },
        ],
      });
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await store.stop();
  });

  const links = async (): Promise<unknown[]> =>
    ((await server.read('/api/articles/cited/sources'))['sources'] as Answer[]).map(
      ({ link }) => link as unknown,
    );

  it('show nothing before the first round', async () => {
    expect(await links()).toEqual([null, null, null, null]);
    const { checks } = await server.read('/api/articles/cited/health');
    expect((checks as Answer[]).map(({ id }) => String(id))).not.toContain('links');
  });

  it('record the status of sources of published articles without a revision', async () => {
    const before = await server.read('/api/articles/cited');
    now += 1000;
    expect((await round()).checked).toBe(4);
    expect(asked).toHaveLength(4);
    expect(await links()).toMatchObject([
      { link_status: 'ok', http_status: 200, final_url: null, quote_found: true },
      { link_status: 'missing', http_status: 404, quote_found: null },
      { link_status: 'unreachable', http_status: null, quote_found: null },
      { link_status: 'ok', final_url: 'https://example.org/moved-to', quote_found: false },
    ]);
    const after = await server.read('/api/articles/cited');
    for (const name of ['version', 'updated_at', 'content_hash', 'claims'])
      expect([name, after[name]]).toEqual([name, before[name]]);
    expect((after['energy'] as Answer)['passes']).toBe((before['energy'] as Answer)['passes']);
    const { provenance, verification } = await server.read('/api/articles/cited/provenance');
    expect(verification).toMatchObject({ valid: true });
    expect((provenance as Answer[]).at(-1)).toMatchObject({
      action: 'link_check',
      actor: 'system',
      rev: null,
      receipt: null,
      change: { of: ['s1', 's2', 's3', 's4'] },
    });
    const { checks } = await server.read('/api/articles/cited/health');
    expect((checks as Answer[]).find(({ id }) => id === 'links')).toMatchObject({
      ok: false,
      detail: 'No page: s2, s3. Quote not found: s4.',
    });
  });

  it('are told on the page of each source', async () => {
    const told = async (id: string): Promise<string> => {
      const html = await (await server.fetch(`/a/cited/${id}`)).text();
      return (/still stand there<\/h2><p>(.*?)<\/p>/s.exec(html)?.[1] ?? '')
        .replace(/<[^>]+>/g, '')
        .replace(/, \d[^.]*\./, '.')
        .replace(/\s+/g, ' ')
        .trim();
    };
    const copies = 'Copies of it may be in the Internet Archive.';
    expect([await told('s1'), await told('s2'), await told('s3'), await told('s4')]).toEqual([
      `The page answered and held the exact words. ${copies}`,
      `The page was gone. ${copies}`,
      `The server of the page could not be reached. ${copies}`,
      `The page answered, and the exact words were not found on it. ${copies}`,
    ]);
  });

  it('skip a source that was checked within the week, and check it again afterwards', async () => {
    asked.length = 0;
    now += 6 * dayMs;
    expect((await round()).checked).toBe(0);
    expect(asked).toEqual([]);
    now += dayMs;
    expect((await round()).checked).toBe(4);
    const history = await server.read(`/api/articles/cited?at=${new Date(now).toISOString()}`);
    expect(history['version']).toBe(2);
  });

  it('run on one node: another finds the lease taken until it expires', async () => {
    now += 8 * dayMs;
    const failing = round({ fetchText: () => Promise.reject(new Error('the node died')) });
    await expect(failing).rejects.toThrow('the node died');
    asked.length = 0;
    expect((await round({ holder: 'node_b' })).checked).toBe(0);
    expect(asked).toEqual([]);
    now += 11 * 60_000;
    expect((await round({ holder: 'node_b' })).checked).toBe(4);
  });

  it.runIf(store.name === 'postgres')('run once when two processes start at the same time', async () => {
    const second = await startServer(env, { now: () => now });
    try {
      now += 8 * dayMs;
      asked.length = 0;
      const [a, b] = await Promise.all([
        round({ holder: 'node_c' }),
        checkLinks(second.deployment.service, { ...options, holder: 'node_d' }),
      ]);
      expect([a.checked, b.checked].toSorted((x, y) => x - y)).toEqual([0, 4]);
      expect(asked).toHaveLength(4);
    } finally {
      await second.stop();
    }
  });

  it('start soon after a restart, unless the last round is too recent', async () => {
    const { service } = server.deployment;
    const troubles: unknown[] = [];
    const everyMs = 15 * 60_000;
    const begin = (): { stop(): Promise<void> } =>
      startLinkChecks(service, { ...options, firstAfterMs: 20 }, everyMs, (error) => troubles.push(error));
    // Long after the last round, and all sources are due.
    now += 8 * dayMs;
    asked.length = 0;
    let checks = begin();
    await expect.poll(() => asked.length).toBe(4);
    await checks.stop();
    const url = 'https://example.org/new';
    await server.owner('/api/protocol/sources', {
      slug: 'cited',
      sources: [{ ...source, url, quote: 'New' }],
    });
    now += everyMs - 60_000;
    checks = begin();
    await new Promise((later) => setTimeout(later, 400));
    await checks.stop();
    expect(asked).toHaveLength(4);
    now += 60_000;
    checks = begin();
    await expect.poll(() => asked.slice(4)).toEqual([url]);
    await checks.stop();
    expect(troubles).toEqual([]);
  });

  it('rebuild identically from the ledger, row by row', async () => {
    const { read } = server.deployment.service.store;
    await vi.waitFor(async () => expect((await checkProjections(read, schema)).differences).toEqual([]), {
      timeout: 8000,
      interval: 200,
    });
  });
});

it('use the guarded fetcher: blocked addresses are unreachable, unreadable pages have a status', async () => {
  const peer = await startPeer((request, response) => {
    if (request.url === '/away') return response.writeHead(302, { location: 'http://169.254.1.1/x' }).end();
    if (request.url === '/untyped') return response.writeHead(404).end('Gone.');
    if (request.url === '/picture') return response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>It is <b>said</b> here.</p>');
  });
  const results: unknown[] = [];
  for (const allow of ['', '127.0.0.1/32']) {
    const server = await startServer({ COLOPHON_EGRESS_ALLOW: allow });
    try {
      await server.article('# Cited\n\nOne.\n', { slug: 'cited' });
      await server.owner('/api/protocol/sources', {
        slug: 'cited',
        sources: [
          { ...source, url: `${peer.base}/page`, quote: 'It is said here.' },
          { ...source, url: `${peer.base}/away`, quote: 'Away.' },
          { ...source, url: `${peer.base}/untyped`, quote: 'Gone.' },
          { ...source, url: `${peer.base}/picture`, quote: 'A picture.' },
        ],
      });
      const { service } = server.deployment;
      await checkLinks(service, { fetchText: service.outside.fetchText, holder: 'node_a', pauseMs: 0 });
      const { sources } = await server.read('/api/articles/cited/sources');
      results.push(
        (sources as Answer[]).map(({ link }) => [
          (link as Answer)['link_status'],
          (link as Answer)['http_status'],
          (link as Answer)['quote_found'],
        ]),
      );
    } finally {
      await server.stop();
    }
  }
  await peer.stop();
  const nobody = ['unreachable', null, null];
  expect(results).toEqual([
    [nobody, nobody, nobody, nobody],
    [['ok', 200, true], nobody, ['missing', 404, null], ['ok', 200, null]],
  ]);
});

it('are off by default, and an invalid setting stops the start', async () => {
  const { readConfig } = await import('../../src/config.ts');
  expect(readConfig({}).linkCheck).toBe(false);
  expect(readConfig({ COLOPHON_LINK_CHECK: 'on' }).linkCheck).toBe(true);
  expect(() => readConfig({ COLOPHON_LINK_CHECK: 'yes' })).toThrow(
    'COLOPHON_LINK_CHECK is "yes"; it accepts on, off.',
  );
});
