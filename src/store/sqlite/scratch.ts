/**
 * Projections made again from nothing: a database beside the ledger into which the projectors write, one
 * event after the other, reading only what they wrote before. Used by `rebuild` and `rebuild --check`.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Projection, Schema, StoredEvent } from '../../engine/act.ts';
import { eventFrom } from '../../engine/memory-projection.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import { subOf } from '../../engine/tables.ts';
import { bindRow, createTable, quote, readRow, upsert } from './ddl.ts';
import { Statements } from './statements.ts';

export class ScratchProjections implements Projection {
  readonly #db: DatabaseSync;
  readonly #schema: Schema;
  readonly #statements: Statements;

  /** `db` may be a file that holds other tables too; those of the schema are dropped and made anew. */
  constructor(db: DatabaseSync, schema: Schema) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.#schema = schema;
    for (const table of schema.tables) {
      db.exec(`DROP TABLE IF EXISTS ${quote(table.name)}`);
      db.exec(createTable(table));
    }
  }

  replay(stored: StoredEvent): void {
    this.#schema.project(eventFrom(stored), this);
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
