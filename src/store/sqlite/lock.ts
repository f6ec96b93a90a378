/**
 * One process owns a data folder. The lock is an exclusive transaction on a tiny database: the operating system
 * releases it however the process ends, so no stale lock file remains. If the lock file is deleted, the server's
 * socket still reveals the owner, and `file-guard.ts` detects a second writer.
 */
import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { LedgerInUse } from '../../engine/store.ts';

/** SQLITE_BUSY. */
const busy = 5;

/** Stays in the folder. */
export const lockFile = 'lock.db';

export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, lockFile);
  const db = new DatabaseSync(path);
  try {
    // Whoever may read it could hold it.
    chmodSync(path, 0o600);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    // Anything else, such as a full disk, is no other process.
    if ((error as { readonly errcode?: number }).errcode !== busy) throw error;
    throw LedgerInUse.ofFolder(folder, error);
  }
  return {
    release() {
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

/** Whether a process owns the folder, found out without writing into it. */
export function isLocked(folder: string): boolean {
  const path = join(folder, lockFile);
  if (!existsSync(path)) return false;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return (error as { readonly errcode?: number }).errcode === busy;
  } finally {
    db.close();
  }
}
