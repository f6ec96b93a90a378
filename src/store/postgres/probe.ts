/**
 * The probe of a start (contract §0): whether the server does what nodes rely on. Systems that speak PostgreSQL's
 * protocol differ in just that: advisory locks that exclude nobody, notifications that reach no session, snapshots that
 * last as long as a transaction, sequences that sessions draw from in blocks. It tests what the server does and asks for
 * no name. It takes some 40 round trips, 20 to 40 ms on a busy machine, and leaves nothing behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../../engine/store.ts';
import { opaqueId } from '../../kernel/ids.ts';
import { isConnectionError, lockId, sqlState } from './connection.ts';
import { quote } from '../sql.ts';

/** How long a notification may take. */
const notifiedMs = 1000;
/** How long a session is given to go on although it has to wait. */
const waitMs = 5;
const insufficientPrivilege = '42501';

interface Scratch {
  readonly table: string;
  readonly sequence: string;
  readonly lock: string;
}

type Check = (first: pg.ClientBase, second: pg.ClientBase, scratch: Scratch) => Promise<boolean>;

/** What nodes rely on, in the words of a refusal; each answers whether it holds. */
const checks: readonly (readonly [what: string, check: Check])[] = [
  ['functions that tell a restored database from the one before', hasEvidence],
  ['advisory locks that exclude other sessions until they are released', excludes],
  ['notifications that reach other sessions after the commit', notifies],
  ['a list of sessions with their application names', listsSessions],
  ['tables that are created in a transaction and rolled back with it', rollsBackTables],
  ['READ COMMITTED, in which each statement sees what was committed before it', readsCommitted],
  ['updates that wait for another transaction and then see what it left', comparesAndSets],
  ['sequences that number sessions in the order in which they ask', numbersInOrder],
];

/** Throws `OperatorError` that names what does not hold. Both are connections of the same kind, out of transactions. */
export async function refuseUnlike(first: pg.ClientBase, second: pg.ClientBase): Promise<void> {
  const name = opaqueId('colophon_probe_').toLowerCase();
  const scratch = { table: quote(name), sequence: quote(`${name}_seq`), lock: lockId(name) };
  for (const [what, check] of checks) {
    const missing = await holds(check(first, second, scratch));
    if (missing === undefined) continue;
    await Promise.all([first, second].map((client) => client.query('ROLLBACK').catch(() => undefined)));
    await dropScratch(first, scratch).catch(() => undefined);
    throw new OperatorError(lacking(`${what}${missing}`));
  }
  await dropScratch(first, scratch);
}

/** Undefined where the check holds; otherwise what the server said, which may be nothing. */
async function holds(check: Promise<boolean>): Promise<string | undefined> {
  try {
    return (await check) ? undefined : '';
  } catch (error) {
    // A role that may create nothing is no other system.
    if (isConnectionError(error) || sqlState(error) === insufficientPrivilege) throw error;
    return ` (${(error as Error).message})`;
  }
}

/** For a server that refuses the settings of a session before it can be probed. */
export function lacking(what: string): string {
  return `DATABASE_URL leads to a system that lacks what Colophon needs of PostgreSQL: ${what}; it accepts PostgreSQL 14 or newer itself.`;
}

async function hasEvidence(first: pg.ClientBase): Promise<boolean> {
  // The tables of the ledger may not exist yet; those of the catalog have the same columns for this.
  const { rows } = await first.query<{ file: unknown; wal: unknown; started: unknown; hash: string }>(
    `SELECT pg_relation_filenode('pg_attribute') AS file, pg_postmaster_start_time() AS started,
      encode(sha256(convert_to('abc', 'UTF8')), 'hex') AS hash,
      CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_insert_lsn()) ELSE '' END AS wal`,
  );
  const [row] = rows;
  return (
    row?.hash === 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' &&
    [row.file, row.wal, row.started].every((value) => value !== null && value !== undefined)
  );
}

async function excludes(first: pg.ClientBase, second: pg.ClientBase, { lock }: Scratch): Promise<boolean> {
  const take = (client: pg.ClientBase, call: string): Promise<boolean> => one(client, call, [lock]);
  if (!(await take(first, 'pg_try_advisory_lock($1)'))) return false;
  if (await take(second, 'pg_try_advisory_lock($1)')) return false;
  if (!(await take(first, 'pg_advisory_unlock($1)'))) return false;
  await second.query('BEGIN');
  if (!(await take(second, 'pg_advisory_xact_lock($1) IS NOT NULL'))) return false;
  if (await take(first, 'pg_try_advisory_lock($1)')) return false;
  await second.query('COMMIT');
  return (await take(first, 'pg_try_advisory_lock($1)')) && take(first, 'pg_advisory_unlock($1)');
}

async function notifies(first: pg.ClientBase, second: pg.ClientBase, { table }: Scratch): Promise<boolean> {
  let payloads: (string | undefined)[] = [];
  let wake: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (wake = resolve));
  const hear = ({ payload }: pg.Notification): void => {
    payloads = [...payloads, payload];
    if (payload === 'committed') wake();
  };
  second.on('notification', hear);
  try {
    await second.query(`LISTEN ${table}`);
    const channel = table.slice(1, -1);
    await first.query('BEGIN');
    await first.query('SELECT pg_notify($1, $2)', [channel, 'rolled back']);
    await first.query('ROLLBACK');
    await first.query('SELECT pg_notify($1, $2)', [channel, 'committed']);
    const late = new AbortController();
    await Promise.race([
      arrived,
      sleep(notifiedMs, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    await second.query(`UNLISTEN ${table}`);
    return payloads.length === 1 && payloads[0] === 'committed';
  } finally {
    second.removeListener('notification', hear);
  }
}

async function listsSessions(first: pg.ClientBase, second: pg.ClientBase): Promise<boolean> {
  const { rows } = await second.query<{ readonly pid: number; readonly name: string }>(
    "SELECT pg_backend_pid() AS pid, current_setting('application_name') AS name",
  );
  return one(
    first,
    'EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND application_name = $2 AND datname = current_database())',
    [rows[0]?.pid, rows[0]?.name],
  );
}

async function rollsBackTables(first: pg.ClientBase, _second: pg.ClientBase, { table }: Scratch) {
  await first.query('BEGIN');
  await first.query(`CREATE TABLE ${table} (id integer PRIMARY KEY, n integer NOT NULL)`);
  await first.query(`INSERT INTO ${table} VALUES (1, 1)`);
  await first.query('ROLLBACK');
  return one(first, 'to_regclass($1) IS NULL', [table]);
}

/** Nothing of it has to survive a crash, so no commit waits for the disk. */
const hasty = 'SET LOCAL synchronous_commit = off';

async function makeScratch(first: pg.ClientBase, { table, sequence }: Scratch): Promise<void> {
  await first.query(
    `BEGIN; ${hasty}; CREATE TABLE ${table} (id integer PRIMARY KEY, n integer NOT NULL);
     INSERT INTO ${table} VALUES (1, 1); CREATE SEQUENCE ${sequence} AS bigint NO CYCLE CACHE 1; COMMIT`,
  );
}

async function readsCommitted(first: pg.ClientBase, second: pg.ClientBase, scratch: Scratch) {
  await makeScratch(first, scratch);
  const read = async (): Promise<number | undefined> =>
    (await first.query<{ n: number }>(`SELECT n FROM ${scratch.table} WHERE id = 1`)).rows[0]?.n;
  await first.query('BEGIN');
  const before = await read();
  await second.query('BEGIN');
  await second.query(`${hasty}; UPDATE ${scratch.table} SET n = 2 WHERE id = 1`);
  const during = await read();
  await second.query('COMMIT');
  const after = await read();
  await first.query('COMMIT');
  return before === 1 && during === 1 && after === 2;
}

/** The row has 2 since the check before. */
async function comparesAndSets(first: pg.ClientBase, second: pg.ClientBase, { table }: Scratch) {
  const set = (client: pg.ClientBase, n: number): Promise<number | null> =>
    client.query(`UPDATE ${table} SET n = ${n} WHERE id = 1 AND n = 2`).then(({ rowCount }) => rowCount);
  await first.query('BEGIN');
  await first.query(hasty);
  if ((await set(first, 3)) !== 1) return false;
  await second.query('BEGIN');
  let isWaiting = true;
  const late = set(second, 4).finally(() => (isWaiting = false));
  late.catch(() => undefined);
  await sleep(waitMs);
  const waited = isWaiting;
  await first.query('COMMIT');
  const changed = await late;
  await second.query('ROLLBACK');
  return waited && changed === 0;
}

async function numbersInOrder(first: pg.ClientBase, second: pg.ClientBase, { sequence }: Scratch) {
  const draw = async (client: pg.ClientBase): Promise<number> =>
    Number((await client.query<{ n: string }>('SELECT nextval($1::regclass) AS n', [sequence])).rows[0]?.n);
  const drawn = [await draw(first), await draw(second), await draw(first), await draw(second)];
  return drawn.every((n, i) => i === 0 || n > (drawn[i - 1] as number));
}

async function dropScratch(first: pg.ClientBase, { table, sequence }: Scratch): Promise<void> {
  await first.query(
    `BEGIN; ${hasty}; DROP TABLE IF EXISTS ${table}; DROP SEQUENCE IF EXISTS ${sequence}; COMMIT`,
  );
}

async function one(client: pg.ClientBase, call: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT ${call} AS found`, [...values]);
  return rows[0]?.found === true;
}
