/**
 * A database as of one moment, for audits (contract §6): one connection in one transaction that only reads, so that it
 * works beside running nodes, on a standby and for a role that may write nothing. What is committed and has no place in
 * the log yet is told apart: nodes under load always have some of it, and it is no damage.
 */
import pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import type { SearchIndex } from '../../engine/search-index.ts';
import type { LedgerVersion } from '../../engine/ledger-version.ts';
import { StateCache } from '../../engine/state.ts';
import type { LogEntry, Reader } from '../../engine/store.ts';
import { clientConfig, connect, drop, sessionSettings } from './connection.ts';
import { LogReader } from './log-reader.ts';
import type { RowSource } from './read-pool.ts';
import { PostgresReader } from './reader.ts';
import { RollbackGuard, type Verdict } from './rollback-guard.ts';
import { searchOver } from './search-index.ts';
import { eventValues } from './sql.ts';
import { eventFrom, StateLoader, type EventValues } from './state-loader.ts';
import { checkReadableDatabase, storedLedger } from './version.ts';

export interface Snapshot {
  readonly version: LedgerVersion | undefined;
  /** The log and the projections. */
  readonly read: Reader;
  /** The same, with what waits for its place in the log behind what has one. */
  readonly committed: Pick<Reader, 'entries' | 'row' | 'scan'>;
  readonly search: Pick<SearchIndex, 'followed' | 'find'>;
  /** Entries that wait for their place in the log, in the order in which they will get it. */
  pending(from: number, limit: number): Promise<readonly LogEntry[]>;
  /** What no order of entries explains, one line each. */
  strays(): Promise<readonly string[]>;
  keyring(name: string): Promise<string | undefined>;
  close(): void;
}

/** The database was never used by any version. */
export class NoLedger extends Error {}

const cacheBytesMax = 16 * 1024 * 1024;

export async function openSnapshot(url: string, schema: Schema): Promise<Snapshot> {
  const client = await connect(
    { ...clientConfig({ url, instance: 'audit' }, 'reader'), application_name: 'audit', query_timeout: 0 },
    (fresh) => fresh.query(`${sessionSettings}; SET statement_timeout = 0`),
  );
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return snapshotOf(client, schema, await readableLedger(client));
  } catch (error) {
    drop(client);
    throw error;
  }
}

/** Answers with the version that the ledger bears. Throws `UnsupportedLedger` where this build may not read it. */
async function readableLedger(client: pg.Client): Promise<LedgerVersion | undefined> {
  const { steps, version } = await storedLedger(client);
  if (steps === 0)
    throw new NoLedger('There is no ledger in this database; set DATABASE_URL to the one that holds it.');
  await checkReadableDatabase(client);
  return version;
}

function snapshotOf(client: pg.Client, schema: Schema, version: LedgerVersion | undefined): Snapshot {
  const source = sourceOf(client);
  const guard = new NothingSeen(() => undefined);
  const loader = new StateLoader(schema, new StateCache(cacheBytesMax), guard);
  const log = new LogReader(source, guard);
  const read = new PostgresReader(source, loader, log, guard);
  const pending: Snapshot['pending'] = async (from, limit) => {
    const rows = await source.rows<{ act: number; event: EventValues }>({
      name: 'pending',
      text: `SELECT e.act, json_build_array(${eventValues}) AS event ${waiting} ORDER BY e.seq LIMIT $2 OFFSET $1`,
      values: [from, limit],
    });
    const size = await log.size();
    return rows.map(({ act, event }, i) => ({ ...eventFrom(event), index: size + from + i, act }));
  };
  return {
    version,
    read,
    committed: {
      async entries(from, limit) {
        const logged = await read.entries(from, limit);
        if (logged.length === limit) return logged;
        const behind = Math.max(0, from - (await log.size()));
        return [...logged, ...(await pending(behind, limit - logged.length))];
      },
      row: (table, id, sub) => read.row(table, id, sub),
      scan: (table) => read.scan(table),
    },
    search: searchOver(source),
    pending,
    async strays() {
      const rows = await source.rows<{ line: string }>({ text: strays });
      return rows.map(({ line }) => line);
    },
    async keyring(name) {
      const [row] = await source.rows<{ value: string }>({
        text: 'SELECT value FROM keyring WHERE name = $1',
        values: [name],
      });
      return row?.value;
    },
    close: () => drop(client),
  };
}

const waiting = 'FROM pending p JOIN entry e ON e.seq >= p.first AND e.seq < p.first + p.count';
const linesMax = 20;

/** Entries that are in no log and wait for none, and batches that wait and have lost entries. */
const strays = `(SELECT format('%s#%s: entry number %s has no place in the log and waits for none', e.chain, e.n, e.seq) AS line
    FROM entry e WHERE NOT EXISTS (SELECT FROM log l WHERE l.seq = e.seq)
      AND NOT EXISTS (SELECT FROM pending p WHERE p.first <= e.seq AND e.seq < p.first + p.count) LIMIT ${linesMax})
  UNION ALL (SELECT format('batch %s waits for its place in the log with %s entries and has %s', p.first, p.count, count(e.seq))
    FROM pending p LEFT JOIN entry e ON e.seq >= p.first AND e.seq < p.first + p.count
    GROUP BY p.first, p.count HAVING count(e.seq) <> p.count LIMIT ${linesMax})
  UNION ALL (SELECT format('content of entry number %s is stored, and there is no such entry', c.seq)
    FROM content c WHERE NOT EXISTS (SELECT FROM entry e WHERE e.seq = c.seq) LIMIT ${linesMax})`;

/** An audit judges what is there by itself: it has seen nothing of it before. */
class NothingSeen extends RollbackGuard {
  override judge(): Verdict {
    return { kind: 'sound' };
  }
}

/** One query at a time: the connection, and with it the moment, is the same for all. */
function sourceOf(client: pg.Client): RowSource {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    async rows<R extends pg.QueryResultRow>(query: pg.QueryConfig) {
      const asked = turn.then(() => client.query<R>(query));
      turn = asked.catch(() => undefined);
      return (await asked).rows;
    },
    within: (use) => use(client),
  };
}
