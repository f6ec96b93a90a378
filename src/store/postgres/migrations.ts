/**
 * The ledger's own tables on PostgreSQL (docs/adr/0003-two-stores-one-port.md), in numbered steps that are applied
 * once, under an advisory lock, and recorded. Projections are made from the table descriptions; they can be
 * dropped and rebuilt, so no step ever changes one; one that no description has any more is dropped.
 */
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import { searchTables } from './search-tables.ts';
import { createTable } from './sql.ts';

const steps: readonly string[] = [
  `
CREATE TABLE entry (
  seq bigint PRIMARY KEY, act bigint NOT NULL, chain text COLLATE "C" NOT NULL, n integer NOT NULL, text text NOT NULL,
  UNIQUE (chain, n)
);
CREATE TABLE content (
  seq bigint, slot integer, field text NOT NULL, salt bytea, body text, PRIMARY KEY (seq, slot)
);
-- One row a committed batch that the log has not integrated yet; its entries are numbered from "first".
CREATE TABLE pending (first bigint PRIMARY KEY, count integer NOT NULL) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);
CREATE TABLE log (idx bigint PRIMARY KEY, seq bigint NOT NULL UNIQUE);
CREATE TABLE log_head (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), size bigint NOT NULL, root bytea, note text
);
INSERT INTO log_head (size) VALUES (0);
-- "root" is the hash above the tile: what the tile one level higher holds of it.
CREATE TABLE tile (level integer, n bigint, bytes bytea NOT NULL, root bytea NOT NULL, PRIMARY KEY (level, n));
CREATE TABLE keyring (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE aggregate_stamp (
  aggregate text COLLATE "C", id text COLLATE "C", stamp bigint NOT NULL, PRIMARY KEY (aggregate, id)
);
CREATE SEQUENCE entry_unit AS bigint MAXVALUE ${2 ** 41 - 1} NO CYCLE CACHE 1;
`,
  `
CREATE TABLE held (name text COLLATE "C" PRIMARY KEY, value text NOT NULL, expires bigint NOT NULL);
`,
  'CREATE TABLE blob (sha256 text COLLATE "C" PRIMARY KEY, bytes bytea NOT NULL)',
  'ALTER TABLE content ADD COLUMN replacement text, ADD COLUMN scrubbed_by text',
  // The tables of the search index as they first were, which a later step makes otherwise.
  '',
  'DROP TABLE IF EXISTS contribution_once',
  `DROP TABLE IF EXISTS search_document, search_term, search_state; ${searchTables}`,
  // "root" stands where a checkpoint was signed: the root of the log up to and with that row. "database" is where the
  // newest one was signed.
  `ALTER TABLE log ADD COLUMN root bytea;
   ALTER TABLE log_head ADD COLUMN database text;
   UPDATE log SET root = h.root FROM log_head h WHERE idx = h.size - 1`,
];

/** How many steps this version knows. */
export const stepsKnown = steps.length;

/** Brings a database up to date. Throws on one that a newer version has written, or that is not UTF-8. */
export async function migrate(client: pg.Client, schema: Schema, lock: string): Promise<void> {
  await checkServer(client);
  await client.query('SELECT pg_advisory_lock($1)', [lock]);
  try {
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (n integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ n: number }>('SELECT coalesce(max(n), 0) AS n FROM migration');
    const applied = (rows[0] as { n: number }).n;
    if (applied > steps.length) {
      throw new Error(
        `the database is at migration ${applied}, this version knows ${steps.length}: start the newer version`,
      );
    }
    for (let n = applied + 1; n <= steps.length; n++) {
      // One message of several statements is one transaction.
      await client.query(`BEGIN; ${steps[n - 1]}; INSERT INTO migration (n) VALUES (${n}); COMMIT`);
    }
    for (const table of schema.tables) await client.query(createTable(table, schema));
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]);
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0] as { version: number; encoding: string };
  if (version < 140_000) throw new Error(`PostgreSQL 14 or newer is needed, the server is ${version}`);
  if (encoding !== 'UTF8') throw new Error(`the database must be encoded in UTF8, it is ${encoding}`);
}
