/** A readiness probe learns within a bounded time that the ledger does not respond, and why. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Proxy } from '../support/postgres-proxy.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

describe('readiness on SQLite', () => {
  it('returns the number of entries in the log', async () => {
    const server = await startServer();
    try {
      const before = (await server.read('/readyz'))['entries'] as number;
      await server.article('# Ready\n\nOne.\n');
      expect(await server.read('/readyz')).toEqual({ ok: true, entries: expect.any(Number) });
      expect((await server.read('/readyz'))['entries']).toBeGreaterThan(before);
    } finally {
      await server.stop();
    }
  });
});

it('a checkpoint file that cannot be written stops neither writes nor readiness', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-apart-'));
  const troubles: string[] = [];
  const server = await startServer(
    { COLOPHON_CHECKPOINT: join(folder, 'checkpoint') },
    { onTrouble: (error) => void troubles.push((error as Error).message) },
  );
  try {
    rmSync(folder, { recursive: true });
    await server.article('# Written\n\nOne.\n');
    await expect.poll(() => troubles.at(-1)).toMatch(/^the checkpoint was not copied: ENOENT/);
    await server.article('# Written again\n\nOne.\n');
    expect((await server.fetch('/readyz')).status).toBe(200);
    mkdirSync(folder);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('readiness on SQLite after a file of the ledger was deleted', () => {
  it('fails with the next step for the operator; writes fail too, and reads go on', async () => {
    const server = await startServer();
    try {
      rmSync(join(server.deployment.config.dataFolder, 'colophon.db-wal'));
      // Before anybody has tried to write.
      expect((await server.fetch('/readyz')).status).toBe(503);
      const call = await server.fetch('/api/dispatch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'PAPER_STATE', body: '' }),
      });
      expect(call.status).toBe(503);
      const ready = await server.fetch('/readyz');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        ok: false,
        detail: expect.stringMatching(
          /^The ledger cannot be reached: \S+colophon\.db-wal was deleted behind this server/,
        ),
        fix: expect.stringMatching(/^Stop every process that uses the data folder/),
      });
      expect((await server.fetch('/api/articles')).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(!hasPostgres)('readiness on PostgreSQL', () => {
  let postgres: TestDatabases;
  let line: Proxy;
  let url: string;
  let server: TestServer;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    line = await Proxy.to(postgres.port);
    url = await postgres.database();
    server = await startServer({ DATABASE_URL: line.url(url) });
  });
  afterAll(async () => {
    line.restore();
    await server.stop();
    await line.close();
    await postgres.stop();
  });

  const timed = async (): Promise<{ status: number; ms: number; told: Answer }> => {
    const began = performance.now();
    const response = await server.fetch('/readyz');
    const told = (await response.json()) as Answer;
    return { status: response.status, ms: performance.now() - began, told };
  };
  const readyAgain = async (): Promise<void> => {
    await expect.poll(async () => (await timed()).status, { timeout: 15_000 }).toBe(200);
  };

  it('fails within two seconds when connections break, and recovers by itself', async () => {
    expect((await timed()).status).toBe(200);
    line.sever();
    const { status, ms, told } = await timed();
    expect(status).toBe(503);
    expect(ms).toBeLessThan(2000);
    expect(told).toMatchObject({
      ok: false,
      error: 'overloaded',
      retryable: true,
      detail: expect.stringMatching(/^The ledger cannot be reached: PostgreSQL (does not|cannot)/),
    });
    line.restore();
    await readyAgain();
  });

  it('fails within two seconds when connections hang, also for many concurrent probes', async () => {
    line.silence();
    for (const { status, ms, told } of await Promise.all(Array.from({ length: 20 }, timed))) {
      expect(status).toBe(503);
      expect(ms).toBeLessThan(2000);
      expect(told['detail']).toBe('The ledger cannot be reached: PostgreSQL does not answer.');
    }
    line.restore();
    await readyAgain();
  });

  it('fails while the database takes no writes, and says with what it refuses them', async () => {
    const operator = new pg.Client(url);
    await operator.connect();
    const name = new URL(url).pathname.slice(1);
    const reconnect = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`;
    await operator.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    await operator.query(reconnect);
    try {
      await expect.poll(async () => (await timed()).status, { timeout: 15_000 }).toBe(503);
      await expect
        .poll(async () => (await timed()).told['detail'], { timeout: 15_000 })
        .toBe('The ledger cannot be reached: PostgreSQL refuses writes with 25006.');
    } finally {
      await operator.query('SET default_transaction_read_only = off');
      await operator.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
      await operator.query(reconnect);
      await operator.end();
    }
    await readyAgain();
    await server.article('# Written again\n\nOne.\n');
  });

  it('fails while a write would wait, although nobody writes', async () => {
    const locker = new pg.Client(url);
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE held IN SHARE MODE');
    await expect
      .poll(async () => (await timed()).told['detail'], { timeout: 15_000 })
      .toBe('The ledger cannot be reached: PostgreSQL does not answer writes.');
    // Probes do not add to what waits there.
    await Promise.all(Array.from({ length: 20 }, timed));
    const { rows } = await locker.query<{ count: string }>(
      "SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    );
    expect(rows[0]?.count).toBe('1');
    await locker.end();
    await readyAgain();
  });

  it('fails while writes wait for a lock of somebody else, and says for how long', async () => {
    const locker = new pg.Client(url);
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE entry IN SHARE MODE');
    const written = server.article('# Waits\n\nOne.\n');
    await expect.poll(async () => (await timed()).status, { timeout: 15_000 }).toBe(503);
    expect((await timed()).told).toMatchObject({
      error: 'overloaded',
      detail: expect.stringMatching(/^Writes are not answered: the oldest has waited for \d+ seconds\.$/),
    });
    const metrics = await (await server.fetch('/metrics')).text();
    expect(Number(/^colophon_store_oldest_wait_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(2);
    await locker.end();
    await written;
    await readyAgain();
  });
});
