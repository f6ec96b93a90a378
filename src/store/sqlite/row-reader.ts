/** Committed rows of the projections. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Range, Selection } from '../../engine/store.ts';
import { columnOf, type AnyRow, type Sub, type Table } from '../../engine/tables.ts';
import { quote, readRow } from './ddl.ts';
import type { StatementCache } from './statement-cache.ts';

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

interface Select {
  readonly sql: string;
  readonly values: readonly Sub[];
}

/** Conditions on columns as one statement. Values are bound; names come from the table's description. */
function selectRows(table: Table, { ids, where, order, reverse = false, after, limit }: Selection): Select {
  const [first, second = first] = table.keyNames;
  // One value in place of a list of unknown length: the statement stays the same, and is prepared once.
  const values: Sub[] = [ids.length === 1 ? (ids[0] as string) : JSON.stringify(ids)];
  const conditions = [
    ids.length === 1 ? `${quote(first)} = ?` : `${quote(first)} IN (SELECT value FROM json_each(?))`,
  ];
  for (const { column, op, value } of where) {
    columnOf(table, column);
    conditions.push(op === 'contains' ? `instr(${quote(column)}, ?) > 0` : `${quote(column)} ${op} ?`);
    values.push(value);
  }
  const by = [...new Set([order, first, second])];
  // A search for a part of a text reads most rows. In the order of an index it would look each of them up on its own;
  // the plus keeps to the order in which they lie, and sorts what is found.
  const isScan = where.some(({ op }) => op === 'contains') && order !== first && order !== second;
  const term = (name: string): string => (isScan && name === order ? `+${quote(name)}` : quote(name));
  if (after !== undefined) {
    const bounds = new Map<string, Sub>([
      [first, after[1]],
      [second, after[2]],
      [order, after[0]],
    ]);
    conditions.push(`(${by.map(term).join(', ')}) ${reverse ? '<' : '>'} (${by.map(() => '?').join(', ')})`);
    values.push(...by.map((name) => bounds.get(name) as Sub));
  }
  const direction = reverse ? ' DESC' : '';
  const sql = `SELECT * FROM ${quote(table.name)} WHERE ${conditions.join(' AND ')} ORDER BY ${by.map((name) => term(name) + direction).join(', ')} LIMIT ?`;
  values.push(limit);
  return { sql, values };
}
