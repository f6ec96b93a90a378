/**
 * The tables of the shared search index (ADR 13). `document` holds the distinct terms of each document with their
 * counts; a GIN index over a tsvector of these terms, made without a dictionary, finds them. Terms carry the number of
 * their workspace. A scrub empties the tables.
 *
 * Every version of the terms has tables of its own, so that nodes of two versions run side by side (ADR 49). Sessions
 * hold a shared lock on theirs; tables that no session uses are dropped.
 */
import type pg from 'pg';
import { quote } from '../sql.ts';
import { termsVersion } from '../search-choice.ts';
import { sqlState } from './connection.ts';

const names = ['document', 'term', 'workspace', 'state'] as const;

type SearchTables = Readonly<Record<(typeof names)[number], string>>;

function tablesOf(version: number): SearchTables {
  const of = (name: string): string => `search_${name}_${version}`;
  return { document: of('document'), term: of('term'), workspace: of('workspace'), state: of('state') };
}

/** Those of this build. */
export const searchTables = tablesOf(termsVersion);

const { document, term, workspace, state } = searchTables;

const create = `
CREATE TABLE IF NOT EXISTS ${document} (
  tenant text COLLATE "C" NOT NULL, at bigint NOT NULL, key text COLLATE "C" NOT NULL UNIQUE, kind text NOT NULL,
  length integer NOT NULL, terms text[] COLLATE "C" NOT NULL, counts integer[] NOT NULL, PRIMARY KEY (tenant, at)
);
-- What waits to be put into the index is read by every search, so that it may not become much.
CREATE INDEX IF NOT EXISTS ${document}_terms ON ${document} USING gin (array_to_tsvector(terms)) WITH (gin_pending_list_limit = 512);
CREATE TABLE IF NOT EXISTS ${term} (term text COLLATE "C" PRIMARY KEY, documents bigint NOT NULL) WITH (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05
);
CREATE TABLE IF NOT EXISTS ${workspace} (
  tenant text COLLATE "C" PRIMARY KEY, n integer GENERATED ALWAYS AS IDENTITY, documents bigint NOT NULL DEFAULT 0, length bigint NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS ${state} (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), size bigint NOT NULL DEFAULT 0,
  head text NOT NULL DEFAULT '', honoured bigint NOT NULL DEFAULT 0
);
INSERT INTO ${state} DEFAULT VALUES ON CONFLICT DO NOTHING;
`;

const lockOf = (version: string): string =>
  `hashtextextended('colophon search ' || current_schema() || ' ' || ${version}, 0)`;

/** Has a session use this build's tables, which are made where there are none. */
export async function joinSearch(client: pg.ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_lock_shared(${lockOf(String(termsVersion))})`);
  if (await hasSearch(client)) return;
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockOf("'making'")}); ${create} COMMIT`);
}

export async function hasSearch(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${state}') IS NOT NULL AS there`,
  );
  return rows[0]?.there === true;
}

/** Drops the tables of other versions that no session uses. */
export async function dropUnusedSearch(client: pg.ClientBase): Promise<void> {
  for (const version of await searchVersions(client)) {
    if (version === termsVersion) continue;
    await client.query('BEGIN');
    const { rows } = await client.query<{ free: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${lockOf(String(version))}) AS free`,
    );
    const tables = Object.values(tablesOf(version)).map(quote).join(', ');
    try {
      // A dump may hold them: the next look drops them.
      if (rows[0]?.free === true)
        await client.query(`SET LOCAL lock_timeout = '500ms'; DROP TABLE IF EXISTS ${tables}`);
      await client.query('COMMIT');
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      await client.query('ROLLBACK');
    }
  }
}

async function searchVersions(client: pg.ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT substring(tablename FROM '^search_state_(\\d+)$') AS version FROM pg_tables WHERE schemaname = current_schema() AND tablename ~ '^search_state_\\d+$'",
  );
  return rows.map(({ version }) => Number(version));
}

/** Everything forgotten, in the index of every version: the files that held it go with the transaction. */
export async function forgetSearch(client: pg.ClientBase): Promise<void> {
  for (const version of await searchVersions(client)) await forget(client, tablesOf(version));
}

/** The same in the index of this build: nodes of another version forget theirs by themselves. */
export async function forgetOwnSearch(client: pg.ClientBase): Promise<void> {
  await forget(client, searchTables);
}

async function forget(client: pg.ClientBase, tables: SearchTables): Promise<void> {
  await client.query(
    `TRUNCATE ${tables.document}; TRUNCATE ${tables.term}; TRUNCATE ${tables.workspace} RESTART IDENTITY;
     UPDATE ${tables.state} SET size = 0, head = '', honoured = 0`,
  );
}
