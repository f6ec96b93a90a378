import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { closeInterrupted } from '../../src/app/pipeline/resume.ts';
import { readInvocation } from '../../src/app/reads/invocation.ts';
import { receiptOf } from '../../src/app/reads/receipts.ts';
import { defineRow, type Row } from '../../src/domain/capabilities/row.ts';
import { invocationTable, openInvocationTable } from '../../src/domain/capabilities/tables.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
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

/** Work that a provider takes on; `ends` settles it. */
function jobRow(ends: Promise<string>, seen: string[]): Row {
  return defineRow({
    key: 'TEST_JOB',
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
      async run(_signal, _outside, job) {
        seen.push('fired');
        await job.submitted({ at: 'provider-7' });
        return { result: { said: await ends }, text: 'done', material: [] };
      },
      async resume(submitted) {
        seen.push(`resumed ${String(submitted['at'])}`);
        return { result: { said: 'after all' }, text: 'done', material: [] };
      },
    }),
  });
}

async function ended(deployment: TestDeployment, inv: string): Promise<readonly string[]> {
  for (;;) {
    const invocation = await readInvocation(deployment.service, inv);
    if (invocation?.finishedAt != null) return invocation.events.map(({ entry }) => String(entry['action']));
    await new Promise((wait) => setTimeout(wait, 10));
  }
}

describe('a job that outlasts its request', () => {
  it('returns running, shows its progress, and completes after the response', async () => {
    const seen: string[] = [];
    let end: (said: string) => void = () => undefined;
    const deployment = await start(jobRow(new Promise((done) => (end = done)), seen));
    const answer = await deployment.call('TEST_JOB', 'x');
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
    expect([answer.status, answer.ran, answer.result?.result['status']]).toEqual([
      'running',
      false,
      'running',
    ]);
    const receipt = await receiptOf(deployment.service, { kind: 'owner' }, answer.inv);
    expect(isFault(receipt) ? undefined : receipt['progress']).toMatchObject({ stage: 'submitted' });
    end('at last');
    expect(await ended(deployment, answer.inv)).toEqual(['running', 'submitted', 'success']);
    const invocation = await readInvocation(deployment.service, answer.inv);
    expect([invocation?.response.value, seen]).toEqual([{ said: 'at last' }, ['fired']]);
  });

  it('is resumed after a restart by its reference, and not started again', async () => {
    const seen: string[] = [];
    const row = jobRow(new Promise(() => undefined), seen);
    const first = await start(row);
    const answer = await first.call('TEST_JOB', 'x');
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
    await first.close();
    open.splice(open.indexOf(first), 1);
    const second = await openDeployment({ rows: [row], folder: first.folder });
    open.push(second);
    expect(await ended(second, answer.inv)).toEqual(['running', 'submitted', 'resumed', 'success']);
    expect(seen).toEqual(['fired', 'resumed provider-7']);
    const invocation = await readInvocation(second.service, answer.inv);
    expect(invocation?.response.value).toEqual({ said: 'after all' });
  });

  it.skipIf(!hasPostgres)(
    'stays with its node, and is resumed by one other node when its lease expires',
    async () => {
      const postgres = await sharedPostgres();
      const env = {
        DATABASE_URL: await postgres.database(),
        COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
      };
      const seen: string[] = [];
      const clock = { ahead: 0 };
      const options = {
        rows: [jobRow(new Promise(() => undefined), seen)],
        env,
        now: () => Date.now() + clock.ahead,
      };
      const nodes = [await openDeployment(options), await openDeployment(options)] as const;
      open.push(...nodes);
      const answer = await nodes[0].call('TEST_JOB', 'x');
      if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
      await closeInterrupted(nodes[1].service, false);
      expect(seen).toEqual(['fired']);
      clock.ahead = 3_600_000;
      await Promise.all(nodes.map((node) => closeInterrupted(node.service, false)));
      expect(await ended(nodes[1], answer.inv)).toEqual(['running', 'submitted', 'resumed', 'success']);
      expect(seen).toEqual(['fired', 'resumed provider-7']);
      for (const node of open.splice(0)) await node.end();
      await postgres.stop();
    },
  );
});

describe('an effect', () => {
  it('is on the ledger as running before it starts, and as success afterwards', async () => {
    const seen: string[] = [];
    const deployment: TestDeployment = await start(
      effectRow(async () => {
        for await (const row of deployment.service.store.read.scan(openInvocationTable))
          seen.push(row.status);
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

  it('with a secret in its request ends normally, with request and response redacted', async () => {
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

  it('that exceeds its time limit ends as runner_timeout', async () => {
    const deployment = await start(effectRow(() => new Promise(() => undefined), 30));
    const answer = await deployment.call('TEST_EFFECT', 'x');
    if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
    expect([answer.status, answer.refusal?.fault]).toEqual(['failed', 'runner_timeout']);
  });

  it('left running by a dead process is closed as interrupted once, and not started again', async () => {
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
