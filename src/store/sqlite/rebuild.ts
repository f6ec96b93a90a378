/**
 * `colophon rebuild` on the embedded store: drops the projections and recreates them from the entries, in one
 * transaction.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import type { ReplayReport } from '../../engine/check-projections.ts';
import { projectionStamp, writtenByThisBuild } from '../../engine/ledger-version.ts';
import { databaseName } from './ddl.ts';
import { lockFolder } from './lock.ts';
import type { Packed } from './packed-contents.ts';
import { ScratchProjections } from './scratch.ts';
import { StoredContents } from './stored-contents.ts';
import { storeVersion, writableVersion } from './version.ts';

const progressEvery = 2000;

/** Takes the folder for itself. Throws `UnsupportedLedger` where this build may not write to the ledger. */
export function rebuildSqlite(
  folder: string,
  schema: Schema,
  progress: (done: number) => void,
): ReplayReport {
  const lock = lockFolder(folder);
  const db = new DatabaseSync(join(folder, databaseName));
  try {
    const found = writableVersion(db);
    db.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const report = replayInto(db, schema, progress);
    storeVersion(db, writtenByThisBuild(found, projectionStamp(schema)));
    db.exec('COMMIT');
    return report;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  } finally {
    db.close();
    lock.release();
  }
}

/** Within the caller's transaction. */
export function replayInto(db: DatabaseSync, schema: Schema, progress: (done: number) => void): ReplayReport {
  const scratch = new ScratchProjections(db, schema);
  const contents = new StoredContents(db);
  let entries = 0;
  for (const row of db
    .prepare('SELECT seq, text, fields, packed FROM entry ORDER BY seq')
    .iterate() as Iterable<Packed & { readonly seq: number; readonly text: string }>) {
    scratch.replay({ seq: row.seq, text: row.text, contents: contents.of(row) });
    if (++entries % progressEvery === 0) progress(entries);
  }
  let rows = 0;
  for (const table of schema.tables) for (const _ of scratch.scan(table)) rows++;
  return { entries, tables: schema.tables.length, rows, differences: [] };
}
