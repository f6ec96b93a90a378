/**
 * Begins a new log of an embedded ledger (ADR 47), in one transaction: every entry moves up by one, the new entry
 * comes first, and tiles, signed head and projections are recreated. The server must not be running.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Schema } from '../../engine/act.ts';
import type { MakeNewLog } from '../../engine/store-kind.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { GroupWriter } from './batch-writer.ts';
import { replayInto } from './rebuild.ts';
import { contentSlots, databaseName, keyringSum, keyringTable } from './ddl.ts';
import { SqlKeyring } from '../sql.ts';
import { rowsOf } from './statement-cache.ts';
import { lockFolder } from './lock.ts';
import { rowsToWrite } from './rows-to-write.ts';
import { writableVersion } from './version.ts';

export async function beginSqliteLog(folder: string, schema: Schema, make: MakeNewLog): Promise<void> {
  const lock = lockFolder(folder);
  const db = new DatabaseSync(join(folder, databaseName));
  try {
    writableVersion(db);
    db.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const count = db.prepare('SELECT count(*) AS entries FROM entry').get() as { readonly entries: number };
    const keyring = new SqlKeyring(rowsOf(db), keyringTable, keyringSum);
    const values = await keyring.under('');
    const note = db.prepare("SELECT value FROM meta WHERE name = 'checkpoint'").get()?.['value'];
    const made = make({
      entries: count.entries,
      keyring: Object.fromEntries(values.map(({ name, value }) => [name, value])),
      checkpoint: (note as string | undefined) ?? null,
    });
    moveUp(db);
    write(db, made);
    for (const [name, value] of Object.entries(made.keyring)) await keyring.set(name, value);
    replayInto(db, schema, () => undefined);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  } finally {
    db.close();
    lock.release();
  }
}

/** By way of negative numbers, since no two rows may have the same one even for a moment. */
function moveUp(db: DatabaseSync): void {
  db.exec(`
UPDATE entry SET seq = -seq - 1, act = act + 1; UPDATE entry SET seq = -seq;
UPDATE content SET id = -id - 1; UPDATE content SET id = -id - 1 + ${contentSlots};
DELETE FROM tile;`);
}

function write(db: DatabaseSync, { first, sign }: ReturnType<MakeNewLog>): void {
  const { sealed, contents } = first;
  const log = new MerkleLog();
  log.append(sealed.leaf);
  for (const row of db.prepare('SELECT text FROM entry ORDER BY seq').iterate())
    log.append(leafHash(row['text'] as string));
  const { chain, n } = sealed.entry;
  const entries = [{ seq: 0, act: 0, chain, n, text: sealed.text, leaf: sealed.leaf, contents }];
  const groups = rowsToWrite(
    { entries, puts: new Map(), scrubs: [], scrubbed: [], scrubbedChains: [], touched: [] },
    log.takeCompleted(),
    sign(log.size, log.root()),
  );
  const writer = new GroupWriter(db);
  for (const group of groups) writer.write(group);
}
