/**
 * Replaces every projection by the result of a replay, in one transaction: for `colophon rebuild`, which empties the
 * search index too, and at a start. No node may be running, because nodes cache rows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { replayLog } from '../../engine/row-replay.ts';
import { LedgerInUse, type LogEntry } from '../../engine/store.ts';
import type { Schema } from '../../engine/act.ts';
import type { AnyRow, Table } from '../../engine/tables.ts';
import { openReplay } from '../sqlite/scratch.ts';
import { connectForCommand } from './hosts.ts';
import { LogReader } from './log-reader.ts';
import { rowsFrom } from './read-pool.ts';
import { RollbackGuard } from './rollback-guard.ts';
import { beginSet, setOnly } from './projection-sets.ts';
import { forgetSearch } from './search-tables.ts';
import { unitEntries } from './entry-numbers.ts';
import { createTable, isSole, recordset, rowsJson } from './sql.ts';
import { quote } from '../sql.ts';

const rowsAtOnce = 500;

/** Answers with how many rows were written. */
export async function replaceProjections(
  url: string,
  schema: Schema,
  rowsOf: (table: Table) => Iterable<AnyRow>,
): Promise<number> {
  const client = await connectForCommand({ connectionString: url, application_name: 'colophon rebuild' });
  try {
    // Before the transaction: within one the list of sessions stands still.
    await refuseBeside(client, 'before a rebuild');
    await client.query('BEGIN');
    const written = await writeProjections(client, schema, rowsOf);
    await setOnly(client, schema);
    await forgetSearch(client);
    await client.query('COMMIT');
    return written;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * At a node's start (contract §6): made again from the log and from what was committed behind it and awaits its place in
 * the log. No other node may be running.
 */
export async function renewProjections(
  client: pg.Client,
  schema: Schema,
  progress: (done: number) => void,
): Promise<void> {
  progress(0);
  const log = new LogReader(rowsFrom(client), new RollbackGuard(() => undefined));
  const replay = openReplay(schema);
  try {
    await replayLog({ entries: (from, limit) => log.committed(from, limit) }, replay, progress);
    await client.query('BEGIN');
    await writeProjections(client, schema, (table) => replay.rows(table));
    await setOnly(client, schema);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    replay.close();
  }
}

/**
 * At a node's start beside nodes of another version (ADR 49), which go on: a set of its own, made from what was
 * committed before it was begun. What they commit from then on is projected by the node itself.
 */
export async function buildBeside(
  client: pg.Client,
  namespace: string,
  schema: Schema,
  progress: (done: number) => void,
): Promise<void> {
  progress(0);
  const { place, below } = await beginSet(client, namespace, schema);
  const log = new LogReader(rowsFrom(client), new RollbackGuard(() => undefined));
  const replay = openReplay(schema);
  try {
    const entries = async (from: number, limit: number): Promise<readonly LogEntry[]> => {
      const page = await log.entries(from, limit);
      return page.filter(({ seq }) => seq < below);
    };
    await replayLog({ entries }, replay, progress);
    await client.query('BEGIN');
    // In its own schema alone: a table of the same name is in use in that of the ledger.
    await client.query(`CREATE TABLE ${quote(place)}.aggregate_stamp (LIKE aggregate_stamp INCLUDING ALL)`);
    await writeProjections(client, schema, (table) => replay.rows(table), place);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    replay.close();
  }
}

/** Within the caller's transaction; the tables are recreated, since older ones may have other columns. */
export async function writeProjections(
  client: pg.Client,
  schema: Schema,
  rowsOf: (table: Table) => Iterable<AnyRow>,
  place?: string,
): Promise<number> {
  // Drawn as a batch draws its own, so that no state that was or will be cached has the same.
  const { rows } = await client.query<{ readonly unit: string }>("SELECT nextval('entry_unit') AS unit");
  const stamp = Number(rows[0]?.unit) * unitEntries;
  if (place !== undefined) await client.query(`SET LOCAL search_path = ${quote(place)}`);
  let written = 0;
  for (const table of schema.tables) written += await replace(client, table, schema, rowsOf(table), stamp);
  await replaceStamps(client, schema, stamp);
  return written;
}

/** Sessions that were closed a moment ago are listed a moment longer. */
export async function refuseBeside(client: pg.Client, when: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ readonly n: string }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'colophon %' AND pid <> pg_backend_pid()",
    );
    if (Number(rows[0]?.n) === 0) return;
    if (tries === 20) throw new LedgerInUse(`other nodes use this database: stop them ${when}`);
    await sleep(50);
  }
}

async function replace(
  client: pg.Client,
  table: Table,
  schema: Schema,
  rows: Iterable<AnyRow>,
  stamp: number,
): Promise<number> {
  await client.query(`DROP TABLE IF EXISTS ${quote(table.name)}; ${createTable(table, schema)}`);
  const names = table.names.map(quote);
  const sole = isSole(table, schema);
  const insert = `INSERT INTO ${quote(table.name)} (${[...names, ...(sole ? ['_stamp'] : [])].join(', ')})
    SELECT ${[...names, ...(sole ? [String(stamp)] : [])].join(', ')} FROM json_to_recordset($1::json) AS ${recordset(table, table.names)}`;
  let count = 0;
  let page: AnyRow[] = [];
  let written: Promise<unknown> = Promise.resolve();
  // The next rows are replayed while the server writes these.
  const flush = async (): Promise<void> => {
    const rowsText = rowsJson(table, page);
    count += page.length;
    page = [];
    await written;
    written = client.query(insert, [rowsText]);
    // Awaited with the next page; a failure meanwhile is no unhandled one.
    written.catch(() => undefined);
  };
  for (const row of rows) {
    page.push(row);
    if (page.length >= rowsAtOnce) await flush();
  }
  await flush();
  await written;
  return count;
}

/** An aggregate without a stamp counts as one that was never written, so each that has rows gets one. */
async function replaceStamps(client: pg.Client, schema: Schema, stamp: number): Promise<void> {
  await client.query('TRUNCATE aggregate_stamp');
  const shared = schema.tables.filter((table) => table.aggregate !== undefined && !isSole(table, schema));
  for (const [aggregate, tables] of Map.groupBy(shared, (table) => table.aggregate as string)) {
    const ids = tables
      .map((table) => `SELECT ${quote(table.keyNames[0])} FROM ${quote(table.name)}`)
      .join(' UNION ');
    const sql = `INSERT INTO aggregate_stamp (aggregate, id, stamp) SELECT $1, id, $2 FROM (${ids}) AS rows (id)`;
    await client.query(sql, [aggregate, stamp]);
  }
}
