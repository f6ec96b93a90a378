/**
 * Opens a ledger file for writing (contract §6): checks its version before anything else, upgrades a file without a
 * version if the caller may, and rebuilds projections of other projectors.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import {
  NotUpgraded,
  projectionStamp,
  writtenByThisBuild,
  type FoundVersion,
  type LedgerVersion,
} from '../../engine/ledger-version.ts';
import { replayInto } from './rebuild.ts';
import { addColumns, columnsOf, createTable, keyringTable, ledgerDdl, unversionedKeyring } from './ddl.ts';
import { storedVersion, storeVersion, writableVersion } from './version.ts';

/** Throws `OperatorError` where this build must not write, or must not upgrade; reads only. */
export function checkOpening(db: DatabaseSync, upgrades: boolean): FoundVersion {
  const found = storedVersion(db);
  if (found === 'unversioned' && !upgrades) throw new NotUpgraded();
  return typeof found === 'string' ? found : writableVersion(db);
}

/** Each of its two transactions leaves a file that the next start goes on with. */
export function prepareLedger(
  db: DatabaseSync,
  schema: Schema,
  found: FoundVersion,
  progress: (done: number) => void,
): void {
  const stamp = projectionStamp(schema);
  const known: LedgerVersion | undefined = typeof found === 'string' ? undefined : found;
  inTransaction(db, () => {
    if (found === 'unversioned') db.exec(`ALTER TABLE ${unversionedKeyring} RENAME TO ${keyringTable}`);
    db.exec(ledgerDdl);
    addColumns(db);
    if (found === 'empty') for (const table of schema.tables) db.exec(createTable(table));
    storeVersion(db, writtenByThisBuild(known, found === 'empty' ? stamp : (known?.projections ?? null)));
  });
  if (found === 'empty' || (known?.projections === stamp && outdatedTable(db, schema) === undefined)) return;
  progress(0);
  inTransaction(db, () => {
    replayInto(db, schema, progress);
    storeVersion(db, writtenByThisBuild(known, stamp));
  });
}

/**
 * The first table whose columns are not those that this version writes, whatever the file says of itself: tables that
 * were changed by hand are made again like those of another version.
 */
export function outdatedTable(db: DatabaseSync, schema: Schema): string | undefined {
  const columns = db.prepare('SELECT name, type, "notnull" AS required FROM pragma_table_info(?)');
  return schema.tables.find((table) => {
    const found = columns.all(table.name).map(({ name, type, required }) => [name, type, required]);
    return JSON.stringify(found) !== JSON.stringify(columnsOf(table));
  })?.name;
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
