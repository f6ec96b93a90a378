/**
 * Whether the projections of a ledger file have the columns that this version writes, whatever the file says of itself:
 * tables that were changed by hand are made again like those of another version.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import { columnsOf } from './ddl.ts';

/** Answers with the name of the first table that differs; undefined where all are as they should be. */
export function outdatedTable(db: DatabaseSync, schema: Schema): string | undefined {
  const columns = db.prepare('SELECT name, type, "notnull" AS required FROM pragma_table_info(?)');
  return schema.tables.find((table) => {
    const standing = columns.all(table.name).map(({ name, type, required }) => [name, type, required]);
    return JSON.stringify(standing) !== JSON.stringify(columnsOf(table));
  })?.name;
}
