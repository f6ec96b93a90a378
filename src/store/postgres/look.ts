/** Looks at a database from outside, for backups and for whoever asks what is wrong: reads, and makes nothing. */
import pg from 'pg';
import { CannotStart } from '../../engine/store.ts';
import type { LedgerVersion } from '../../engine/ledger-version.ts';
import { stepsKnown } from './migrations.ts';
import { refusePooler } from './sessions.ts';
import { checkReadableDatabase, storedLedger } from './version.ts';

/** Names and values of the keyring. */
export async function readKeyring(url: string): Promise<Readonly<Record<string, string>>> {
  return withClient(url, async (client) => {
    await checkReadableDatabase(client);
    const { rows } = await client.query<{ name: string; value: string }>(
      'SELECT name, value FROM keyring ORDER BY name',
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  });
}

export interface DatabaseLook {
  readonly version: string;
  /** Steps applied, 0 in a database that was never used, and how many this version knows. */
  readonly migrations: number;
  readonly migrationsKnown: number;
  /** Undefined in a database that was never used, and in one of a build before ledgers had a version. */
  readonly ledger: LedgerVersion | undefined;
  /** What a pooler between here and the server breaks; undefined where there is none. */
  readonly pooled: string | undefined;
  /** Names and values of the keyring. */
  readonly keyring: ReadonlyMap<string, string>;
  /** Entries that the log has not taken in yet. */
  readonly pending: number;
  readonly entries: number;
  /** Entries that the search index has followed; undefined where the database has none yet. */
  readonly searched: number | undefined;
}

export async function lookAtDatabase(url: string): Promise<DatabaseLook> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ version: string; there: string | null }>(
      "SELECT current_setting('server_version') AS version, to_regclass('migration')::text AS there",
    );
    const { version, there } = rows[0] as { version: string; there: string | null };
    const pooled = await poolerOf(url, client);
    const { version: ledger } = await storedLedger(client);
    if (there === null)
      return {
        version,
        pooled,
        ledger,
        keyring: new Map(),
        migrations: 0,
        migrationsKnown: stepsKnown,
        pending: 0,
        entries: 0,
        searched: undefined,
      };
    const searched = await client
      .query<{ size: string }>('SELECT size FROM search_state')
      .then(({ rows: [state] }) => Number(state?.size))
      .catch(() => undefined);
    const counts = await client.query<{ migrations: string; pending: string; entries: string }>(
      'SELECT (SELECT max(n) FROM migration) AS migrations, (SELECT coalesce(sum(count), 0) FROM pending) AS pending, (SELECT size FROM log_head) AS entries',
    );
    const keyring = await client.query<{ name: string; value: string }>('SELECT name, value FROM keyring');
    const found = counts.rows[0] as { migrations: string; pending: string; entries: string };
    return {
      version,
      pooled,
      ledger,
      keyring: new Map(keyring.rows.map(({ name, value }) => [name, value])),
      migrations: Number(found.migrations),
      migrationsKnown: stepsKnown,
      pending: Number(found.pending),
      entries: Number(found.entries),
      searched,
    };
  });
}

async function poolerOf(url: string, client: pg.Client): Promise<string | undefined> {
  try {
    await withClient(url, (second) => refusePooler(client, second));
    return undefined;
  } catch (error) {
    if (error instanceof CannotStart) return error.message;
    throw error;
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'look',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
