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
  type ConnectionOptions,
} from './connection.ts';

/** The connection broke and the transaction is certainly not committed. */
export class Lost extends Error {}

/** The connection broke after a COMMIT, and its outcome could not be resolved. */
export class OutcomeUnknown extends Error {}

const lockTimeout = '55P03';

export class WriterSession {
  /** The writer's own lock: the first of every transaction. */
  readonly ownLock: string;
  readonly #options: ConnectionOptions;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #downSince: number | undefined;

  constructor(options: ConnectionOptions, namespace: string, patienceMs: number) {
    this.#options = options;
    this.#patienceMs = patienceMs;
    this.ownLock = lockId(`${namespace}\0writer\0${options.instance}`);
  }

  /** The connection, made again where it broke. Throws `Unreachable` when the store's patience is at an end. */
  async connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    this.#downSince ??= performance.now();
    const config = { ...clientConfig(this.#options, 'writer'), pipeline: true };
    const attempt = (): Promise<pg.Client> => connect(config, (fresh) => this.#prepare(fresh));
    const client = await untilReached(attempt, this.#downSince + this.#patienceMs, this.#closing.signal);
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#downSince = undefined;
    this.#client = client;
    return client;
  }

  /**
   * Sends queries one behind the other without waiting in between, and answers with all their results. Throws
   * the first refusal, or `Lost`.
   */
  async send<R extends pg.QueryResultRow>(
    client: pg.Client,
    queries: readonly pg.QueryConfig[],
  ): Promise<pg.QueryResult<R>[]> {
    const settled = await Promise.allSettled(queries.map((query) => client.query<R>(query)));
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

  /** Lets go of a connection, and of the transaction that is open on it. */
  abandon(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    drop(client);
  }

  /** Whether the batch that begins with this entry was committed. Throws `OutcomeUnknown` if that cannot be resolved. */
  async isCommitted(seq: number, text: string): Promise<boolean> {
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        const [, , found] = await this.send<{ text: string }>(await this.connected(), [
          { text: 'BEGIN' },
          { text: 'SELECT pg_advisory_xact_lock($1)', values: [this.ownLock] },
          { text: 'SELECT text FROM entry WHERE seq = $1', values: [seq] },
          { text: 'COMMIT' },
        ]);
        return found?.rows[0]?.text === text;
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
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    // It may be promoted in a moment: waited for like a server that does not answer yet.
    if (rows[0]?.standby === true) throw new Error('PostgreSQL is a standby, which takes no writes');
    // What is left of an earlier connection may still hold locks that everybody waits for.
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
      [applicationName('writer', this.#options.instance)],
    );
  }
}
