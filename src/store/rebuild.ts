/**
 * `colophon rebuild`: the ledger replayed through the projectors. With `check`, what stands is compared row by
 * row with what the ledger gives; without, what stands is replaced. Works from any store's log into a scratch
 * database, so that the comparison is the same everywhere.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Schema, StoredEvent } from '../engine/act.ts';
import { checkWritable, notUpgraded, projectionStamp, writtenByThisBuild } from '../engine/ledger-version.ts';
import type { RowReplay } from '../engine/row-replay.ts';
import { Unreplayable, type Reader } from '../engine/store.ts';
import type { AnyRow, Table } from '../engine/tables.ts';
import { canonicalJson, type JsonValue } from '../kernel/json.ts';
import { databaseName } from './sqlite/ddl.ts';
import type { Packed } from './sqlite/packed-contents.ts';
import { StoredContents } from './sqlite/stored-contents.ts';
import { lockFolder } from './sqlite/lock.ts';
import { ScratchProjections } from './sqlite/scratch.ts';
import { storedVersion, storeVersion } from './sqlite/version.ts';

export interface RowDifference {
  readonly table: string;
  readonly key: string;
  /** What the ledger gives and what stands; null where there is no such row, both where the table cannot be read. */
  readonly replayed: AnyRow | null;
  readonly live: AnyRow | null;
}

export interface RebuildReport {
  readonly entries: number;
  readonly tables: number;
  readonly rows: number;
  readonly differences: readonly RowDifference[];
}

const pageSize = 2000;
const differencesMax = 200;

/** Replays everything that `read` has in its log and compares every table. Changes nothing. */
export async function checkProjections(
  read: Pick<Reader, 'entries' | 'scan'>,
  schema: Schema,
  progress: (done: number) => void,
): Promise<RebuildReport> {
  return withReplay(read, schema, progress, async (scratch, entries) => {
    const differences: RowDifference[] = [];
    let rows = 0;
    for (const table of schema.tables)
      rows += await compare(table, scratch.scan(table), read.scan(table), differences);
    return { entries, tables: schema.tables.length, rows, differences };
  });
}

/** Opens an empty replay in a scratch database. */
export function openReplay(schema: Schema): RowReplay {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-rebuild-'));
  const db = new DatabaseSync(join(folder, 'scratch.db'));
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
  const scratch = new ScratchProjections(db, schema);
  return {
    take: (entry) => replayed(scratch, entry),
    row: (table, id, sub) => scratch.row(table, id, sub),
    rows: (table) => scratch.scan(table),
    count: (table) => scratch.count(table),
    close() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Replays a log into a scratch database, which is gone when `use` is done with it. */
export async function withReplay<T>(
  read: Pick<Reader, 'entries'>,
  schema: Schema,
  progress: (done: number) => void,
  use: (scratch: ScratchProjections, entries: number) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-rebuild-'));
  const db = new DatabaseSync(join(folder, 'scratch.db'));
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    const scratch = new ScratchProjections(db, schema);
    let entries = 0;
    for (;;) {
      const page = await read.entries(entries, pageSize);
      for (const entry of page) replayed(scratch, entry);
      entries += page.length;
      progress(entries);
      if (page.length < pageSize) break;
    }
    return await use(scratch, entries);
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function replayed(scratch: ScratchProjections, entry: StoredEvent): void {
  try {
    scratch.replay(entry);
  } catch (error) {
    throw new Unreplayable(`entry ${entry.seq} cannot be replayed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Walks both tables in key order. */
async function compare(
  table: Table,
  made: Iterable<AnyRow>,
  live: AsyncIterable<AnyRow>,
  differences: RowDifference[],
): Promise<number> {
  const wanted = new Map<string, AnyRow>();
  for (const row of made) wanted.set(keyOf(table, row), row);
  const count = wanted.size;
  try {
    for await (const row of live) {
      const key = keyOf(table, row);
      const expected = wanted.get(key);
      wanted.delete(key);
      if (expected === undefined) note(differences, { table: table.name, key, replayed: null, live: row });
      else if (textOf(table, expected) !== textOf(table, row))
        note(differences, { table: table.name, key, replayed: expected, live: row });
    }
  } catch (error) {
    note(differences, {
      table: table.name,
      key: `its rows cannot be read: ${(error as Error).message}`,
      replayed: null,
      live: null,
    });
    return count;
  }
  for (const [key, row] of wanted) note(differences, { table: table.name, key, replayed: row, live: null });
  return count;
}

function note(differences: RowDifference[], difference: RowDifference): void {
  if (differences.length < differencesMax) differences.push(difference);
}

function keyOf(table: Table, row: AnyRow): string {
  return table.keyNames.map((name) => String(row[name])).join(' / ');
}

/** A damaged row may hold what no projector writes, such as bytes in place of text. */
function textOf(table: Table, row: AnyRow): string {
  try {
    return canonicalJson(table.names.map((name) => (row[name] ?? null) as JsonValue));
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Drops the embedded store's projections and makes them again, in one transaction. Takes the folder for itself. Throws
 * `UnsupportedLedger` where this build may not write to the ledger.
 */
export function rebuildSqlite(
  folder: string,
  schema: Schema,
  progress: (done: number) => void,
): RebuildReport {
  const lock = lockFolder(folder);
  const db = new DatabaseSync(join(folder, databaseName));
  try {
    const found = storedVersion(db);
    if (typeof found === 'string') throw notUpgraded();
    checkWritable(found);
    db.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const report = replayInto(db, schema, progress);
    storeVersion(db, writtenByThisBuild(found, projectionStamp(schema)));
    db.exec('COMMIT');
    return report;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  } finally {
    db.close();
    lock.release();
  }
}

/** Within the caller's transaction. */
export function replayInto(
  db: DatabaseSync,
  schema: Schema,
  progress: (done: number) => void,
): RebuildReport {
  const scratch = new ScratchProjections(db, schema);
  const contents = new StoredContents(db);
  let entries = 0;
  for (const row of db
    .prepare('SELECT seq, text, fields, packed FROM entry ORDER BY seq')
    .iterate() as unknown as Iterable<Packed & { readonly seq: number; readonly text: string }>) {
    replayed(scratch, { seq: row.seq, text: row.text, contents: contents.of(row) });
    if (++entries % pageSize === 0) progress(entries);
  }
  let rows = 0;
  for (const table of schema.tables) for (const _ of scratch.scan(table)) rows++;
  return { entries, tables: schema.tables.length, rows, differences: [] };
}
