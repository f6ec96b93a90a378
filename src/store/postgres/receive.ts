/**
 * Fills a database with a copy of a ledger from another store (ADR 67), in one transaction: a crash leaves the database
 * as it was, and from the commit on the ledger in it is marked as unfinished. Entries are replayed while the server
 * writes those before.
 */
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import type { NewEntry } from '../../engine/batch-io.ts';
import { projectionStamp, writtenByThisBuild } from '../../engine/ledger-version.ts';
import {
  isUnfinished,
  NotEmpty,
  sealedRows,
  type LedgerCopy,
  type TransferProgress,
} from '../../engine/transfer.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { openReplay } from '../sqlite/scratch.ts';
import { unitEntries } from './entry-numbers.ts';
import { createLedger, stepsKnown } from './migrations.ts';
import { insertTile } from './new-log.ts';
import { setOnly } from './projection-sets.ts';
import { writeProjections } from './replace-projections.ts';
import { forgetSearch } from './search-tables.ts';
import { withoutNodes } from './stopped.ts';
import { keyringOf, storedLedger, storeVersion } from './version.ts';

export async function receiveDatabase(
  url: string,
  copy: LedgerCopy,
  schema: Schema,
  progress: TransferProgress,
): Promise<void> {
  await withoutNodes(url, async (client) => {
    await client.query('BEGIN');
    await prepare(client, copy);
    const replay = openReplay(schema);
    try {
      const log = new MerkleLog();
      let written: Promise<unknown> = Promise.resolve();
      for await (const page of copy.pages()) {
        const { entries, tiles } = sealedRows(page, log);
        await written;
        written = insertEntries(client, entries);
        // Awaited with the next page; a failure meanwhile is no unhandled one.
        written.catch(() => undefined);
        for (const entry of entries) replay.take(entry);
        await written;
        for (const tile of tiles) await insertTile(client, tile);
        progress('copying', log.size, copy.size);
      }
      await written;
      await writeLog(client, copy);
      await writeBeside(client, copy);
      progress('making projections', 0, 1);
      await writeProjections(client, schema, (table) => replay.rows(table));
      await setOnly(client, schema);
    } finally {
      replay.close();
    }
    await storeVersion(client, writtenByThisBuild(undefined, projectionStamp(schema)));
    await client.query('COMMIT');
  });
}

/** Throws `NotEmpty` unless there is nothing, or what an earlier transfer of the same log has left. */
async function prepare(client: pg.Client, copy: LedgerCopy): Promise<void> {
  const { steps } = await storedLedger(client);
  if (steps > 0) {
    const keyring = await keyringOf(client);
    if (steps !== stepsKnown || !isUnfinished((name) => keyring.get(name), copy)) throw notEmpty('a ledger');
    await client.query(empty);
    await forgetSearch(client);
    return;
  }
  const { rows } = await client.query<{ name: string }>(selectForeign);
  if (rows[0] !== undefined) throw notEmpty(`table ${rows[0].name}`);
  await createLedger(client);
}

function notEmpty(what: string): NotEmpty {
  return new NotEmpty(
    `The database is not empty, it has ${what}; name a database, or a schema, without tables.`,
  );
}

/** Tables and sequences of the schema, but for those of extensions. */
const selectForeign = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f', 'S')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname LIMIT 1`;

/** Projections are made anew by their own statement. */
const empty = `TRUNCATE entry, content, pending, log, tile, keyring, held, blob;
  UPDATE log_head SET size = 0, root = NULL, note = NULL, database = NULL`;

/** Characters of one statement's values, so that large contents do not make a text that is too long. */
const charsMax = 4_000_000;

async function insertEntries(client: pg.Client, entries: readonly NewEntry[]): Promise<void> {
  let rows: string[] = [];
  let contents: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    const values = [`[${rows.join()}]`, `[${contents.join()}]`];
    [rows, contents, chars] = [[], [], 0];
    await client.query({ name: 'receive', text: insert, values });
  };
  for (const { seq, act, chain, n, text, contents: list } of entries) {
    rows.push(JSON.stringify({ seq, act, chain, n, text }));
    chars += text.length;
    for (const [slot, { field, salt, body, replacement = null, scrubbedBy = null }] of list.entries()) {
      const row = JSON.stringify({
        seq,
        slot,
        field,
        salt: salt === null ? null : Buffer.from(salt).toString('hex'),
        body,
        replacement,
        scrubbed_by: scrubbedBy,
      });
      contents.push(row);
      chars += row.length;
    }
    if (chars > charsMax) await flush();
  }
  if (rows.length > 0) await flush();
}

const insert = `WITH entries AS (INSERT INTO entry (seq, act, chain, n, text)
    SELECT seq, act, chain, n, text FROM json_to_recordset($1) AS x(seq bigint, act bigint, chain text, n integer, text text))
  INSERT INTO content (seq, slot, field, salt, body, replacement, scrubbed_by)
    SELECT seq, slot, field, decode(salt, 'hex'), body, replacement, scrubbed_by FROM json_to_recordset($2) AS x(
      seq bigint, slot integer, field text, salt text, body text, replacement text, scrubbed_by text)`;

/** Numbers, places and the signed head: an entry's number is its place in the log. */
async function writeLog(client: pg.Client, { size, checkpoint }: LedgerCopy): Promise<void> {
  await client.query("SELECT setval('entry_unit', $1)", [Math.floor(size / unitEntries) + 1]);
  if (checkpoint === null) return;
  const { note, root } = checkpoint;
  await client.query('INSERT INTO log (idx, seq) SELECT i, i FROM generate_series(0, $1::bigint - 1) AS i', [
    size,
  ]);
  await client.query('UPDATE log SET root = $2 WHERE idx = $1::bigint - 1', [size, root]);
  await client.query('UPDATE log_head SET size = $1, root = $2, note = $3', [size, root, note]);
}

async function writeBeside(client: pg.Client, { keyring, held, blobs }: LedgerCopy): Promise<void> {
  await client.query(
    'INSERT INTO keyring (name, value) SELECT name, value FROM json_to_recordset($1) AS x(name text, value text)',
    [JSON.stringify(keyring)],
  );
  await client.query(
    'INSERT INTO held (name, value, expires) SELECT name, value, expires FROM json_to_recordset($1) AS x(name text, value text, expires bigint)',
    [JSON.stringify(held)],
  );
  for await (const name of blobs.names()) {
    const bytes = await blobs.get(name);
    if (bytes !== undefined)
      await client.query('INSERT INTO blob (sha256, bytes) VALUES ($1, $2)', [name, bytes]);
  }
}
