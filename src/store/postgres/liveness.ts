/**
 * Why a statement has no answer yet (contract §3, a store failure refuses): the server works on it, it holds a commit
 * until a synchronous standby confirms it, or it answers nothing at all. A connection made for the question tells, so
 * that long statements may take their time and nobody waits for a server that is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, connect, drop, type ConnectionOptions } from './connection.ts';

/** `gone`: the server answers, and the session of the statement has ended. */
export type ServerState = 'working' | 'awaits standby' | 'gone' | 'silent';

/** A statement without an answer is asked after so often. */
const askEveryMs = 1000;
/** A server that was silent when last asked is asked again sooner. */
const askSoonMs = 250;
const answerWithinMs = 1000;

/** A session on whichever server: its process id alone may be that of another after a failover. */
export interface ServerSession {
  readonly pid: number;
  readonly began: string;
}

export const ownSession =
  'SELECT pid, extract(epoch FROM backend_start)::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()';

const stateOfSession =
  'SELECT wait_event FROM pg_stat_activity WHERE pid = $1 AND extract(epoch FROM backend_start)::text = $2';

export class Liveness {
  readonly #options: ConnectionOptions;
  #asked: Promise<boolean> | undefined;
  #isSilent = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The answer of `asked`. Where the server has gone silent every connection is cut, so that it fails. */
  async watch<T>(asked: Promise<T>): Promise<T> {
    for (;;) {
      if (await settlesWithin(asked, this.#isSilent ? askSoonMs : askEveryMs)) return asked;
      this.#asked ??= this.#answers().finally(() => (this.#asked = undefined));
      if (!(await this.#asked)) this.#options.sockets.cut();
    }
  }

  /** What the server does for a session. */
  async stateOf({ pid, began }: ServerSession): Promise<ServerState> {
    try {
      const rows = await this.#ask<{ wait_event: string | null }>(stateOfSession, [pid, began]);
      if (rows.length === 0) return 'gone';
      return rows[0]?.wait_event === 'SyncRep' ? 'awaits standby' : 'working';
    } catch (error) {
      return error instanceof pg.DatabaseError ? 'working' : 'silent';
    }
  }

  async #answers(): Promise<boolean> {
    this.#isSilent = await this.#ask('SELECT 1', []).then(
      () => false,
      // A refusal is an answer.
      (error: unknown) => !(error instanceof pg.DatabaseError),
    );
    return !this.#isSilent;
  }

  async #ask<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<R[]> {
    const config = { ...clientConfig(this.#options, 'reader'), connectionTimeoutMillis: answerWithinMs };
    const late = new AbortController();
    const asking = connect(config, async () => undefined).then(async (client) => {
      try {
        return (await client.query<R>(text, [...values])).rows;
      } finally {
        drop(client);
      }
    });
    asking.catch(() => undefined);
    try {
      return await Promise.race([asking, tooLate(late.signal)]);
    } finally {
      late.abort();
    }
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await sleep(answerWithinMs, undefined, { signal });
  throw new Error('PostgreSQL does not answer');
}

/** Whether a promise is settled within so many milliseconds, either way. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const lapsed = sleep(ms, false, { signal: late.signal }).catch(() => false);
  const first = await Promise.race([settled, lapsed]);
  late.abort();
  return first;
}
