import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const asOwner = { headers: { 'x-terminal-key': terminalKey } };

interface Lease {
  readonly id: string;
  readonly share: string;
  readonly target: string;
}

/** What the tests do with a server, as a caller that opens addresses. */
function callsOf(server: () => TestServer) {
  const get = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await server().fetch(path, init);
    return { ...((await response.json()) as Answer), http: response.status };
  };
  const queue = (cohort: string, more: object = {}): Promise<Answer> =>
    server().owner('/api/build-landscape', {
      action: 'queue_targets',
      cohort,
      query: 'Servers',
      captured_at: '2026-03-01T12:00:00Z',
      targets: [{ id: 'one', name: 'One server' }],
      open: true,
      ...more,
    });
  const contributor = async (workspace = 'main'): Promise<string> =>
    String((await get(`/api/workspace/${workspace}/enter?role=contributor`))['credential'].token);
  const lease = async (cohort: string, lane: string, by: string, n = 1): Promise<Lease> => {
    const path = `/api/build-landscape?next=1&lane=${lane}&cohort=${cohort}&n=${n}&share=${by}`;
    const answer = await get(path);
    if (answer['http'] !== 200) throw new Error(JSON.stringify(answer));
    return {
      id: String(answer['assignment_id']),
      share: String(answer['share']),
      target: String(answer['assignment'].target.id),
    };
  };
  const giveBack = (id: string, share: string, n = 1): Promise<Answer> =>
    get(`/api/dispatch?invoke=LANDSCAPE_RETURN&body=${id}&n=${n}&share=${share}`);
  const giveBackAsOwner = async (id: string, more: object = {}): Promise<Answer> => {
    const response = await server().fetch('/api/dispatch', {
      method: 'POST',
      headers: { ...asOwner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'LANDSCAPE_RETURN', body: id, ...more }),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };
  const shown = async (id: string): Promise<Answer> =>
    (await get(`/api/normandy?assignment=${id}`))['assignment'] as Answer;
  const source = (share: string, slug: string, quote: string): Promise<Answer> => {
    const sources = [{ type: 'review', url: 'https://example.org/one', title: 'One', quote }];
    const body = encodeURIComponent(JSON.stringify({ slug, sources }));
    return get(`/api/dispatch?invoke=SOURCE_POST&body=${body}&share=${share}`);
  };
  return { get, queue, contributor, lease, giveBack, giveBackAsOwner, shown, source };
}

onBothStores('giving a lease back', (server) => {
  const { get, queue, contributor, lease, giveBack, giveBackAsOwner, shown, source } = callsOf(server);

  it('frees the item at once, ends the share, and is recorded on the chain of the assignment', async () => {
    await queue('given');
    const holder = await contributor();
    const { id, share } = await lease('given', 'build', holder);
    await source(share, 'given-one', 'It serves HTTP.');
    // The lane build is completed by it, so this one is of another lane.
    const field = await lease('given', 'synthesis', holder, 2);
    await source(field.share, 'given-one', 'It is a server.');
    expect(await shown(id)).toMatchObject({ status: 'completed' });
    expect(await shown(field.id)).toMatchObject({ status: 'open', returned_at: null });

    const returned = await giveBack(field.id, holder);
    expect(returned).toMatchObject({
      http: 200,
      result: { assignment_id: field.id, status: 'returned' },
      yield: { material: [{ kind: 'assignment', id: field.id }] },
    });
    const after = await get(`/api/normandy?assignment=${field.id}`, asOwner);
    expect(after).toMatchObject({
      assignment: {
        status: 'returned',
        returned_at: String(returned['result'].returned_at),
        completed_at: null,
        result: [{ kind: 'source', id: 'given-one/s2' }],
      },
      batch: null,
    });
    const entries = await server().deployment.service.store.read.chain(field.id);
    expect(entries.map(({ text }) => (JSON.parse(text) as Answer)['action'])).toEqual([
      'lease',
      'land',
      'return',
    ]);
    expect(await source(field.share, 'given-one', 'Later.')).toMatchObject({
      http: 401,
      error: 'token_revoked',
    });
    expect((await get(`/api/articles/given-one?share=${field.share}`))['http']).toBe(401);
    expect(await get('/api/build-landscape?cohort=given')).toMatchObject({
      lanes: { synthesis: { open: 1, leased: 0, complete: 0 }, build: { complete: 1 } },
      queue: [{ lanes: { synthesis: { state: 'open', assignment: null } } }],
    });
    // The holder has room for another lease, and somebody else gets the item.
    expect(await lease('given', 'synthesis', await contributor())).toMatchObject({ target: 'one' });
    await queue('given-two');
    await lease('given-two', 'field', holder, 3);
  });

  it('is done by the share of the assignment and by the owner as well', async () => {
    await queue('by-others');
    const own = await lease('by-others', 'field', await contributor());
    expect(await giveBack(own.id, own.share)).toMatchObject({ http: 200, result: { status: 'returned' } });
    expect(await giveBack(own.id, own.share)).toMatchObject({ http: 401, error: 'token_revoked' });
    const again = await lease('by-others', 'field', await contributor());
    expect(await giveBackAsOwner(again.id)).toMatchObject({ http: 200, result: { status: 'returned' } });
    expect(await lease('by-others', 'field', await contributor())).toMatchObject({ target: 'one' });
  });

  it('is refused to every other credential, and to shares cut from those that may', async () => {
    await queue('held');
    const holder = await contributor();
    const { id, share } = await lease('held', 'field', holder);
    const cutFrom = async (token: string): Promise<string> =>
      String((await get(`/api/dispatch?self_scope=1&narrow=1&share=${token}`))['share']);
    const act = await server().owner('/api/dispatch', { key: 'CAP_MINT', body: { scope: 'act', ttl: 600 } });
    for (const other of [
      await contributor(),
      String(act['share']),
      await cutFrom(holder),
      await cutFrom(share),
    ])
      expect(await giveBack(id, other)).toMatchObject({ http: 403, error: 'scope_denied', gate: 'scope' });
    const nobody = await get(`/api/dispatch?invoke=LANDSCAPE_RETURN&body=${id}`);
    expect(nobody).toMatchObject({ http: 401, error: 'credential_required' });
    expect(await shown(id)).toMatchObject({ status: 'open' });
  });

  it('answers an assignment of another workspace as one that does not exist', async () => {
    await queue('near');
    await server().owner('/api/dispatch', {
      key: 'WORKSPACE_CREATE',
      body: 'far|The far one|A test|open',
    });
    const { id } = await lease('near', 'field', await contributor());
    const stranger = await contributor('far');
    const foreign = await giveBack(id, stranger);
    const absent = await giveBack('norm_aaaaaaaaaaaaaaaa', stranger);
    expect(foreign).toMatchObject({ http: 404, error: 'not_found' });
    expect(absent).toMatchObject({ http: 404, error: 'not_found' });
    expect(String(foreign['detail']).replace(id, '')).toBe(
      String(absent['detail']).replace('norm_aaaaaaaaaaaaaaaa', ''),
    );
    // The owner stands in the workspace that the call names.
    expect(await giveBackAsOwner(id, { workspace: 'far' })).toMatchObject({ http: 404, error: 'not_found' });
    expect(await shown(id)).toMatchObject({ status: 'open' });
  });

  it('is refused a second time, and for completed work, with what became of the assignment', async () => {
    await queue('twice');
    const holder = await contributor();
    const first = await lease('twice', 'field', holder);
    const { result } = await giveBack(first.id, holder);
    expect(await giveBack(first.id, holder)).toMatchObject({ http: 200, idempotent_replay: true });
    expect(await giveBack(first.id, holder, 2)).toMatchObject({
      http: 409,
      error: 'conflict',
      detail: `${first.id} was returned at ${String(result.returned_at)}.`,
      returned_at: result.returned_at as string,
    });
    // Nor can it be worked on any more, by whomever.
    const owners = await server().fetch('/api/protocol/voxel-batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asOwner.headers },
      body: JSON.stringify({
        assignment_id: first.id,
        operations: [{ op: 'vote', target: 'd1', proposal: 'should_burn', rationale: 'x', actor: 'ada' }],
      }),
    });
    expect(await owners.json()).toMatchObject({ status: 409, error: 'conflict', assignment: first.id });
    const second = await lease('twice', 'field', holder, 2);
    await source(second.share, 'twice-one', 'It serves HTTP.');
    expect(await giveBack(second.id, holder)).toMatchObject({
      http: 409,
      error: 'conflict',
      completed_at: expect.stringMatching(/^\d{4}-/) as string,
    });
    expect(await shown(second.id)).toMatchObject({ status: 'completed', returned_at: null });
  });

  it('is tried by a dry run, which says whether it would be refused and returns nothing', async () => {
    await queue('tried');
    const holder = await contributor();
    const { id } = await lease('tried', 'field', holder);
    const dry = (by: string): Promise<Answer> =>
      get(`/api/dispatch?invoke=LANDSCAPE_RETURN&body=${id}&shape=1&share=${by}`);
    expect(await dry(holder)).toMatchObject({ would_run: true });
    expect(await dry(await contributor())).toMatchObject({
      would_run: false,
      refusal: { error: 'scope_denied' },
    });
    expect(await shown(id)).toMatchObject({ status: 'open' });
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(server()));
});

describe('an expired lease', () => {
  let server: TestServer;
  let ahead = 0;
  beforeAll(async () => {
    server = await startServer({}, { now: () => Date.now() + ahead });
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });

  it('is not given back, before and after its item is leased again', async () => {
    const { queue, contributor, lease, giveBackAsOwner, shown } = callsOf(() => server);
    await queue('late');
    const first = await lease('late', 'field', await contributor());
    ahead = 3_602_000;
    const { expires_at: end } = await shown(first.id);
    const refused = await giveBackAsOwner(first.id);
    expect(refused).toMatchObject({ http: 409, error: 'conflict', expires_at: end as string });
    expect(refused['detail']).toBe(`${first.id} expired at ${String(end)}.`);
    const second = await lease('late', 'field', await contributor());
    expect((await giveBackAsOwner(first.id))['detail']).toBe(
      `${first.id} expired at ${String(end)}, and its item was leased again.`,
    );
    expect(await shown(first.id)).toMatchObject({ status: 'expired' });
    expect(await shown(second.id)).toMatchObject({ status: 'open' });
  });
});
