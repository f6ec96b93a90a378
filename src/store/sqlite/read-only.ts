/** A ledger file opened only to be read, beside the process that owns it or without any: for audits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LogEntry } from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { databaseName, quote, readRow } from './ddl.ts';
import type { Packed } from './packed-contents.ts';
import { packedColumnsOf, StoredContents } from './stored-contents.ts';
import { keyringOf } from './version.ts';

export class ReadOnlyLedger {
  readonly #db: DatabaseSync;
  readonly #contents: StoredContents;

  /** `location` is what `files-at-rest.ts` says to open. */
  constructor(folder: string, location = join(folder, databaseName)) {
    if (!existsSync(join(folder, databaseName))) throw new Error(`there is no ledger in ${folder}`);
    this.#db = new DatabaseSync(location, { readOnly: true });
    // One snapshot for all that is read: a writer beside us changes nothing that we compare.
    this.#db.exec('BEGIN');
    this.#contents = new StoredContents(this.#db);
  }

  async entries(from: number, limit: number): Promise<readonly LogEntry[]> {
    const rows = this.#db
      .prepare(
        `SELECT seq, act, text, ${packedColumnsOf(this.#db)} FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?`,
      )
      .all(from, limit) as unknown as (Packed & {
      readonly seq: number;
      readonly act: number;
      readonly text: string;
    })[];
    return rows.map((row) => ({
      seq: row.seq,
      act: row.act,
      text: row.text,
      index: row.seq,
      contents: this.#contents.of(row),
    }));
  }

  async row<T extends Table>(table: T, id: string, sub: Sub = ''): Promise<RowOf<T> | undefined> {
    const [first, second] = table.keyNames;
    const more = second === undefined ? '' : ` AND ${quote(second)} = ?`;
    const row = this.#db
      .prepare(`SELECT * FROM ${quote(table.name)} WHERE ${quote(first)} = ?${more}`)
      .get(id, ...(second === undefined ? [] : [sub])) as AnyRow | undefined;
    return row === undefined ? undefined : (readRow(table, row) as RowOf<T>);
  }

  async *scan(table: Table): AsyncIterable<AnyRow> {
    for (const row of this.#db
      .prepare(`SELECT * FROM ${quote(table.name)} ORDER BY ${table.keyNames.map(quote).join(', ')}`)
      .iterate())
      yield asItStands(table, row);
  }

  keyring(name: string): string | undefined {
    return this.#db.prepare(`SELECT value FROM ${keyringOf(this.#db)} WHERE name = ?`).get(name)?.[
      'value'
    ] as string | undefined;
  }

  /** Root of the first `size` entries, recomputed from their bytes. */
  rootAt(size: number): Uint8Array {
    const log = new MerkleLog();
    for (const row of this.#db.prepare('SELECT text FROM entry WHERE seq < ? ORDER BY seq').iterate(size))
      log.append(leafHash(row['text'] as string));
    return log.root();
  }

  close(): void {
    this.#db.close();
  }
}

/** A column that should hold JSON and does not is shown as it stands: it differs from every replay. */
function asItStands(table: Table, row: AnyRow): AnyRow {
  try {
    return readRow(table, row);
  } catch {
    return row;
  }
}
