/**
 * A database for replayed projections: projectors write into it, one event after another, and read only what they
 * wrote. It is a temporary file, whatever store the ledger is in.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Projection, Schema, StoredEvent } from '../../engine/act.ts';
import { eventFrom } from '../../engine/memory-projection.ts';
import type { RowReplay } from '../../engine/row-replay.ts';
import { UnreplayableEntry } from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import { subOf } from '../../engine/tables.ts';
import { bindRow, createTable, readRow, upsert } from './ddl.ts';
import { quote } from '../sql.ts';
import { StatementCache } from './statement-cache.ts';

/** An empty replay in a temporary file. */
export function openReplay(schema: Schema): RowReplay {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-rebuild-'));
  const db = new DatabaseSync(join(folder, 'scratch.db'));
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
  const scratch = new ScratchProjections(db, schema);
  return {
    take: (entry) => scratch.replay(entry),
    row: (table, id, sub) => scratch.row(table, id, sub),
    rows: (table) => scratch.scan(table),
    count: (table) => scratch.count(table),
    close() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export class ScratchProjections implements Projection {
  readonly #db: DatabaseSync;
  readonly #schema: Schema;
  readonly #statements: StatementCache;

  /** `db` may be a file that holds other tables too; those of the schema are dropped and recreated. */
  constructor(db: DatabaseSync, schema: Schema) {
    this.#db = db;
    this.#statements = new StatementCache(db);
    this.#schema = schema;
    for (const table of schema.tables) {
      db.exec(`DROP TABLE IF EXISTS ${quote(table.name)}`);
      db.exec(createTable(table));
    }
  }

  /** Throws `Unreplayable` where the projectors cannot take the entry. */
  replay(stored: StoredEvent): void {
    try {
      this.#schema.project(eventFrom(stored), this);
    } catch (error) {
      throw new UnreplayableEntry(`entry ${stored.seq} cannot be replayed: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  rows<T extends Table>(table: T, id: string): ReadonlyMap<Sub, RowOf<T>> {
    const rows = this.#statements
      .prepare(`SELECT * FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`)
      .all(id)
      .map((row) => readRow(table, row));
    return new Map(rows.map((row) => [subOf(table, row), row as RowOf<T>]));
  }

  row<T extends Table>(table: T, id: string, sub: Sub = ''): RowOf<T> | undefined {
    const [first, second] = table.keyNames;
    const found =
      second === undefined
        ? this.#statements.prepare(`SELECT * FROM ${quote(table.name)} WHERE ${quote(first)} = ?`).get(id)
        : this.#statements
            .prepare(`SELECT * FROM ${quote(table.name)} WHERE ${quote(first)} = ? AND ${quote(second)} = ?`)
            .get(id, sub);
    return found === undefined ? undefined : (readRow(table, found) as RowOf<T>);
  }

  chain(): readonly StoredEvent[] {
    throw new Error('a projector reads rows, never chains');
  }

  put<T extends Table>(table: T, row: RowOf<T>): void {
    this.#statements.prepare(upsert(table)).run(...bindRow(table, row));
  }

  remove(table: Table, id: string, sub: Sub = ''): void {
    const [first, second] = table.keyNames;
    if (second === undefined)
      this.#statements.prepare(`DELETE FROM ${quote(table.name)} WHERE ${quote(first)} = ?`).run(id);
    else
      this.#statements
        .prepare(`DELETE FROM ${quote(table.name)} WHERE ${quote(first)} = ? AND ${quote(second)} = ?`)
        .run(id, sub);
  }

  count(table: Table): number {
    return this.#statements.prepare(`SELECT count(*) AS n FROM ${quote(table.name)}`).get()?.['n'] as number;
  }

  *scan(table: Table): Iterable<AnyRow> {
    for (const row of this.#db
      .prepare(`SELECT * FROM ${quote(table.name)} ORDER BY ${table.keyNames.map(quote).join(', ')}`)
      .iterate())
      yield readRow(table, row);
  }
}
