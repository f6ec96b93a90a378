/** SQL text for SQLite, generated from the table descriptions. It contains only names from our own code. */
import { quote } from '../sql.ts';
import type { DatabaseSync } from 'node:sqlite';
import { columnOf, type AnyRow, type Table } from '../../engine/tables.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';

export type SqlValue = string | number | null | Uint8Array;

const types = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', json: 'TEXT' } as const;

export const keyringTable = 'ledger_keyring';

/** What the keyring was called before ledgers had a version. */
export const unversionedKeyring = 'keyring';

/**
 * Version 0.1.0 checks no version. Its first look at the columns of `keyring`, before it writes anything, fails with
 * the name of a table that this view selects from and that does not exist, so that the error names the next step (contract
 * §6). SQLite resolves every view when a column is dropped or a table renamed: a later upgrade that does so drops the
 * view and makes it again.
 */
export const refuseUnversionedBuilds = `CREATE VIEW IF NOT EXISTS ${unversionedKeyring} AS SELECT * FROM "this ledger needs Colophon 0.2.0 or newer";`;

/**
 * `leaf` repeats the hash of `text`, so that an audit can name an entry that was altered where neither a
 * successor nor a full tile has its hash yet. `sum` does the same for the keyring, which no ledger covers. `fields` and
 * `packed` are the entry's contents (`packed-contents.ts`); rows of `content` are those of entries of which one is gone,
 * and all of older versions.
 */
export const ledgerDdl = `
CREATE TABLE IF NOT EXISTS entry (
  seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL, leaf BLOB,
  fields TEXT, packed ANY, UNIQUE (chain, n)
) STRICT;
CREATE TABLE IF NOT EXISTS content (
  id INTEGER PRIMARY KEY, field TEXT NOT NULL, salt BLOB, body TEXT, replacement TEXT, scrubbed_by TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS tile (level INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ${keyringTable} (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (name TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
${refuseUnversionedBuilds}
`;

/** Columns that older files lack; what was written before them stays without. */
const addedColumns = [
  ['entry', 'leaf', 'BLOB'],
  ['entry', 'fields', 'TEXT'],
  ['entry', 'packed', 'ANY'],
  [keyringTable, 'sum', 'TEXT'],
  ['content', 'replacement', 'TEXT'],
  ['content', 'scrubbed_by', 'TEXT'],
] as const;

export function keyringSum(name: string, value: string): string {
  return sha256Hex(`${name}\0${value}`);
}

export const databaseName = 'colophon.db';

/** The file while a transfer from another store writes it. */
export const receivedName = `${databaseName}.transfer`;

/** An entry's rows of `content` are stored side by side: the row id is `seq * 8 + slot`. */
export const contentSlots = 8;

/** Brings a file that an older version wrote up to date. */
export function addColumns(db: DatabaseSync): void {
  for (const [table, column, type] of addedColumns)
    if (!hasColumn(db, table, column))
      db.exec(`ALTER TABLE ${quote(table)} ADD COLUMN ${quote(column)} ${type}`);
  // A projection of older versions.
  db.exec('DROP TABLE IF EXISTS contribution_once');
  // An audit looks at each content that is gone, and need not read the others for it.
  db.exec('CREATE INDEX IF NOT EXISTS content_gone ON content (id) WHERE body IS NULL');
}

export function hasColumn(db: DatabaseSync, table: string, column: string): boolean {
  return db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
}

/** Where a file that is only read, and may be older, says by which chain a content was scrubbed, and what replaced it. */
export function scrubColumns(db: DatabaseSync): readonly [scrubbedBy: string, replacement: string] {
  return hasColumn(db, 'content', 'scrubbed_by') ? ['scrubbed_by', 'replacement'] : ['NULL', 'NULL'];
}

/** How rows of such a file are read as `StoredContent`s. */
export function contentColumnsOf(db: DatabaseSync): string {
  const [scrubbedBy, replacement] = scrubColumns(db);
  return `field, salt, body, ${replacement} AS replacement, ${scrubbedBy} AS scrubbedBy`;
}

/** Name, type, and 1 where a value is required: what SQLite says of a table that was made by `createTable`. */
export function columnsOf(table: Table): readonly (readonly [name: string, type: string, required: 0 | 1])[] {
  return table.names.map((name) => {
    const { type, nullable } = columnOf(table, name);
    return [name, types[type], nullable ? 0 : 1];
  });
}

export function createTable(table: Table): string {
  const columns = columnsOf(table).map(
    ([name, type, required]) => `${quote(name)} ${type}${required === 1 ? ' NOT NULL' : ''}`,
  );
  const key = table.keyNames.map(quote).join(', ');
  const options = table.compact ? 'STRICT, WITHOUT ROWID' : 'STRICT';
  const indexes = table.indexes.map(
    (names) =>
      ` CREATE INDEX IF NOT EXISTS ${quote(indexName(table, names))} ON ${quote(table.name)} (${names.map(quote).join(', ')});`,
  );
  return `CREATE TABLE IF NOT EXISTS ${quote(table.name)} (${columns.join(', ')}, PRIMARY KEY (${key})) ${options};${indexes.join('')}`;
}

/** Named by its columns, so that a changed one is another. */
export function indexName(table: Table, names: readonly string[]): string {
  return `${table.name}_by_${names.join('_')}`;
}

/**
 * A statement over rows, of which any number stands between `head` and `tail`. Each is made once, so that what was
 * prepared of it is found by the statement itself, with no text to compare.
 */
export interface RowsStatement {
  readonly head: string;
  /** One row's parameters, such as `(?, ?)`. */
  readonly row: string;
  readonly tail: string;
  /** Values of one row. */
  readonly width: number;
}

const inserts = new WeakMap<Table, RowsStatement>();

export function insertInto(table: Table): RowsStatement {
  let insert = inserts.get(table);
  if (insert === undefined) {
    const names = table.names.map(quote);
    const rest = table.names.filter((name) => !(table.keyNames as readonly string[]).includes(name));
    const update = `DO UPDATE SET ${rest.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`;
    insert = {
      head: `INSERT INTO ${quote(table.name)} (${names.join(', ')}) VALUES `,
      row: `(${names.map(() => '?').join(', ')})`,
      tail: ` ON CONFLICT (${table.keyNames.map(quote).join(', ')}) ${rest.length === 0 ? 'DO NOTHING' : update}`,
      width: names.length,
    };
    inserts.set(table, insert);
  }
  return insert;
}

const removals = new WeakMap<Table, RowsStatement>();

/** Two keys are removed by their pair, and `(VALUES …)` takes any number of pairs. */
export function removalFrom(table: Table): RowsStatement {
  let removal = removals.get(table);
  if (removal === undefined) {
    const keys = table.keyNames.map(quote).join(', ');
    const width = table.keyNames.length;
    removal = {
      head: `DELETE FROM ${quote(table.name)} WHERE (${keys}) IN (VALUES `,
      row: width === 1 ? '(?)' : '(?, ?)',
      tail: ')',
      width,
    };
    removals.set(table, removal);
  }
  return removal;
}

export function upsert(table: Table): string {
  const { head, row, tail } = insertInto(table);
  return head + row + tail;
}

interface Place {
  readonly name: string;
  readonly json: boolean;
  readonly nullable: boolean;
}

const places = new WeakMap<Table, readonly Place[]>();

function placesOf(table: Table): readonly Place[] {
  let known = places.get(table);
  if (known === undefined) {
    known = table.names.map((name) => {
      const { type, nullable } = columnOf(table, name);
      return { name, json: type === 'json', nullable };
    });
    places.set(table, known);
  }
  return known;
}

export function bindRow(table: Table, row: AnyRow): SqlValue[] {
  const values: SqlValue[] = [];
  bindInto(values, table, row);
  return values;
}

/** Adds a row's values to those of others. */
export function bindInto(values: SqlValue[], table: Table, row: AnyRow): void {
  for (const { name, json, nullable } of placesOf(table)) {
    const value = row[name];
    if (value !== null && value !== undefined)
      values.push(json ? canonicalJson(value as JsonValue) : (value as SqlValue));
    else if (nullable) values.push(null);
    else throw new TypeError('a column that must hold a value has none');
  }
}

/** Columns of type json arrive as text; everything else is as it stands. */
export function readRow(table: Table, row: AnyRow): AnyRow {
  const out: Record<string, unknown> = {};
  for (const { name, json } of placesOf(table)) {
    const value = row[name];
    out[name] = json && typeof value === 'string' ? JSON.parse(value) : value;
  }
  return out;
}
