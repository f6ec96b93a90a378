/**
 * `colophon rebuild` on PostgreSQL: every projection replaced by what a replay gave, in one transaction. No
 * node may be running: one that cached the old rows would go on believing them.
 */
import pg from 'pg';
import { LedgerInUse } from '../in-use.ts';
import type { Schema } from '../../engine/act.ts';
import { columnOf, type AnyRow, type Table } from '../../engine/tables.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';
import { isSole, quote, recordset } from './sql.ts';

const rowsAtOnce = 500;

/** Answers with how many rows were written. */
export async function replaceProjections(url: string, schema: Schema, rowsOf: (table: Table) => Iterable<AnyRow>): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'colophon rebuild' });
  await client.connect();
  try {
    await client.query('BEGIN');
    await refuseBeside(client);
    const { rows } = await client.query<{ readonly stamp: string }>('SELECT coalesce(max(seq), 0) + 1 AS stamp FROM entry');
    const stamp = Number(rows[0]?.stamp ?? 1);
    let written = 0;
    for (const table of schema.tables) written += await replace(client, table, schema, rowsOf(table), stamp);
    await client.query('UPDATE aggregate_stamp SET stamp = $1', [stamp]);
    await client.query('COMMIT');
    return written;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

async function refuseBeside(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly n: string }>(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'colophon %' AND pid <> pg_backend_pid()",
  );
  if (Number(rows[0]?.n) > 0) throw new LedgerInUse('other nodes use this database: stop them before a rebuild');
}

async function replace(client: pg.Client, table: Table, schema: Schema, rows: Iterable<AnyRow>, stamp: number): Promise<number> {
  await client.query(`TRUNCATE ${quote(table.name)}`);
  const names = table.names.map(quote);
  const sole = isSole(table, schema);
  const insert = `INSERT INTO ${quote(table.name)} (${[...names, ...(sole ? ['_stamp'] : [])].join(', ')})
    SELECT ${[...names, ...(sole ? [String(stamp)] : [])].join(', ')} FROM json_to_recordset($1::json) AS ${recordset(table, table.names)}`;
  let count = 0;
  let page: AnyRow[] = [];
  const flush = async (): Promise<void> => {
    if (page.length === 0) return;
    await client.query(insert, [`[${page.map((row) => rowJson(table, row)).join(',')}]`]);
    count += page.length;
    page = [];
  };
  for (const row of rows) {
    page.push(row);
    if (page.length >= rowsAtOnce) await flush();
  }
  await flush();
  return count;
}

/** A row as JSON; its documents keep their canonical text. */
function rowJson(table: Table, row: AnyRow): string {
  const members = table.names.map((name) => {
    const value = row[name] as JsonValue | undefined;
    const text = columnOf(table, name).type === 'json' && value != null ? canonicalJson(value) : JSON.stringify(value ?? null);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}
