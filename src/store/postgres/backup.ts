/**
 * Copies a database into the form of an embedded ledger, from one read-only snapshot beside running nodes: entries with
 * their contents and tiles, the signed checkpoint, keyring, operational records and blobs. Projections are left out;
 * the first start on the copy makes them. Entries that await their place in the log are not part of the moment.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { versionName, writtenByThisBuild } from '../../engine/ledger-version.ts';
import type { LedgerBackup, LedgerSnapshot } from '../../engine/store-kind.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { addColumns, databaseName, keyringSum, keyringTable, ledgerDdl } from '../sqlite/ddl.ts';
import { rowsToWrite } from '../sqlite/rows-to-write.ts';
import { storeVersion } from '../sqlite/version.ts';
import { withPostgresSnapshot } from './snapshot.ts';

const pageEntries = 500;

export function copyDatabase(
  url: string,
  to: string,
  progress: (done: number, of: number) => void,
): Promise<LedgerBackup> {
  return withPostgresSnapshot(url, async (ledger, client) => {
    writeFileSync(join(to, databaseName), '', { mode: 0o600 });
    const db = new DatabaseSync(join(to, databaseName));
    try {
      // A copy that ends early is thrown away.
      db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${ledgerDdl}`);
      addColumns(db);
      const found = await ledger.version();
      storeVersion(db, writtenByThisBuild(typeof found === 'string' ? undefined : found, null));
      await copySettings(client, db);
      const checkpoint = await copyLog(ledger, db, progress);
      return {
        paths: [databaseName, ...(await copyBlobs(client, to))],
        origin: await ledger.keyring('log_origin'),
        checkpoint,
      };
    } finally {
      db.close();
    }
  });
}

/** Answers with the signed checkpoint that covers what was copied; undefined for an empty log. */
async function copyLog(
  ledger: LedgerSnapshot,
  db: DatabaseSync,
  progress: (done: number, of: number) => void,
): Promise<string | undefined> {
  const { size, checkpoint } = await ledger.head();
  if (checkpoint === null) return undefined;
  const log = new MerkleLog();
  while (log.size < size) {
    const page = await ledger.entries(log.size, Math.min(pageEntries, size - log.size));
    if (page.length === 0) throw new Error(`the database has lost entry ${log.size} of its log`);
    const entries = page.map(({ seq, act, index, text, contents }) => {
      const { chain, n } = JSON.parse(text) as { readonly chain: string; readonly n: number };
      const leaf = leafHash(text);
      log.append(leaf);
      // The entries of an act are numbered one after the other, in the database as in the log.
      return { seq: index, act: index - (seq - act), chain, n, text, leaf, contents };
    });
    const writes = { entries, puts: new Map(), scrubs: [], scrubbed: [], scrubbedChains: [], touched: [] };
    db.exec('BEGIN');
    for (const { statement, values } of rowsToWrite(writes, log.takeCompleted(), checkpoint)) {
      const insert = db.prepare(statement.head + statement.row + statement.tail);
      for (let at = 0; at < values.length; at += statement.width)
        insert.run(...values.slice(at, at + statement.width));
    }
    db.exec('COMMIT');
    progress(log.size, size);
  }
  return checkpoint;
}

async function copySettings(client: pg.Client, db: DatabaseSync): Promise<void> {
  const keyring = await client.query<{ name: string; value: string }>('SELECT name, value FROM keyring');
  const set = db.prepare(`INSERT INTO ${keyringTable} (name, value, sum) VALUES (?, ?, ?)`);
  for (const { name, value } of keyring.rows)
    if (name !== versionName) set.run(name, value, keyringSum(name, value));
  const held = await client.query<{ name: string; value: string; expires: string }>(
    'SELECT name, value, expires FROM held',
  );
  const hold = db.prepare('INSERT INTO held (name, value, expires) VALUES (?, ?, ?)');
  for (const { name, value, expires } of held.rows) hold.run(name, value, Number(expires));
}

async function copyBlobs(client: pg.Client, to: string): Promise<string[]> {
  const paths: string[] = [];
  for (let after = ''; ;) {
    const { rows } = await client.query<{ sha256: string; bytes: Buffer }>(
      'SELECT sha256, bytes FROM blob WHERE sha256 > $1 ORDER BY sha256 LIMIT 1',
      [after],
    );
    const [blob] = rows;
    if (blob === undefined) return paths;
    const shelf = `blobs/${blob.sha256.slice(0, 2)}`;
    mkdirSync(join(to, shelf), { recursive: true, mode: 0o700 });
    writeFileSync(join(to, shelf, blob.sha256), blob.bytes, { mode: 0o600 });
    paths.push(`${shelf}/${blob.sha256}`);
    after = blob.sha256;
  }
}
