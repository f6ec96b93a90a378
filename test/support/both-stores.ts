/** The same tests in front of a deployment on each store, and the proof that its projections can be made again. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { logOf, replay, rowsOf } from '../model/replay.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from './postgres.ts';
import { startServer, type TestServer } from './server.ts';
import { allLogged } from './stores.ts';

export function onBothStores(
  title: string,
  tests: (server: () => TestServer) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(`${title} on %s`, (kind) => {
    let postgres: TestDatabases | undefined;
    let server: TestServer | undefined;
    beforeAll(async () => {
      if (kind === 'PostgreSQL') postgres = await sharedPostgres();
      server = await startServer({
        ...env,
        ...(postgres === undefined ? {} : { DATABASE_URL: await postgres.database() }),
      });
    });
    afterAll(async () => {
      const errors = server?.errors ?? [];
      await server?.stop();
      await postgres?.stop();
      expect(errors).toEqual([]);
    });
    tests(() => server as TestServer);
  });
}

/** What `rebuild --check` compares: every projection as it stands, and as replaying the ledger makes it. */
export async function expectRebuilds({ deployment }: Pick<TestServer, 'deployment'>): Promise<void> {
  const { store } = deployment.service;
  const stood = await rowsOf(store, schema);
  await allLogged(store);
  expect(replay(schema, await logOf(store.read))).toEqual(stood);
}
