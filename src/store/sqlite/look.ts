/** A quick look at a ledger file: its size, and whether the root of its tiles is the one that its checkpoint signs. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { databaseName } from './ddl.ts';
import { lockFolder } from './lock.ts';
import { keyringOf } from './version.ts';

export interface LedgerLook {
  readonly entries: number;
  /** Recomputed from the full tiles and the entries behind them. */
  readonly root: Uint8Array;
  readonly checkpoint: string | undefined;
  readonly origin: string | undefined;
  readonly label: string | undefined;
}

/** Throws where the file cannot be read. */
export function lookAtLedger(folder: string): LedgerLook {
  const db = new DatabaseSync(join(folder, databaseName), { readOnly: true });
  try {
    db.exec('BEGIN');
    const entries =
      ((db.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? -1) + 1;
    const value = (table: string, name: string): string | undefined =>
      db.prepare(`SELECT value FROM ${table} WHERE name = ?`).get(name)?.['value'] as string | undefined;
    return {
      entries,
      root: rootOf(db, entries),
      checkpoint: value('meta', 'checkpoint'),
      origin: value(keyringOf(db), 'log_origin'),
      label: value(keyringOf(db), 'log_label'),
    };
  } finally {
    db.close();
  }
}

/** Root of the first `size` entries. Throws where the file cannot be read, or has fewer. */
export function rootAt(folder: string, size: number): Uint8Array {
  const db = new DatabaseSync(join(folder, databaseName), { readOnly: true });
  try {
    return rootOf(db, size);
  } finally {
    db.close();
  }
}

function rootOf(db: DatabaseSync, size: number): Uint8Array {
  const tile = db.prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?');
  const texts = db.prepare('SELECT text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq');
  return MerkleLog.restore(
    size,
    (level, n) => tile.get(level, n)?.['bytes'] as Uint8Array,
    (from, to) => texts.all(from, to).map((row) => leafHash(row['text'] as string)),
  ).root();
}

/** Whether a process owns the folder. */
export function isOwned(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return false;
  } catch {
    return true;
  }
}
