/**
 * One batch as one transaction. What is to be written comes as a job of plain values, so that the same code
 * runs on the store's own connection and, for the batches of a busy server, on that of a worker beside it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlValue } from './ddl.ts';

/** Rows of one kind, to be written as `head (…), (…) tail`. */
export interface RowGroup {
  readonly head: string;
  /** One row's parameters, such as `(?, ?)`. */
  readonly row: string;
  readonly tail: string;
  /** Values of one row. */
  readonly width: number;
  /** The column whose values are null or numbers of 32-byte slots in the job's `blobs`; -1 where there is none. */
  readonly blob: number;
  /** Row after row. */
  readonly values: SqlValue[];
}

export interface WriteJob {
  readonly groups: readonly RowGroup[];
  readonly blobs: Uint8Array<ArrayBuffer>;
  /** `seq` of the batch's last entry: it is in the ledger exactly when the batch is. */
  readonly last: number;
}

const blobBytes = 32;
/** Beyond, a statement only gets longer. */
const rowsPerStatement = 8;

interface Prepared {
  readonly many: StatementSync;
  readonly one: StatementSync;
}

export class BatchWriter {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Returns after the commit. What throws has left nothing behind. */
  write(job: WriteJob): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const group of job.groups) this.#insert(group, job.blobs);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #insert(group: RowGroup, blobs: Uint8Array): void {
    const { width, blob, values } = group;
    for (let at = blob < 0 ? values.length : blob; at < values.length; at += width) {
      const slot = values[at];
      if (typeof slot === 'number') values[at] = blobs.subarray(slot * blobBytes, (slot + 1) * blobBytes);
    }
    const { many, one } = this.#statements(group);
    const stride = width * rowsPerStatement;
    let at = 0;
    for (; at + stride <= values.length; at += stride) many.run(...values.slice(at, at + stride));
    for (; at < values.length; at += width) one.run(...values.slice(at, at + width));
  }

  #statements({ head, row, tail }: RowGroup): Prepared {
    const name = head + tail;
    let prepared = this.#prepared.get(name);
    if (prepared === undefined) {
      const rows = Array.from({ length: rowsPerStatement }, () => row).join(', ');
      prepared = { many: this.#db.prepare(head + rows + tail), one: this.#db.prepare(head + row + tail) };
      this.#prepared.set(name, prepared);
    }
    return prepared;
  }
}
