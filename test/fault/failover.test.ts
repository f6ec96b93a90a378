/**
 * Two nodes whose DATABASE_URL names a primary and its synchronous standby (contract §0), while the primary is killed
 * and the standby promoted: no acknowledged write is lost, and nobody restarts a node.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const secret = 'a-secret-of-the-two-nodes-that-fail-over';
const terminalKey = 'tk_the-owner-of-the-two-nodes-that-fail-over';

interface Answer {
  readonly invocation: { readonly id: string };
}

describe.skipIf(!hasPostgres)('a failover to a synchronous standby', () => {
  let primary: TestPostgres;
  let standby: TestStandby;
  let url: string;
  let nodes: RunningServer[];

  beforeAll(async () => {
    primary = await startPostgres({ wal_keep_size: '256MB' });
    const direct = await primary.database();
    standby = await primary.standby();
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.query('SELECT pg_reload_conf()');
    // The standby comes first, so that the nodes must find the primary from the beginning.
    url = direct.replace(/@[^/]*/, `@127.0.0.1:${standby.port},127.0.0.1:${primary.port}`);
    const env = { DATABASE_URL: url, COLOPHON_SECRET_KEY: secret };
    nodes = [await startServer({ env, terminalKey }), await startServer({ env, terminalKey })];
    await call(0, { document: { slug: 'kept', markdown: '# Kept\n\nOne.\n' } }, '/api/protocol/voxel-batch');
  }, 120_000);

  afterAll(async () => {
    for (const node of nodes ?? []) await node.stop();
    await standby?.stop();
    removeFolders();
  });

  async function call(
    at: number,
    body: object,
    path = '/api/dispatch',
  ): Promise<{ readonly status: number; readonly answer: Answer }> {
    const response = await fetch(`${(nodes[at] as RunningServer).base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify(body),
    });
    return { status: response.status, answer: (await response.json()) as Answer };
  }

  it('loses no acknowledged write, and writes go on without a restart', async () => {
    const acknowledged: string[] = [];
    const load = { running: true };
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; load.running; i++) {
        const body = {
          slug: 'kept',
          claim_id: '',
          kind: 'question',
          actor: 'ada',
          body: `What of ${writer} and ${i}?`,
        };
        const { status, answer } = await call(writer % 2, { key: 'MIRROR_APPEND', body });
        if (status === 200) acknowledged.push(answer.invocation.id);
        else await new Promise((wait) => setTimeout(wait, 50));
      }
    });
    try {
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(50), 20_000);
      await primary.kill();
      await standby.promote();
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 50), 30_000);
    } finally {
      load.running = false;
      await Promise.allSettled(writers);
    }

    expect(acknowledged.filter((invocation) => !invocation.startsWith('inv_'))).toEqual([]);
    const lost: string[] = [];
    for (const invocation of acknowledged) {
      const response = await fetch(`${(nodes[1] as RunningServer).base}/receipt/${invocation}`);
      if (response.status !== 200) lost.push(invocation);
      await response.arrayBuffer();
    }
    expect(lost).toEqual([]);
    const { status, stdout } = await runCommandBeside(temporaryFolder(), ['verify'], {
      DATABASE_URL: url,
      COLOPHON_SECRET_KEY: secret,
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('entries')]);
    // The host that is gone comes first.
    const goneFirst = url.replace(/@[^/]*/, `@127.0.0.1:${primary.port},127.0.0.1:${standby.port}`);
    const env = { DATABASE_URL: goneFirst, COLOPHON_SECRET_KEY: secret };
    const verified = await runCommandBeside(temporaryFolder(), ['verify'], env);
    expect([verified.status, verified.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
    const examined = await runCommandBeside(temporaryFolder(), ['doctor'], env);
    expect(examined.stdout).toMatch(/^ok {4}PostgreSQL: version /m);
  }, 120_000);
});
