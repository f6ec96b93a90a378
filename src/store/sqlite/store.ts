/**
 * The embedded store: one process, one writer. Batches are decided here, one after the other, and each is written
 * in one transaction (WAL, `synchronous=FULL`), the large ones by a worker while the next is decided. The log index
 * is the sequence number, and the tree head is signed inside the transaction that makes it.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import {
  chainAggregate,
  chainsAggregate,
  type Act,
  type Committed,
  type Key,
  type Schema,
  type SignedCheckpoint,
  type StoredContent,
  type StoredEvent,
} from '../../engine/act.ts';
import { ActQueue, type StoreLoad } from '../../engine/queue.ts';
import {
  emptyLoaded,
  loadedFrom,
  rowsOf,
  StateCache,
  stateName,
  type Loaded,
  type Working,
} from '../../engine/state.ts';
import {
  defaultStoreLimits,
  type Held,
  type Blobs,
  type Keyring,
  type LogEntry,
  type LogText,
  type Range,
  type Reader,
  type SignCheckpoint,
  type Store,
  type StoreLimits,
} from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import type { Fault } from '../../kernel/fault.ts';
import { blobFiles } from './blob-files.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileWidth, widthAt } from '../../ledger/tiles.ts';
import { Commits, type Landed } from './commits.ts';
import {
  addColumns,
  contentColumns,
  contentSlots,
  createTable,
  databaseName,
  keyringSum,
  ledgerDdl,
  quote,
  readRow,
} from './ddl.ts';
import { SqliteHeld } from './held.ts';
import { scourFile } from './scour.ts';
import { selectRows } from './select-rows.ts';
import { lockFolder } from './lock.ts';
import { defaultWalBounds, WalKeeper, type WalBounds } from './wal.ts';
import { Writer } from './writer.ts';
import { prefixEnd } from '../prefix-end.ts';

export interface SqliteOptions {
  readonly folder: string;
  readonly schema: Schema;
  readonly sign: SignCheckpoint;
  readonly limits?: Partial<StoreLimits>;
  readonly wal?: WalBounds;
}

/** Old tiles kept in memory for proofs. */
const subtreesMax = 256;

/** Opens the store in a folder and takes the folder for this process. Throws `LedgerInUse`. */
export function openSqlite(options: SqliteOptions): SqliteStore {
  const lock = lockFolder(options.folder);
  try {
    return new SqliteStore(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface EntryRow {
  readonly seq: number;
  readonly act: number;
  readonly text: string;
}

export class SqliteStore implements Store {
  readonly read: Reader;
  readonly keyring: Keyring;
  readonly held: Held;
  readonly blobs: Blobs;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #schema: Schema;
  readonly #cache: StateCache;
  readonly #queue: ActQueue;
  readonly #wal: WalKeeper;
  readonly #writer: Writer;
  readonly #commits: Commits;
  readonly #lock: { release(): void };
  readonly #statements = new Map<string, StatementSync>();
  readonly #selects = new Map<Table, StatementSync>();
  readonly #aggregates = new Map<string, readonly Table[]>();
  readonly #followers = new Set<() => void>();
  /** Ahead of what is committed while a batch is being written. */
  readonly #log: MerkleLog;
  readonly #subtrees = new Map<string, Subtree>();
  #checkpoint: SignedCheckpoint | null = null;
  /** Committed entries: all that a reader may see of the log. */
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
    const bounds = options.wal ?? defaultWalBounds;
    const pragmas = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;
       PRAGMA journal_size_limit = ${Math.floor(bounds.softBytes / 2)}; PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF;`;
    this.#db.exec(pragmas);
    // The keyring is in it.
    chmodSync(path, 0o600);
    this.#db.exec(ledgerDdl);
    addColumns(this.#db);
    for (const table of options.schema.tables) this.#db.exec(createTable(table));
    this.#cache = new StateCache(limits.cacheBytesMax);
    this.#queue = new ActQueue(
      (batch, arrivals) => this.#commits.run(batch, arrivals),
      limits,
      (waiting) => this.#commits.firstOf(waiting),
    );
    this.#wal = new WalKeeper(path, bounds, {
      pause: async () => {
        this.#queue.pause();
        // What is decided by then is handed over in this very turn.
        await Promise.resolve();
        await this.#commits.settled();
      },
      resume: () => this.#queue.resume(),
      checkpointInline: () => this.#writer.checkpointInline(),
    });
    this.#writer = new Writer(this.#db, { path, pragmas });
    this.#log = this.#restoreLog();
    this.#size = this.#log.size;
    this.#commits = new Commits({
      schema: options.schema,
      sign: options.sign,
      log: this.#log,
      writer: this.#writer,
      load: (key) => this.#load(key, false),
      promoted: (working) => working.promoted(++this.#stamp),
      committed: (batch) => this.#committed(batch),
    });
    this.keyring = new SqliteKeyring(this.#db);
    this.held = new SqliteHeld(this.#db);
    this.blobs = blobFiles(options.folder);
    this.read = this.#reader();
  }

  get load(): StoreLoad {
    return this.#queue;
  }

  /** The log follows in the same transaction. */
  async unlogged(): Promise<number> {
    return 0;
  }

  run<R>(act: Act<R>): Promise<Committed<R> | Fault> {
    return this.#queue.push(act);
  }

  async *follow(index: number, signal: AbortSignal): AsyncIterable<LogText> {
    let next = index;
    while (!signal.aborted && !this.#closed) {
      const entries = this.#texts(next, 256);
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

  scour(): Promise<void> {
    return this.#queue.between(async () => {
      await this.#commits.settled();
      await scourFile(this.#path);
    });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#commits.settled();
    this.#closed = true;
    for (const wake of this.#followers) wake();
    await this.#writer.close();
    await this.#wal.close();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    this.#lock.release();
  }

  // Writing

  #committed({ result, looked, size, checkpoint }: Landed): void {
    this.#size = size;
    this.#checkpoint = checkpoint;
    for (const [name, working] of result.promoted) this.#keep(name, working, looked.get(name));
    for (const wake of Array.from(this.#followers)) wake();
    this.#wal.committed();
  }

  /**
   * What is not there is remembered for readers only: a batch looks up many keys that it is about to make, and
   * most of those nobody asks for again.
   */
  #load(key: Pick<Key, 'aggregate' | 'id'>, rememberAbsent = true): Loaded {
    if (key.aggregate === chainAggregate || key.aggregate === chainsAggregate) {
      const events = key.aggregate === chainAggregate ? this.#chain(key.id) : this.#chains(key.id);
      return { stamp: 0, tables: new Map(), events, bytes: 0 };
    }
    const name = stateName(key.aggregate, key.id);
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const tables = this.#tablesOf(key.aggregate);
    const select = () => tables.map((table) => [table, this.#select(table, key.id)] as const);
    const rows = tables.length === 1 ? select() : this.#snapshot(select);
    const absent = rows.every(([, list]) => list.length === 0);
    const loaded = absent ? emptyLoaded : loadedFrom(++this.#stamp, rows);
    if (!absent || rememberAbsent) this.#cache.set(name, loaded);
    return loaded;
  }

  /** Several reads as of one moment, though a commit may land between them. */
  #snapshot<T>(read: () => T): T {
    if (!this.#writer.inFlight) return read();
    this.#db.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#db.exec('COMMIT');
    }
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
  #keep(name: string, working: Working, looked: Loaded | undefined): void {
    if (looked !== undefined) this.#cache.set(name, looked);
    else if (working.base.tables.size === 0) this.#cache.delete(name);
    else this.#cache.set(name, working.promoted(++this.#stamp));
  }

  // Reading

  #reader(): Reader {
    const { read } = { read: this };
    return {
      rows: async (table, id) =>
        rowsOf(read.#load({ aggregate: aggregateOf(table), id }), table) as ReadonlyMap<
          Sub,
          RowOf<typeof table>
        >,
      row: async (table, id, sub = '') =>
        rowsOf(read.#load({ aggregate: aggregateOf(table), id }), table).get(sub) as RowOf<typeof table>,
      list: async (table, id, range) =>
        read.#list(table, id, range) as unknown as readonly RowOf<typeof table>[],
      select: async (table, selection) => {
        const { sql, values } = selectRows(table, selection);
        // Not kept: callers choose the conditions, and no two need be alike.
        const rows = read.#db.prepare(sql).all(...values);
        return rows.map((row) => readRow(table, row)) as unknown as readonly RowOf<typeof table>[];
      },
      count: async (table, id) =>
        read
          .#prepare(`SELECT count(*) AS n FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`)
          .get(id)?.['n'] as number,
      scan: (table) => read.#scan(table),
      stamp: async (aggregate, id) => read.#load({ aggregate, id }).stamp,
      stampNow: (aggregate, id) => read.#load({ aggregate, id }).stamp,
      chain: async (id) => read.#snapshot(() => read.#chain(id)),
      chains: async (prefix) => read.#snapshot(() => read.#chains(prefix)),
      history: async (prefix, after, limit) => read.#snapshot(() => read.#history(prefix, after, limit)),
      entries: async (from, limit) => read.#snapshot(() => read.#entries(from, limit)),
      texts: async (from, limit) => read.#texts(from, limit),
      indexOf: async (seq) => (seq < read.#size ? seq : null),
      checkpoint: async () => read.#checkpoint,
      tile: async (level, n, width) => read.#tile(level, n, width),
      inclusion: async (index, size) =>
        read.#log.inclusionProof(index, read.#covered(size), (level, n) => read.#subtree(level, n)),
    };
  }

  #covered(size: number): number {
    if (size > this.#size) throw new RangeError(`the log has ${this.#size} leaves, not ${size}`);
    return size;
  }

  #select(table: Table, id: string): AnyRow[] {
    const rows = this.#selectFrom(table).all(id);
    return rows.map((row) => readRow(table, row));
  }

  #selectFrom(table: Table): StatementSync {
    let statement = this.#selects.get(table);
    if (statement === undefined) {
      statement = this.#db.prepare(
        `SELECT * FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = ?`,
      );
      this.#selects.set(table, statement);
    }
    return statement;
  }

  #list(table: Table, id: string, range: Range): AnyRow[] {
    const [first, second] = table.keyNames;
    if (second === undefined) return this.#select(table, id);
    const where = [`${quote(first)} = ?`];
    const values: (string | number)[] = [id];
    const bound = (operator: string, value: Sub | undefined): void => {
      if (value === undefined) return;
      where.push(`${quote(second)} ${operator} ?`);
      values.push(value);
    };
    bound('>', range.after);
    bound('<', range.before);
    const sql = `SELECT * FROM ${quote(table.name)} WHERE ${where.join(' AND ')} ORDER BY ${quote(second)} ${range.reverse === true ? 'DESC' : 'ASC'} LIMIT ?`;
    return this.#prepare(sql)
      .all(...values, range.limit)
      .map((row) => readRow(table, row));
  }

  async *#scan(table: Table): AsyncIterable<AnyRow> {
    const order = table.keyNames.map(quote).join(', ');
    for (const row of this.#db.prepare(`SELECT * FROM ${quote(table.name)} ORDER BY ${order}`).iterate())
      yield readRow(table, row);
  }

  #chain(id: string): StoredEvent[] {
    const rows = this.#prepare('SELECT seq, act, text FROM entry WHERE chain = ? ORDER BY n').all(
      id,
    ) as unknown as EntryRow[];
    return rows.map((row) => this.#event(row));
  }

  #chains(prefix: string): StoredEvent[] {
    const rows = this.#prepare(
      'SELECT seq, act, text FROM entry WHERE chain >= ? AND chain < ? ORDER BY seq',
    ).all(prefix, prefixEnd(prefix)) as unknown as EntryRow[];
    return rows.map((row) => this.#event(row));
  }

  /** The numbers come from the index of chains alone, so that a page costs little more than its own rows. */
  #history(prefix: string, after: number, limit: number): LogEntry[] {
    const rows = this.#prepare(
      `SELECT seq, act, text FROM entry WHERE seq IN (
         SELECT seq FROM entry WHERE chain >= ? AND chain < ? AND seq > ? ORDER BY seq LIMIT ?) ORDER BY seq`,
    ).all(prefix, prefixEnd(prefix), after, limit) as unknown as EntryRow[];
    return rows.map((row) => this.#placed(row));
  }

  #entries(from: number, limit: number): LogEntry[] {
    const rows = this.#prepare('SELECT seq, act, text FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?').all(
      from,
      limit,
    ) as unknown as EntryRow[];
    return rows.map((row) => this.#placed(row));
  }

  #placed(row: EntryRow): LogEntry {
    return { ...this.#event(row), index: row.seq, act: row.act };
  }

  #texts(from: number, limit: number): LogText[] {
    return this.#prepare('SELECT seq AS "index", text FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?').all(
      from,
      limit,
    ) as unknown as LogText[];
  }

  #event(row: EntryRow): StoredEvent {
    const contents = this.#prepare(
      `SELECT ${contentColumns} FROM content WHERE id BETWEEN ? AND ? ORDER BY id`,
    ).all(row.seq * contentSlots, row.seq * contentSlots + contentSlots - 1) as unknown as StoredContent[];
    return { seq: row.seq, text: row.text, contents };
  }

  #tile(level: number, n: number, width: number): Uint8Array | undefined {
    if (width < 1 || width > widthAt(level, n, this.#size)) return undefined;
    const live = this.#log.tile(level, n, width);
    if (live !== undefined) return live;
    const stored = this.#prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?').get(level, n)?.[
      'bytes'
    ] as Uint8Array | undefined;
    return stored?.subarray(0, width * 32);
  }

  /** A full tile with its inner nodes; the most recently used are kept, 16 KB each. */
  #subtree(level: number, n: number): Subtree {
    const name = `${level}/${n}`;
    let subtree = this.#subtrees.get(name);
    if (subtree === undefined) {
      const bytes = this.#tile(level, n, tileWidth);
      if (bytes === undefined) throw new Error(`the log has no full tile ${name}`);
      subtree = Subtree.of(bytes);
    }
    this.#subtrees.delete(name);
    this.#subtrees.set(name, subtree);
    for (const oldest of this.#subtrees.keys()) {
      if (this.#subtrees.size <= subtreesMax) break;
      this.#subtrees.delete(oldest);
    }
    return subtree;
  }

  #restoreLog(): MerkleLog {
    const size =
      ((this.#prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? -1) + 1;
    const log = MerkleLog.restore(
      size,
      (level, n) =>
        this.#prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?').get(level, n)?.[
          'bytes'
        ] as Uint8Array,
      (from, to) =>
        (
          this.#prepare('SELECT text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq').all(
            from,
            to,
          ) as unknown as EntryRow[]
        ).map((row) => leafHash(row.text)),
    );
    if (size > 0) {
      const note = this.#prepare("SELECT value FROM meta WHERE name = 'checkpoint'").get()?.['value'] as
        string | undefined;
      // A ledger without a signed head is damaged; `verify` says so, and the next write signs.
      this.#checkpoint = note === undefined ? null : { size, root: log.root(), note };
    }
    return log;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

function aggregateOf(table: Table): string {
  if (table.aggregate === undefined) throw new Error(`table ${table.name} is listed, not loaded`);
  return table.aggregate;
}

class SqliteKeyring implements Keyring {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async get(name: string): Promise<string | undefined> {
    return this.#db.prepare('SELECT value FROM keyring WHERE name = ?').get(name)?.['value'] as
      string | undefined;
  }

  async claim(name: string, value: string): Promise<string> {
    this.#db
      .prepare('INSERT INTO keyring (name, value, sum) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING')
      .run(name, value, keyringSum(name, value));
    return (await this.get(name)) ?? value;
  }

  async set(name: string, value: string): Promise<void> {
    this.#db
      .prepare(
        'INSERT INTO keyring (name, value, sum) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, sum = excluded.sum',
      )
      .run(name, value, keyringSum(name, value));
  }
}
