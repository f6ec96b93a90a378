import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Type from 'typebox';
import { defineRow } from '../../src/domain/capabilities/row.ts';
import { fault } from '../../src/kernel/fault.ts';
import { verifyReceipt } from '../../verify/receipt.ts';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectReplays } from './replays.ts';

/** A row whose provider counts 120 tokens in and 30 out at 900 millionths of a dollar, and which may fail after it. */
const spender = defineRow({
  key: 'TEST_SPEND',
  category: 'tests',
  target: 'provider',
  contract: { what: 'Spends.', when: 'In tests.', example: 'well' },
  input: Type.Object({ how: Type.String() }, { additionalProperties: false }),
  auth: 'none',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: ({ how }) => ({
    do: 'effect',
    timeoutMs: 5000,
    run: async (_signal, _outside, job) => {
      const material = [{ kind: 'page', id: 'p1', url: 'https://example.org/p1' }];
      if (how === 'uncounted') {
        job.spent({ tokensIn: 0, tokensOut: 0, usdMicros: null, tokensWasted: 0 });
        return { result: { how }, text: how, material };
      }
      const usdMicros = how === 'unpriced' ? null : 900;
      job.spent({ tokensIn: 100, tokensOut: 20, usdMicros, tokensWasted: 0 });
      job.spent({ tokensIn: 20, tokensOut: 10, usdMicros: 0, tokensWasted: 0 });
      if (how === 'badly') return fault('runner_failed', 'It came to nothing.', 'Try again.');
      return { result: { how }, text: how, material };
    },
  }),
});

describe.each(storeKinds().map(({ name }) => name))('the yield of a call on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal({
      rows: [spender],
      ...(database === undefined ? {} : { databaseUrl: await database.database() }),
    });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
  });

  afterAll(async () => {
    await expectReplays(server);
    await server.end();
    await database?.stop();
  });

  const idOf = (reply: Reply): string => (reply.json['invocation'] as { id: string }).id;
  const receipt = async (id: string) => (await server.get({ receipt: id }, owner)).json;
  const confirmed = async (id: string) => (await server.get({ confirm: id })).json;
  const newest = async (key: string, headers: Record<string, string>) =>
    (
      (await server.send({ path: `/api/invocations?object_id=${key}&limit=1`, headers })).json[
        'invocations'
      ] as Record<string, unknown>[]
    )[0];

  it('is the same in the response, its replay, the receipt and the list of invocations', async () => {
    const send = () =>
      server.call('MIRROR_APPEND', 'alpha||question|ada|Why one?', {}, { 'idempotency-key': 'why-one' });
    const answer = await send();
    const told = answer.json['yield'] as { readonly material: readonly { readonly id: string }[] };
    expect(told).toEqual({
      tokens: { in: 0, out: 0, total: 0 },
      cost: { usd: 0 },
      material: [{ kind: 'contribution', id: expect.stringMatching(/^mc_/), url: expect.any(String) }],
      waste: 0,
    });
    expect((await send()).json).toMatchObject({ idempotent_replay: true, yield: told });
    expect((await receipt(idOf(answer)))['yield']).toEqual(told);
    expect((await newest('MIRROR_APPEND', owner))?.['yield']).toEqual(told);
  });

  it('names its objects only to callers who may read the receipt', async () => {
    const id = idOf(await server.call('TEST_SPEND', 'well'));
    const open = await confirmed(id);
    expect(open['yield']).toEqual({
      tokens: { in: 120, out: 30, total: 150 },
      cost: { usd: 0.0009 },
      waste: 0,
    });
    expect(JSON.stringify(open)).not.toContain('example.org');
    expect(await newest('TEST_SPEND', {})).not.toHaveProperty('yield');
    expect((await receipt(id))['yield']).toEqual({
      tokens: { in: 120, out: 30, total: 150 },
      cost: { usd: 0.0009 },
      material: [{ kind: 'page', id: 'p1', url: 'https://example.org/p1' }],
      waste: 0,
    });
  });

  it('counts everything spent on a failed call as waste', async () => {
    const answer = await server.call('TEST_SPEND', 'badly');
    expect(answer.status).toBe(502);
    const told = {
      tokens: { in: 120, out: 30, total: 150 },
      cost: { usd: 0.0009 },
      material: [],
      waste: 150,
    };
    expect(answer.json['yield']).toEqual(told);
    expect((await receipt(idOf(answer)))['yield']).toEqual(told);
  });

  it.each([
    ['tokens cost', 'unpriced', 150],
    ['a provider cost that counts no tokens', 'uncounted', 0],
  ])('is null rather than zero where nobody reported what %s', async (_what, how, total) => {
    const answer = await server.call('TEST_SPEND', how);
    expect(answer.json['yield']).toMatchObject({ tokens: { total }, cost: { usd: null } });
    expect((await receipt(idOf(answer)))['yield']).toEqual(answer.json['yield']);
  });

  it('is committed to: a receipt with another object does not verify', async () => {
    const whole = await receipt(idOf(await server.call('TEST_SPEND', 'well')));
    const failedChecks = async (document: Record<string, unknown>) =>
      (await verifyReceipt(JSON.stringify(document))).checks.filter(({ ok }) => !ok).map(({ id }) => id);
    const before = await failedChecks(whole);
    expect(before).not.toContain('material');
    const material = { ...(whole['material'] as object), items: [{ kind: 'page', id: 'p2', url: 'x' }] };
    expect(await failedChecks({ ...whole, material })).toContain('material');
  });
});
