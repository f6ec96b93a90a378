/** The same tests over HTTP on both stores: where a server is started with SQLite, and where with PostgreSQL. */
import { hasPostgres, sharedPostgres, type TestDatabases } from './postgres.ts';

export interface StoreEnvironment {
  readonly name: 'sqlite' | 'postgres';
  start(): Promise<void>;
  /** The environment of one deployment, on a database of its own. Two nodes of it share the answer. */
  env(): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

export function storeEnvironments(): StoreEnvironment[] {
  const sqlite: StoreEnvironment = {
    name: 'sqlite',
    start: async () => undefined,
    env: async () => ({}),
    stop: async () => undefined,
  };
  let server: TestDatabases | undefined;
  const postgres: StoreEnvironment = {
    name: 'postgres',
    async start() {
      server = await sharedPostgres();
    },
    env: async () => ({ DATABASE_URL: await (server as TestDatabases).database() }),
    async stop() {
      await server?.stop();
    },
  };
  return hasPostgres ? [sqlite, postgres] : [sqlite];
}
