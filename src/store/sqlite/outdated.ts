/**
 * Whether the projections of a ledger file have the columns that this version writes. Those of another version are
 * made again from the ledger before anything reads them; nothing is lost by that, since nothing is only there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import { columnsOf, databaseName } from './ddl.ts';

/** Answers with the name of the first table that differs; undefined where all are as they should be, or nothing is. */
export function outdatedTable(folder: string, schema: Schema): string | undefined {
  const path = join(folder, databaseName);
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entry'").get();
    if (known === undefined || db.prepare('SELECT 1 FROM entry LIMIT 1').get() === undefined)
      return undefined;
    const columns = db.prepare('SELECT name, type, "notnull" AS required FROM pragma_table_info(?)');
    return schema.tables.find((table) => {
      const standing = columns.all(table.name).map(({ name, type, required }) => [name, type, required]);
      return JSON.stringify(standing) !== JSON.stringify(columnsOf(table));
    })?.name;
  } finally {
    db.close();
  }
}
