/**
 * The connection that a store writes over. It is reconnected when it breaks, and it resolves what became of a COMMIT
 * without an answer, so that nothing is applied twice.
 *
 * A connection that breaks before COMMIT was sent took its transaction with it, and the acts may be decided again. One
 * that breaks after COMMIT leaves the outcome unknown. Every transaction of this writer first takes the writer's own
 * advisory lock, which the server holds until the transaction has ended and is visible. So the next connection that gets
 * the lock looks for the batch's first entry: if it is there under its number with exactly its text (which contains a
 * commitment to 32 fresh random bytes, or at least this act's own ids), the whole batch was committed; otherwise none of
 * it ever will be.
 *
 * A commit that a synchronous standby does not confirm is not ended, because PostgreSQL would then show it as committed
 * although a failover loses it. Its acts are answered as unknown, and others are refused until it is confirmed. For the
 * same reason a batch that was found counts as committed only when a later record of the same server was confirmed.
 */
import type pg from 'pg';
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
  Unreachable,
  type ConnectionOptions,
} from './connection.ts';
import { ownSession, settlesWithin, type Liveness, type ServerSession } from './liveness.ts';

/** The connection broke and the transaction is certainly not committed. */
export class Lost extends Error {}

/** The connection broke after a COMMIT, and its outcome could not be resolved. */
export class OutcomeUnknown extends Error {}

/** A synchronous standby has not confirmed the commit for as long as the store is patient. */
export class Unconfirmed extends Error {}

export const lockTimeout = '55P03';
const askEveryMs = 1000;
/** How long acts wait for a connection once the store's patience is at an end. */
const lastLookMs = 100;
const connectWithinMs = 2000;

export class WriterSession {
  /** The writer's own lock: the first of every transaction. */
  readonly ownLock: string;
  readonly #options: ConnectionOptions;
  readonly patienceMs: number;
  readonly #liveness: Liveness;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #session: ServerSession = { pid: 0, began: '' };
  #connecting: Promise<pg.Client> | undefined;
  #downSince: number | undefined;
  #unconfirmed: { readonly since: number; readonly ended: Promise<unknown> } | undefined;
  #warnings = 0;

  constructor(options: ConnectionOptions, namespace: string, patienceMs: number, liveness: Liveness) {
    this.#options = options;
    this.#liveness = liveness;
    this.patienceMs = patienceMs;
    this.ownLock = lockId(`${namespace}\0writer\0${options.instance}`);
  }

  /** Since when a commit waits for a synchronous standby, though its acts were answered. */
  get unconfirmedSince(): number | undefined {
    return this.#unconfirmed?.since;
  }

  /** Warnings of the server so far: one that comes with a commit says that it was not confirmed. */
  get warnings(): number {
    return this.#warnings;
  }

  /** The connection, made again where it broke. Throws `Unreachable` when the store's patience is at an end. */
  async connected(): Promise<pg.Client> {
    if (this.#unconfirmed !== undefined) {
      const { since, ended } = this.#unconfirmed;
      if (!(await settlesWithin(ended, this.#left(since))))
        throw new Unreachable('PostgreSQL waits for a synchronous standby');
    }
    if (this.#client !== undefined) return this.#client;
    this.#downSince ??= performance.now();
    const connecting = (this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined)));
    connecting.catch(() => undefined);
    if (!(await settlesWithin(connecting, this.#left(this.#downSince))))
      throw new Unreachable('PostgreSQL does not answer');
    return connecting;
  }

  /** What is left of the store's patience with something that began at `since`. */
  #left(since: number): number {
    return Math.max(lastLookMs, since + this.patienceMs - performance.now());
  }

  /** Goes on in the background until the server is back, also without a caller. */
  async #connect(): Promise<pg.Client> {
    const config = {
      ...clientConfig(this.#options, 'writer'),
      connectionTimeoutMillis: connectWithinMs,
      query_timeout: 0,
      pipeline: true,
    };
    const attempt = (): Promise<pg.Client> => connect(config, (fresh) => this.#prepare(fresh));
    const client = await untilReached(attempt, Number.POSITIVE_INFINITY, this.#closing.signal);
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#downSince = undefined;
    this.#client = client;
    return client;
  }

  /**
   * Sends queries one behind the other without waiting in between, and answers with all their results. Throws
   * the first refusal, `Lost`, or `Unconfirmed`.
   */
  async send<R extends pg.QueryResultRow>(
    client: pg.Client,
    queries: readonly pg.QueryConfig[],
  ): Promise<pg.QueryResult<R>[]> {
    const settled = await this.#watched(
      client,
      Promise.allSettled(queries.map((query) => client.query<R>(query))),
    );
    const failed = settled.filter((each) => each.status === 'rejected').map((each): unknown => each.reason);
    if (failed.length === 0) {
      return settled.map((each) => (each as PromiseFulfilledResult<pg.QueryResult<R>>).value);
    }
    const broken = failed.find(isConnectionError);
    // The first failure is the cause; those behind it only say that the transaction was aborted.
    if (broken === undefined) throw failed[0];
    this.abandon(client);
    throw new Lost('the connection to PostgreSQL broke', { cause: broken });
  }

  /** Waits for answers as long as the server works on them. */
  async #watched<T>(client: pg.Client, sent: Promise<T>): Promise<T> {
    const since = performance.now();
    for (;;) {
      if (await settlesWithin(sent, askEveryMs)) return sent;
      const state = await this.#liveness.stateOf(this.#session);
      if (state === 'working' || (await settlesWithin(sent, 0))) continue;
      if (state !== 'awaits standby') {
        this.#downSince ??= since;
        if (state === 'silent') this.#options.sockets.cut();
        this.abandon(client);
        throw new Lost(`PostgreSQL is ${state}`);
      }
      if (performance.now() < since + this.patienceMs) continue;
      const ended = sent.finally(() => (this.#unconfirmed = undefined));
      this.#unconfirmed = { since, ended };
      throw new Unconfirmed('a synchronous standby has not confirmed a commit');
    }
  }

  /** Lets go of a connection, and of the transaction that is open on it. */
  abandon(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    drop(client);
  }

  /**
   * Whether the batch that begins with this entry was committed, and is confirmed by a synchronous standby where there
   * is one. Throws `OutcomeUnknown` if that cannot be resolved until `deadline`.
   */
  async isCommitted(seq: number, text: string, deadline: number): Promise<boolean> {
    for (;;) {
      try {
        const warned = this.#warnings;
        const [, , found] = await this.send<{ text: string }>(await this.connected(), [
          { text: 'BEGIN' },
          { text: 'SELECT pg_advisory_xact_lock($1)', values: [this.ownLock] },
          { text: 'SELECT text FROM entry WHERE seq = $1', values: [seq] },
          // A record behind the batch, with which the batch is confirmed.
          { text: "SELECT pg_logical_emit_message(true, 'colophon', '')" },
          { text: 'COMMIT' },
        ]);
        if (found?.rows[0]?.text !== text) return false;
        if (this.#warnings === warned) return true;
        throw new OutcomeUnknown('the wait for a synchronous standby was ended');
      } catch (error) {
        const isRetryable = error instanceof Lost || sqlState(error) === lockTimeout;
        if (!isRetryable || this.#closing.signal.aborted || performance.now() > deadline) {
          throw new OutcomeUnknown('PostgreSQL does not say whether a batch was committed', { cause: error });
        }
      }
    }
  }

  /** Connects no more. */
  giveUp(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.giveUp();
    await goodbye(this.#client?.end());
  }

  async #prepare(client: pg.Client): Promise<void> {
    await client.query(writerSettings);
    client.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.#warnings++;
    });
    const { rows } = await client.query<ServerSession & { readonly standby: boolean }>(
      `SELECT pg_is_in_recovery() AS standby, own.* FROM (${ownSession}) AS own`,
    );
    // It may be promoted in a moment: waited for like a server that does not answer yet.
    if (rows[0]?.standby !== false) throw new Error('PostgreSQL is a standby, which takes no writes');
    this.#session = rows[0];
    await this.#options.join?.(client);
    // What is left of an earlier connection may still hold locks that everybody waits for.
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND pid <> pg_backend_pid() AND wait_event IS DISTINCT FROM 'SyncRep'`,
      [applicationName('writer', this.#options.instance)],
    );
  }
}
