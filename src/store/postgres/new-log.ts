/**
 * Begins a new log of a database (ADR 47), in one transaction: pending entries join the log, every entry moves up by
 * one, the new entry comes first, and tiles and signed head are recreated. Entries keep their numbers, so projections
 * stay valid. No node may be running.
 */
import type pg from 'pg';
import type { FoundLog, MakeNewLog, NewLog } from '../../engine/store-kind.ts';
import { MerkleLog, type CompletedTile } from '../../ledger/log.ts';
import { leafHash } from '../../ledger/entry.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileHeight } from '../../ledger/tiles.ts';
import { connectForCommand } from './hosts.ts';
import { refuseBeside } from './replace-projections.ts';
import { forgetSearch } from './search-tables.ts';
import { unitEntries } from './entry-numbers.ts';

const pageEntries = 2000;

export async function beginPostgresLog(url: string, make: MakeNewLog): Promise<void> {
  const client = await connectForCommand({ connectionString: url, application_name: 'colophon new log' });
  try {
    await refuseBeside(client, 'before a new log is begun');
    await client.query('BEGIN');
    await client.query('LOCK TABLE log_head, log, pending, entry IN EXCLUSIVE MODE');
    await client.query(integratePending);
    const made = make(await found(client));
    await client.query('UPDATE log SET idx = -idx - 1, root = NULL');
    await client.query('UPDATE log SET idx = -idx');
    await insertFirst(client, made);
    await writeLog(client, made);
    for (const [name, value] of Object.entries(made.keyring))
      await client.query(
        'INSERT INTO keyring (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, value],
      );
    // It follows the log by its indexes, which have moved.
    await forgetSearch(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

const integratePending = `
INSERT INTO log (idx, seq)
  SELECT (SELECT count(*) FROM log) + row_number() OVER (ORDER BY e.seq) - 1, e.seq
  FROM pending p JOIN entry e ON e.seq >= p.first AND e.seq < p.first + p.count;
DELETE FROM pending`;

async function found(client: pg.Client): Promise<FoundLog> {
  const head = await client.query<{ entries: string; note: string | null }>(
    'SELECT (SELECT count(*) FROM log) AS entries, note FROM log_head',
  );
  const keyring = await client.query<{ name: string; value: string }>('SELECT name, value FROM keyring');
  return {
    entries: Number(head.rows[0]?.entries),
    keyring: Object.fromEntries(keyring.rows.map(({ name, value }) => [name, value])),
    checkpoint: head.rows[0]?.note ?? null,
  };
}

/** Numbered before all others, so that entries read by number come in the order of the log. */
async function insertFirst(client: pg.Client, { first: { sealed, contents } }: NewLog): Promise<void> {
  const { rows } = await client.query<{ seq: string }>(
    `SELECT coalesce(min(seq), ${unitEntries}) - 1 AS seq FROM entry`,
  );
  const seq = Number(rows[0]?.seq);
  const { chain, n } = sealed.entry;
  await client.query('INSERT INTO entry (seq, act, chain, n, text) VALUES ($1, $1, $2, $3, $4)', [
    seq,
    chain,
    n,
    sealed.text,
  ]);
  for (const [slot, { field, salt, body }] of contents.entries())
    await client.query('INSERT INTO content (seq, slot, field, salt, body) VALUES ($1, $2, $3, $4, $5)', [
      seq,
      slot,
      field,
      salt,
      body,
    ]);
  await client.query('INSERT INTO log (idx, seq) VALUES (0, $1)', [seq]);
}

async function writeLog(client: pg.Client, { sign }: NewLog): Promise<void> {
  await client.query('DELETE FROM tile');
  const log = new MerkleLog();
  for (;;) {
    const { rows } = await client.query<{ text: string }>(
      'SELECT e.text FROM log l JOIN entry e ON e.seq = l.seq WHERE l.idx >= $1 ORDER BY l.idx LIMIT $2',
      [log.size, pageEntries],
    );
    for (const { text } of rows) log.append(leafHash(text));
    for (const tile of log.takeCompleted()) await insertTile(client, tile);
    if (rows.length < pageEntries) break;
  }
  const root = log.root();
  await client.query('UPDATE log_head SET size = $1, root = $2, note = $3', [
    log.size,
    root,
    sign(log.size, root),
  ]);
}

export async function insertTile(client: pg.Client, { level, n, bytes }: CompletedTile): Promise<void> {
  await client.query('INSERT INTO tile (level, n, bytes, root) VALUES ($1, $2, $3, $4)', [
    level,
    n,
    bytes,
    Subtree.of(bytes).node(tileHeight, 0),
  ]);
}
