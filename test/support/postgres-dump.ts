/**
 * What pg_dump and pg_restore do to a database that nodes are connected to, in SQL: the package of the tests brings
 * neither. A dump is one snapshot, kept in a schema of its own; a restore puts it back in one transaction.
 */
import pg from 'pg';

/** `drop` makes the tables anew, as `pg_restore --clean` does; `truncate` fills those that are there. */
export type Restore = 'drop' | 'truncate';

export async function dump(url: string): Promise<void> {
  await inTransaction(url, async (client) => {
    await client.query('DROP SCHEMA IF EXISTS dumped CASCADE; CREATE SCHEMA dumped');
    for (const table of await tables(client))
      await client.query(`CREATE TABLE dumped.${table} AS TABLE public.${table}`);
    await client.query('CREATE TABLE dumped.sequence_ AS SELECT last_value FROM public.entry_unit');
  });
}

export async function restore(url: string, how: Restore): Promise<void> {
  for (;;) {
    try {
      return await restoreOnce(url, how);
    } catch (error) {
      // It stood in the way of a node that read; whoever restores tries again.
      if ((error as pg.DatabaseError).code !== '40P01') throw error;
    }
  }
}

async function restoreOnce(url: string, how: Restore): Promise<void> {
  await inTransaction(url, async (client) => {
    for (const table of await tables(client)) {
      if (how === 'truncate') await client.query(`TRUNCATE public.${table}`);
      else
        await client.query(
          `CREATE TABLE public.made_anew (LIKE public.${table} INCLUDING ALL);
           DROP TABLE public.${table}; ALTER TABLE public.made_anew RENAME TO ${table}`,
        );
      await client.query(`INSERT INTO public.${table} OVERRIDING SYSTEM VALUE SELECT * FROM dumped.${table}`);
    }
    await client.query("SELECT setval('public.entry_unit', (SELECT last_value FROM dumped.sequence_))");
  });
}

async function tables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  return rows.map(({ name }) => name);
}

async function inTransaction(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await use(client);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
