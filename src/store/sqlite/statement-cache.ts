/** Prepared statements of one connection, by their text. Only texts from our own code are used, so none is evicted. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRows } from '../sql.ts';
import type { SqlValue } from './ddl.ts';

export class StatementCache {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) this.#prepared.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/** Values of the parameters `$1`, `$2` and so on. */
export function byPlace(values: readonly unknown[]): Record<string, SqlValue> {
  return Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value as SqlValue]));
}

export function rowsOf(db: DatabaseSync): SqlRows {
  return {
    rows: async <R extends object>({ text, values }: Parameters<SqlRows['rows']>[0]) =>
      db.prepare(text).all(byPlace(values)) as R[],
  };
}
