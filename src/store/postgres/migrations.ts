/**
 * The ledger's tables on PostgreSQL (ADR 3), in numbered steps that are applied once, under an advisory lock, and
 * recorded with the resulting version (contract §6). Projections are created from the table descriptions and can be
 * dropped and rebuilt, so no step changes one; a projection without a description is dropped.
 */
import type pg from 'pg';
import { writtenByThisBuild } from '../../engine/ledger-version.ts';
import { projectionSetTables } from './projection-sets.ts';
import { storeVersion, type FoundLedger } from './version.ts';

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
  // The tables of the search index as they first were; each version of the index makes its own (`search-tables.ts`).
  '',
  'DROP TABLE IF EXISTS contribution_once',
  'DROP TABLE IF EXISTS search_document, search_term, search_state',
  // "root" stands where a checkpoint was signed: the root of the log up to and with that row. "database" is where the
  // newest one was signed. The version is recorded with every step; version 0.1.0 refuses a database with this one.
  `ALTER TABLE log ADD COLUMN root bytea;
   ALTER TABLE log_head ADD COLUMN database text;
   UPDATE log SET root = h.root FROM log_head h WHERE idx = h.size - 1`,
  `DROP TABLE IF EXISTS search_document, search_term, search_workspace, search_state; ${projectionSetTables}`,
];

/** How many steps this version knows. */
export const stepsKnown = steps.length;

const createMigration =
  'CREATE TABLE IF NOT EXISTS migration (n integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())';

/** All steps in an empty database, within the caller's transaction. */
export async function createLedger(client: pg.Client): Promise<void> {
  await client.query(createMigration);
  for (const step of steps) await client.query(step);
  await client.query('INSERT INTO migration (n) SELECT generate_series(1, $1::int)', [steps.length]);
}

/** Applies what is missing, each step in a transaction with the version that it brings. */
export async function migrate(client: pg.Client, { steps: applied, version }: FoundLedger): Promise<void> {
  await client.query(createMigration);
  for (let n = applied + 1; n <= steps.length; n++) {
    await client.query('BEGIN');
    try {
      await client.query(steps[n - 1] as string);
      await client.query('INSERT INTO migration (n) VALUES ($1)', [n]);
      await storeVersion(client, writtenByThisBuild(version, version?.projections ?? null));
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}
