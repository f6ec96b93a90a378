import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { checkProjections } from '../support/check-projections.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

describe.each(storeEnvironments())('the invocations of an article on $name', (store) => {
  let server: TestServer;
  let bound: string;

  beforeAll(async () => {
    await store.start();
    server = await startServer(await store.env());
    await server.article('# Rules\n\nOne.\n\nTwo.\n', { slug: 'rules' });
    await server.article('# Hidden\n\nOne.\n', { slug: 'hidden', status: 'draft' });
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: {
        scope: 'row',
        keys: ['VOXEL_EDIT'],
        ttl: 600,
        max_uses: 0,
        purpose: 'Edits.',
        article: 'hidden',
      },
    });
    bound = String(minted['share']);
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await store.stop();
  });

  const send = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    (await (
      await server.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    ).json()) as Answer;
  const conformance = async (): Promise<Answer> =>
    ((await server.read('/api/articles/rules'))['object'] as Answer)['conformance'] as Answer;

  it('are counted by success and failure, with the newest of each', async () => {
    expect(await conformance()).toMatchObject({
      success_events: 1,
      failure_events: 0,
      newest_success: { key: 'VOXEL_BATCH', status: 'success', actor: 'owner' },
      newest_failure: null,
    });
    const feed = await server.anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'rules' });
    expect(await conformance()).toMatchObject({
      success_events: 2,
      newest_success: { key: 'MIRROR_FEED', id: (feed['invocation'] as Answer)['id'] },
    });
    const stale = await send(
      '/api/protocol/voxel-edit',
      { slug: 'rules', div_id: 'd2', expected_hash: 'f'.repeat(64), text: 'x' },
      { 'x-terminal-key': terminalKey },
    );
    expect(stale['error']).toBe('hash_stale');
    const edit = { key: 'VOXEL_EDIT', body: { slug: 'rules', div_id: 'd2', expected_hash: 'f', text: 'x' } };
    const denied = await send('/api/dispatch', { ...edit, share: bound });
    expect(denied['error']).toBe('scope_denied');
    expect(await conformance()).toMatchObject({
      success_events: 2,
      failure_events: 2,
      newest_failure: { key: 'VOXEL_EDIT', status: 'denied', id: (denied['invocation'] as Answer)['id'] },
    });
  });

  it('count every operation of a batch as a call of its own row', async () => {
    await server.owner('/api/protocol/voxel-batch', {
      slug: 'rules',
      actor: 'ada',
      operations: [
        { op: 'vote', target: 'd2', proposal: 'should_split', rationale: 'It holds two.' },
        { op: 'vote', target: 'd9', proposal: 'should_split', rationale: 'There is none.' },
      ],
    });
    const listed = await server.read('/api/articles/rules/invocations?limit=3');
    expect((listed['invocations'] as Answer[]).map(({ key, status }) => [key, status])).toEqual([
      ['VOXEL_BATCH', 'success'],
      ['VOXEL_VOTE', 'failed'],
      ['VOXEL_VOTE', 'success'],
    ]);
  });

  it('are listed newest first, by outcome and in pages, with a confirmation link for each', async () => {
    const all = await server.read('/api/articles/rules/invocations');
    expect(all).toMatchObject({ count: 7, success_events: 4, failure_events: 3, next: null });
    const times = (all['invocations'] as { ts: string }[]).map(({ ts }) => ts);
    expect(times).toEqual(times.toSorted().toReversed());
    const statuses = async (query: string): Promise<string[]> =>
      (
        (await server.read(`/api/articles/rules/invocations${query}`))['invocations'] as { status: string }[]
      ).map(({ status }) => status);
    expect(await statuses('?status=success')).toEqual(['success', 'success', 'success', 'success']);
    expect((await statuses('?status=failure')).toSorted()).toEqual(['denied', 'failed', 'failed']);
    const found: string[] = [];
    for (let next: string | null = `${server.base}/api/articles/rules/invocations?limit=2`; next !== null;) {
      const page = await server.read(next.slice(server.base.length));
      found.push(...(page['invocations'] as { id: string }[]).map(({ id }) => id));
      next = page['next'] as string | null;
    }
    expect(found).toEqual((all['invocations'] as { id: string }[]).map(({ id }) => id));
    const [{ confirm } = { confirm: '' }] = all['invocations'] as { confirm: string }[];
    expect(await server.read(confirm.slice(server.base.length))).toMatchObject({ confirmed: true });
  });

  it.each(['?status=running', '?status=', '?limit=x', '?cursor=x', '?since=1'])(
    'are not listed for the invalid query %s',
    async (query) => {
      expect((await server.fetch(`/api/articles/rules/invocations${query}`)).status).toBe(400);
    },
  );

  it('change the ETag of the article when a call fails, though the text stays the same', async () => {
    const etag = async (): Promise<string | null> =>
      (await server.fetch('/api/articles/rules')).headers.get('etag');
    const before = await etag();
    await send('/api/dispatch', { key: 'MIRROR_APPEND', body: 'rules|c9|question|ada|Which claim is that?' });
    expect(await etag()).not.toBe(before);
    expect((await conformance())['failure_events']).toBe(4);
  });

  it('do not reveal in a receipt that a slug belongs to a draft', async () => {
    const tries = [];
    for (const slug of ['hidden', 'absent']) {
      const answer = await send('/api/dispatch', { key: 'OBJECTION_LOG', body: `${slug}|No.` });
      const { id } = answer['invocation'] as { id: string };
      const confirmed = await server.read(`/api/dispatch?confirm=${id}`);
      const [entry] = confirmed['entries'] as Answer[];
      tries.push([answer['error'], Object.keys(entry as Answer).toSorted()]);
    }
    expect(tries[0]).toEqual(tries[1]);
    expect(tries[0]?.[1]).not.toContain('article');
  });

  it('rebuild identically from the ledger', async () => {
    const { read } = server.deployment.service.store;
    await vi.waitFor(async () => expect((await checkProjections(read, schema)).differences).toEqual([]), {
      timeout: 8000,
      interval: 200,
    });
  });
});
