/**
 * The version of a ledger file (contract §6): a row of its keyring. A file of 0.1.0 or older has none; readers accept
 * it, and only `colophon serve` upgrades it.
 */
import { DatabaseSync } from 'node:sqlite';
import {
  checkReadable,
  checkWritable,
  NotUpgraded,
  readVersion,
  UnsupportedLedger,
  versionName,
  versionText,
  type FoundVersion,
  type LedgerVersion,
} from '../../engine/ledger-version.ts';
import { checkTransferMarks } from '../../engine/transfer.ts';
import { keyringSum, keyringTable, unversionedKeyring } from './ddl.ts';

/** Throws `UnsupportedLedger` where the row was altered or removed. */
export function storedVersion(db: DatabaseSync): FoundVersion {
  if (!hasTable(db, 'entry')) return 'empty';
  if (!hasTable(db, keyringTable)) return 'unversioned';
  const row = db.prepare(`SELECT value, sum FROM ${keyringTable} WHERE name = ?`).get(versionName) as
    { readonly value: string; readonly sum: string | null } | undefined;
  if (row === undefined)
    throw new UnsupportedLedger('The ledger has lost the row of its schema version. Restore a backup.');
  if (row.sum !== keyringSum(versionName, row.value))
    throw new UnsupportedLedger(
      'The schema version of the ledger does not match its checksum: its row was altered. Restore a backup.',
    );
  return readVersion(row.value);
}

/** What opening to write needs: throws `UnsupportedLedger` as above, and where the ledger was transferred. */
export function writableVersion(db: DatabaseSync): LedgerVersion {
  const found = storedVersion(db);
  if (typeof found === 'string') throw new NotUpgraded();
  checkWritable(found);
  checkTransferMarks(
    (name) =>
      db.prepare(`SELECT value FROM ${keyringTable} WHERE name = ?`).get(name)?.['value'] as
        string | undefined,
  );
  return found;
}

export function storeVersion(db: DatabaseSync, version: LedgerVersion): void {
  const text = versionText(version);
  db.prepare(`INSERT OR REPLACE INTO ${keyringTable} (name, value, sum) VALUES (?, ?, ?)`).run(
    versionName,
    text,
    keyringSum(versionName, text),
  );
}

/** The version of a file that is only to be read, at a path or a `file:` address. Throws `UnsupportedLedger` where this build may not. */
export function readableVersion(location: string): FoundVersion {
  const db = new DatabaseSync(location, { readOnly: true });
  try {
    const found = storedVersion(db);
    if (typeof found !== 'string') checkReadable(found);
    return found;
  } finally {
    db.close();
  }
}

/** The keyring of a file that is only read, and may be of a build before ledgers had a version. */
export function keyringOf(db: DatabaseSync): string {
  return hasTable(db, keyringTable) ? keyringTable : unversionedKeyring;
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
