/** Reads for pages of other origins, OPTIONS, HEAD, 304 and a slash too many, over every route (contract §2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terminalKey, startServer, type TestServer } from '../support/server.ts';
import type { HttpAnswer } from './client.ts';
import { routesOf, type Route } from './routes.ts';

let server: TestServer;
let routes: readonly Route[];
let share: string;

beforeAll(async () => {
  server = await startServer({ COLOPHON_RATE_LIMIT: 'off' });
  await server.article('# Open\n\nText.\n', { slug: 'open' });
  // The catch-all stands for the paths of the log.
  routes = (await routesOf(server.deployment.http())).filter(({ path }) => path !== '/*');
  const minted = await server.owner('/api/dispatch', { key: 'CAP_MINT', body: 'act||600|9|tests' });
  share = String(minted['share']);
});
afterAll(async () => {
  await server.stop();
});

const filled = (path: string): string =>
  path
    .replace(':slug', 'open')
    .replace(':part', 'claims')
    .replace(':name', 'main')
    .replace(':key', 'MIRROR_FEED')
    .replaceAll(/:\w+|\*/g, 'x');
async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const init = {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    redirect: 'manual',
  } as const;
  const response = await fetch(`${server.base}${path}`, init);
  const isStream = String(response.headers.get('content-type')).startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const body = isStream ? '' : await response.text();
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}
const origin = ({ headers }: HttpAnswer): unknown => headers['access-control-allow-origin'];
const minting = /^\/(?:start|api\/workspace\/[^/]+\/enter|metrics)$/;
const isStream = (path: string): boolean => path === '/api/events';

describe('every route', () => {
  it('answers other origins on GET and HEAD without a credential, unless it mints, and never with one', async () => {
    const wrong: string[] = [];
    for (const { method, path } of routes) {
      const url = filled(path);
      const open = method === 'GET' && !minting.test(url) ? '*' : undefined;
      const say = (what: string, answer: HttpAnswer, expected: unknown): void => {
        if (origin(answer) !== expected) wrong.push(`${what} ${method} ${url}: ${String(origin(answer))}`);
      };
      say('bare', await ask(method, url), open);
      if (method !== 'GET') continue;
      say('HEAD', await ask('HEAD', url), open);
      say('cookie', await ask('GET', url, { cookie: 'a=b' }), undefined);
      say('bearer', await ask('GET', url, { authorization: `Bearer ${share}` }), undefined);
      say('basic', await ask('GET', url, { authorization: 'Basic YTpi' }), undefined);
      say('owner', await ask('GET', url, { 'x-terminal-key': terminalKey }), undefined);
      say('share', await ask('GET', `${url}?share=${share}`), undefined);
    }
    expect(wrong).toEqual([]);
    expect(routes.length).toBeGreaterThan(90);
  }, 120_000);

  it('answers OPTIONS with 204 and its methods, and preflights of open reads alone', async () => {
    const wrong: string[] = [];
    for (const { method, path } of routes) {
      const url = filled(path);
      const answer = await ask('OPTIONS', url);
      const allow = String(answer.headers['allow']).split(', ');
      if (answer.status !== 204 || !allow.includes(method) || !allow.includes('OPTIONS'))
        wrong.push(`${answer.status} ${method} ${url}: ${allow.join(' ')}`);
      if (origin(answer) !== undefined) wrong.push(`${url} answers no preflight with an origin`);
      const preflight = await ask('OPTIONS', url, {
        origin: 'https://elsewhere.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'if-none-match',
      });
      const isOpen = method === 'GET' && !minting.test(url);
      if ((origin(preflight) === '*') !== isOpen) wrong.push(`preflight ${method} ${url}`);
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('answers no preflight of an address that would mint or invoke, or that takes no GET', async () => {
    const preflight = async (path: string, method: string): Promise<unknown> =>
      origin(await ask('OPTIONS', path, { 'access-control-request-method': method }));
    const refused = [
      '/api/dispatch?invoke=MIRROR_FEED&body=open',
      '/api/dispatch?self_scope=1',
      '/api/build-landscape?next=1&lane=field',
      '/start',
      '/mcp',
    ];
    for (const path of refused)
      for (const method of ['GET', 'HEAD'])
        expect([path, method, await preflight(path, method)]).toEqual([path, method, undefined]);
    for (const path of ['/api/dispatch?key=MIRROR_FEED', '/api/build-landscape'])
      expect([path, await preflight(path, 'GET')]).toEqual([path, '*']);
  });

  it('redirects a slash too many on GET and HEAD to the address without it', async () => {
    const wrong: string[] = [];
    for (const { method, path } of routes) {
      if (method !== 'GET' || path === '/' || path.endsWith('*')) continue;
      const url = filled(path);
      for (const each of ['GET', 'HEAD']) {
        const answer = await ask(each, `${url}/?soft=1&a=%2F`);
        if (
          answer.status !== 308 ||
          answer.headers['location'] !== `${server.deployment.service.base}${url}?soft=1&a=%2F`
        )
          wrong.push(`${each} ${url}: ${answer.status} ${String(answer.headers['location'])}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('keeps a redirect with a credential out of caches', async () => {
    for (const [path, headers] of [
      [`/api/articles/?share=${share}`, {}],
      ['/api/articles/', { authorization: `Bearer ${share}` }],
      ['/api/articles/', { 'x-terminal-key': terminalKey }],
    ] as const) {
      const answer = await ask('GET', path, headers);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([
        path,
        308,
        'private, no-store',
      ]);
    }
  });

  it('answers HEAD with the headers of GET, and with 304 to its ETag where caches may keep it', async () => {
    const wrong: string[] = [];
    for (const { method, path } of routes) {
      const url = filled(path);
      if (method !== 'GET' || minting.test(url) || isStream(url)) continue;
      const [get, head] = [await ask('GET', url), await ask('HEAD', url)];
      if (head.status === 405 && get.status !== 405) {
        if (!['/api/keys', '/api/static-site'].includes(url)) wrong.push(`HEAD ${url} is not allowed`);
        continue;
      }
      const { date: _a, ...of } = get.headers;
      const { date: _b, ...ofHead } = head.headers;
      for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'vary', 'location'])
        if (of[name] !== ofHead[name])
          wrong.push(`${name} of ${url}: ${String(of[name])} and ${String(ofHead[name])}`);
      if (head.status !== get.status || head.body !== '') wrong.push(`HEAD ${url}: ${head.status}`);
      if (get.status !== 200 || !String(of['cache-control']).includes('public')) continue;
      if (of['etag'] === undefined) {
        wrong.push(`${url} is public and has no ETag`);
        continue;
      }
      for (const each of ['GET', 'HEAD']) {
        const again = await ask(each, url, { 'if-none-match': String(of['etag']) });
        if (again.status !== 304 || again.body !== '' || origin(again) !== '*')
          wrong.push(`${each} ${url} again: ${again.status} ${String(origin(again))}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('answers GET with 405 and Allow where it takes other methods alone', async () => {
    const gets = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
    // Parts of an article, which one route reads.
    const read = new Set(['/api/articles/:slug/mirror', '/api/articles/:slug/objections']);
    const others = routes.filter(
      ({ method, path }) => method === 'POST' && !gets.has(path) && !read.has(path),
    );
    const wrong: string[] = [];
    for (const { path } of others) {
      const answer = await ask('GET', filled(path));
      const allow = String(answer.headers['allow']);
      if (answer.status !== 405 || !allow.includes('POST')) wrong.push(`${path}: ${answer.status} ${allow}`);
    }
    expect(wrong).toEqual([]);
    expect(others.map(({ path }) => path)).toContain('/api/articles/:slug/webhook');
  });
});

describe('other origins', () => {
  it.each<[string, string, string | undefined]>([
    ['an error', '/api/articles/nothing', '*'],
    ['an unknown path', '/nothing/at/all', '*'],
    ['a malformed path', '/api/articles/%zz', '*'],
    ['an invalid query', '/api/search', '*'],
    ['a contract', '/api/dispatch?key=MIRROR_FEED', '*'],
    ['a call without a credential', '/api/dispatch?invoke=MIRROR_FEED&body=open', undefined],
    ['a replay', '/api/dispatch?replay=inv_aaaaaaaaaaaaaaaa', undefined],
    ['a cut of a share', '/api/dispatch?self_scope=1&keys=ARTICLE_INSPECT', undefined],
    ['a repeated parameter of a cut', '/api/dispatch?self_scope=1&self_scope=1', undefined],
    ['a lease', '/api/build-landscape?next=1&lane=field', undefined],
    ['the landscape', '/api/build-landscape', '*'],
    ['a share explained by its fingerprint', '/api/dispatch?explain=1&share=cap_0123456789abcdef', '*'],
    ['a share that is none', '/api/articles?share=sh.none', undefined],
  ])('read %s: %s', async (_, path, expected) => {
    for (const method of ['GET', 'HEAD'])
      expect([method, origin(await ask(method, path))]).toEqual([method, expected]);
  });

  it('read an answer from the cache of hot reads, except with a cookie', async () => {
    for (let i = 0; i < 3; i++) expect(origin(await ask('GET', '/api/articles/open'))).toBe('*');
    expect(origin(await ask('GET', '/api/articles/open', { cookie: 'a=b' }))).toBeUndefined();
  });
});

it('HEAD calls nothing and mints nothing', async () => {
  const calls = async (): Promise<number> =>
    ((await server.read('/api/articles/open/mirror'))['contributions'] as unknown[]).length;
  const body = encodeURIComponent('open||question|ada|Does HEAD ask?');
  const before = await calls();
  const paths = [
    `/api/dispatch?invoke=MIRROR_APPEND&body=${body}&share=${share}`,
    '/api/dispatch?self_scope=1&keys=ARTICLE_INSPECT&purpose=x&actor=y',
    `/api/build-landscape?next=1&lane=field&share=${share}`,
  ];
  for (const path of paths) expect([path, (await ask('HEAD', path)).status]).toEqual([path, 204]);
  expect(await calls()).toBe(before);
});

describe('a slash too many', () => {
  it.each([
    ['//evil.example/'],
    ['//evil.example//'],
    ['/%2F%2Fevil.example/'],
    ['/\\evil.example/'],
    ['/nothing/'],
  ])('leads nowhere else: %s', async (path) => {
    const { status, headers } = await ask('GET', path);
    expect([status, headers['location']]).toEqual([404, undefined]);
  });

  it('is no address for a write', async () => {
    expect((await ask('POST', '/api/dispatch/')).status).toBe(404);
  });
});

it('a dry run says that nothing ran', async () => {
  const answer = await server.read('/api/dispatch?invoke=MIRROR_FEED&body=open&shape=1');
  expect([answer['ran'], answer['would_run']]).toEqual([false, true]);
});

it('the page about a malformed address has the headers of other pages, and leaks no share', async () => {
  const page = await ask('GET', '/');
  const malformed = await ask('GET', `/a/%zz?share=${share}`);
  expect(malformed.status).toBe(400);
  for (const name of ['content-security-policy', 'x-content-type-options', 'x-frame-options'])
    expect([name, malformed.headers[name]]).toEqual([name, page.headers[name]]);
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  expect(malformed.headers['referrer-policy']).toBe('no-referrer');
});
