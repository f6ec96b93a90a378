/**
 * The HTTP server assembles the answer to a call from stored texts, and other interfaces take the answer as a value.
 * Both must be the same JSON for every kind of answer.
 */
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../src/app/plans/call.ts';
import type { Call } from '../../src/app/plans/call.ts';
import { defineRow } from '../../src/domain/capabilities/row.ts';
import { answerBody, callAnswer } from '../../src/doors/http/dispatch-answer.ts';
import { RequestLimits } from '../../src/doors/http/request-limits.ts';
import { route } from '../../src/doors/http/route.ts';
import type { Fault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';

let finish: (said: string) => void = () => undefined;
const slow = defineRow({
  key: 'TEST_SLOW',
  category: 'test',
  target: 'outside',
  contract: { what: 'Takes long.', when: 'In tests.', example: 'x' },
  input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: () => ({
    do: 'effect',
    timeoutMs: 10_000,
    answerWithinMs: 20,
    run: async () => {
      const said = await new Promise<string>((resolve) => (finish = resolve));
      return { result: { said }, text: 'done', material: [] };
    },
  }),
});

describe.each(storeKinds().map(({ name }) => name))('an answer on %s', (name) => {
  let deployment: TestDeployment;
  let database: TestDatabases | undefined;
  let answer: Answer | Fault;
  const app = fastify();

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    deployment = await openDeployment({
      rows: [slow],
      ...(database === undefined ? {} : { databaseUrl: await database.database() }),
    });
    await deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
    const requestLimits = new RequestLimits({ limiter: undefined, trusted: [], now: () => 0 });
    const server = { app, service: deployment.service, requestLimits };
    route(
      server,
      { get: '/', id: 'answer', summary: '', tag: 'capabilities', auth: 'handler' },
      ({ request }) => callAnswer(server, request, answer),
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(async () => {
    finish('at last');
    await app.close();
    await deployment.end();
    await database?.stop();
  });

  /** The text that is sent, after it was held against the value. */
  async function sent(
    given: Answer | Fault,
  ): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
    answer = given;
    const reply = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`);
    const text = await reply.text();
    const json = JSON.parse(text) as Record<string, unknown>;
    expect(json).toEqual(JSON.parse(JSON.stringify(answerBody(deployment.service, given, '/'))));
    return { status: reply.status, text, json };
  }

  const question = (body: string, more?: Partial<Call>) =>
    deployment.call('MIRROR_APPEND', `alpha||question|ada|${body}`, more);

  it('to a successful call is the same JSON as text and as value', async () => {
    const { status, text, json } = await sent(await question('Does it hold "both\\" ways?'));
    expect([status, json['ok'], json['ran'], json['kind']]).toEqual([200, true, true, 'MIRROR_APPEND']);
    expect(json['result']).toMatchObject({
      slug: 'alpha',
      contribution: { body: 'Does it hold "both\\" ways?' },
    });
    expect(json['result_text']).toMatch(/^Proposed mc_/);
    expect(json['proof']).toMatchObject({ ok: true, entry: { key: 'MIRROR_APPEND', n: 0 } });
    // One character beyond Latin-1 would make two bytes of every other.
    expect(text).toMatch(/^[ -~]+$/);
  });

  it('preserves characters outside Latin-1', async () => {
    const { text, json } = await sent(await question('Is é as good as — and 🜁?'));
    expect(json['result']).toMatchObject({ contribution: { body: 'Is é as good as — and 🜁?' } });
    expect(text).toContain('Is é as good as — and 🜁?');
  });

  it('to a read is the same JSON, with every contribution', async () => {
    const { json } = await sent(await deployment.call('MIRROR_FEED', 'alpha|20'));
    expect((json['result'] as { contributions: unknown[] }).contributions).toHaveLength(2);
  });

  it('shows a minted share beside the result, not inside it', async () => {
    const { json } = await sent(await deployment.call('CAP_MINT', { scope: 'read' }));
    expect(json['share']).toMatch(/^sh\./);
    expect(JSON.stringify(json['result'])).not.toContain(String(json['share']));
  });

  it('marks an idempotent replay', async () => {
    const first = await sent(await question('Once?', { idempotencyKey: 'k' }));
    const { json } = await sent(await question('Once?', { idempotencyKey: 'k' }));
    expect([first.json['idempotent_replay'], json['idempotent_replay']]).toEqual([undefined, true]);
    expect(json['result']).toEqual(first.json['result']);
  });

  it('to a call awaiting approval has status proposed', async () => {
    const minted = await deployment.did('CAP_MINT', { scope: 'row', key: 'MIRROR_APPEND', owner_gate: true });
    const { status, json } = await sent(
      await question('May I?', { presented: { share: String(minted['share']) } }),
    );
    expect([status, json['ok'], json['ran']]).toEqual([202, true, false]);
    expect(json['invocation']).toMatchObject({ key: 'MIRROR_APPEND', status: 'proposed' });
  });

  it('to a running call has status running', async () => {
    const { status, json } = await sent(await deployment.call('TEST_SLOW', { text: 'x' }));
    expect([status, json['ran']]).toEqual([202, false]);
    expect(json['result']).toMatchObject({ status: 'running' });
    finish('done');
  });

  it('to a failed call is a problem with its invocation and its proof', async () => {
    const { status, json } = await sent(
      await deployment.call('MIRROR_APPEND', 'nowhere||question|ada|Where?'),
    );
    expect([status, json['ok'], json['error'], json['ran']]).toEqual([404, false, 'not_found', false]);
    expect(json['proof']).toMatchObject({ ok: false, entry: { action: 'failed', error: 'not_found' } });
    expect(json['invocation']).toMatchObject({ status: 'failed' });
  });
});
