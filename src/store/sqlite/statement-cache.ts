/** Prepared statements of one connection, by their text. Only texts from our own code are used, so none is evicted. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
