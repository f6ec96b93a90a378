import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { expectReplays } from './replays.ts';

const idOf = (reply: Reply): string => (reply.json['invocation'] as { id: string }).id;
const madeBy = (reply: Reply): string =>
  (reply.json['result'] as { invocation: { id: string } }).invocation.id;

describe.each(storeKinds().map(({ name }) => name))('lineage on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let share: string;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
    ({ share } = await server.mint({ scope: 'act', max_uses: 0 }));
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const receipt = async (id: string) => (await server.get({ receipt: id }, owner)).json;
  const failed = async (body = 'alpha||no_such_kind|ada|Wrong kind.', key = 'MIRROR_APPEND') => {
    const reply = await server.call(key, body, { share });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    return idOf(reply);
  };

  it('records a replay with the same key and body, its own receipt, replay_of and root', async () => {
    const first = await server.call('MIRROR_FEED', 'alpha|3', { share });
    const replayed = await server.call('OIP_REPLAY', idOf(first), { share });
    expect(replayed.status).toBe(200);
    expect(replayed.json['result']).toMatchObject({ key: 'MIRROR_FEED', replay_of: idOf(first), ran: true });
    expect(await receipt(madeBy(replayed))).toMatchObject({
      key: 'MIRROR_FEED',
      status: 'success',
      replay_of: idOf(first),
      root: idOf(replayed),
      request: { body: 'alpha|3' },
    });
    expect(await receipt(idOf(first))).toMatchObject({ replay_of: null, repaired_by: null });
    const direct = await server.send({ path: '/api/dispatch', body: { replay: idOf(first), share } });
    expect(await receipt(idOf(direct))).toMatchObject({
      key: 'MIRROR_FEED',
      replay_of: idOf(first),
      root: null,
      request: { body: 'alpha|3' },
    });
  });

  it('links a repair to the failed receipt by repairs and repaired_by, and rejects a second repair', async () => {
    const id = await failed();
    const repaired = await server.call(
      'OIP_REPAIR',
      `${id}|MIRROR_APPEND|alpha||question|ada|Right | kind.`,
      {
        share,
      },
    );
    expect(repaired.status).toBe(200);
    const by = madeBy(repaired);
    expect(await receipt(by)).toMatchObject({ repairs: id, root: idOf(repaired), status: 'success' });
    const old = await receipt(id);
    expect(old).toMatchObject({ status: 'failed', ran: false, repaired_by: by });
    expect((old['entries'] as { action: string }[]).map(({ action }) => action)).toEqual([
      'failed',
      'repaired_by',
    ]);
    expect((await server.get({ confirm: id })).json).toMatchObject({ repaired_by: by });
    const again = await server.call('OIP_REPAIR', `${id}|MIRROR_APPEND|alpha||question|ada|Another.`, {
      share,
    });
    expect(expectProblem(again, 'already_decided')['repaired_by']).toBe(by);
  });

  it('offers on a receipt a replay, and a repair only of a failed call until it is repaired', async () => {
    const offered = async (id: string) =>
      ((await receipt(id))['verbs'] as { key: string; body: string }[]).map(({ key, body }) => [key, body]);
    const done = idOf(await server.call('MIRROR_FEED', 'alpha|3', { share }));
    expect(await offered(done)).toEqual([['OIP_REPLAY', done]]);
    const id = await failed();
    expect(await offered(id)).toEqual([
      ['OIP_REPLAY', id],
      ['OIP_REPAIR', id],
    ]);
    await server.call('OIP_REPAIR', `${id}||alpha||question|ada|Right this time.`, { share });
    expect(await offered(id)).toEqual([['OIP_REPLAY', id]]);
  });

  it('keeps a failed call repairable if its repair fails too', async () => {
    const id = await failed();
    const still = await server.call('OIP_REPAIR', `${id}||alpha||neither_this|ada|Wrong again.`, { share });
    expectProblem(still, 'body_mismatch');
    expect(await receipt(id)).toMatchObject({ repaired_by: null });
    const direct = await server.send({
      path: '/api/dispatch',
      body: { repairs: id, body: 'alpha||audit|ada|Right by POST.', share },
    });
    expect(direct.status).toBe(200);
    expect(await receipt(idOf(direct))).toMatchObject({ key: 'MIRROR_APPEND', repairs: id, root: null });
    expect(await receipt(id)).toMatchObject({ repaired_by: idOf(direct) });
  });

  it('accepts a repair by GET, and replays its answer when the URL is opened again', async () => {
    const own = (await server.get({ self_scope: '1', keys: 'OBJECTION_LOG' })).json['share'] as string;
    const wrong = await server.get({ invoke: 'OBJECTION_LOG', body: 'alpha|No source.|S9', share: own });
    expectProblem(wrong, 'body_mismatch');
    const id = idOf(wrong);
    const dispatch = 'http://127.0.0.1:8787/api/dispatch';
    expect(wrong.json['templates']).toEqual([
      `${dispatch}?receipt=${id}&share={token}`,
      `${dispatch}?replay=${id}&share={token}`,
      `${dispatch}?repairs=${id}&arg.slug={slug}&arg.objection={objection}&share={token}`,
    ]);
    const asked = { invoke: 'OBJECTION_LOG', body: 'alpha|No source.|S2', repairs: id, share: own };
    const dry = await server.get({ ...asked, shape: '1' });
    expect(dry.json).toMatchObject({ would_run: true, charged: false });
    const repaired = await server.get(asked);
    expect(repaired.status).toBe(200);
    expect(repaired.json).toMatchObject({ ran: true, kind: 'OBJECTION_LOG' });
    expect(repaired.body).not.toContain(own);
    expect(await receipt(idOf(repaired))).toMatchObject({ repairs: id, root: null, status: 'success' });
    expect(await receipt(id)).toMatchObject({ status: 'failed', repaired_by: idOf(repaired) });
    const again = await server.get(asked);
    expect(again.json).toMatchObject({ idempotent_replay: true, receipt: { id: idOf(repaired) } });
    const second = await server.get({ ...asked, body: 'alpha|Another.|S2' });
    expect(expectProblem(second, 'already_decided')['repaired_by']).toBe(idOf(repaired));
    expect((await server.get({ receipt: id, share: own })).json['templates']).toEqual([
      `${dispatch}?receipt=${id}&share={token}`,
      `${dispatch}?replay=${id}&share={token}`,
    ]);
  });

  it('runs a replay by GET once for each n, even of a read', async () => {
    const first = idOf(await server.get({ invoke: 'MIRROR_FEED', body: 'alpha|3', share }));
    const replayed = await server.get({ replay: first, share });
    expect(replayed.json).toMatchObject({ ok: true, kind: 'MIRROR_FEED', ran: true });
    expect(await receipt(idOf(replayed))).toMatchObject({ replay_of: first, request: { body: 'alpha|3' } });
    expect((await server.get({ replay: first, share })).json).toMatchObject({
      idempotent_replay: true,
      receipt: { id: idOf(replayed) },
    });
    const anew = await server.get({ replay: first, n: '2', share });
    expect(idOf(anew)).not.toBe(idOf(replayed));
    expect(await receipt(idOf(anew))).toMatchObject({ replay_of: first });
  });

  it('offers no replay and no repair while the call awaits approval', async () => {
    const gated = (await server.mint({ scope: 'row', key: 'MIRROR_APPEND', owner_gate: true })).share;
    const waits = await server.get({
      invoke: 'MIRROR_APPEND',
      body: 'alpha||audit|ada|Waiting.',
      share: gated,
    });
    expect(waits.status).toBe(202);
    expect(waits.json['templates']).toEqual([
      `http://127.0.0.1:8787/api/dispatch?receipt=${idOf(waits)}&share={token}`,
    ]);
  });

  it('rejects a replay or repair by GET without read access to the receipt, or with contradictory parameters', async () => {
    const id = await failed();
    const stranger = (await server.get({ self_scope: '1' })).json['share'] as string;
    const refused: readonly Record<string, string>[] = [
      { replay: id },
      { repairs: id, invoke: 'OBJECTION_LOG', body: 'alpha|x' },
      { replay: id, share: stranger },
      { repairs: id, invoke: 'OBJECTION_LOG', body: 'alpha|x', share: stranger },
    ];
    for (const parameters of refused)
      expect(expectProblem(await server.get(parameters), 'not_found')['templates']).toEqual([
        'http://127.0.0.1:8787/api/dispatch?receipt={inv}&share={token}',
        'http://127.0.0.1:8787/api/dispatch?confirm={inv}',
      ]);
    const both = expectProblem(await server.get({ replay: id, body: 'x', share }), 'invalid_request');
    expect(both['parameter']).toBe('replay');
    await server.send({ method: 'HEAD', path: `/api/dispatch?replay=${id}&share=${share}` });
    expect(await receipt(id)).toMatchObject({ repaired_by: null });
  });

  it('accepts one of several concurrent repairs', async () => {
    const id = await failed();
    const replies = await Promise.all(
      ['one', 'two', 'three'].map((word) =>
        server.send({
          path: '/api/dispatch',
          body: { repairs: id, body: `alpha||audit|ada|Race ${word}.`, share },
        }),
      ),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
    expect((await receipt(id))['repaired_by']).toBe(
      idOf(replies.find(({ status }) => status === 200) as Reply),
    );
  });

  it('repairs a misspelled key to the only row within two edits, and rejects a tie between two rows', async () => {
    const id = await failed('alpha|3', 'MIROR_FED');
    expect(await receipt(id)).toMatchObject({ key: 'MIROR_FED', status: 'failed', error: 'unknown_key' });
    const repaired = await server.call('OIP_REPAIR', id, { share });
    expect(repaired.json['result']).toMatchObject({ key: 'MIRROR_FEED', repairs: id, ran: true });
    expect(await receipt(id)).toMatchObject({ repaired_by: madeBy(repaired) });

    // As near to VOXEL_VOTE as to VOXEL_MOVE.
    const between = await failed('alpha', 'VOXEL_MOTE');
    const refused = expectProblem(await server.call('OIP_REPAIR', between, { share }), 'unknown_key');
    expect((refused['did_you_mean'] as { key: string }[]).map(({ key }) => key).sort()).toEqual([
      'VOXEL_MOVE',
      'VOXEL_VOTE',
    ]);
    expect(await receipt(between)).toMatchObject({ repaired_by: null });
  });

  it('turns a high-risk repair into a proposal that the owner can run unchanged', async () => {
    const all = await server.mint({
      scope: 'rows',
      keys: ['VOXEL_BURN', 'OIP_REPAIR'],
      risk_ceiling: 'high',
      max_uses: 0,
    });
    const id = idOf(
      await server.call('VOXEL_BURN', { slug: 'alpha', ids: ['d9'], reason: 'x' }, { share: all.share }),
    );
    const body = JSON.stringify({ slug: 'alpha', ids: ['d2'], reason: 'x' });
    for (const headers of [{}, owner]) {
      const asked = await server.call(
        'OIP_REPAIR',
        { id, body },
        headers === owner ? {} : { share: all.share },
        headers,
      );
      expect(asked.json).toMatchObject({
        result: { fired: false, ran: false, proposal: { key: 'VOXEL_BURN', body, repairs: id } },
        proposal: { key: 'VOXEL_BURN', body, repairs: id },
      });
    }
    const direct = { path: '/api/dispatch', body: { key: 'VOXEL_BURN', body, repairs: id } };
    const refused = await server.send({ ...direct, body: { ...direct.body, share: all.share } });
    expect(expectProblem(refused, 'owner_gate_required')['proposal']).toEqual({
      key: 'VOXEL_BURN',
      body,
      repairs: id,
    });
    expect(await receipt(id)).toMatchObject({ repaired_by: null });
    const fired = await server.send({ ...direct, headers: owner });
    expect(fired.status).toBe(200);
    expect(await receipt(id)).toMatchObject({ repaired_by: idOf(fired) });
  });

  it('rejects a replay or repair of a receipt that the caller cannot read, and never adds authority', async () => {
    const own = idOf(await server.call('MIRROR_FEED', 'alpha', {}, owner));
    const narrow = await server.mint({ scope: 'rows', keys: ['OIP_REPLAY', 'MIRROR_APPEND'], max_uses: 2 });
    expectProblem(await server.call('OIP_REPLAY', own, { share: narrow.share }), 'not_found');
    expectProblem(
      await server.send({ path: '/api/dispatch', body: { replay: own, share: narrow.share } }),
      'not_found',
    );
    expectProblem(await server.send({ path: '/api/dispatch', body: { replay: own } }), 'not_found');

    const made = idOf(await server.call('MIRROR_APPEND', 'alpha||audit|ada|Twice.', { share: narrow.share }));
    expect((await server.call('OIP_REPLAY', made, { share: narrow.share })).status).toBe(200);
    expect(await server.explain(narrow.share)).toMatchObject({ uses: 2, uses_left: 0 });
    expectProblem(await server.call('OIP_REPLAY', made, { share: narrow.share }), 'token_exhausted');

    const only = await server.mint({ scope: 'rows', keys: ['OIP_REPLAY', 'OIP_REPAIR'], max_uses: 0 });
    const reader = await server.mint({ scope: 'read', max_uses: 0 });
    expectProblem(await server.call('OIP_REPLAY', made, { share: reader.share }), 'scope_denied');
    const denied = idOf(await server.call('MIRROR_FEED', 'alpha', { share: only.share }));
    expectProblem(await server.call('OIP_REPAIR', denied, { share: only.share }), 'scope_denied');
  });

  it('rejects a repair of a call that did not fail, and a replay with a body', async () => {
    const done = idOf(await server.call('MIRROR_FEED', 'alpha', { share }));
    expectProblem(await server.call('OIP_REPAIR', done, { share }), 'conflict');
    expectProblem(
      await server.send({ path: '/api/dispatch', body: { replay: done, body: 'x', share } }),
      'invalid_request',
    );
    const replay = idOf(await server.call('OIP_REPLAY', done, { share }));
    expectProblem(await server.call('OIP_REPLAY', replay, { share }), 'conflict');
  });

  it('leaves projections that a ledger replay reproduces', () => expectReplays(server));
});
