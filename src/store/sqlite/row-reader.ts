/** Rows of the projections as they are committed. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Range, Selection } from '../../engine/store.ts';
import type { AnyRow, Sub, Table } from '../../engine/tables.ts';
import { quote, readRow } from './ddl.ts';
import { selectRows } from './select-rows.ts';
import type { Statements } from './statements.ts';

export class RowReader {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  /** By table: no text is put together to find one. */
  readonly #selects = new Map<Table, StatementSync>();

  constructor(db: DatabaseSync, statements: Statements) {
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
    const [first, second] = table.keyNames;
    if (second === undefined) return this.select(table, id);
    const where = [`${quote(first)} = ?`];
    const values: (string | number)[] = [id];
    const bound = (operator: string, value: Sub | undefined): void => {
      if (value === undefined) return;
      where.push(`${quote(second)} ${operator} ?`);
      values.push(value);
    };
    bound('>', range.after);
    bound('<', range.before);
    const sql = `SELECT * FROM ${quote(table.name)} WHERE ${where.join(' AND ')} ORDER BY ${quote(second)} ${range.reverse === true ? 'DESC' : 'ASC'} LIMIT ?`;
    return this.#statements
      .prepare(sql)
      .all(...values, range.limit)
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
    const { sql, values } = selectRows(table, selection);
    // Not kept: callers choose the conditions, and no two need be alike.
    const rows = this.#db.prepare(sql).all(...values);
    return rows.map((row) => readRow(table, row));
  }

  count(table: Table, id: string): number {
    return this.#statements
      .prepare(`SELECT count(*) AS n FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`)
      .get(id)?.['n'] as number;
  }
}
