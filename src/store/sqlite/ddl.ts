/** SQL text for SQLite, made from the table descriptions. Only names from our own code end up in it. */
import { columnOf, type AnyRow, type Column, type Table } from '../../engine/tables.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';

export type SqlValue = string | number | null | Uint8Array;

const types = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', json: 'TEXT' } as const;

export const ledgerDdl = `
CREATE TABLE IF NOT EXISTS entry (
  seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL,
  UNIQUE (chain, n)
) STRICT;
CREATE TABLE IF NOT EXISTS content (
  id INTEGER PRIMARY KEY, field TEXT NOT NULL, salt BLOB, body TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS tile (level INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keyring (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

export const databaseName = 'colophon.db';

/** An entry's contents are stored side by side: the row id is `seq * 8 + slot`. */
export const contentSlots = 8;

export function createTable(table: Table): string {
  const columns = table.names.map((name) => {
    const column = columnOf(table, name);
    return `${quote(name)} ${types[column.type]}${column.nullable ? '' : ' NOT NULL'}`;
  });
  const key = table.keyNames.map(quote).join(', ');
  const options = table.compact ? 'STRICT, WITHOUT ROWID' : 'STRICT';
  return `CREATE TABLE IF NOT EXISTS ${quote(table.name)} (${columns.join(', ')}, PRIMARY KEY (${key})) ${options};`;
}

export function upsert(table: Table): string {
  const names = table.names.map(quote);
  const rest = table.names.filter((name) => !(table.keyNames as readonly string[]).includes(name));
  const onConflict =
    rest.length === 0 ? 'DO NOTHING' : `DO UPDATE SET ${rest.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`;
  return `INSERT INTO ${quote(table.name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${table.keyNames.map(quote).join(', ')}) ${onConflict}`;
}

export function quote(name: string): string {
  return `"${name}"`;
}

export function bindRow(table: Table, row: AnyRow): SqlValue[] {
  return table.names.map((name) => bindValue(columnOf(table, name), row[name]));
}

function bindValue(column: Column<unknown>, value: unknown): SqlValue {
  if (value === null || value === undefined) {
    if (!column.nullable) throw new TypeError('a column that must hold a value has none');
    return null;
  }
  return column.type === 'json' ? canonicalJson(value as JsonValue) : (value as SqlValue);
}

/** Columns of type json arrive as text; everything else is as it stands. */
export function readRow(table: Table, row: AnyRow): AnyRow {
  const out: Record<string, unknown> = {};
  for (const name of table.names) {
    const value = row[name];
    out[name] = columnOf(table, name).type === 'json' && typeof value === 'string' ? JSON.parse(value) : value;
  }
  return out;
}
