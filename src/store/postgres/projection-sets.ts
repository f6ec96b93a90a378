/**
 * Projections of two neighbouring versions in one database (contract §6, ADR 49). A set is all projections that the
 * projectors of one version make. A database has one set, in the schema of the ledger. While nodes of two versions run,
 * there are two: the newer one is in a schema of its own, which the sessions of its nodes search first. Every batch
 * leaves a row for each other set (`projection_due`), whose nodes project its entries with their own projectors. When
 * no session of a set is left, its tables are dropped and the set that remains moves into the schema of the ledger.
 *
 * Sessions hold a shared lock on their set, so a set is removed only when no session reads it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import { projectionStamp, writtenByThisBuild } from '../../engine/ledger-version.ts';
import { LedgerInUse, OperatorError } from '../../engine/store.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { quote } from '../sql.ts';
import { lockId } from './connection.ts';
import { unitEntries } from './entry-numbers.ts';
import { storedLedger, storeVersion } from './version.ts';

export interface ProjectionSet {
  readonly stamp: string;
  /** The database schema that holds its tables; empty for that of the ledger. */
  readonly place: string;
  /** Whether its nodes answer; until then nothing waits for them. */
  readonly ready: boolean;
  readonly tables: readonly string[];
}

/** A step of `migrations.ts`. The contents that a scrub takes away are kept in `scrubs` until every set is without them. */
export const projectionSetTables = `
CREATE TABLE projection_set (
  stamp text COLLATE "C" PRIMARY KEY, place text NOT NULL UNIQUE, ready boolean NOT NULL, tables text[] NOT NULL
);
CREATE TABLE projection_due (
  stamp text COLLATE "C", first bigint, count integer NOT NULL, scrubs text, PRIMARY KEY (stamp, first)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`;

/** Batches share this lock while there is one set, and take it for themselves while there are two. */
export function setsLock(namespace: string): string {
  return lockId(`${namespace}\0projection sets`);
}

function lockOf(namespace: string, stamp: string): string {
  return lockId(`${namespace}\0projection set\0${stamp}`);
}

export function migrationLock(namespace: string): string {
  return lockId(`${namespace}\0migrate`);
}

export async function projectionSets(client: pg.ClientBase): Promise<readonly ProjectionSet[]> {
  const { rows } = await client.query<ProjectionSet>(
    'SELECT stamp, place, ready, tables FROM projection_set ORDER BY stamp',
  );
  return rows;
}

/** Has a session use a set. Throws where the set was removed: this node was away while others took over. */
export async function joinSet(client: pg.ClientBase, namespace: string, stamp: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1)', [lockOf(namespace, stamp)]);
  const { rowCount } = await client.query(
    `SELECT CASE place WHEN '' THEN '' ELSE
       set_config('search_path', quote_ident(place) || ', ' || current_setting('search_path'), false) END
     FROM projection_set WHERE stamp = $1`,
    [stamp],
  );
  if (rowCount !== 1)
    throw new Error('the projections of this version were removed from the database; restart the node');
}

/** Whether no session uses a set at the moment. */
export async function isUnused(client: pg.ClientBase, namespace: string, stamp: string): Promise<boolean> {
  const { rows } = await client.query<{ free: boolean }>(tryLock(namespace, stamp));
  return rows[0]?.free === true;
}

/** Got where no session uses the set, and held to the end of the transaction: no session joins it meanwhile. */
export function tryLock(namespace: string, stamp: string): pg.QueryConfig {
  return { text: 'SELECT pg_try_advisory_xact_lock($1) AS free', values: [lockOf(namespace, stamp)] };
}

/** Makes one set the only one, within the caller's transaction; its tables are in the schema of the ledger. */
export async function setOnly(client: pg.ClientBase, schema: Schema): Promise<void> {
  const own = schema.tables.map(({ name }) => name);
  for (const { place, tables } of await projectionSets(client)) {
    if (place !== '') await client.query(`DROP SCHEMA IF EXISTS ${quote(place)} CASCADE`);
    else
      for (const table of tables)
        if (!own.includes(table)) await client.query(`DROP TABLE IF EXISTS ${quote(table)}`);
  }
  await client.query('DELETE FROM projection_due; DELETE FROM projection_set');
  await client.query("INSERT INTO projection_set (stamp, place, ready, tables) VALUES ($1, '', true, $2)", [
    projectionStamp(schema),
    own,
  ]);
}

/** Where a set beside another is made. The name belongs to the stamp, so that no session meets another set under it. */
async function placeOf(client: pg.ClientBase, stamp: string): Promise<string> {
  const { rows } = await client.query<{ ledger: string }>('SELECT current_schema() AS ledger');
  return `colophon_${sha256Hex(`${rows[0]?.ledger}\0${stamp}`).slice(0, 24)}`;
}

/**
 * Begins a set beside the one in use: from here on every batch leaves a row for it. Answers with the number below which
 * all entries are that were committed before, once all of those are in the log.
 */
export async function beginSet(
  client: pg.ClientBase,
  namespace: string,
  schema: Schema,
): Promise<{ readonly place: string; readonly below: number }> {
  const stamp = projectionStamp(schema);
  const place = await placeOf(client, stamp);
  const own = schema.tables.map(({ name }) => name);
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [setsLock(namespace)]);
    await client.query('DELETE FROM projection_due WHERE stamp = $1', [stamp]);
    await client.query('DELETE FROM projection_set WHERE stamp = $1', [stamp]);
    await client.query(`DROP SCHEMA IF EXISTS ${quote(place)} CASCADE`);
    await client.query(`CREATE SCHEMA ${quote(place)}`).catch(refusePlace);
    await client.query(
      'INSERT INTO projection_set (stamp, place, ready, tables) VALUES ($1, $2, false, $3)',
      [stamp, place, own],
    );
    const { rows } = await client.query<{ unit: string }>("SELECT nextval('entry_unit') AS unit");
    await client.query('COMMIT');
    const below = Number(rows[0]?.unit) * unitEntries;
    await untilLogged(client, below);
    return { place, below };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function refusePlace(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42501') throw error;
  throw new OperatorError(
    'The projections of this version must be made beside those of the running nodes, and the role of DATABASE_URL must not create a schema for them: run GRANT CREATE ON DATABASE for it, or stop the other nodes first.',
  );
}

const logPauseMs = 50;
const logLooks = 400;

/** The nodes that run put them into the log. */
async function untilLogged(client: pg.ClientBase, below: number): Promise<void> {
  for (let look = 0; look < logLooks; look++) {
    const { rows } = await client.query('SELECT FROM pending WHERE first < $1 LIMIT 1', [below]);
    if (rows.length === 0) return;
    await sleep(logPauseMs);
  }
  throw new LedgerInUse('nodes of another version use the database, and none puts entries into the log');
}

/** How long a removal waits for tables that a dump or another reader holds; every write waits with it. */
const removalPatience = "SET LOCAL lock_timeout = '500ms'";

/**
 * Removes sets that no session uses, and moves the own one into the schema of the ledger where it then is the only one.
 * `client` uses no set. Answers with whether another set is left.
 */
export async function removeUnusedSets(
  client: pg.ClientBase,
  namespace: string,
  schema: Schema,
): Promise<boolean> {
  const stamp = projectionStamp(schema);
  await client.query('BEGIN');
  try {
    await client.query(removalPatience);
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
      migrationLock(namespace),
    ]);
    // A node is starting, which may be one of the set that seems unused.
    if (rows[0]?.got !== true) throw new LedgerInUse('a node is starting');
    await client.query('SELECT pg_advisory_xact_lock($1)', [setsLock(namespace)]);
    const sets = await projectionSets(client);
    const own = sets.find((set) => set.stamp === stamp);
    let left = 0;
    for (const set of sets) {
      if (set === own) continue;
      const isFree = await isUnused(client, namespace, set.stamp);
      if (isFree && (set.place !== '' || own?.ready === true)) await remove(client, set);
      else left++;
    }
    if (left === 0 && own !== undefined && own.place !== '' && own.ready) await moveHome(client, own, stamp);
    await client.query('COMMIT');
    return left > 0;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function remove(client: pg.ClientBase, { stamp, place, tables }: ProjectionSet): Promise<void> {
  await client.query('DELETE FROM projection_due WHERE stamp = $1', [stamp]);
  await client.query('DELETE FROM projection_set WHERE stamp = $1', [stamp]);
  if (place !== '') await client.query(`DROP SCHEMA IF EXISTS ${quote(place)} CASCADE`);
  else for (const table of tables) await client.query(`DROP TABLE IF EXISTS ${quote(table)}`);
}

async function moveHome(
  client: pg.ClientBase,
  { place, tables }: ProjectionSet,
  stamp: string,
): Promise<void> {
  const { rows } = await client.query<{ ledger: string }>('SELECT current_schema() AS ledger');
  const ledger = quote(rows[0]?.ledger as string);
  await client.query('DROP TABLE aggregate_stamp');
  for (const table of ['aggregate_stamp', ...tables])
    await client.query(`ALTER TABLE ${quote(place)}.${quote(table)} SET SCHEMA ${ledger}`);
  await client.query(`DROP SCHEMA ${quote(place)}`);
  await client.query("UPDATE projection_set SET place = '' WHERE stamp = $1", [stamp]);
  const { version } = await storedLedger(client);
  await storeVersion(client, writtenByThisBuild(version, stamp));
}
