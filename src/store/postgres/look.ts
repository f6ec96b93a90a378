/** Looks at a database from outside, for backups and for whoever asks what is wrong: reads, and makes nothing. */
import pg from 'pg';
import { stepsKnown } from './migrations.ts';

/** Names and values of the keyring. */
export async function readKeyring(url: string): Promise<Readonly<Record<string, string>>> {
  return withClient(url, async (client) => {
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
    if (there === null)
      return {
        version,
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
    const found = counts.rows[0] as { migrations: string; pending: string; entries: string };
    return {
      version,
      migrations: Number(found.migrations),
      migrationsKnown: stepsKnown,
      pending: Number(found.pending),
      entries: Number(found.entries),
      searched,
    };
  });
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
