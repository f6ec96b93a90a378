/**
 * A ledger file as of one moment, for audits, checks and `colophon doctor`: opened read-only, with or without the
 * process that owns it. The database is opened by the first read, so that a file that cannot be opened is still
 * audited.
 */
import { DatabaseSync } from 'node:sqlite';
import type { AuditOptions, LedgerAudit, LedgerSnapshot } from '../../engine/store-kind.ts';
import { UnreplayableEntry, type LogEntry } from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import { formatFinding } from '../../ledger/audit.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { auditSqlite } from './audit.ts';
import { blobFiles } from './blob-files.ts';
import { databaseName, readRow } from './ddl.ts';
import { quote } from '../sql.ts';
import type { LedgerFiles } from './files-at-rest.ts';
import type { Packed } from './packed-contents.ts';
import { searchFileName, openSearchReader, type SearchFile } from './search-file.ts';
import { packedColumnsOf, StoredContents } from './stored-contents.ts';
import { keyringOf, readableVersion } from './version.ts';

const pageEntries = 2000;

type Named = { readonly name: string; readonly value: string };

export class SqliteSnapshot implements LedgerSnapshot {
  readonly blobs: LedgerSnapshot['blobs'];

  readonly #files: LedgerFiles;
  readonly #location: string;
  #opened: DatabaseSync | undefined;
  #search: Pick<SearchFile, 'close'> | undefined;

  constructor(folder: string, files: LedgerFiles) {
    this.#files = files;
    this.blobs = blobFiles(folder);
    this.#location = files.location(databaseName);
  }

  async version() {
    return readableVersion(this.#location);
  }

  async keyring(name: string): Promise<string | undefined> {
    return this.#read((db) => valueOf(db, keyringOf(db), name));
  }

  async keyringRows() {
    return this.#read(
      (db) => db.prepare(`SELECT name, value FROM ${keyringOf(db)} ORDER BY name`).all() as Named[],
    );
  }

  async heldRows() {
    return this.#read(
      (db) =>
        db.prepare('SELECT name, value, expires FROM held ORDER BY name').all() as (Named & {
          readonly expires: number;
        })[],
    );
  }

  /** The log follows in the same transaction. */
  async unlogged(): Promise<number> {
    return 0;
  }

  async head() {
    return this.#read((db) => {
      const last = db.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null;
      return { size: (last ?? -1) + 1, checkpoint: valueOf(db, 'meta', 'checkpoint') ?? null };
    });
  }

  async rootAt(size: number): Promise<Uint8Array> {
    return this.#read((db) => {
      const tile = db.prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?');
      const texts = db.prepare('SELECT text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq');
      return MerkleLog.restore(
        size,
        (level, n) => tile.get(level, n)?.['bytes'] as Uint8Array,
        (from, to) => texts.all(from, to).map((row) => leafHash(row['text'] as string)),
      ).root();
    });
  }

  async audit({ ledgerOnly, progress, seen }: AuditOptions): Promise<LedgerAudit> {
    const { findings, ...report } = await auditSqlite(this.#location, {
      threads: 2,
      pages: !ledgerOnly,
      progress,
    });
    if (seen !== undefined)
      for (let from = 0; from < report.entries; from += pageEntries)
        for (const entry of await this.entries(from, pageEntries)) seen(entry);
    return {
      ...report,
      pending: 0,
      problems: findings.map(formatFinding),
      rootAt: async (size) => (size === report.entries ? report.root : this.#recomputed(size)),
    };
  }

  async openSearch() {
    const search = this.#files.has(searchFileName)
      ? openSearchReader(this.#files.location(searchFileName))
      : undefined;
    if (search === undefined) return undefined;
    this.#search = search;
    return {
      cursor: async () => search.cursor(),
      find: async (wanted: Parameters<SearchFile['find']>[0]) => search.find(wanted),
    };
  }

  async entries(from: number, limit: number): Promise<readonly LogEntry[]> {
    return this.#read((db) => {
      const contents = new StoredContents(db);
      const rows = db
        .prepare(
          `SELECT seq, act, text, ${packedColumnsOf(db)} FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?`,
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
        contents: contents.of(row),
      }));
    });
  }

  async row<T extends Table>(table: T, id: string, sub: Sub = ''): Promise<RowOf<T> | undefined> {
    return this.#read((db) => {
      const [first, second] = table.keyNames;
      const more = second === undefined ? '' : ` AND ${quote(second)} = ?`;
      const row = db
        .prepare(`SELECT * FROM ${quote(table.name)} WHERE ${quote(first)} = ?${more}`)
        .get(id, ...(second === undefined ? [] : [sub])) as AnyRow | undefined;
      return row === undefined ? undefined : (readRow(table, row) as RowOf<T>);
    });
  }

  async *scan<T extends Table>(table: T): AsyncIterable<RowOf<T>> {
    const rows = this.#read((db) =>
      db
        .prepare(`SELECT * FROM ${quote(table.name)} ORDER BY ${table.keyNames.map(quote).join(', ')}`)
        .iterate(),
    );
    for (const row of rows) yield asItStands(table, row) as RowOf<T>;
  }

  close(): void {
    this.#opened?.close();
    this.#search?.close();
  }

  /** One transaction for all that is read: a writer beside us changes nothing that we compare. */
  #read<T>(read: (db: DatabaseSync) => T): T {
    try {
      if (this.#opened === undefined) {
        this.#opened = new DatabaseSync(this.#location, { readOnly: true });
        this.#opened.exec('BEGIN');
      }
      return read(this.#opened);
    } catch (error) {
      throw new UnreplayableEntry((error as Error).message, { cause: error });
    }
  }

  /** From the bytes of the entries: a tile may have been altered. */
  #recomputed(size: number): Uint8Array {
    return this.#read((db) => {
      const log = new MerkleLog();
      for (const row of db.prepare('SELECT text FROM entry WHERE seq < ? ORDER BY seq').iterate(size))
        log.append(leafHash(row['text'] as string));
      return log.root();
    });
  }
}

function valueOf(db: DatabaseSync, table: string, name: string): string | undefined {
  return db.prepare(`SELECT value FROM ${table} WHERE name = ?`).get(name)?.['value'] as string | undefined;
}

/** A column that should hold JSON and does not is shown as it stands: it differs from every replay. */
function asItStands(table: Table, row: AnyRow): AnyRow {
  try {
    return readRow(table, row);
  } catch {
    return row;
  }
}
