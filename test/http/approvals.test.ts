import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRow } from '../../src/domain/capabilities/row.ts';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { expectReplays } from './replays.ts';

const fired: string[] = [];
let release = (): void => undefined;
const outside = defineRow({
  key: 'TEST_OUTSIDE',
  category: 'test',
  target: 'outside',
  contract: { what: 'Reaches outside.', when: 'In tests.', example: 'x' },
  input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: ({ text }) => ({
    do: 'effect',
    timeoutMs: 10_000,
    run: async () => {
      fired.push(text);
      if (text === 'waits') await new Promise<void>((go) => (release = go));
      if (text === 'breaks') throw new Error('the wire was cut');
      return { result: { said: text }, text: 'done', material: [] };
    },
  }),
});

const idOf = (reply: Reply): string => (reply.json['invocation'] as { id: string }).id;

describe.each(storeKinds().map(({ name }) => name))('a gated call on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal({
      rows: [outside],
      ...(database === undefined ? {} : { databaseUrl: await database.database() }),
    });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const gated = (key: string, more: object = {}) =>
    server.mint({ scope: 'row', key, owner_gate: true, max_uses: 5, ...more });
  const approve = (body: string): Promise<Reply> => server.call('OIP_APPROVE', body, {}, owner);
  const receipt = async (id: string) => (await server.get({ receipt: id }, owner)).json;
  const contributions = async () =>
    ((await server.send({ path: '/api/articles/alpha/mirror' })).json['contributions'] as unknown[]).length;

  it('becomes a proposal, consumes a use, and runs as the same invocation once approved', async () => {
    const { share, fingerprint } = await gated('MIRROR_APPEND');
    const before = await contributions();
    const body = 'alpha||question|ada|May this be asked?';
    const proposed = await server.call('MIRROR_APPEND', body, { share });
    expect(proposed.status).toBe(202);
    expect(proposed.json).toMatchObject({
      ok: true,
      ran: false,
      result: { proposal: { key: 'MIRROR_APPEND', body } },
      invocation: { status: 'proposed' },
    });
    expect(await contributions()).toBe(before);
    expect(await server.explain(share)).toMatchObject({ uses: 1, uses_left: 4 });
    const id = idOf(proposed);
    expect(await receipt(id)).toMatchObject({
      status: 'proposed',
      ran: false,
      finished_at: null,
      verbs: [
        { key: 'OIP_APPROVE', body: `${id}|approved|` },
        { key: 'OIP_REPLAY', body: id },
      ],
    });

    const approved = await approve(`${id}|approved|go on`);
    expect(approved.json).toMatchObject({
      ok: true,
      result: { decision: 'approved', id, status: 'success', ran: true },
    });
    expect(await contributions()).toBe(before + 1);
    const after = await receipt(id);
    expect(after).toMatchObject({ id, status: 'success', ran: true, actor: fingerprint });
    const entries = after['entries'] as Record<string, unknown>[];
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['proposed', fingerprint],
      ['success', 'owner'],
    ]);
    expect(entries[1]?.['decided_by']).toBe(idOf(approved));
    expect(await server.explain(share)).toMatchObject({ uses: 1, uses_left: 4 });
    expectProblem(await approve(`${id}|approved|`), 'already_decided');
    expectProblem(await approve(`${id}|declined|`), 'already_decided');
    expect(await contributions()).toBe(before + 1);
  });

  it('is declined with a note, and never runs', async () => {
    const { share } = await gated('MIRROR_APPEND');
    const before = await contributions();
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||audit|ada|Declined.', share };
    const proposed = await server.get(url);
    expect(proposed.status).toBe(202);
    const again = await server.get(url);
    expect([again.status, again.json['idempotent_replay'], idOf(again)]).toEqual([202, true, idOf(proposed)]);
    expect([again.json['result'], again.json['result_text']]).toEqual([
      proposed.json['result'],
      proposed.json['result_text'],
    ]);
    const declined = await approve(`${idOf(proposed)}|declined|not | now`);
    expect(declined.json).toMatchObject({ result: { decision: 'declined', status: 'declined', ran: false } });
    expect(await contributions()).toBe(before);
    expect(await receipt(idOf(proposed))).toMatchObject({
      status: 'declined',
      ran: false,
      response: { result: { note: 'not | now' } },
    });
    expectProblem(await server.get(url), 'owner_gate_required');
  });

  it('is denied at approval if the parent of its share was revoked', async () => {
    const parent = await gated('MIRROR_APPEND');
    const { share } = await server.mint({ max_uses: 1 }, parent.share);
    const before = await contributions();
    const proposed = await server.call('MIRROR_APPEND', 'alpha||audit|ada|Too late.', { share });
    await server.deployment.did('CAP_REVOKE', parent.fingerprint);
    const approved = await approve(`${idOf(proposed)}|approved|`);
    expect(approved.json['result']).toMatchObject({
      status: 'denied',
      ran: false,
      error: 'ancestor_revoked',
    });
    expect(await receipt(idOf(proposed))).toMatchObject({ status: 'denied', error: 'ancestor_revoked' });
    expect(await contributions()).toBe(before);
  });

  it('that fails after approval is recorded as failed, without partial writes', async () => {
    const { share } = await gated('MIRROR_APPEND');
    const proposed = await server.call('MIRROR_APPEND', 'nowhere||audit|ada|No article.', { share });
    expect(proposed.status).toBe(202);
    const approved = await approve(`${idOf(proposed)}|approved|`);
    expect(approved.json['result']).toMatchObject({ status: 'failed', ran: false, error: 'not_found' });
    expect(await receipt(idOf(proposed))).toMatchObject({ status: 'failed', error: 'not_found' });
  });

  it('with an external effect runs once, and only after approval', async () => {
    const { share } = await gated('TEST_OUTSIDE');
    for (const [text, status] of [
      ['hello', 'success'],
      ['breaks', 'failed'],
    ] as const) {
      fired.length = 0;
      const proposed = await server.call('TEST_OUTSIDE', text, { share });
      expect([proposed.status, fired]).toEqual([202, []]);
      const decide = () =>
        server.call('OIP_APPROVE', `${idOf(proposed)}|approved|`, { idem: `approve ${text}` }, owner);
      const approved = await decide();
      expect([approved.json['outcome'], fired]).toMatchObject([{ id: idOf(proposed), status }, [text]]);
      const again = await decide();
      expect([again.json['idempotent_replay'], again.json['outcome'], fired]).toEqual([
        true,
        approved.json['outcome'],
        [text],
      ]);
      const entries = (await receipt(idOf(proposed)))['entries'] as { action: string }[];
      expect(entries.map(({ action }) => action)).toEqual(['proposed', 'running', status]);
    }
  });

  it('in progress is neither run again nor declined', async () => {
    const { share } = await gated('TEST_OUTSIDE');
    fired.length = 0;
    const proposed = await server.call('TEST_OUTSIDE', 'waits', { share });
    const first = approve(`${idOf(proposed)}|approved|`);
    await expect.poll(() => fired).toEqual(['waits']);
    for (const word of ['approved', 'declined'])
      expectProblem(await approve(`${idOf(proposed)}|${word}|`), 'already_decided');
    release();
    expect([(await first).json['outcome'], fired]).toMatchObject([{ status: 'success' }, ['waits']]);
  });

  it('is refused while its share has twenty open proposals', async () => {
    const { share } = await gated('MIRROR_APPEND', { max_uses: 0 });
    const replies: Reply[] = [];
    for (let i = 0; i < 21; i++)
      replies.push(await server.call('MIRROR_APPEND', `alpha||audit|ada|Number ${i}.`, { share }));
    expect(replies.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 202), 409]);
    expectProblem(replies[20] as Reply, 'conflict');
    await approve(`${idOf(replies[0] as Reply)}|declined|`);
    expect((await server.call('MIRROR_APPEND', 'alpha||audit|ada|Room again.', { share })).status).toBe(202);
  });

  it('is decided by the owner alone, as approved or declined, and only if it exists', async () => {
    const { share } = await gated('MIRROR_APPEND', { risk_ceiling: 'high' });
    const id = idOf(await server.call('MIRROR_APPEND', 'alpha||audit|ada|Whose call?', { share }));
    expectProblem(await server.call('OIP_APPROVE', `${id}|approved`, { share }), 'owner_only');
    expectProblem(await server.call('OIP_APPROVE', `${id}|approved`), 'owner_only');
    expectProblem(await approve(`${id}|perhaps`), 'invalid_decision');
    expectProblem(await approve('inv_aaaaaaaaaaaaaaaa|approved'), 'not_found');
    expect(await receipt(id)).toMatchObject({ status: 'proposed' });
  });

  it('of a batch is approved as a whole, without a separate approval of each operation', async () => {
    const { share } = await server.mint({
      scope: 'rows',
      keys: ['VOXEL_BATCH', 'CLAIM_POST'],
      owner_gate: true,
      max_uses: 1,
    });
    const claim = (text: string) => ({
      op: 'claim',
      text,
      tier: 'system',
      who_claims: 'ada',
      why_material: 'x',
    });
    const proposed = await server.call(
      'VOXEL_BATCH',
      {
        slug: 'alpha',
        operations: [claim('The gate opens for a batch.'), claim('A gate closes behind it.')],
      },
      { share },
    );
    expect(proposed.status).toBe(202);
    const approved = await approve(`${idOf(proposed)}|approved|`);
    expect(approved.json['result']).toMatchObject({ status: 'success', result: { landed: 2, of: 2 } });
    expect(await server.explain(share)).toMatchObject({ uses: 1, state: 'exhausted' });
  });

  it('is refused uncharged on a row whose bodies the ledger does not keep', async () => {
    const { share } = await gated('OBJECTION_LOG');
    const body = 'alpha|The number is old.|||ada';
    const kept = await server.call('OBJECTION_LOG', body, { share });
    expect(kept.status).toBe(202);
    const patch = { key: 'OBJECTION_LOG', ledger_enabled: false };
    expect((await server.call('DIRECTORY_PATCH', patch, {}, owner)).status).toBe(200);
    const refused = await server.call('OBJECTION_LOG', body, { share });
    expect(expectProblem(refused, 'owner_gate_required')).toMatchObject({
      status: 403,
      gate: 'owner_gate',
      ledger_enabled: false,
      charged: false,
      detail:
        'OBJECTION_LOG keeps no bodies (ledger_enabled is false), so a call of it cannot wait for the owner.',
    });
    expect(await server.explain(share)).toMatchObject({ uses: 1 });
    const open = await server.mint({ scope: 'row', key: 'OBJECTION_LOG', max_uses: 1 });
    expect(
      (await server.call('OBJECTION_LOG', 'alpha|Nobody is cited.|||ada', { share: open.share })).json['ran'],
    ).toBe(true);
    // What waited since before the switch still has its body; what comes of it is not kept.
    const decided = await approve(`${idOf(kept)}|approved|`);
    expect(decided.json['result']).toMatchObject({ status: 'success', result: null });
    expect(await receipt(idOf(kept))).toMatchObject({
      status: 'success',
      request: { body },
      response: { result: null, salt: null, content_sha: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('leaves projections that a ledger replay reproduces', () => expectReplays(server));
});
