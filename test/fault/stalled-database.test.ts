/**
 * Two nodes on one PostgreSQL: one of them is frozen within a transaction, the synchronous standby goes, and the
 * database itself falls silent (contract §6). Others go on, what waits is refused, what is unknown is called unknown,
 * and everything goes on by itself.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import { removeFolders, runCommandBeside, startServer, temporaryFolder } from '../support/process-server.ts';
import type { RunningServer } from '../support/process-server.ts';

const secret = 'a-secret-of-the-two-nodes-beside-a-stall';
const terminalKey = 'tk_the-owner-of-the-two-nodes-beside-a-stall';

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly invocation: string | undefined;
  readonly detail: string;
}

describe.skipIf(!hasPostgres)('a stall behind two nodes', () => {
  let primary: TestPostgres;
  let standby: TestStandby;
  let url: string;
  let one: RunningServer;
  let other: RunningServer;

  beforeAll(async () => {
    primary = await startPostgres({ wal_keep_size: '256MB' });
    url = await primary.database();
    standby = await primary.standby();
    const env = { DATABASE_URL: url, COLOPHON_SECRET_KEY: secret };
    one = await startServer({ env, terminalKey });
    other = await startServer({ env, terminalKey });
    for (const slug of ['mine', 'theirs']) await post(one, '/api/protocol/voxel-batch', article(slug));
  }, 120_000);

  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await standby?.stop();
    removeFolders();
  });

  it('ends the session of a node that is frozen within a transaction, and the node goes on when it thaws', async () => {
    const answers: Answer[] = [];
    const load = { running: true };
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; load.running; i++) answers.push(await ask(one, 'mine', `Frozen ${writer} of ${i}?`));
    });
    try {
      await vi.waitFor(() => expect(answers.length).toBeGreaterThan(20), 20_000);
      for (let round = 0; round < 3; round++) {
        const session = await freezeWithinTransaction(one, answers);
        // While it is frozen, writes of what it does not write, and of what it does, are answered.
        const beside = await Promise.all([
          ask(other, 'theirs', `Beside in round ${round}?`),
          ask(other, 'mine', `Behind in round ${round}?`),
        ]);
        expect(beside.map(({ status }) => status)).toEqual([200, 200]);
        expect(await openTransactions()).not.toContain(session);
        const before = answers.length;
        process.kill(one.pid, 'SIGCONT');
        await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 20), 20_000);
      }
    } finally {
      process.kill(one.pid, 'SIGCONT');
      load.running = false;
      await Promise.all(writers);
    }
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    for (const { invocation } of answers.filter(({ status }) => status === 200))
      expect((await fetch(`${other.base}/receipt/${invocation}`)).status).toBe(200);
    const { stdout } = await verify();
    expect(stdout).toMatch(/^Sound:/);
    // Each was recorded once, or refused; what was refused as unrecorded is not there.
    const listed = await fetch(`${other.base}/api/articles/mine/contributions`, {
      headers: { 'x-terminal-key': terminalKey },
    });
    const { contributions } = (await listed.json()) as {
      contributions: readonly { readonly body: string }[];
    };
    const recorded = contributions.map(({ body }) => body).filter((body) => body.startsWith('Frozen'));
    expect(recorded.length).toBe(new Set(recorded).size);
    const certain = (word: string): number =>
      answers.filter(({ status, detail }) => (status === 200 ? word === '200' : detail.includes(word)))
        .length;
    expect(recorded.length).toBeGreaterThanOrEqual(certain('200'));
    expect(recorded.length).toBeLessThanOrEqual(certain('200') + certain('is unknown'));
  }, 120_000);

  it('refuses writes while a synchronous standby is gone, and says so', async () => {
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.query('SELECT pg_reload_conf()');
    expect((await ask(one, 'mine', 'Before the standby goes?')).status).toBe(200);
    await standby.stop();
    // The first is written and not confirmed; those behind it are not written.
    const asked = ask(one, 'mine', 'While the standby is gone?');
    // A wait that an administrator ends is answered like a commit, and is none that a failover would keep.
    await vi.waitFor(async () => {
      const ended = await primary.query<{ ended: boolean }>(
        "SELECT pg_cancel_backend(pid) AS ended FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'colophon writer %'",
      );
      expect(ended).toEqual([{ ended: true }]);
    }, 10_000);
    const first = await asked;
    expect(first).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(first.detail).toContain('whether it was recorded is unknown');
    const second = await ask(one, 'mine', 'And another?');
    expect(second).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(second.detail).toContain('nothing was recorded');
    for (const node of [one, other]) {
      const probed = await fetch(`${node.base}/readyz`);
      expect([probed.status, await probed.text()]).toEqual([
        503,
        expect.stringContaining('no synchronous standby answers'),
      ]);
    }
    expect((await fetch(`${one.base}/api/articles/mine`)).status).toBe(200);
    const metrics = await (
      await fetch(`${one.base}/metrics`, { headers: { 'x-terminal-key': terminalKey } })
    ).text();
    expect(Number(/^colophon_store_unknown_acts_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(Number(/^colophon_store_oldest_wait_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(2);

    await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await primary.query('SELECT pg_reload_conf()');
    await vi.waitFor(
      async () => expect((await ask(one, 'mine', 'After it is given up?')).status).toBe(200),
      20_000,
    );
    await ready(one);
  }, 120_000);

  it('refuses writes while PostgreSQL is silent, and goes on when it answers again', async () => {
    const [{ pid: postmaster }] = (await primary.query<{ pid: number }>(
      "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid",
    )) as [{ pid: number }];
    const sessions = await primary.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
    const pids = [postmaster, ...sessions.map(({ pid }) => pid)];
    const signal = (name: NodeJS.Signals): void => {
      for (const pid of pids)
        try {
          process.kill(pid, name);
        } catch {
          // The session that listed them has ended.
        }
    };
    signal('SIGSTOP');
    try {
      const refused = await ask(other, 'theirs', 'While all is silent?');
      expect(refused).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
      expect((await fetch(`${other.base}/readyz`)).status).toBe(503);
    } finally {
      signal('SIGCONT');
    }
    await vi.waitFor(
      async () => expect((await ask(other, 'theirs', 'After the silence?')).status).toBe(200),
      20_000,
    );
    await ready(other);
    const { stdout } = await verify();
    expect(stdout).toMatch(/^Sound:/);
  }, 120_000);

  /** Stops the process where it has a transaction open; the process id of the session that has it. */
  async function freezeWithinTransaction(node: RunningServer, answers: readonly Answer[]): Promise<number> {
    for (let tries = 0; tries < 50; tries++) {
      process.kill(node.pid, 'SIGSTOP');
      // What the server had begun for it ends first.
      await new Promise((resolve) => setTimeout(resolve, 100));
      const [session] = await openTransactions();
      if (session !== undefined) return session;
      const before = answers.length;
      process.kill(node.pid, 'SIGCONT');
      await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before), 20_000);
    }
    throw new Error('no transaction was open in 50 tries');
  }

  /** The sessions that have had a transaction open, with nothing asked of them, for a while. */
  async function openTransactions(): Promise<number[]> {
    const found = await primary.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'colophon writer %' AND state = 'idle in transaction' AND state_change < clock_timestamp() - interval '80 ms'",
    );
    return found.map(({ pid }) => pid);
  }

  async function ready(node: RunningServer): Promise<void> {
    await vi.waitFor(async () => expect((await fetch(`${node.base}/readyz`)).status).toBe(200), 20_000);
  }

  function verify(): ReturnType<typeof runCommandBeside> {
    return runCommandBeside(temporaryFolder(), ['verify'], {
      DATABASE_URL: url,
      COLOPHON_SECRET_KEY: secret,
    });
  }
});

function article(slug: string): object {
  return { document: { slug, markdown: `# About ${slug}\n\nOne.\n` } };
}

function ask(node: RunningServer, slug: string, body: string): Promise<Answer> {
  const question = { slug, claim_id: '', kind: 'question', actor: 'ada', body };
  return post(node, '/api/dispatch', { key: 'MIRROR_APPEND', body: question });
}

async function post(node: RunningServer, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${node.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { invocation } = JSON.parse(text) as { readonly invocation?: { readonly id: string } };
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    invocation: invocation?.id,
    detail: text,
  };
}
