/**
 * Drives the batch engine with `await`, one transaction a batch: locks and states come in one round trip,
 * everything a batch writes goes with its commit in another.
 */
import type pg from 'pg';
import type { Act, Key, Schema } from '../../engine/act.ts';
import { runBatch } from '../../engine/batch.ts';
import type { BatchResult, Reply, Request, Writes } from '../../engine/batch-io.ts';
import { stateName, type AggregateSnapshot } from '../../engine/state.ts';
import { BatchStatements } from './batch-statements.ts';
import { examine } from './rollback-evidence.ts';
import { lockId, transactionLimits, type TransactionLimits } from './connection.ts';
import type { RollbackGuard } from './rollback-guard.ts';
import { drawUnits, unitEntries } from './entry-numbers.ts';
import { evidenceAt } from './sql.ts';
import type { StateLoader, StateRequest, StateRow } from './state-loader.ts';
import { Turns } from './turns.ts';
import { Lost, OutcomeUnknown, Unconfirmed, type WriterSession } from './writer-session.ts';

/** The batch has more entries than numbers were drawn for. */
export class TooManyEntries extends Error {
  readonly entries: number;
  constructor(entries: number) {
    super(`the batch has ${entries} entries`);
    this.entries = entries;
  }
}

/** The database is another than the one that states were cached of; nothing of the batch was decided upon those. */
export class Outdated extends Error {}

export interface Written {
  readonly result: BatchResult;
  /** The number of the first entry, which is the stamp of all that the batch changed. */
  readonly first: number;
  /** The guard's epoch under which it was decided. */
  readonly epoch: number;
}

interface Transaction {
  readonly client: pg.Client;
  first: number;
  end: number;
  epoch: number;
  writes: Writes | undefined;
  open: boolean;
  /** Whether this session holds the lock that nodes queue for. */
  hasTurn: boolean;
  readonly limits: TransactionLimits;
}

interface Locked {
  readonly ms: number;
}

interface Units {
  readonly first: number;
  readonly last: number;
}

/** How often numbers are drawn again when another node drew some in between. */
const drawsMax = 100;

export class Writer {
  readonly #session: WriterSession;
  readonly #schema: Schema;
  readonly #loader: StateLoader;
  readonly #namespace: string;
  readonly #guard: RollbackGuard;
  readonly #confirm: () => Promise<void>;
  readonly #statements: BatchStatements;
  readonly #turns = new Turns();
  readonly #turnLock: string;
  /** The connection whose transaction has this node's turn. */
  #turn: pg.Client | undefined;

  /** `confirm` settles whether evidence of a rollback is one, and has the guard refuse where it is. */
  constructor(
    session: WriterSession,
    schema: Schema,
    loader: StateLoader,
    namespace: string,
    guard: RollbackGuard,
    confirm: () => Promise<void>,
  ) {
    this.#session = session;
    this.#guard = guard;
    this.#confirm = confirm;
    this.#schema = schema;
    this.#loader = loader;
    this.#namespace = namespace;
    this.#statements = new BatchStatements(schema);
    this.#turnLock = lockId(`${namespace}\0turn`);
  }

  /** Whether the next batch waits for `takeTurn` before it is taken up. */
  get wantsTurn(): boolean {
    return this.#turn === undefined && this.#turns.areTaken;
  }

  /** Waits for this node's turn. The transaction that it begins is the one of the next `run`. */
  async takeTurn(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = await this.#session.connected();
      const results = await this.#session.send<Locked>(client, [
        { text: 'BEGIN' },
        this.#lock([this.#session.ownLock]),
        { name: 'turn', text: takeTurn, values: [this.#turnLock] },
      ]);
      this.#turns.taken(results.at(-1)?.rows[0]?.ms ?? 0);
      this.#turn = client;
    } catch (error) {
      this.#turns.end();
      if (client !== undefined && !(error instanceof Lost))
        await this.#session.send(client, [{ text: 'ROLLBACK' }]).catch(() => undefined);
    }
  }

  /** Hands the turn on, before the batch is written: the next node takes up its own meanwhile. */
  #endTurn(tx: Transaction): pg.QueryConfig[] {
    if (!tx.hasTurn) return [];
    tx.hasTurn = false;
    return [{ name: 'turn_end', text: 'SELECT pg_advisory_unlock($1)', values: [this.#turnLock] }];
  }

  #lock(locks: readonly string[]): pg.QueryConfig {
    return { name: 'lock', text: takeLocks, values: [`{${locks.join(',')}}`] };
  }

  /**
   * Decides and commits a batch. `units` of entry numbers are drawn for it. Throws what the server refused,
   * `Lost`, `Outdated`, `TooManyEntries`, `Unreachable` or `LedgerRolledBack`, and none of the acts is applied; or
   * `OutcomeUnknown`.
   */
  async run(acts: readonly Act<unknown>[], units: number, limits: TransactionLimits): Promise<Written> {
    this.#guard.check();
    const client = await this.#session.connected();
    const tx: Transaction = {
      client,
      first: 0,
      end: 0,
      epoch: 0,
      writes: undefined,
      open: false,
      hasTurn: false,
      limits,
    };
    try {
      const engine = runBatch(acts, this.#schema);
      let step = engine.next();
      while (step.done !== true) step = engine.next(await this.#perform(tx, step.value, units));
      return { result: step.value, first: tx.first, epoch: tx.epoch };
    } catch (error) {
      if (tx.open && !(error instanceof Lost)) await this.#rollback(tx).catch(() => undefined);
      throw error;
    }
  }

  async #perform(tx: Transaction, request: Request, units: number): Promise<Reply> {
    switch (request.io) {
      case 'begin':
        // It goes with the load, which follows at once.
        return;
      case 'load':
        return this.#load(tx, request.keys, units);
      case 'more':
        // Locks are taken in one order, all at once.
        return;
      case 'seq':
        return tx.first;
      case 'write':
        // It goes with the commit.
        tx.writes = request.writes;
        return;
      case 'commit':
        return this.#commit(tx, tx.writes as Writes);
      case 'rollback':
        return this.#rollback(tx);
    }
  }

  /** Locks first, in one order everywhere; then, in a later snapshot, the states; numbers after both. */
  async #load(tx: Transaction, keys: readonly Key[], units: number): Promise<readonly AggregateSnapshot[]> {
    const request = this.#loader.request(keys, units);
    // A turn of a connection that broke since is gone with it.
    tx.hasTurn = this.#turn === tx.client;
    this.#turn = undefined;
    tx.open = true;
    const results = await this.#session.send<StateRow & Locked>(tx.client, [
      ...(tx.hasTurn ? [] : [{ text: 'BEGIN' }]),
      ...transactionLimits(tx.limits),
      this.#lock(this.#locksOf(keys)),
      request.query,
    ]);
    if (!tx.hasTurn) this.#turns.locked(results.at(-2)?.rows[0]?.ms ?? 0);
    const rows: readonly StateRow[] = results.at(-1)?.rows ?? [];
    await this.#judge(tx, request, rows);
    let drawn = rows.find(({ i }) => i === evidenceAt) as Units;
    for (let tries = 1; drawn.last - drawn.first + 1 !== units; tries++) {
      // Numbers of one batch are adjacent; those that another node drew from between are left unused.
      if (tries === drawsMax) throw new Error(`no ${units} adjacent units in ${drawsMax} draws`);
      const [retried] = await this.#session.send<Units>(tx.client, [
        { text: drawUnits('$1'), values: [units] },
      ]);
      drawn = retried?.rows[0] as Units;
    }
    tx.first = drawn.first * unitEntries;
    tx.end = (drawn.last + 1) * unitEntries;
    const states = request.states(rows);
    if (states === undefined) throw new Outdated('the database is another than before');
    return states;
  }

  /** Goes on where the database continues what this node saw. The tables are locked against replacement by now. */
  async #judge(tx: Transaction, request: StateRequest, rows: readonly StateRow[]): Promise<void> {
    tx.epoch = request.known.epoch;
    let { kind } = request.judge(rows);
    if (kind === 'unproven') ({ kind } = await examine(tx.client, this.#guard));
    if (kind === 'sound') return;
    this.#session.abandon(tx.client);
    tx.open = false;
    if (kind === 'contradicts') await this.#confirm();
    this.#guard.check();
    throw new Lost('the connection leads to a server that is not the newest');
  }

  #locksOf(keys: readonly Key[]): string[] {
    const written = keys.filter((key) => key.mode === 'write');
    const locks = written.map((key) => lockId(`${this.#namespace}\0${stateName(key.aggregate, key.id)}`));
    return [this.#session.ownLock, ...[...new Set(locks)].sort()];
  }

  async #commit(tx: Transaction, writes: Writes): Promise<void> {
    if (tx.first + writes.entries.length > tx.end) throw new TooManyEntries(writes.entries.length);
    const query = this.#statements.of(tx.first, writes);
    tx.open = false;
    const [entry] = writes.entries;
    const deadline = performance.now() + this.#session.patienceMs;
    const warned = this.#session.warnings;
    try {
      const results = await this.#session.send(tx.client, [...this.#endTurn(tx), query, { text: 'COMMIT' }]);
      const committed = results.at(-1);
      if (committed?.command !== 'COMMIT')
        throw new Error(`the commit was answered with ${committed?.command}`);
      if (this.#session.warnings !== warned) throw new Lost('the commit was answered with a warning');
    } catch (error) {
      if (error instanceof Unconfirmed) throw new OutcomeUnknown(error.message, { cause: error });
      if (!(error instanceof Lost) || entry === undefined) throw error;
      if (!(await this.#session.isCommitted(entry.seq, entry.text, deadline))) throw error;
    }
    const last = writes.entries.at(-1);
    if (last !== undefined) this.#guard.acknowledged(last);
    this.#guard.sawStamp(tx.first);
  }

  async #rollback(tx: Transaction): Promise<void> {
    tx.open = false;
    await this.#session.send(tx.client, [{ text: 'ROLLBACK' }, ...this.#endTurn(tx)]);
  }
}

/** Held until it is handed on, or until the session ends. */
const takeTurn =
  'SELECT pg_advisory_lock($1), extract(epoch FROM clock_timestamp() - statement_timestamp())::float8 * 1000 AS ms';

/** Takes locks in their order, and tells how long that took. */
const takeLocks = `SELECT count(pg_advisory_xact_lock(v)),
  extract(epoch FROM clock_timestamp() - statement_timestamp())::float8 * 1000 AS ms FROM unnest($1::bigint[]) v`;
