/**
 * The one connection of a store that writes. It drives the batch engine with `await`: locks and states come in
 * one round trip, everything a batch writes goes with its commit in another.
 *
 * Nothing is ever applied twice. A connection that breaks before COMMIT was sent took its transaction with it,
 * and the acts may be decided anew. One that breaks after leaves a question, and the answer is certain: every
 * transaction of this writer begins by taking the writer's own advisory lock, which the server holds until the
 * transaction is over, whichever way, and visible. So the next connection that gets the lock looks for the
 * batch's first entry. It is there under its number with exactly its text (which holds a commitment to 32 fresh
 * random bytes, or at least this act's own ids), and then all of the batch is; or it never will be.
 */
import type pg from 'pg';
import type { Act, Key, Schema } from '../../engine/act.ts';
import { runBatch, type BatchResult, type Reply, type Request, type Writes } from '../../engine/batch.ts';
import { stateName, type Loaded } from '../../engine/state.ts';
import {
  applicationName,
  clientConfig,
  connect,
  drop,
  goodbye,
  isConnectionError,
  lockId,
  sqlState,
  untilReached,
  writerSettings,
  type ConnectionOptions,
} from './connection.ts';
import { unitEntries } from './migrations.ts';
import { BatchStatements } from './batch-statements.ts';
import { drawUnits } from './sql.ts';
import type { StateLoader, StateRow } from './state-loader.ts';

/** The connection broke and the transaction is certainly not committed. */
export class Lost extends Error {}

/** The connection broke behind a COMMIT, and nobody could be asked what became of it. */
export class OutcomeUnknown extends Error {}

/** The batch has more entries than numbers were drawn for. */
export class TooManyEntries extends Error {
  readonly entries: number;
  constructor(entries: number) {
    super(`the batch has ${entries} entries`);
    this.entries = entries;
  }
}

export interface Written {
  readonly result: BatchResult;
  /** The number of the first entry, which is the stamp of all that the batch changed. */
  readonly first: number;
}

interface Transaction {
  readonly client: pg.Client;
  keys: readonly Key[];
  first: number;
  end: number;
  writes: Writes | undefined;
  open: boolean;
}

const lockTimeout = '55P03';
/** How often numbers are drawn again when another node drew some in between. */
const drawsMax = 100;

export class Writer {
  readonly #options: ConnectionOptions;
  readonly #schema: Schema;
  readonly #loader: StateLoader;
  readonly #patienceMs: number;
  readonly #namespace: string;
  readonly #own: string;
  readonly #closing = new AbortController();
  readonly #statements: BatchStatements;
  #client: pg.Client | undefined;
  #downSince: number | undefined;

  constructor(options: ConnectionOptions, schema: Schema, loader: StateLoader, namespace: string, patienceMs: number) {
    this.#options = options;
    this.#schema = schema;
    this.#loader = loader;
    this.#namespace = namespace;
    this.#patienceMs = patienceMs;
    this.#statements = new BatchStatements(schema);
    this.#own = lockId(`${namespace}\0writer\0${options.instance}`);
  }

  /**
   * Decides and commits a batch. `units` of entry numbers are drawn for it. Throws what the server refused,
   * `Lost`, `TooManyEntries` or `Unreachable`, and none of the acts is applied; or `OutcomeUnknown`.
   */
  async run(acts: readonly Act<unknown>[], units: number): Promise<Written> {
    const tx: Transaction = { client: await this.#connected(), keys: [], first: 0, end: 0, writes: undefined, open: false };
    try {
      const engine = runBatch(acts, this.#schema);
      let step = engine.next();
      while (step.done !== true) step = engine.next(await this.#perform(tx, step.value, units));
      return { result: step.value, first: tx.first };
    } catch (error) {
      if (tx.open && this.#client === tx.client) await this.#rollback(tx).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await goodbye(this.#client?.end());
  }

  async #perform(tx: Transaction, request: Request, units: number): Promise<Reply> {
    switch (request.io) {
      case 'begin':
        tx.keys = request.keys;
        return;
      case 'load':
        return this.#load(tx, request.keys, units);
      case 'seq':
        return tx.first;
      case 'write':
        tx.writes = request.writes;
        return;
      case 'commit':
        return this.#commit(tx, tx.writes as Writes);
      case 'rollback':
        return this.#rollback(tx);
    }
  }

  /** Locks first, in one order everywhere; then, in a later snapshot, the states; numbers after both. */
  async #load(tx: Transaction, keys: readonly Key[], units: number): Promise<readonly Loaded[]> {
    const locks = new Set(keys.filter((key) => key.mode === 'write').map((key) => lockId(`${this.#namespace}\0${stateName(key.aggregate, key.id)}`)));
    const ordered = [this.#own, ...[...locks].sort()];
    const request = this.#loader.request(keys, units);
    tx.open = true;
    const [, , loaded] = await this.#send<StateRow>(tx.client, [
      { text: 'BEGIN' },
      { name: 'lock', text: 'SELECT count(pg_advisory_xact_lock(v)) FROM unnest($1::bigint[]) v', values: [`{${ordered.join(',')}}`] },
      request.query,
    ]);
    const rows = (loaded as pg.QueryResult<StateRow>).rows;
    let { first, last } = rows[0] as { first: number; last: number };
    for (let tries = 1; last - first + 1 !== units; tries++) {
      // Numbers of one batch are adjacent; those that another node drew from between are left unused.
      if (tries === drawsMax) throw new Error(`no ${units} adjacent units in ${drawsMax} draws`);
      const [drawn] = await this.#send<{ first: number; last: number }>(tx.client, [
        { text: drawUnits('$1'), values: [units] },
      ]);
      ({ first, last } = (drawn as pg.QueryResult<{ first: number; last: number }>).rows[0] as { first: number; last: number });
    }
    tx.first = first * unitEntries;
    tx.end = (last + 1) * unitEntries;
    return request.states(rows);
  }

  async #commit(tx: Transaction, writes: Writes): Promise<void> {
    if (tx.first + writes.entries.length > tx.end) throw new TooManyEntries(writes.entries.length);
    const query = this.#statements.of(tx.first, writes);
    try {
      const [, committed] = await this.#send(tx.client, [query, { text: 'COMMIT' }]);
      if (committed?.command !== 'COMMIT') throw new Error(`the commit was answered with ${committed?.command}`);
      tx.open = false;
    } catch (error) {
      tx.open = false;
      if (!(error instanceof Lost)) throw error;
      const [entry] = writes.entries;
      if (entry === undefined || !(await this.#isCommitted(entry.seq, entry.text))) throw error;
    }
  }

  async #rollback(tx: Transaction): Promise<void> {
    tx.open = false;
    await this.#send(tx.client, [{ text: 'ROLLBACK' }]);
  }

  // The connection

  /** Sends queries one behind the other without waiting in between, and answers with all their results. */
  async #send<R extends pg.QueryResultRow>(client: pg.Client, queries: readonly pg.QueryConfig[]): Promise<pg.QueryResult<R>[]> {
    const settled = await Promise.allSettled(queries.map((query) => client.query<R>(query)));
    const failed = settled.filter((each) => each.status === 'rejected').map((each): unknown => each.reason);
    if (failed.length === 0) return settled.map((each) => (each as PromiseFulfilledResult<pg.QueryResult<R>>).value);
    const broken = failed.find(isConnectionError);
    // The first failure is the cause; those behind it only say that the transaction was aborted.
    if (broken === undefined) throw failed[0];
    if (this.#client === client) this.#client = undefined;
    drop(client);
    throw new Lost('the connection to PostgreSQL broke', { cause: broken });
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    this.#downSince ??= performance.now();
    const config = { ...clientConfig(this.#options, 'writer'), pipeline: true };
    const client = await untilReached(() => connect(config, (fresh) => this.#prepare(fresh)), this.#downSince + this.#patienceMs, this.#closing.signal);
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#downSince = undefined;
    this.#client = client;
    return client;
  }

  async #prepare(client: pg.Client): Promise<void> {
    await client.query(writerSettings);
    // What is left of an earlier connection may still hold locks that everybody waits for.
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()', [
      applicationName('writer', this.#options.instance),
    ]);
  }

  /** Whether the batch that begins with this entry was committed. Throws `OutcomeUnknown` where nobody can say. */
  async #isCommitted(seq: number, text: string): Promise<boolean> {
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        const [, , found] = await this.#send<{ text: string }>(await this.#connected(), [
          { text: 'BEGIN' },
          { text: 'SELECT pg_advisory_xact_lock($1)', values: [this.#own] },
          { text: 'SELECT text FROM entry WHERE seq = $1', values: [seq] },
          { text: 'COMMIT' },
        ]);
        return found?.rows[0]?.text === text;
      } catch (error) {
        const again = error instanceof Lost || sqlState(error) === lockTimeout;
        if (!again || this.#closing.signal.aborted || performance.now() > deadline) {
          throw new OutcomeUnknown('PostgreSQL does not say whether a batch was committed', { cause: error });
        }
      }
    }
  }
}
