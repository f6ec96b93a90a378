/**
 * A database as of one moment, for audits (contract §6): one connection in one read-only transaction, so that it works
 * beside running nodes, on a standby, and for a role without write privileges. Entries that are committed and not yet
 * in the log are reported separately as pending.
 */
import pg from 'pg';
import { auditReader, type ReaderAudit } from '../../engine/audit-reader.ts';
import type { Schema } from '../../engine/act.ts';
import type { LedgerVersion } from '../../engine/ledger-version.ts';
import { newStateCache } from '../../engine/state.ts';
import {
  NoLedger,
  type AuditOptions,
  type LedgerAudit,
  type LedgerSnapshot,
} from '../../engine/store-kind.ts';
import type { LogEntry, Reader } from '../../engine/store.ts';
import type { RowOf, Sub, Table } from '../../engine/tables.ts';
import { formatFinding } from '../../ledger/audit.ts';
import { blobRows } from './blobs.ts';
import { clientConfig, connect, drop, sessionSettings, Sockets } from './connection.ts';
import { firstReached } from './hosts.ts';
import { LogReader } from './log-reader.ts';
import type { RowSource } from './read-pool.ts';
import { PostgresReader } from './reader.ts';
import { restoreLog } from './restore-log.ts';
import { RollbackGuard, type Verdict } from './rollback-guard.ts';
import { searchOver } from './search-index.ts';
import { searchTables } from './search-tables.ts';
import { StateLoader } from './state-loader.ts';
import { checkReadableDatabase, storedLedger } from './version.ts';

const cacheBytesMax = 16 * 1024 * 1024;

export async function withPostgresSnapshot<T>(
  url: string,
  use: (ledger: LedgerSnapshot, client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await firstReached(url, () =>
    connect(
      {
        ...clientConfig({ url, instance: 'audit', sockets: new Sockets() }, 'reader'),
        application_name: 'audit',
        query_timeout: 0,
        standbyToo: true,
      },
      (fresh) => fresh.query(`${sessionSettings}; SET statement_timeout = 0`),
    ),
  );
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await use(new PostgresSnapshot(client, await readableLedger(client)), client);
  } finally {
    drop(client);
  }
}

/** Throws `UnsupportedLedger` where this build may not read the ledger. */
async function readableLedger(client: pg.Client): Promise<LedgerVersion> {
  const { steps, version } = await storedLedger(client);
  if (steps === 0)
    throw new NoLedger('There is no ledger in this database; set DATABASE_URL to the one that holds it.');
  await checkReadableDatabase(client);
  return version as LedgerVersion;
}

class PostgresSnapshot implements LedgerSnapshot {
  readonly blobs: LedgerSnapshot['blobs'];
  readonly #client: pg.Client;
  readonly #version: LedgerVersion;
  readonly #source: RowSource;
  readonly #guard = new NothingSeen(() => undefined);
  readonly #log: LogReader;
  /** Of entries and chains; rows are read without their aggregate's stamp. */
  readonly #read: Reader;

  constructor(client: pg.Client, version: LedgerVersion) {
    this.#client = client;
    this.#version = version;
    this.#source = sourceOf(client);
    this.blobs = blobRows(this.#source);
    this.#log = new LogReader(this.#source, this.#guard);
    const loader = new StateLoader(noSchema, newStateCache(cacheBytesMax), this.#guard);
    this.#read = new PostgresReader(this.#source, loader, this.#log, this.#guard);
  }

  async version() {
    return this.#version;
  }

  async keyring(name: string): Promise<string | undefined> {
    const [row] = await this.#source.rows<{ value: string }>({
      text: 'SELECT value FROM keyring WHERE name = $1',
      values: [name],
    });
    return row?.value;
  }

  keyringRows() {
    return this.#source.rows<{ name: string; value: string }>({
      text: 'SELECT name, value FROM keyring ORDER BY name COLLATE "C"',
    });
  }

  heldRows() {
    return this.#source.rows<{ name: string; value: string; expires: number }>({
      text: 'SELECT name, value, expires FROM held ORDER BY name',
    });
  }

  async unlogged(): Promise<number> {
    const [row] = await this.#source.rows<{ count: number }>({
      text: 'SELECT coalesce(sum(count), 0)::bigint AS count FROM pending',
    });
    return row?.count ?? 0;
  }

  async head() {
    const checkpoint = await this.#log.checkpoint();
    return { size: await this.#log.size(), checkpoint: checkpoint?.note ?? null };
  }

  async rootAt(size: number): Promise<Uint8Array> {
    return (await restoreLog(this.#client, size)).root();
  }

  async audit({ sizes, progress, seen }: AuditOptions): Promise<LedgerAudit> {
    const checkpoint = await this.#log.checkpoint();
    const all = new Set([...sizes, checkpoint?.size ?? 0]);
    const report = await auditReader(
      this.#read,
      all,
      (done) => progress(done, checkpoint?.size ?? done),
      (entry) => {
        if (entry.contents !== undefined) seen?.(entry);
      },
    );
    const pending = await this.#auditPending(report);
    const strays = await this.#source.rows<{ line: string }>({ text: selectStrays });
    const root = report.rootAt(report.entries) as Uint8Array;
    return {
      entries: report.entries,
      pending,
      contents: report.contents,
      scrubbed: report.scrubbed,
      root,
      checkpoint: checkpoint?.note ?? null,
      problems: [...report.findings.map(formatFinding), ...strays.map(({ line }) => line)],
      rootAt: async (size) => report.rootAt(size) ?? root,
    };
  }

  async openSearch() {
    const there = await this.#source.rows({
      text: `SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${searchTables.state}'`,
    });
    return there.length === 0 ? undefined : searchOver(this.#source);
  }

  entries(from: number, limit: number): Promise<readonly LogEntry[]> {
    return this.#log.committed(from, limit);
  }

  async row<T extends Table>(table: T, id: string, sub: Sub = ''): Promise<RowOf<T> | undefined> {
    const [first, second] = table.keyNames;
    const where = second === undefined ? [] : [{ column: second, op: '=' as const, value: sub }];
    return (await this.#read.select(table, { ids: [id], where, order: first, limit: 1 }))[0];
  }

  scan<T extends Table>(table: T): AsyncIterable<RowOf<T>> {
    return this.#read.scan(table);
  }

  async #auditPending(report: ReaderAudit): Promise<number> {
    for (let count = 0; ;) {
      const entries = await this.#log.pending(report.entries + count, pendingAtOnce);
      await report.judgePending(entries);
      count += entries.length;
      if (entries.length < pendingAtOnce) return count;
    }
  }
}

const noSchema: Schema = { version: 0, tables: [], project: () => undefined };
const pendingAtOnce = 2000;
const linesMax = 20;

/** Entries that are in no log and wait for none, and batches that wait and have lost entries. */
const selectStrays = `(SELECT format('%s#%s: entry number %s has no place in the log and waits for none', e.chain, e.n, e.seq) AS line
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
      const pending = turn.then(() => client.query<R>(query));
      turn = pending.catch(() => undefined);
      return (await pending).rows;
    },
    within: (use) => use(client),
  };
}
