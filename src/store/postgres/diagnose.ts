/** Diagnosis of a database for `colophon doctor`, and notes that commands leave there for the nodes. */
import type pg from 'pg';
import { OperatorError } from '../../engine/store.ts';
import { fail, ok, warn, type Diagnosis } from '../../engine/store-kind.ts';
import { connectForCommand } from './hosts.ts';
import { stepsKnown } from './migrations.ts';
import { refusePooler } from './sessions.ts';
import { checkReadableDatabase, storedLedger } from './version.ts';

/** Entries that await their place in the log. */
const pendingMax = 5000;

/** A row of the keyring; undefined if the row or the ledger is missing. */
export async function readNote(url: string, name: string): Promise<string | undefined> {
  return withClient(url, async (client) => {
    if ((await storedLedger(client)).steps === 0) return undefined;
    const { rows } = await client.query<{ value: string }>('SELECT value FROM keyring WHERE name = $1', [
      name,
    ]);
    return rows[0]?.value;
  });
}

export async function writeNote(url: string, name: string, text: string): Promise<void> {
  await withClient(url, async (client) => {
    await checkReadableDatabase(client);
    await client.query(
      'INSERT INTO keyring (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, text],
    );
  });
}

/** What `colophon doctor` says of the server and the database. */
export async function diagnose(url: string): Promise<readonly Diagnosis[]> {
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<{ version: string }>(
        "SELECT current_setting('server_version') AS version",
      );
      const { steps } = await storedLedger(client);
      const { entries, pending } = steps === 0 ? { entries: 0, pending: 0 } : await counts(client);
      const pooled = await poolerOf(url, client);
      return [
        ok('PostgreSQL', `version ${rows[0]?.version}, ${entries} entries`),
        pooled === undefined
          ? ok('sessions', 'each connection keeps its own')
          : fail('sessions', pooled, 'Connect to PostgreSQL directly, or pool by session.'),
        migrations(steps),
        ...(pending <= pendingMax
          ? []
          : [
              warn(
                'log',
                `${pending} entries wait to be taken in`,
                'Look at the logs of the nodes: one of them should be doing it.',
              ),
            ]),
      ];
    });
  } catch (error) {
    return [
      fail(
        'PostgreSQL',
        `it does not answer: ${(error as Error).message}`,
        'Check DATABASE_URL, the server, and who may connect.',
      ),
    ];
  }
}

async function counts(client: pg.Client): Promise<{ readonly entries: number; readonly pending: number }> {
  const { rows } = await client.query<{ pending: string; entries: string }>(
    'SELECT (SELECT coalesce(sum(count), 0) FROM pending) AS pending, (SELECT size FROM log_head) AS entries',
  );
  return { entries: Number(rows[0]?.entries), pending: Number(rows[0]?.pending) };
}

function migrations(applied: number): Diagnosis {
  if (applied < stepsKnown)
    return warn(
      'migrations',
      `${applied} of ${stepsKnown} are applied`,
      'The next start applies the others.',
    );
  const newer = applied === stepsKnown ? '' : `, and ${applied - stepsKnown} of a newer version`;
  return ok('migrations', `all ${stepsKnown} are applied${newer}`);
}

async function poolerOf(url: string, client: pg.Client): Promise<string | undefined> {
  try {
    await withClient(url, (second) => refusePooler(client, second));
    return undefined;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectForCommand({
    connectionString: url,
    application_name: 'look',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
