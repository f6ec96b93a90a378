/**
 * The pool of reading connections. It waits for a server that cannot be reached: a read may be repeated, also on
 * another connection.
 */
import pg from 'pg';
import {
  clientConfig,
  goodbye,
  readNumbers,
  sessionSettings,
  Unreachable,
  untilReached,
  type ConnectionOptions,
} from './connection.ts';
import type { SqlRows } from '../sql.ts';
import { settlesWithin, type Liveness } from './liveness.ts';

/** What readers ask: the pool, or one connection that has something of its own to do. */
export interface RowSource {
  rows<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]>;
  /** A connection in a transaction that only reads, for as long as `use` runs. */
  within<T>(use: (client: pg.ClientBase) => AsyncIterable<T>): AsyncIterable<T>;
}

export function rowsFrom(client: pg.ClientBase): RowSource {
  return {
    rows: async <R extends pg.QueryResultRow>(query: pg.QueryConfig) => (await client.query<R>(query)).rows,
    within: (use) => use(client),
  };
}

/** Connections that wait for a write to be confirmed. */
const changesMax = 3;

/** The tables beside the ledger, whose statements are few and small. */
export function changesAndReads(pool: ReadPool): SqlRows {
  return {
    rows: (query) => (query.text.startsWith('SELECT') ? pool.rows(query) : pool.change(query)),
  };
}

/** The pool, with patience: a read does no harm when it is sent again. */
export class ReadPool implements RowSource {
  readonly #pool: pg.Pool;
  readonly #patienceMs: number;
  readonly #liveness: Liveness;
  readonly #closing = new AbortController();
  readonly #writing = new Set<Promise<unknown>>();

  constructor(options: ConnectionOptions, connectionsMax: number, patienceMs: number, liveness: Liveness) {
    this.#patienceMs = patienceMs;
    this.#liveness = liveness;
    this.#pool = new pg.Pool({
      ...clientConfig(options, 'reader'),
      max: connectionsMax,
      onConnect(client) {
        readNumbers(client);
        // One that is lent out has no listener of the pool; what was asked of it fails by itself.
        client.on('error', () => undefined);
        // The pool waits for it, though its type does not say so.
        return client.query(sessionSettings).then(() => options.join?.(client)) as unknown as void;
      },
    });
    // Without a listener the loss of an idle connection would end the process; the next query gets a fresh one.
    this.#pool.on('error', () => undefined);
  }

  async rows<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]> {
    const attempt = async (): Promise<R[]> => (await this.#liveness.watch(this.#pool.query<R>(query))).rows;
    return untilReached(attempt, performance.now() + this.#patienceMs, this.#closing.signal);
  }

  /**
   * A statement that writes beside the ledger. It may wait for a synchronous standby: its caller waits no longer than the
   * store is patient, and only a few of the connections do, so that the others go on reading.
   */
  async change<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]> {
    const deadline = performance.now() + this.#patienceMs;
    while (this.#writing.size >= changesMax) {
      const left = deadline - performance.now();
      if (left <= 0 || !(await settlesWithin(Promise.race(this.#writing), left)))
        throw new Unreachable('PostgreSQL confirms no write');
    }
    const unending: pg.QueryConfig & { readonly query_timeout: number } = {
      ...query,
      query_timeout: 2 ** 31 - 1,
    };
    const changing = this.rows<R>(unending).finally(() => this.#writing.delete(changing));
    this.#writing.add(changing);
    changing.catch(() => undefined);
    if (!(await settlesWithin(changing, Math.max(0, deadline - performance.now()))))
      throw new Unreachable('PostgreSQL confirms no write');
    return changing;
  }

  /** The same with less patience, also with a connection that has gone quiet: that one is given up. */
  async rowsWithin<R extends pg.QueryResultRow>(query: pg.QueryConfig, ms: number): Promise<R[]> {
    // The driver takes the time with each query, though its type does not say so.
    const timed: pg.QueryConfig & { readonly query_timeout: number } = { ...query, query_timeout: ms };
    const attempt = async (): Promise<R[]> => (await this.#pool.query<R>(timed)).rows;
    return untilReached(attempt, performance.now() + ms, this.#closing.signal);
  }

  async *within<T>(use: (client: pg.ClientBase) => AsyncIterable<T>): AsyncIterable<T> {
    const client = await untilReached(
      () => this.#pool.connect(),
      performance.now() + this.#patienceMs,
      this.#closing.signal,
    );
    let broken = true;
    try {
      await client.query('BEGIN READ ONLY');
      yield* use(client);
      await client.query('COMMIT');
      broken = false;
    } finally {
      client.release(broken);
    }
  }

  /** Connects no more. */
  giveUp(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.giveUp();
    await goodbye(this.#pool.end());
  }
}
