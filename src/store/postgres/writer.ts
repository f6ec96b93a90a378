/**
 * Drives the batch engine with `await`, one transaction a batch: locks and states come in one round trip,
 * everything a batch writes goes with its commit in another.
 *
 * While nodes of another version run, whose projections are a set of their own (`projection-sets.ts`), a batch has the
 * database for itself: it first projects what the others committed, and leaves its own entries for them.
 */
import type pg from 'pg';
import type { Act, Key, Schema } from '../../engine/act.ts';
import { runBatch } from '../../engine/batch.ts';
import type { BatchResult, ForeignBatch, Reply, Request, Writes } from '../../engine/batch-io.ts';
import { projectionStamp } from '../../engine/ledger-version.ts';
import { stateName, type AggregateSnapshot } from '../../engine/state.ts';
import { BatchStatements } from './batch-statements.ts';
import { examine } from './rollback-evidence.ts';
import { lockId, transactionLimits, Unreachable, type TransactionLimits } from './connection.ts';
import type { RollbackGuard } from './rollback-guard.ts';
import { drawUnits, unitEntries } from './entry-numbers.ts';
import { dueBatches, foreignBatch, scrubsJson, type DueRow } from './foreign-batches.ts';
import { setsLock, type ProjectionSet } from './projection-sets.ts';
import { channelOf, dueNotice } from './sequencer.ts';
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

/** Nodes of another version run: the batch needs the database for itself. */
class Beside extends Error {}

export interface Written {
  readonly result: BatchResult;
  /** Whether nodes of another version are to project the batch before it is answered. */
  readonly isAwaited: boolean;
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
  /** The sets of other versions; undefined until they are read. */
  others: readonly KnownSet[] | undefined;
  /** What this batch projects for others, where it has the database for itself. */
  readonly foreign: readonly DueRow[] | undefined;
  /** Whether the own set is complete with this batch. */
  readonly completes: boolean;
}

interface Locked {
  readonly ms: number;
}

type KnownSet = Pick<ProjectionSet, 'stamp' | 'ready'>;

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
  readonly #stamp: string;
  #isBeside: boolean;

  /** `confirm` settles whether evidence of a rollback is one, and has the guard refuse where it is. */
  constructor(
    session: WriterSession,
    schema: Schema,
    loader: StateLoader,
    namespace: string,
    guard: RollbackGuard,
    confirm: () => Promise<void>,
    isBeside: boolean,
  ) {
    this.#stamp = projectionStamp(schema);
    this.#isBeside = isBeside;
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
    return !this.#isBeside && this.#turn === undefined && this.#turns.areTaken;
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

  /** Whether the turn is this connection's, whose transaction goes on. One of a connection that broke is gone with it. */
  #hasTurnOf(client: pg.Client): boolean {
    const turn = this.#turn;
    this.#turn = undefined;
    return turn === client;
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
    if (!this.#isBeside) {
      try {
        const tx = {
          ...begun,
          client,
          open: false,
          hasTurn: false,
          others: undefined,
          foreign: undefined,
          completes: false,
          limits,
        };
        return await this.#runIn(tx, acts, units);
      } catch (error) {
        if (!(error instanceof Beside)) throw error;
        this.#isBeside = true;
      }
    }
    return this.#runBeside(client, acts, units, limits);
  }

  /** Whether nodes of another version ran when the newest batch did. */
  get isBeside(): boolean {
    return this.#isBeside;
  }

  /** In pieces, the last of them with the acts. */
  async #runBeside(
    client: pg.Client,
    acts: readonly Act<unknown>[],
    units: number,
    limits: TransactionLimits,
  ): Promise<Written> {
    // Whoever has the database for itself hands it on: that is waited for.
    const waiting = { ...limits, brief: false };
    for (;;) {
      const tx = await this.#alone(client, waiting);
      const isLast = tx.foreign.length < dueMax;
      const written = await this.#runIn(tx, isLast ? acts : [], units);
      if (isLast) return written;
    }
  }

  /** A transaction beside which there is no other, of whichever version. */
  async #alone(
    client: pg.Client,
    limits: TransactionLimits,
  ): Promise<Transaction & { readonly foreign: readonly DueRow[] }> {
    const hasTurn = this.#hasTurnOf(client);
    try {
      const results = await this.#session.send<KnownSet & DueRow>(client, [
        // The transaction of a turn has begun.
        ...(hasTurn ? [] : [{ text: 'BEGIN' }]),
        ...transactionLimits(limits),
        { text: 'SELECT pg_advisory_xact_lock($1)', values: [this.#session.ownLock] },
        { text: 'SELECT pg_advisory_xact_lock($1)', values: [setsLock(this.#namespace)] },
        readSets,
        { text: dueBatches, values: [this.#stamp, dueMax] },
      ]);
      const sets = this.#others(results.at(-2)?.rows ?? []);
      const foreign = results.at(-1)?.rows ?? [];
      this.#isBeside = sets.others.length > 0;
      const completes = !sets.own.ready && foreign.length < dueMax;
      return { ...begun, client, open: true, hasTurn, limits, others: sets.others, foreign, completes };
    } catch (error) {
      const failed = {
        ...begun,
        client,
        open: true,
        hasTurn,
        others: undefined,
        foreign: [],
        completes: false,
        limits,
      };
      if (!(error instanceof Lost)) await this.#rollback(failed).catch(() => undefined);
      throw error;
    }
  }

  #others(sets: readonly KnownSet[]): { readonly own: KnownSet; readonly others: readonly KnownSet[] } {
    const own = sets.find(({ stamp }) => stamp === this.#stamp);
    if (own === undefined)
      throw new Unreachable('the projections of this version were removed from the database');
    return { own, others: sets.filter((set) => set !== own) };
  }

  async #runIn(tx: Transaction, acts: readonly Act<unknown>[], units: number): Promise<Written> {
    try {
      const engine = runBatch(
        acts,
        this.#schema,
        tx.foreign?.map(foreignBatch) satisfies readonly ForeignBatch[] | undefined,
      );
      let step = engine.next();
      while (step.done !== true) step = engine.next(await this.#perform(tx, step.value, units));
      if (tx.open) await this.#end(tx);
      const isAwaited =
        step.value.entries > 0 && tx.foreign !== undefined && tx.others?.some(({ ready }) => ready) === true;
      return { result: step.value, first: tx.first, epoch: tx.epoch, isAwaited };
    } catch (error) {
      if (tx.open && !(error instanceof Lost)) await this.#rollback(tx).catch(() => undefined);
      throw error;
    }
  }

  /** Of a transaction for itself that wrote nothing. */
  async #end(tx: Transaction): Promise<void> {
    tx.open = false;
    await this.#session.send(tx.client, [
      ...this.#endTurn(tx),
      ...(tx.completes ? [{ text: setReady, values: [this.#stamp] }] : []),
      { text: 'COMMIT' },
    ]);
  }

  async #perform(tx: Transaction, request: Request, units: number): Promise<Reply> {
    switch (request.io) {
      case 'begin':
        // It goes with the load, which follows at once.
        return;
      case 'load':
        return this.#load(tx, request.keys, units);
      case 'more':
        // Locks are taken in one order, all at once; beside another version the batch has all of them.
        return tx.foreign === undefined ? undefined : this.#loadMore(tx, request.keys);
      case 'seq':
        return tx.first;
      case 'write':
        // It goes with the commit.
        tx.writes = request.writes;
        return;
      case 'commit':
        return this.#commit(tx, tx.writes as Writes);
      case 'rollback':
        // Nothing is written before the commit, and the lock stays with the batch, which starts over or ends.
        return tx.foreign === undefined ? this.#rollback(tx) : undefined;
    }
  }

  async #loadMore(tx: Transaction, keys: readonly Key[]): Promise<readonly AggregateSnapshot[]> {
    const request = this.#loader.request(keys);
    const [loaded] = await this.#session.send<StateRow>(tx.client, [request.query]);
    return this.#states(tx, request, (loaded as pg.QueryResult<StateRow>).rows);
  }

  async #states(
    tx: Transaction,
    request: StateRequest,
    rows: readonly StateRow[],
  ): Promise<readonly AggregateSnapshot[]> {
    await this.#judge(tx, request, rows);
    const states = request.states(rows);
    if (states === undefined) throw new Outdated('the database is another than before');
    return states;
  }

  /** Locks first, in one order everywhere; then, in a later snapshot, the states; numbers after both. */
  async #load(tx: Transaction, keys: readonly Key[], units: number): Promise<readonly AggregateSnapshot[]> {
    const request = this.#loader.request(keys, units);
    let rows: readonly StateRow[];
    if (tx.foreign === undefined) {
      tx.hasTurn = this.#hasTurnOf(tx.client);
      tx.open = true;
      const results = await this.#session.send<StateRow & KnownSet & Locked>(tx.client, [
        ...(tx.hasTurn ? [] : [{ text: 'BEGIN' }]),
        ...transactionLimits(tx.limits),
        { name: 'share', text: shareLock, values: [setsLock(this.#namespace)] },
        this.#lock(this.#locksOf(keys)),
        readSets,
        request.query,
      ]);
      if (!tx.hasTurn) this.#turns.locked(results.at(-3)?.rows[0]?.ms ?? 0);
      const { own, others } = this.#others(results.at(-2)?.rows ?? []);
      if (!own.ready || others.some(({ ready }) => ready)) throw new Beside();
      tx.others = others;
      rows = results.at(-1)?.rows ?? [];
    } else {
      const [loaded] = await this.#session.send<StateRow>(tx.client, [request.query]);
      rows = loaded?.rows ?? [];
    }
    const states = await this.#states(tx, request, rows);
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
      const results = await this.#session.send(tx.client, [
        ...this.#endTurn(tx),
        query,
        ...this.#besideCommit(tx, writes),
        { text: 'COMMIT' },
      ]);
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

  /** What goes with a commit while there are other sets. */
  #besideCommit(tx: Transaction, { entries, scrubbedChains }: Writes): pg.QueryConfig[] {
    const queries: pg.QueryConfig[] = [];
    if (tx.foreign !== undefined && tx.foreign.length > 0)
      queries.push({ text: removeDue, values: [this.#stamp, tx.foreign.map(({ first }) => first)] });
    if (tx.completes) queries.push({ text: setReady, values: [this.#stamp] });
    const others = tx.others ?? [];
    if (others.length > 0 && entries.length > 0) {
      const stamps = others.map(({ stamp }) => stamp);
      const scrubs = scrubsJson(scrubbedChains);
      queries.push({ text: addDue, values: [stamps, tx.first, entries.length, scrubs] });
      queries.push({ text: 'SELECT pg_notify($1, $2)', values: [channelOf(this.#namespace), dueNotice] });
    }
    return queries;
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
const begun = { first: 0, end: 0, epoch: 0, writes: undefined } as const;

/** Foreign batches projected in one transaction: every write waits meanwhile. */
const dueMax = 64;

const readSets = { name: 'sets', text: 'SELECT stamp, ready FROM projection_set' };
const setReady = 'UPDATE projection_set SET ready = true WHERE stamp = $1';
const removeDue = 'DELETE FROM projection_due WHERE stamp = $1 AND first = ANY ($2)';
const addDue = `INSERT INTO projection_due (stamp, first, count, scrubs)
  SELECT stamp, $2::bigint, $3::integer, $4::text FROM unnest($1::text[]) AS stamp`;
const shareLock = 'SELECT pg_advisory_xact_lock_shared($1)';
