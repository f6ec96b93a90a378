/** Committed rows of the projections. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Group, Grouping, Range, Selection } from '../../engine/store.ts';
import type { AnyRow, Table } from '../../engine/tables.ts';
import { countRows, groupOf, quote, rangeOf, selectRows, type Dialect } from '../sql.ts';
import { readRow } from './ddl.ts';
import { byPlace, type StatementCache } from './statement-cache.ts';

export class RowReader {
  readonly #db: DatabaseSync;
  readonly #statements: StatementCache;
  /** By table: no text is put together to find one. */
  readonly #selects = new Map<Table, StatementSync>();

  constructor(db: DatabaseSync, statements: StatementCache) {
    this.#db = db;
    this.#statements = statements;
  }

  select(table: Table, id: string): AnyRow[] {
    const rows = this.#selectFrom(table).all(id);
    return rows.map((row) => readRow(table, row));
  }

  #selectFrom(table: Table): StatementSync {
    let statement = this.#selects.get(table);
    if (statement === undefined) {
      statement = this.#db.prepare(
        `SELECT * FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`,
      );
      this.#selects.set(table, statement);
    }
    return statement;
  }

  list(table: Table, id: string, range: Range): AnyRow[] {
    const { text, values } = selectRows(table, rangeOf(table, id, range), dialect);
    return this.#statements
      .prepare(text)
      .all(byPlace(values))
      .map((row) => readRow(table, row));
  }

  /** Rows in the order of their keys, those behind `after` where it is given. */
  page(table: Table, after: AnyRow | undefined, limit: number): AnyRow[] {
    const keys = table.keyNames.map(quote).join(', ');
    const values = after === undefined ? [] : table.keyNames.map((name) => after[name] as string | number);
    const where = after === undefined ? '' : `WHERE (${keys}) > (${values.map(() => '?').join(', ')})`;
    return this.#statements
      .prepare(`SELECT * FROM ${quote(table.name)} ${where} ORDER BY ${keys} LIMIT ?`)
      .all(...values, limit)
      .map((row) => readRow(table, row));
  }

  chosen(table: Table, selection: Selection): AnyRow[] {
    const { text, values } = selectRows(table, selection, dialect);
    // Not kept: callers choose the conditions, and no two need be alike.
    const rows = this.#db.prepare(text).all(byPlace(values));
    return rows.map((row) => readRow(table, row));
  }

  counted(table: Table, grouping: Grouping): readonly Group[] {
    const { text, values } = countRows(table, grouping, dialect);
    const rows = this.#db.prepare(text).all(byPlace(values));
    return rows.map((row) => groupOf(row, grouping));
  }

  count(table: Table, id: string): number {
    return this.#statements
      .prepare(`SELECT count(*) AS n FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`)
      .get(id)?.['n'] as number;
  }
}

const dialect: Dialect = {
  // One value in place of a list of unknown length: the statement stays the same, and is prepared once.
  anyOf: (place) => `IN (SELECT value FROM json_each(${place}))`,
  list: JSON.stringify,
  contains: (column, place) => `instr(${column}, ${place}) > 0`,
  term: (_table, name) => quote(name),
  unindexed: (term) => `+${term}`,
  bound: (_table, _name, place) => place,
};
