/**
 * Makes a ledger file of a copy from another store (ADR 67): in the data folder itself, which may be a mounted disk,
 * under another name until everything is written and on disk. A crash before leaves that file, which no node opens and
 * the next transfer removes; a crash after, a ledger that is marked as unfinished.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import {
  isUnfinished,
  NotEmpty,
  sealedRows,
  type LedgerCopy,
  type TransferProgress,
} from '../../engine/transfer.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { SqlKeyring } from '../sql.ts';
import { GroupWriter, orUnreachable } from './batch-writer.ts';
import { blobFiles } from './blob-files.ts';
import { databaseName, keyringSum, keyringTable, receivedName } from './ddl.ts';
import { lockFile, lockFolder } from './lock.ts';
import { prepareLedger } from './prepare.ts';
import { replayInto } from './rebuild.ts';
import { rowsToWrite } from './rows-to-write.ts';
import { rowsOf } from './statement-cache.ts';

const cachedKb = 256 * 1024;

export async function receiveLedger(
  folder: string,
  copy: LedgerCopy,
  schema: Schema,
  progress: TransferProgress,
): Promise<void> {
  checkEmpty(folder, copy);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    for (const name of readdirSync(folder))
      if (name !== lockFile) rmSync(join(folder, name), { recursive: true });
    chmodSync(folder, 0o700);
    const path = join(folder, receivedName);
    const db = new DatabaseSync(path);
    try {
      chmodSync(path, 0o600);
      // Nothing reads the file before it is whole.
      db.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cachedKb}`);
      prepareLedger(db, schema, 'empty', () => undefined);
      db.exec('BEGIN');
      await writeEntries(db, copy, progress);
      await writeBeside(db, copy);
      progress('making projections', 0, copy.size);
      replayInto(db, schema, (done) => progress('making projections', done, copy.size));
      db.exec('COMMIT');
    } finally {
      db.close();
    }
    const blobs = blobFiles(folder);
    for await (const name of copy.blobs.names()) {
      const bytes = await copy.blobs.get(name);
      if (bytes !== undefined) await blobs.put(bytes);
    }
    for (const { name, text } of copy.files) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, text, { mode: 0o600, flush: true });
    }
    sync(path);
    renameSync(path, join(folder, databaseName));
    sync(folder);
  } catch (error) {
    throw orUnreachable(error);
  } finally {
    lock.release();
  }
}

/** Throws `NotEmpty` unless there is nothing, or what an earlier transfer of the same log has left. */
function checkEmpty(folder: string, copy: LedgerCopy): void {
  const names = existsSync(folder) ? (statSync(folder).isDirectory() ? readdirSync(folder) : [folder]) : [];
  const mayReplace = names.includes(databaseName)
    ? isUnfinishedFile(join(folder, databaseName), copy)
    : names.length === 0 || names.includes(receivedName);
  if (!mayReplace || names.some((name) => !ownNames.test(name)))
    throw new NotEmpty(`${folder} is not empty; name a folder that is empty or does not exist.`);
}

/** What a transfer writes; nothing else is ever removed. */
const ownNames =
  /^(?:colophon\.db(?:-wal|-shm|\.transfer(?:-journal)?)?|lock\.db|secret\.key|blobs|evidence|checkpoint(?:\.witness|\.rejected-\d+)?)$/;

function isUnfinishedFile(path: string, copy: LedgerCopy): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const value = db.prepare(`SELECT value FROM ${keyringTable} WHERE name = ?`);
    return isUnfinished((name) => value.get(name)?.['value'] as string | undefined, copy);
  } catch {
    return false;
  } finally {
    db.close();
  }
}

async function writeEntries(db: DatabaseSync, copy: LedgerCopy, progress: TransferProgress): Promise<void> {
  const log = new MerkleLog();
  const writer = new GroupWriter(db);
  for await (const page of copy.pages()) {
    const { entries, tiles } = sealedRows(page, log);
    const writes = { entries, puts: new Map(), scrubs: [], scrubbed: [], scrubbedChains: [], touched: [] };
    for (const group of rowsToWrite(writes, tiles, copy.checkpoint?.note ?? '')) writer.write(group);
    progress('copying', log.size, copy.size);
  }
}

async function writeBeside(db: DatabaseSync, { keyring, held }: LedgerCopy): Promise<void> {
  const rows = new SqlKeyring(rowsOf(db), keyringTable, keyringSum);
  for (const { name, value } of keyring) await rows.set(name, value);
  const insert = db.prepare('INSERT INTO held (name, value, expires) VALUES (?, ?, ?)');
  for (const { name, value, expires } of held) insert.run(name, value, expires);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
