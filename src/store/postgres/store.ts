/**
 * The shared store: any number of nodes on one PostgreSQL database. Each node has one writer that commits a batch per
 * transaction, a pool that reads, and one session that listens and, on one of the nodes, integrates commits into the
 * log. An act is answered when its commit is durable; its place in the log follows within a fraction of a second, so
 * that index and checkpoint are null at first (contract §3).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Act, Committed } from '../../engine/act.ts';
import { ActQueue, resolveBatch, type Pending, type StoreLoad } from '../../engine/queue.ts';
import { newStateCache, type StateCache } from '../../engine/state.ts';
import {
  defaultStoreLimits,
  LedgerRolledBack,
  OperatorError,
  type EphemeralStore,
  type Blobs,
  type Keyring,
  type LogText,
  type Reader,
  type ObservedRollback,
  type Store,
  type StoreOptions,
} from '../../engine/store.ts';
import { projectionStamp } from '../../engine/ledger-version.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId } from '../../kernel/ids.ts';
import {
  clientConfig,
  connect,
  drop,
  sessionSettings,
  Sockets,
  sqlState,
  Unreachable,
  untilReached,
  type ConnectionOptions,
} from './connection.ts';
import { confirm } from './rollback-evidence.ts';
import { blobRows } from './blobs.ts';
import { Liveness } from './liveness.ts';
import { LogReader } from './log-reader.ts';
import { NeighbourVersions } from './neighbour-versions.ts';
import { prepareDatabase } from './prepare.ts';
import { lacking } from './probe.ts';
import { joinSet } from './projection-sets.ts';
import { changesAndReads, ReadPool } from './read-pool.ts';
import { PostgresReader } from './reader.ts';
import { Readiness } from './readiness.ts';
import { RollbackGuard } from './rollback-guard.ts';
import { defaultSequencerTimes, Sequencer, type SequencerTimes } from './sequencer.ts';
import { unitEntries } from './entry-numbers.ts';
import { quote, SqlEphemeralStore, SqlKeyring } from '../sql.ts';
import { StateLoader } from './state-loader.ts';
import { LogNotifier } from './log-notifier.ts';
import { lockTimeout, Lost, OutcomeUnknown, WriterSession } from './writer-session.ts';
import { Outdated, TooManyEntries, Writer, type Written } from './writer.ts';

export interface PostgresOptions extends StoreOptions {
  readonly url: string;
  /** Connections for reading. */
  readonly readersMax?: number;
  /** How long an act or a read waits for a server that cannot be reached, before it is refused. */
  readonly patienceMs?: number;
  readonly sequencer?: Partial<SequencerTimes>;
}

/** A node may be started a moment before its server. */
const startPatienceMs = 10_000;

export const postgresDefaults = { readersMax: 8, patienceMs: 4000 } as const;

/**
 * Opens the store, bringing the database up to date first. Throws where it cannot be reached or used: `OperatorError`,
 * `UnsupportedLedger` and `LedgerInUse` say why in one line.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const connection = { url: options.url, instance: opaqueId(''), sockets: new Sockets() };
  const patienceMs = options.patienceMs ?? postgresDefaults.patienceMs;
  const reach = (): Promise<pg.Client> =>
    connect(clientConfig(connection, 'reader'), (client) => client.query(sessionSettings));
  const startWithinMs = options.patienceMs ?? startPatienceMs;
  const patiently = (): Promise<pg.Client> =>
    untilReached(reach, performance.now() + startWithinMs, new AbortController().signal).catch(
      (error: unknown) => {
        if (!isUnknownSetting(error)) throw error;
        throw new OperatorError(lacking(`settings of sessions (${(error as Error).message})`));
      },
    );
  const client = await patiently();
  const second = await patiently().catch((error: unknown) => {
    drop(client);
    throw error;
  });
  try {
    const { namespace, isBeside } = await prepareDatabase(client, second, {
      schema: options.schema,
      upgrades: options.upgrades ?? false,
      admit: options.admit ?? (async () => undefined),
      onReplay: options.onReplay ?? (() => undefined),
    });
    const stamp = projectionStamp(options.schema);
    const join = (fresh: pg.ClientBase): Promise<void> => joinSet(fresh, namespace, stamp);
    const store = new PostgresStore(options, { ...connection, join }, namespace, patienceMs, isBeside);
    // A rebuild refuses to run beside nodes, which it knows by their sessions: there is one at any moment.
    await store.joined;
    if (isBeside)
      await store.followOthers().catch(async (error: unknown) => {
        await store.close();
        throw error;
      });
    return store;
  } finally {
    drop(client);
    drop(second);
  }
}

/** Syntax errors, and features and settings that the server does not have. */
function isUnknownSetting(error: unknown): boolean {
  return ['42601', '42704', '0A000'].includes(sqlState(error) ?? '');
}

/**
 * How often acts are decided when what stood in the way may have passed: a lost connection, a serialization
 * failure, a deadlock, a lock that was not to be had, a chain that grew meanwhile.
 */
const attemptsMax = 4;
const attemptsOf: Readonly<Record<string, number>> = {
  '40001': attemptsMax,
  '40P01': attemptsMax,
  '23505': 2,
};
/** Of one batch, whatever its acts do. */
const entriesMax = 2 ** 20;

export class PostgresStore implements Store {
  readonly read: Reader;
  readonly keyring: Keyring;
  readonly ephemeral: EphemeralStore;
  readonly blobs: Blobs;
  readonly #connection: ConnectionOptions;
  readonly #tables: readonly string[];
  readonly #cache: StateCache;
  readonly #guard: RollbackGuard;
  readonly #loader: StateLoader;
  readonly #queue: ActQueue;
  readonly #session: WriterSession;
  readonly #writer: Writer;
  readonly #pool: ReadPool;
  readonly #readiness: Readiness;
  readonly #log: LogReader;
  readonly #sequencer: Sequencer;
  readonly #notifier = new LogNotifier();
  #unknown = 0;
  readonly #versions: NeighbourVersions;
  #isTold = false;
  #awaitsTurn = false;
  #closing: Promise<void> | undefined;

  constructor(
    options: PostgresOptions,
    connection: ConnectionOptions,
    namespace: string,
    patienceMs: number,
    isBeside: boolean,
  ) {
    const limits = { ...defaultStoreLimits, ...options.limits };
    this.#connection = connection;
    this.#tables = options.schema.tables.map(({ name }) => name);
    this.#cache = newStateCache(limits.cacheBytesMax);
    this.#guard = new RollbackGuard(() => {
      this.#cache.clear();
      this.#log.forget();
    });
    this.#loader = new StateLoader(options.schema, this.#cache, this.#guard);
    this.#queue = new ActQueue(
      (batch) => this.#runAll(batch),
      limits,
      () => this.#mayRun(),
    );
    const liveness = new Liveness(connection);
    this.#session = new WriterSession(connection, namespace, patienceMs, liveness);
    const reach = (): Promise<pg.Client> =>
      connect(clientConfig(connection, 'reader'), (fresh) => fresh.query(sessionSettings));
    this.#versions = new NeighbourVersions({
      namespace,
      schema: options.schema,
      rows: (query) => this.#pool.rows(query),
      reach,
      isBeside: () => this.#writer.isBeside,
      follow: () => this.followOthers(),
      onTrouble: options.onTrouble ?? (() => undefined),
    });
    const confirmed = async (): Promise<void> => {
      await confirm(reach, this.#guard);
      this.#tell(options.onRollback);
    };
    this.#writer = new Writer(
      this.#session,
      options.schema,
      this.#loader,
      namespace,
      this.#guard,
      confirmed,
      isBeside,
    );
    this.#pool = new ReadPool(
      connection,
      options.readersMax ?? postgresDefaults.readersMax,
      patienceMs,
      liveness,
    );
    this.#readiness = new Readiness(
      this.#pool,
      this.#guard,
      connection.instance,
      () => this.#session.unconfirmedSince !== undefined,
    );
    this.#log = new LogReader(this.#pool, this.#guard);
    this.#sequencer = new Sequencer({
      connection,
      namespace,
      sign: options.sign,
      times: { ...defaultSequencerTimes, ...options.sequencer },
      guard: this.#guard,
      confirm: confirmed,
      onLog: () => this.#notifier.notify(),
      onDue: () => this.#versions.wake(),
      onTrouble: options.onTrouble ?? (() => undefined),
    });
    this.read = new PostgresReader(this.#pool, this.#loader, this.#log, this.#guard);
    this.keyring = new SqlKeyring(changesAndReads(this.#pool));
    this.ephemeral = new SqlEphemeralStore(changesAndReads(this.#pool));
    this.blobs = blobRows(this.#pool);
  }

  /** Resolves when the session that lasts as long as this node is there, or could not be made at once. */
  get joined(): Promise<void> {
    return this.#sequencer.tried;
  }

  get leads(): boolean {
    return this.#sequencer.leads;
  }

  get load(): StoreLoad {
    const { batches, acts, waiting, oldestMs } = this.#queue;
    const since = this.#session.unconfirmedSince ?? performance.now();
    return {
      batches,
      acts,
      waiting,
      oldestMs: Math.max(oldestMs, performance.now() - since),
      unknown: this.#unknown,
    };
  }

  get rollback(): ObservedRollback | undefined {
    return this.#guard.rollback;
  }

  #tell(onRollback: ((rollback: ObservedRollback) => void) | undefined): void {
    const { rollback } = this.#guard;
    if (rollback === undefined || this.#isTold) return;
    this.#isTold = true;
    onRollback?.(rollback);
    // Followers of the log read again and receive the error.
    this.#notifier.notify();
  }

  async unlogged(): Promise<number> {
    const [row] = await this.#pool.rows<{ count: string }>({
      text: 'SELECT coalesce(sum(count), 0) AS count FROM pending',
    });
    return Number(row?.count ?? 0);
  }

  probe(withinMs: number): Promise<number> {
    return this.#readiness.probe(withinMs);
  }

  /** Projects what nodes of another version committed. Throws where that is refused. */
  async followOthers(): Promise<void> {
    const outcome = await this.#queue.push({ name: 'follow', keys: [], decide: () => undefined });
    if (isFault(outcome)) throw new Error(outcome.message);
  }

  run<R>(act: Act<R>): Promise<Committed<R> | Fault> {
    return this.#queue.push(act);
  }

  async *follow(index: number, signal: AbortSignal): AsyncIterable<LogText> {
    let next = index;
    while (!signal.aborted && !this.#notifier.isClosed) {
      const seen = this.#notifier.version;
      let entries: readonly LogText[];
      try {
        // Within the head that was compared: what is followed is never taken back without a word.
        const count = (await this.#log.size()) - next;
        entries = await this.#log.texts(next, Math.max(0, Math.min(256, count)));
      } catch (error) {
        // A read that was under way when the store closed fails; its follower ends like the others.
        if (this.#notifier.isClosed) return;
        throw error;
      }
      for (const entry of entries) yield entry;
      next += entries.length;
      if (entries.length === 0) await this.#notifier.newerThan(seen, signal);
    }
  }

  async vacuum(): Promise<void> {
    const client = await connect(clientConfig(this.#connection, 'reader'), (own) =>
      own.query('SET statement_timeout = 0; SET lock_timeout = 0').then(() => this.#connection.join?.(own)),
    );
    try {
      for (const table of ['content', 'held', 'blob', 'projection_due', ...this.#tables])
        await client.query(`VACUUM (FULL) ${quote(table)}`);
    } finally {
      drop(client);
    }
  }

  cut(forGood: boolean): void {
    if (forGood) {
      this.#session.giveUp();
      this.#pool.giveUp();
    }
    this.#connection.sockets.cut();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    await this.#versions.close();
    this.#notifier.close();
    await this.#sequencer.close();
    await this.#session.close();
    await this.#pool.close();
    this.#connection.sockets.cut();
  }

  // Writing

  /** A batch is taken up when it is this node's turn, with all acts that have arrived by then. */
  #mayRun(): boolean {
    if (this.#awaitsTurn) return false;
    if (!this.#writer.wantsTurn) return true;
    this.#awaitsTurn = true;
    void this.#writer.takeTurn().finally(() => {
      this.#awaitsTurn = false;
      this.#queue.reschedule();
    });
    return false;
  }

  /** `brief`: the acts are tried one by one, since a lock that one of them needs is held. */
  async #runAll(batch: readonly Pending[], brief = false): Promise<void> {
    try {
      await this.#runBatch(batch, brief);
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#unknown += batch.length;
      const refusal = refusalOf(error, batch.length === 1);
      if (refusal !== undefined) for (const pending of batch) pending.resolve(refusal);
      else if (batch.length === 1) batch[0]?.reject(error);
      // A failed transaction takes its whole batch with it; alone, each act fails or lands by itself.
      else for (const pending of batch) await this.#runAll([pending], sqlState(error) === lockTimeout);
    }
  }

  async #runBatch(batch: readonly Pending[], brief: boolean): Promise<void> {
    const { result, first, epoch, isAwaited } = await this.#written(batch, brief);
    if (epoch === this.#guard.epoch)
      for (const [name, working] of result.promoted) this.#loader.keep(name, working.promoted(first));
    const resolve = (): void =>
      resolveBatch(batch, result.outcomes, () => ({ logIndex: null, checkpoint: null }));
    if (result.entries > 0) this.#sequencer.wake();
    // The next batch does not wait: another version may wait for what it projects.
    if (isAwaited) this.#versions.whenProjected(first, resolve);
    else resolve();
  }

  /** Runs a batch to its commit; retries while the obstacle may be temporary. */
  async #written(batch: readonly Pending[], brief: boolean): Promise<Written> {
    const acts = batch.map((pending) => pending.act);
    let units = 1;
    for (let attempt = 1; ;) {
      try {
        return await this.#writer.run(acts, units, { brief, patient: attempt > 2 });
      } catch (error) {
        if (error instanceof TooManyEntries && error.entries <= entriesMax) {
          // Decided again, it may have a few more.
          units = Math.ceil((error.entries * 1.25) / unitEntries);
          continue;
        }
        if (attempt++ >= attemptsFor(error)) throw error;
        await sleep(Math.random() * 20 * attempt);
      }
    }
  }
}

function attemptsFor(error: unknown): number {
  return error instanceof Lost || error instanceof Outdated
    ? attemptsMax
    : (attemptsOf[sqlState(error) ?? ''] ?? 1);
}

/** Failures of the store become retryable refusals. */
function refusalOf(error: unknown, alone: boolean): Fault | undefined {
  if (error instanceof OutcomeUnknown) return unknownOutcome;
  if (error instanceof LedgerRolledBack) {
    return fault('overloaded', `The write was not recorded: ${error.message}.`, error.fix as string);
  }
  const mayPass = (attemptsFor(error) > 1 && sqlState(error) !== '23505') || sqlState(error) === lockTimeout;
  return error instanceof Unreachable || (alone && mayPass) ? busy : undefined;
}

const busy = fault(
  'overloaded',
  'The database cannot take the write at the moment; nothing was recorded.',
  'Wait a few seconds and send the same request again.',
);

const unknownOutcome = fault(
  'overloaded',
  'The database did not confirm the write in time: whether it was recorded is unknown.',
  'Look for the write before you send it again, or send it again under the same idempotency key.',
  { outcome: 'unknown' },
);
