/** A stop ends in bounded time when PostgreSQL's connections stand and answer nothing (contract §3, a store failure refuses). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Proxy } from '../support/postgres-proxy.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasPostgres)('a stop with a silent line to PostgreSQL', () => {
  let postgres: TestDatabases;
  let line: Proxy;
  let server: TestServer;

  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    line = await Proxy.to(postgres.port);
    server = await startServer(
      { DATABASE_URL: line.url(await postgres.database()) },
      { closing: { cutAfterMs: 500, giveUpAfterMs: 3000 } },
    );
  });
  afterEach(() => line.close());

  /** Until each of the background's readers and the writer wait for an answer. */
  const hang = async (): Promise<readonly Promise<unknown>[]> => {
    line.silence();
    const { store } = server.deployment.service;
    const waiting = [store.read.checkpoint(), store.read.checkpoint(), store.unlogged()];
    await expect.poll(() => line.swallowed, { timeout: 10_000 }).toBeGreaterThan(3);
    return waiting.map((each) => each.catch((error: Error) => error.message));
  };

  it('gives up, says why, and fails what still waits', { timeout: 20_000 }, async () => {
    const waiting = await hang();
    await expect(server.stop()).rejects.toThrow('PostgreSQL does not answer');
    for (const answer of await Promise.all(waiting)) expect(answer).toBe('PostgreSQL does not answer');
  });

  it(
    'is orderly when the line works again and earlier questions were lost',
    { timeout: 20_000 },
    async () => {
      const waiting = await hang();
      line.restore();
      await expect(server.stop()).resolves.toBeUndefined();
      await Promise.all(waiting);
    },
  );
});
