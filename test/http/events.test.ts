import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { logSize, send } from './client.ts';
import { EventClient, type Received } from './event-client.ts';
import { expectProblem } from './problem.ts';
import { buildWorld, ownerPost, type World } from './tenants-world.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ownerKey = { 'x-terminal-key': terminalKey };

const question = (server: TestServer, slug: string, body: string): Promise<Answer> =>
  server.anybody(`/api/articles/${slug}/mirror`, { claim_id: '', kind: 'question', actor: 'ada', body });

const namesOf = (events: readonly Received[]): string[] => events.map(({ name }) => name);
/** The slugs that the events name, each once, in their order; `-` for none. */
const slugsOf = (events: readonly Received[]): string[] => [
  ...new Set(events.map(({ data }) => String(data['slug'] ?? '-'))),
];

/** The index of the newest entry, once the log has all that was answered so far. */
async function newest(server: TestServer): Promise<number> {
  const said = await question(server, 'notes', `Where is ${randomInt(1e12)}?`);
  const { id } = said['receipt'] as Answer;
  for (;;) {
    const { proof } = await server.read(`/api/dispatch?confirm=${String(id)}`);
    if ((proof as Answer)['log_index'] !== null) return (await logSize(server.base)) - 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

onBothStores('the event stream', (server) => {
  let closed: World;
  let main: World;

  beforeAll(async () => {
    main = await buildWorld(server(), 'main', 'open');
    closed = await buildWorld(server(), 'alpha', 'closed');
    await newest(server());
  }, 60_000);

  const open = (query = '', headers: Readonly<Record<string, string>> = {}): Promise<EventClient> =>
    EventClient.open(server().base, `/api/events${query}`, headers);

  it('sends each entry of a write with its hash, its index and links to read more', async () => {
    const from = await newest(server());
    const client = await open();
    expect(
      [...client.response.headers].filter(([name]) => /^(?:content-type|cache|x-acc)/.test(name)),
    ).toEqual([
      ['cache-control', 'private, no-store, no-transform'],
      ['content-type', 'text/event-stream; charset=utf-8'],
      ['x-accel-buffering', 'no'],
    ]);
    await client.untilId(from);
    const said = await question(server(), 'notes', 'Is it so?');
    const [contribution, invocation] = (await client.until(2)) as [Received, Received];
    await client.close();
    const { base } = server();
    const receipt = String((said['receipt'] as Answer)['id']);
    expect([contribution.name, invocation.name]).toEqual(['contribution.contribute', 'invocation.success']);
    expect([contribution.id, invocation.id]).toEqual([String(from + 1), String(from + 2)]);
    expect(contribution.data).toMatchObject({
      index: from + 1,
      kind: 'contribution',
      verb: 'contribute',
      slug: 'notes',
      url: `${base}/a/notes`,
      confirm: `${base}/api/dispatch?confirm=${receipt}`,
    });
    expect(invocation.data).toMatchObject({ slug: null, url: `${base}/api/dispatch?confirm=${receipt}` });
    for (const { data } of [contribution, invocation])
      expect(sha256Hex(`\0${canonicalJson(data['entry'] as Answer)}`)).toBe(data['hash']);
    expect(JSON.stringify(client.events)).not.toContain('Is it so?');
    expect((await send(base, { path: String(invocation.data['url']).slice(base.length) })).status).toBe(200);
  });

  it('delivers every entry exactly once to a client that reconnects during concurrent writes', async () => {
    const from = await newest(server());
    const writing = Promise.all(
      Array.from({ length: 4 }, async (_writer, w) => {
        for (let i = 0; i < 15; i++) await question(server(), 'notes', `Question ${w} ${i} of ${from}?`);
      }),
    ).then(() => newest(server()));
    let end = Number.POSITIVE_INFINITY;
    void writing.then((last) => (end = last));
    const seen: number[] = [];
    let lastEventId = String(from);
    for (let cuts = 0; Number(lastEventId) < end; cuts++) {
      expect(cuts).toBeLessThan(1000);
      const client = await open('', { 'last-event-id': lastEventId });
      const enough = 1 + ((cuts * 7) % 11);
      await Promise.race([client.until(enough), writing.then(async (last) => client.untilId(last))]);
      await client.close();
      seen.push(...client.events.map(({ data }) => Number(data['index'])));
      ({ lastEventId } = client);
    }
    expect(end - from).toBe(2 * (4 * 15 + 1));
    expect(seen).toEqual(Array.from({ length: end - from }, (_, i) => from + 1 + i));
  });

  it('sends the whole log in order for after=-1', async () => {
    const last = await newest(server());
    const client = await open('?after=-1', ownerKey);
    await client.untilId(last);
    await client.close();
    expect(client.events.map(({ id }) => Number(id))).toEqual(Array.from({ length: last + 1 }, (_, i) => i));
  });

  it('hides entries of a closed workspace and of drafts from callers who cannot read them', async () => {
    const last = await newest(server());
    const from = async (headers: Readonly<Record<string, string>>): Promise<EventClient> => {
      const client = await open('?after=-1', headers);
      await client.untilId(last);
      await client.close();
      return client;
    };
    const [stranger, ofAlpha, ofMain, owner] = [
      await from({}),
      await from(bearer(closed.share)),
      await from(bearer(main.key)),
      await from(ownerKey),
    ];
    expect(slugsOf(stranger.events).toSorted()).toEqual(['-', 'notes']);
    expect(slugsOf(ofMain.events).toSorted()).toEqual(['-', 'draft', 'notes']);
    expect(slugsOf(ofAlpha.events).toSorted()).toEqual(['-', 'alpha--draft', 'alpha--notes', 'notes']);
    expect(slugsOf(owner.events).toSorted()).toEqual(['-', 'alpha--draft', 'alpha--notes', 'draft', 'notes']);
    const alphas = owner.events.filter(({ data }) => String(data['slug']).startsWith('alpha'));
    const tenants = (client: EventClient): number =>
      new Set(client.events.map(({ data }) => (data['entry'] as Answer)['tenant'])).size;
    // Invocations of main, and entries that name no workspace.
    expect([tenants(stranger), tenants(owner)]).toEqual([2, 3]);
    expect(alphas.length).toBeGreaterThan(10);
    const told = JSON.stringify(stranger.events);
    for (const { data } of alphas) expect(told).not.toContain(data['hash']);
    expect(told).not.toContain(closed.names.fingerprint);
    const minted = ofAlpha.events.find(({ data }) => data['entry'].chain === closed.names.fingerprint);
    const explained = String(minted?.data['url']).slice(server().base.length);
    expect(explained).toBe(`/api/dispatch?explain=1&share=${closed.names.fingerprint}`);
    expect((await send(server().base, { path: explained, headers: bearer(closed.key) })).status).toBe(200);
    expectProblem(await send(server().base, { path: explained }), 'not_found');
    expectProblem(await send(server().base, { path: explained, headers: bearer(main.key) }), 'not_found');
    expect(alphas[0]?.data['url']).toBe(`${server().base}/api/articles/alpha--notes`);
  });

  it('sends new entries of a closed workspace to its members and not to anonymous clients', async () => {
    const stranger = await open();
    const member = await open('', bearer(closed.key));
    await Promise.all([stranger.untilId(0), member.untilId(0)]);
    await send(server().base, {
      path: `/api/articles/alpha--notes/mirror`,
      headers: bearer(closed.key),
      body: { claim_id: '', kind: 'question', actor: 'bo', body: 'Within?' },
    });
    const last = await newest(server());
    await Promise.all([stranger.untilId(last), member.untilId(last)]);
    await Promise.all([stranger.close(), member.close()]);
    expect(namesOf(stranger.events)).toEqual(['contribution.contribute', 'invocation.success']);
    expect(slugsOf(stranger.events)).toEqual(['notes', '-']);
    expect(slugsOf(member.events)).toEqual(['alpha--notes', '-', 'notes']);
  });

  it('filters by article and by kind of entry', async () => {
    const last = await newest(server());
    const told = async (query: string): Promise<readonly Received[]> => {
      const client = await open(`?after=-1&${query}`);
      await client.untilId(last);
      await client.close();
      return client.events;
    };
    // The last entry of the log is an invocation on these notes.
    const ofNotes = await told('slug=notes');
    expect(slugsOf(ofNotes).toSorted()).toEqual(['-', 'notes']);
    expect(
      new Set(ofNotes.filter(({ data }) => data['slug'] === null).map(({ data }) => data['kind'])),
    ).toEqual(new Set(['invocation']));
    const kinds = await told('kind=source,invocation&named=0');
    expect(new Set(kinds.map(({ data }) => data['kind']))).toEqual(new Set(['source', 'invocation']));
    expect(new Set(namesOf(kinds))).toEqual(new Set(['message']));
  });

  it('rejects a position outside the log, and invalid filters', async () => {
    const refused = async (query: string, headers = {}): Promise<Answer> =>
      expectProblem(await send(server().base, { path: `/api/events${query}`, headers }), 'invalid_request');
    expect(await refused('', { 'last-event-id': '10 OR 1=1' })).toMatchObject({
      parameter: 'Last-Event-ID',
      detail: '"Last-Event-ID" is no index of the log.',
    });
    expect(await refused('?after=1', { 'last-event-id': '99999999' })).toMatchObject({
      parameter: 'Last-Event-ID',
      log_size: await logSize(server().base),
    });
    for (const after of ['-2', '1.5', '007', '1e3', '999999999999999999'])
      expect(await refused(`?after=${after}`)).toMatchObject({ parameter: 'after' });
    expect(await refused('?kind=article,articles')).toMatchObject({
      detail: '"articles" is no kind of entry.',
    });
    expect(await refused('?named=yes')).toMatchObject({ parameter: 'named' });
    expect(await refused('?follow=1')).toMatchObject({ parameter: 'follow' });
    const draft = await send(server().base, { path: '/api/events?slug=draft' });
    const absent = await send(server().base, { path: '/api/events?slug=trust' });
    expectProblem(draft, 'not_found');
    expect(draft.body.replaceAll('draft', 'trust')).toBe(absent.body);
    expectProblem(await send(server().base, { path: '/api/events?slug=alpha--notes' }), 'not_found');
    expectProblem(
      await send(server().base, { path: '/api/events', headers: bearer('sh.nothing') }),
      'token_malformed',
    );
  });

  it('answers HEAD with the headers of a stream and no body', async () => {
    const answer = await send(server().base, { method: 'HEAD', path: '/api/events' });
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
  });

  it('ends when its credential is revoked, and sends no later entry', async () => {
    const minted = await ownerPost(server(), '/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'read', max_uses: 0, ttl: 600, workspace: 'alpha' },
      workspace: 'alpha',
    });
    const { share, fingerprint } = { ...minted, ...(minted['result'] as Answer) } as Record<string, string>;
    const client = await open(`?share=${share}`);
    await client.untilId(0);
    await ownerPost(server(), '/api/dispatch', {
      key: 'CAP_REVOKE',
      body: String(fingerprint),
      workspace: 'alpha',
    });
    await question(server(), 'notes', 'After all that?');
    const events = await client.untilEnd();
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { reason: 'token_revoked' } });
    expect(events.filter(({ name }) => name.startsWith('contribution.'))).toEqual([]);
    const { status } = await send(server().base, { path: `/api/events?share=${share}` });
    expect(status).toBe(401);
  });

  it('ends when its credential expires', async () => {
    const minted = await ownerPost(server(), '/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'read', max_uses: 0, ttl: 4 },
    });
    const client = await open('', bearer(String(minted['share'])));
    const events = await client.untilEnd();
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { reason: 'token_expired' } });
  });

  it('resumes on any node of one database from the index where another node disconnected', async () => {
    const { databaseUrl } = server().deployment.config;
    if (databaseUrl === undefined) return;
    const other = await startServer({ DATABASE_URL: databaseUrl });
    try {
      const from = await newest(server());
      const here = await open();
      await here.untilId(from);
      await question(other, 'notes', 'Across?');
      await here.until(2);
      await here.close();
      await question(server(), 'notes', 'And back?');
      const there = await EventClient.open(other.base, '/api/events', { 'last-event-id': here.lastEventId });
      await there.until(2);
      await there.close();
      expect([...here.events, ...there.events].map(({ id, name }) => [Number(id) - from, name])).toEqual([
        [1, 'contribution.contribute'],
        [2, 'invocation.success'],
        [3, 'contribution.contribute'],
        [4, 'invocation.success'],
      ]);
    } finally {
      await other.stop();
    }
  });
});

describe('open event streams', () => {
  it('are limited per client address, and closing one frees a slot', async () => {
    const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    try {
      const clients = await Promise.all(
        Array.from({ length: 12 }, () => EventClient.open(server.base, '/api/events')),
      );
      expect(clients.map(({ response }) => response.status)).toEqual(clients.map(() => 200));
      const refused = await send(server.base, { path: '/api/events' });
      expect(expectProblem(refused, 'rate_limited')['detail']).toBe(
        '12 streams are open from here, and no more may be.',
      );
      expect(refused.headers['retry-after']).toBe('30');
      await clients[0]?.close();
      let status = 429;
      for (let i = 0; i < 100 && status === 429; i++) {
        const again = await EventClient.open(server.base, '/api/events');
        ({ status } = again.response);
        await again.close();
      }
      expect(status).toBe(200);
      await Promise.all(clients.map((client) => client.close()));
    } finally {
      await server.stop();
    }
  });

  it('end when the server stops, without delaying the stop', async () => {
    const server = await startServer();
    await server.article('# Notes\n\nAmber.\n', { slug: 'notes' });
    const client = await EventClient.open(server.base, '/api/events');
    await client.untilId(0);
    const began = performance.now();
    await server.stop();
    expect(performance.now() - began).toBeLessThan(2000);
    const events = await client.untilEnd();
    expect(events).toMatchObject([{ name: 'end', data: { reason: 'stopping', resume_after: 3 } }]);
  });
});
