/**
 * Writes a batch as one transaction on the store's own connection, whose pages are cached: groups of rows, eight per
 * statement. A worker with its own connection cost as much for the handover as for the writes (ADR 38).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnreachable } from '../../engine/store.ts';
import type { RowsStatement, SqlValue } from './ddl.ts';
import type { FileGuard } from './file-guard.ts';

/** What one statement is to write. */
export interface RowGroup {
  readonly statement: RowsStatement;
  /** Row after row. */
  readonly values: SqlValue[];
}

/** Beyond, a statement only gets longer. */
const rowsPerStatement = 8;

interface Prepared {
  readonly many: StatementSync;
  readonly one: StatementSync;
}

export class BatchWriter {
  readonly #db: DatabaseSync;
  readonly #guard: Pick<FileGuard, 'check'>;
  readonly #groups: GroupWriter;

  constructor(db: DatabaseSync, guard: Pick<FileGuard, 'check'>) {
    this.#db = db;
    this.#guard = guard;
    this.#groups = new GroupWriter(db);
  }

  /** Returns when the batch is committed; `disk.ts` says when it is durable. What throws has left nothing behind; `StoreUnreachable` where the file cannot be written. */
  write(groups: readonly RowGroup[]): void {
    try {
      this.#db.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      this.#guard.check();
      for (const group of groups) this.#groups.write(group);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw orUnreachable(error);
    } finally {
      // Whoever else writes here, such as the keyring, waits for the disk.
      this.#db.exec('PRAGMA synchronous = FULL');
    }
  }
}

/** Writes groups of rows within the caller's transaction. */
export class GroupWriter {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<RowsStatement, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  write({ statement, values }: RowGroup): void {
    const { many, one } = this.#prepare(statement);
    const { width } = statement;
    const stride = width * rowsPerStatement;
    let at = 0;
    for (; at + stride <= values.length; at += stride) many.run(...values.slice(at, at + stride));
    for (; at < values.length; at += width) one.run(...values.slice(at, at + width));
  }

  #prepare(statement: RowsStatement): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      const { head, row, tail } = statement;
      const rows = Array.from({ length: rowsPerStatement }, () => row).join(', ');
      prepared = { many: this.#db.prepare(head + rows + tail), one: this.#db.prepare(head + row + tail) };
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN, which are the lowest byte of what SQLite says. */
const placeCodes: ReadonlySet<number> = new Set([8, 10, 13, 14]);

/**
 * `StoreUnreachable` in place of an error that says where the file is: a full disk, a read-only folder, a failing disk.
 * Nothing was written, what is stored can still be read, and only the operator can do something about it.
 */
export function orUnreachable(error: unknown): unknown {
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string };
  if (!placeCodes.has(errcode & 0xff)) return error;
  return new StoreUnreachable(`its file cannot be written: ${message}`, {
    cause: error,
    fix: 'See that the disk of the data folder is sound and has room, and that the server may write there; colophon doctor looks at it. Writes go on by themselves then.',
  });
}
