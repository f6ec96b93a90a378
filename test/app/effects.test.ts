import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { closeInterrupted } from '../../src/app/effects.ts';
import { readInvocation } from '../../src/app/receipts.ts';
import { defineRow, type Row } from '../../src/domain/capabilities/row.ts';
import { invocationTable, openInvocationTable } from '../../src/domain/capabilities/tables.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

const open: TestDeployment[] = [];
afterEach(async () => {
  for (const deployment of open.splice(0)) await deployment.end();
});

function effectRow(run: (signal: AbortSignal) => Promise<string>, timeoutMs = 1000): Row {
  return defineRow({
    key: 'TEST_EFFECT',
    category: 'test',
    target: 'outside',
    contract: { what: 'Reaches outside.', when: 'In tests.', example: 'x' },
    input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
    auth: 'share',
    risk: 'low',
    safe: false,
    inAct: true,
    plan: () => ({
      do: 'effect',
      timeoutMs,
      run: async (signal) => ({ result: { said: await run(signal) }, text: 'done', material: [] }),
    }),
  });
}

async function start(row: Row): Promise<TestDeployment> {
  const deployment = await openDeployment({ rows: [row] });
  open.push(deployment);
  return deployment;
}

describe('an effect', () => {
  it('is on the ledger as running before it fires, and as success after', async () => {
    const seen: string[] = [];
    const deployment: TestDeployment = await start(
      effectRow(async () => {
        for await (const row of deployment.service.store.read.scan(openInvocationTable))
          seen.push(String(row['status']));
        return 'hello';
      }),
    );
    const answer = await deployment.call('TEST_EFFECT', 'x');
    expect(seen).toEqual(['running']);
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it did not run');
    expect(answer.status).toBe('success');
    const invocation = await readInvocation(deployment.service, answer.inv);
    expect(invocation?.events.map(({ entry }) => [entry.n, entry['action']])).toEqual([
      [0, 'running'],
      [1, 'success'],
    ]);
    expect(invocation?.response.value).toEqual({ said: 'hello' });
  });

  it('whose request held a secret ends as any other, with the secret taken out of request and answer', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const deployment = await start(effectRow(async () => `it said ${secret}`));
    const answer = await deployment.call('TEST_EFFECT', `say ${secret}`);
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it did not run');
    expect([answer.status, answer.result?.result]).toEqual([
      'success',
      { said: 'it said [redacted:secret]' },
    ]);
    const invocation = await readInvocation(deployment.service, answer.inv);
    expect(invocation?.status).toBe('success');
    expect(invocation?.request.value).toBe('say [redacted:secret]');
    expect(invocation?.response.value).toEqual({ said: 'it said [redacted:secret]' });
    expect(invocation?.events.map(({ entry }) => entry['action'])).toEqual([
      'running',
      'scrub',
      'success',
      'scrub',
    ]);
  });

  it('that throws is recorded as failed with the reason, and its use is taken', async () => {
    const deployment = await start(
      effectRow(async () => {
        throw new Error('the wire was cut');
      }),
    );
    const { share, fingerprint } = await deployment.did('CAP_MINT', 'row|TEST_EFFECT|600|1|x|low|0');
    const answer = await deployment.call('TEST_EFFECT', 'x', { presented: { share: String(share) } });
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
    expect([answer.status, answer.refusal?.fault, answer.charged]).toEqual(['failed', 'runner_failed', true]);
    expect(answer.refusal?.message).toContain('the wire was cut');
    const again = await deployment.call('TEST_EFFECT', 'y', { presented: { share: String(share) } });
    expect(isFault(again) ? again.fault : again.kind === 'called' ? again.refusal?.fault : '').toBe(
      'token_exhausted',
    );
    const explained = await deployment.did('CAP_EXPLAIN', String(fingerprint));
    expect(explained['uses']).toBe(1);
  });

  it('that takes too long ends as runner_timeout', async () => {
    const deployment = await start(effectRow(() => new Promise(() => undefined), 30));
    const answer = await deployment.call('TEST_EFFECT', 'x');
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
    expect([answer.status, answer.refusal?.fault]).toEqual(['failed', 'runner_timeout']);
  });

  it('left running by a process that died is closed as interrupted, once, and never fired again', async () => {
    const fires = { count: 0 };
    const deployment = await start(
      effectRow(() => {
        fires.count++;
        return new Promise(() => undefined);
      }, 60_000),
    );
    void deployment.call('TEST_EFFECT', 'x');
    while (fires.count === 0) await new Promise((done) => setTimeout(done, 5));
    expect(await closeInterrupted(deployment.service, false)).toBe(0);
    expect(await closeInterrupted(deployment.service, true)).toBe(1);
    expect(await closeInterrupted(deployment.service, true)).toBe(0);
    const list = await deployment.service.store.read.list(invocationTable, 'main/TEST_EFFECT', { limit: 5 });
    expect(list.map(({ status }) => status)).toEqual(['failed']);
    const invocation = await readInvocation(deployment.service, (list[0] as { inv: string }).inv);
    expect([invocation?.status, invocation?.error, fires.count]).toEqual(['failed', 'interrupted', 1]);
  });
});
