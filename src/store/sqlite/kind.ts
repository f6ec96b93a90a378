/** The embedded store: a SQLite file in the data folder, owned by one process (ADR 3). */
import { existsSync, lchownSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Diagnosis, NoLedger, type StoreKind, fail, ok, warn } from '../../engine/store-kind.ts';
import { NotUpgraded } from '../../engine/ledger-version.ts';
import { UnfinishedTransfer } from '../../engine/transfer.ts';
import { SqlKeyring } from '../sql.ts';
import { databaseName, keyringSum, keyringTable, receivedName } from './ddl.ts';
import { withFiles } from './files-at-rest.ts';
import { isLocked, lockFolder } from './lock.ts';
import { removeSearchFile, searchFileName } from './search-file.ts';
import { SqliteSnapshot } from './snapshot.ts';
import { storedVersion } from './version.ts';
import { rowsOf } from './statement-cache.ts';
import { defaultWalBounds } from './wal.ts';

export function sqliteKind(folder: string): StoreKind {
  const path = join(folder, databaseName);
  const searchPath = join(folder, searchFileName);
  const refuseEmpty = (): void => {
    if (existsSync(path)) return;
    const what = existsSync(folder) ? 'ledger in' : 'data folder';
    throw new NoLedger(`There is no ${what} ${folder}; set COLOPHON_DATA.`);
  };
  const kind: StoreKind = {
    name: 'sqlite',
    place: folder,
    isShared: false,
    storedBytes: () => sizeOf(path),
    async open(options) {
      if (existsSync(join(folder, receivedName))) throw new UnfinishedTransfer('another store');
      return (await import('./store.ts')).openSqlite({ ...options, folder });
    },
    openSearch: async () => (await import('./search-index.ts')).openSearchIndex(searchPath),
    openReplay: async (schema) => (await import('./scratch.ts')).openReplay(schema),
    async withSnapshot(use) {
      refuseEmpty();
      return withFiles(folder, async (files) => {
        const snapshot = new SqliteSnapshot(folder, files);
        try {
          return await use(snapshot);
        } finally {
          snapshot.close();
        }
      });
    },
    async rebuild(schema, progress) {
      refuseEmpty();
      const { rebuildSqlite } = await import('./rebuild.ts');
      const report = rebuildSqlite(folder, schema, progress);
      // It follows the log by itself, from its beginning, at the next start.
      removeSearchFile(searchPath);
      return report;
    },
    async backup(to, progress) {
      refuseEmpty();
      const { copyLedger } = await import('./backup.ts');
      const paths = await copyLedger(folder, to, progress);
      return sqliteKind(to).withSnapshot(async (copy) => ({
        paths,
        origin: await copy.keyring('log_origin'),
        checkpoint: (await copy.head()).checkpoint ?? undefined,
      }));
    },
    async readNote(name) {
      const note = join(folder, `${name}.json`);
      return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
    },
    async writeNote(name, text) {
      refuseEmpty();
      const note = join(folder, `${name}.json`);
      // Made afresh, so that nothing outside the folder is written through a link that its owner left here.
      rmSync(`${note}.new`, { force: true });
      writeFileSync(`${note}.new`, text, { mode: 0o600, flush: true, flag: 'wx' });
      // The server reads it as the user who owns the ledger.
      if (process.getuid?.() === 0) {
        const { uid, gid } = statSync(path);
        lchownSync(`${note}.new`, uid, gid);
      }
      renameSync(`${note}.new`, note);
    },
    async beginLog(schema, make) {
      const { beginSqliteLog } = await import('./new-log.ts');
      await beginSqliteLog(folder, schema, make);
      // It follows the log by its indexes, which have moved.
      removeSearchFile(searchPath);
    },
    async whileStopped(use) {
      refuseEmpty();
      const lock = lockFolder(folder);
      const db = new DatabaseSync(path);
      try {
        if (storedVersion(db) === 'unversioned') throw new NotUpgraded();
        db.exec('PRAGMA synchronous = FULL');
        return await use(new SqlKeyring(rowsOf(db), keyringTable, keyringSum));
      } finally {
        db.close();
        lock.release();
      }
    },
    receive: async (copy, schema, progress) =>
      (await import('./receive.ts')).receiveLedger(folder, copy, schema, progress),
    diagnose: async (isServing) =>
      existsSync(path)
        ? [fileMode(path), owner(folder, isServing), writeAheadLog(path)]
        : existsSync(join(folder, receivedName))
          ? [halfFilled]
          : [],
  };
  return kind;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

const halfFilled = fail(
  'transfer',
  'a transfer into the folder was not finished',
  'Run the same colophon transfer again, with the settings of the place that it comes from.',
);

function fileMode(path: string): Diagnosis {
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0
    ? ok(databaseName, 'its owner alone reads and writes it')
    : fail(
        databaseName,
        `it holds keys and has mode ${mode.toString(8).padStart(4, '0')}`,
        `Run chmod 600 ${path}`,
      );
}

function owner(folder: string, isServing: boolean): Diagnosis {
  if (isServing) return ok('lock', 'a running server owns the folder and answers on its socket');
  return isLocked(folder)
    ? fail(
        'lock',
        'a process owns the folder and does not answer on its socket',
        'Wait until it has started or stopped; if it hangs, end it.',
      )
    : ok('lock', 'no process owns the folder');
}

function writeAheadLog(path: string): Diagnosis {
  const bytes = sizeOf(`${path}-wal`);
  const size = `${Math.round(bytes / 1024 / 1024)} MB`;
  return bytes <= 2 * defaultWalBounds.hardBytes
    ? ok('write-ahead log', size)
    : warn(
        'write-ahead log',
        size,
        'A reader holds it: end long verifications and copies; the next start empties it.',
      );
}
