/**
 * The embedded store: one process, one writer. Batches are decided one after another, and each is committed to the
 * write-ahead log in one transaction and published when it is on disk (`disk.ts`, ADR 38). The log index is the
 * sequence number, and the tree head is signed inside the transaction that makes it.
 */
import { DatabaseSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import {
  chainAggregate,
  type Act,
  type Committed,
  type Key,
  type Schema,
  type SignedCheckpoint,
} from '../../engine/act.ts';
import { isChain } from '../../engine/keys.ts';
import { ActQueue, type Pending, type StoreLoad } from '../../engine/queue.ts';
import { WriteProbe } from '../../engine/write-probe.ts';
import {
  emptySnapshot,
  snapshotFrom,
  newStateCache,
  type StateCache,
  stateName,
  type AggregateSnapshot,
  type AggregateDraft,
} from '../../engine/state.ts';
import {
  defaultStoreLimits,
  type EphemeralStore,
  type Blobs,
  type Keyring,
  type LogText,
  type Store,
  type StoreOptions,
  StoreUnreachable,
} from '../../engine/store.ts';
import type { Table } from '../../engine/tables.ts';
import type { Fault } from '../../kernel/fault.ts';
import { blobFiles } from './blob-files.ts';
import { BatchWriter, orUnreachable, type RowGroup } from './batch-writer.ts';
import { Commits, type CommittedBatch } from './commits.ts';
import { databaseName, keyringSum, keyringTable, type RowsStatement } from './ddl.ts';
import { Disk, type SyncFile } from './disk.ts';
import { DurableReader } from './durable-reader.ts';
import { SqlEphemeralStore, SqlKeyring } from '../sql.ts';
import { FileGuard } from './file-guard.ts';
import { LogReader, restoreLog } from './log-reader.ts';
import { checkOpening, prepareLedger } from './prepare.ts';
import { RowReader } from './row-reader.ts';
import { rowsOf, StatementCache } from './statement-cache.ts';
import { StoredContents } from './stored-contents.ts';
import { lockFolder } from './lock.ts';
import { vacuum } from './vacuum.ts';
import { defaultWalBounds, WalKeeper, type WalBounds } from './wal.ts';

export interface SqliteOptions extends StoreOptions {
  readonly folder: string;
  readonly wal?: WalBounds;
  /** How the write-ahead log is put on disk; tests put a slow or a failing disk here. */
  readonly syncFile?: SyncFile;
}

/**
 * So many acts may be committed while the disk still works on the batch before; fewer wait for it, since each batch
 * has costs of its own. Among 64 callers it is a third.
 */
const besideMin = 24;
/** Acts that name so many keys are worth a batch however few they are: a document names one for each of its DIVs. */
const besideKeysMin = 64;

const probeStatement: RowsStatement = {
  head: 'INSERT INTO held (name, value, expires) VALUES ',
  row: '(?, ?, ?)',
  tail: ' ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  width: 3,
};

/** The row that a probe writes: another one each time, since equal bytes are not written. It has expired, so that it is swept. */
function probeRow(): RowGroup {
  return { statement: probeStatement, values: ['probe', randomUUID(), 0] };
}

function isWorthABatch(waiting: readonly Pending[]): boolean {
  if (waiting.length >= besideMin) return true;
  let keys = 0;
  for (const { act } of waiting) keys += act.keys.length;
  return keys >= besideKeysMin;
}

/**
 * Opens the store in a folder and takes the folder for this process. Throws `LedgerInUse`, `UnsupportedLedger` where the
 * ledger is another version's, and `StoreUnreachable` where the folder cannot be written.
 */
export function openSqlite(options: SqliteOptions): SqliteStore {
  let lock: ReturnType<typeof lockFolder> | undefined;
  try {
    lock = lockFolder(options.folder);
    return new SqliteStore(options, lock);
  } catch (error) {
    lock?.release();
    throw orUnreachable(error);
  }
}

export class SqliteStore implements Store {
  readonly leads = true;
  readonly read: DurableReader;
  readonly keyring: Keyring;
  readonly ephemeral: EphemeralStore;
  readonly blobs: Blobs;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #schema: Schema;
  readonly #cache: StateCache;
  readonly #queue: ActQueue;
  readonly #wal: WalKeeper;
  readonly #guard: FileGuard;
  readonly #disk: Disk;
  readonly #commits: Commits;
  readonly #writer: BatchWriter;
  readonly #writes = new WriteProbe(() => this.#writeProbe(), 'its disk does not answer writes');
  readonly #lock: { release(): void };
  readonly #rows: RowReader;
  readonly #entries: LogReader;
  readonly #aggregates = new Map<string, readonly Table[]>();
  readonly #followers = new Set<() => void>();
  /** Batches that the disk may not have yet, oldest first. */
  readonly #underWay: CommittedBatch[] = [];
  #checkpoint: SignedCheckpoint | null;
  /** Durable entries: all that a reader may see of the log. */
  #size: number;
  #stamp = 0;
  #closed = false;

  constructor(options: SqliteOptions, lock: { release(): void }) {
    this.#lock = lock;
    this.#schema = options.schema;
    const limits = { ...defaultStoreLimits, ...options.limits };
    const path = join(options.folder, databaseName);
    this.#path = path;
    this.#db = new DatabaseSync(path);
    const found = checkOpening(this.#db, options.upgrades === true);
    const bounds = options.wal ?? defaultWalBounds;
    this.#db
      .exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;
       PRAGMA journal_size_limit = ${Math.floor(bounds.softBytes / 2)}; PRAGMA cache_size = -16384; PRAGMA foreign_keys = OFF;`);
    // The keyring is in it.
    chmodSync(path, 0o600);
    prepareLedger(this.#db, options.schema, found, options.onReplay ?? (() => undefined));
    this.#cache = newStateCache(limits.cacheBytesMax);
    this.#disk = new Disk(path, () => this.#queue.reschedule(), options.syncFile);
    this.#queue = new ActQueue(
      (batch) => this.#commits.run(batch),
      limits,
      (waiting) => !this.#disk.isBehind || (isWorthABatch(waiting) && !this.read.isWaiting),
    );
    this.#wal = new WalKeeper(path, bounds, {
      pause: () => this.#queue.pause(),
      resume: () => this.#queue.resume(),
      checkpointInline: () => this.#db.exec('PRAGMA wal_autocheckpoint = 1000'),
    });
    this.#guard = new FileGuard(path, this.#db);
    const statements = new StatementCache(this.#db);
    const { log, checkpoint } = restoreLog(statements);
    this.#checkpoint = checkpoint;
    this.#size = log.size;
    this.#rows = new RowReader(this.#db, statements);
    this.#entries = new LogReader(statements, new StoredContents(this.#db), log, () => this.#size);
    this.#writer = new BatchWriter(this.#db, this.#guard);
    this.#commits = new Commits({
      schema: options.schema,
      sign: options.sign,
      log,
      writer: this.#writer,
      disk: this.#disk,
      load: (key) => this.#load(key, false),
      committed: (batch) => this.#committed(batch),
      landed: (batch) => this.#landed(batch),
    });
    this.keyring = new SqlKeyring(rowsOf(this.#db), keyringTable, keyringSum);
    this.ephemeral = new SqlEphemeralStore(rowsOf(this.#db));
    this.blobs = blobFiles(options.folder);
    this.read = new DurableReader({
      disk: this.#disk,
      rows: this.#rows,
      entries: this.#entries,
      load: (key) => this.#load(key),
      kept: (name) => this.#cache.get(name),
      isStateUnderWay: (name) => this.#underWay.some(({ states }) => states.has(name)),
      isRowUnderWay: (table, id) => this.#underWay.some(({ puts }) => puts.get(table)?.has(id) === true),
      size: () => this.#size,
      checkpoint: () => this.#checkpoint,
    });
  }

  get load(): StoreLoad {
    return this.#queue;
  }

  /** The log follows in the same transaction. */
  async unlogged(): Promise<number> {
    return 0;
  }

  async probe(withinMs: number): Promise<number> {
    await this.#writes.check(withinMs);
    return this.#size;
  }

  /** Between two batches, as a batch is written: what would refuse one refuses this. */
  async #writeProbe(): Promise<void> {
    const ticket = await this.#queue.runExclusive(async () => {
      if (this.#disk.lost === undefined) this.#writer.write([probeRow()]);
      return this.#disk.committed();
    });
    this.#wal.committed();
    try {
      await this.#disk.durable(ticket);
    } catch (error) {
      throw new StoreUnreachable((error as Error).message, {
        cause: error,
        fix: 'See that the disk of the data folder is sound and has room, then restart the server: it reads what was committed.',
      });
    }
  }

  run<R>(act: Act<R>): Promise<Committed<R> | Fault> {
    return this.#queue.push(act);
  }

  async *follow(index: number, signal: AbortSignal): AsyncIterable<LogText> {
    let next = index;
    while (!signal.aborted && !this.#closed) {
      const entries = this.#entries.texts(next, 256);
      for (const entry of entries) yield entry;
      next += entries.length;
      if (entries.length > 0) continue;
      await new Promise<void>((wake) => {
        const done = (): void => {
          this.#followers.delete(done);
          signal.removeEventListener('abort', done);
          wake();
        };
        this.#followers.add(done);
        signal.addEventListener('abort', done);
      });
    }
  }

  vacuum(): Promise<void> {
    return this.#queue.runExclusive(async () => {
      await vacuum({ path: this.#path });
      this.#guard.renew();
    });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#closed = true;
    for (const wake of this.#followers) wake();
    await this.#disk.close();
    await this.#wal.close();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    this.#lock.release();
  }

  // Writing

  #committed(batch: CommittedBatch): void {
    for (const [name, working] of batch.states) this.#keep(name, working);
    this.#underWay.push(batch);
    this.#wal.committed();
  }

  /** Batches land in the order of their commits. */
  #landed({ size, checkpoint }: CommittedBatch): void {
    this.#underWay.shift();
    this.#size = size;
    this.#checkpoint = checkpoint;
    for (const wake of Array.from(this.#followers)) wake();
  }

  /**
   * What is not there is remembered for readers only: a batch looks up many keys that it is about to make, and
   * most of those are never asked for again.
   */
  #load(key: Pick<Key, 'aggregate' | 'id'>, rememberAbsent = true): AggregateSnapshot {
    if (isChain(key)) {
      const events =
        key.aggregate === chainAggregate ? this.#entries.chain(key.id) : this.#entries.chains(key.id);
      return { stamp: 0, tables: new Map(), events, bytes: 0 };
    }
    const name = stateName(key.aggregate, key.id);
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const tables = this.#tablesOf(key.aggregate);
    const rows = tables.map((table) => [table, this.#rows.select(table, key.id)] as const);
    const absent = rows.every(([, list]) => list.length === 0);
    const loaded = absent ? emptySnapshot : snapshotFrom(++this.#stamp, rows);
    if (!absent || rememberAbsent) this.#cache.set(name, loaded);
    return loaded;
  }

  #tablesOf(aggregate: string): readonly Table[] {
    let tables = this.#aggregates.get(aggregate);
    if (tables === undefined) {
      tables = this.#schema.tables.filter((table) => table.aggregate === aggregate);
      this.#aggregates.set(aggregate, tables);
    }
    return tables;
  }

  /** After the commit. What the batch has made is cached when it is first asked for; most of it never is. */
  #keep(name: string, working: AggregateDraft): void {
    if (working.base.tables.size === 0) this.#cache.delete(name);
    else this.#cache.set(name, working.promoted(++this.#stamp));
  }
}
