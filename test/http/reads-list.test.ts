import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const owner = { 'x-terminal-key': terminalKey };

describe.each(storeEnvironments())('the list of articles on $name', (store) => {
  let server: TestServer;
  let share: string;
  /** Between the third and the fourth article. */
  let middle: string;

  beforeAll(async () => {
    await store.start();
    server = await startServer(await store.env());
    for (const [slug, more] of [
      ['alpha', { tags: ['proof', 'log'], category: 'ledger' }],
      ['beta', { tags: ['proof'], category: 'care' }],
      ['gamma', { tags: [], category: 'ledger' }],
    ] as const)
      await server.article(`# ${slug}\n\nText.\n`, { slug, ...more });
    middle = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await server.article('# delta\n\nText.\n', { slug: 'delta', status: 'draft', tags: ['proof'] });
    await server.owner('/api/protocol/article', {
      slug: 'beta',
      expected_version: 1,
      register: 'protocol',
      home: true,
      extra: { kind: 'hub' },
    });
    await server.owner('/api/protocol/article', { slug: 'gamma', expected_version: 1, status: 'archived' });
    const minted = await server.owner('/api/dispatch', { key: 'CAP_MINT', body: 'read||600|0|Reads.' });
    share = String(minted['share']);
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await store.stop();
  });

  const list = async (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
    (await (await server.fetch(`/api/articles${query}`, { headers })).json()) as Answer;
  const slugs = async (query: string, headers: Record<string, string> = {}): Promise<string[]> =>
    ((await list(query, headers))['articles'] as { slug: string }[]).map(({ slug }) => slug);

  it.each([
    ['', ['alpha', 'beta']],
    ['?tag=proof', ['alpha', 'beta']],
    ['?tag=log', ['alpha']],
    ['?tag=lo', []],
    ['?category=ledger', ['alpha']],
    ['?category=ledger&status=archived', ['gamma']],
    ['?status=archived', ['gamma']],
    ['?register=protocol', ['beta']],
    ['?register=standard', ['alpha']],
    ['?kind=hub', ['beta']],
    ['?kind=article', ['alpha']],
    ['?home=1', ['beta']],
    ['?home=false', ['alpha']],
    ['?tag=proof&home=0&register=standard', ['alpha']],
    ['?sort=updated', ['beta', 'alpha']],
    ['?sort=slug', ['alpha', 'beta']],
    ['?updated_since=2020-01-01', ['alpha', 'beta']],
    ['?updated_since=2999-01-01T00:00:00Z', []],
  ])('answers the query %s with %j', async (query, expected) => {
    expect(await slugs(query)).toEqual(expected);
  });

  it('returns what changed since a moment, newest change first', async () => {
    const since = encodeURIComponent(middle);
    expect(await slugs(`?updated_since=${since}`)).toEqual(['beta']);
    expect(await slugs(`?updated_since=${since}&sort=updated&status=archived`)).toEqual(['gamma']);
    const found = await list('?sort=updated');
    const times = (found['articles'] as { updated_at: string }[]).map((each) => each.updated_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('contains drafts for keys of the workspace only', async () => {
    expect(await slugs('?status=draft', owner)).toEqual(['delta']);
    expect(await slugs(`?status=draft&share=${share}`)).toEqual(['delta']);
    expect(await slugs('?tag=proof', owner)).toEqual(['alpha', 'beta']);
    const nobody = await server.fetch('/api/articles?status=draft');
    expect([nobody.status, ((await nobody.json()) as Answer)['error']]).toEqual([401, 'credential_required']);
    const bound = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'read', ttl: 600, max_uses: 0, purpose: 'Reads alpha.', article: 'alpha' },
    });
    expect(await slugs(`?status=draft&share=${String(bound['share'])}`)).toEqual([]);
    const shared = await server.fetch('/api/articles', { headers: owner });
    expect(shared.headers.get('cache-control')).toBe('private, no-store');
  });

  it('returns every article once across its pages, in either order', async () => {
    for (const sort of ['slug', 'updated']) {
      const found: string[] = [];
      for (
        let next: string | null = `${server.base}/api/articles?sort=${sort}&tag=proof&limit=1`;
        next !== null;
      ) {
        const answer = await server.read(next.slice(server.base.length));
        expect(answer['count']).toBeLessThanOrEqual(1);
        found.push(...(answer['articles'] as { slug: string }[]).map(({ slug }) => slug));
        next = answer['next'] as string | null;
      }
      expect(found.toSorted()).toEqual(['alpha', 'beta']);
    }
  });

  it.each([
    ['?colour=red', 'colour'],
    ['?status=gone', 'status'],
    ['?sort=size', 'sort'],
    ['?home=perhaps', 'home'],
    ['?updated_since=yesterday', 'updated_since'],
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ["?cursor=';--", 'cursor'],
    ['?sort=updated&cursor=alpha', 'cursor'],
    ['?tag=a&tag=b', 'tag'],
  ])('rejects the query %s and names the parameter %s', async (query, parameter) => {
    const answer = await server.fetch(`/api/articles${query}`);
    expect([answer.status, ((await answer.json()) as Answer)['parameter']]).toEqual([400, parameter]);
  });

  it('names all unknown parameters at once', async () => {
    const answer = await server.fetch('/api/articles?colour=red&limit=2&size=3');
    expect(await answer.json()).toMatchObject({
      detail: '"colour", "size" are no parameters here.',
      parameter: 'colour',
      parameters: ['colour', 'size'],
    });
    const call = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'MIRROR_FEED', body: 'alpha|3', colour: 'red', size: 3 }),
    });
    expect(await call.json()).toMatchObject({
      detail: '"colour", "size" are no members of a dispatch call.',
      parameters: ['colour', 'size'],
    });
  });

  it('has an ETag that changes with a write to any article', async () => {
    const first = await server.fetch('/api/articles');
    const etag = String(first.headers.get('etag'));
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect((await server.fetch('/api/articles', { headers: { 'if-none-match': etag } })).status).toBe(304);
    await server.owner('/api/protocol/article', { slug: 'alpha', expected_version: 1, title: 'Alpha' });
    expect((await server.fetch('/api/articles', { headers: { 'if-none-match': etag } })).status).toBe(200);
  });
});
