/**
 * Connections to PostgreSQL and the classification of their errors. A store has one connection that writes, one that
 * holds the session locks and listens, and a pool that reads; `application_name` says which is which.
 */
import { hash } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnreachable } from '../../engine/store.ts';
import { HostClient, type HostClientConfig } from './hosts.ts';

export type ConnectionRole = 'writer' | 'log' | 'reader' | 'search';

/** The server did not answer for as long as the store is patient; nothing was written. */
export class Unreachable extends StoreUnreachable {}

export type ClientClass = new (config?: HostClientConfig) => pg.Client;

/** How a connection is made. */
interface ClientSetting extends HostClientConfig {
  readonly Client: ClientClass;
}

export interface ConnectionOptions {
  readonly url: string;
  /** Tells the connections of one opened store from those of others. */
  readonly instance: string;
  readonly sockets: Sockets;
  /** Makes connections in place of `HostClient`; only a simulation gives another. */
  readonly Client?: ClientClass;
  /** What a new session does before it reads or writes what versions have apart. */
  readonly join?: (client: pg.ClientBase) => Promise<void>;
}

/** The open sockets of a store: a query on a line that went silent waits until its socket is cut. */
export class Sockets {
  readonly #open = new Set<Socket>();

  open(): Socket {
    const socket = new Socket();
    this.#open.add(socket);
    return socket.once('close', () => this.#open.delete(socket));
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

export function applicationName(role: ConnectionRole, instance: string): string {
  return `colophon ${role} ${instance}`;
}

/** Makes a new session read 64-bit whole numbers as numbers: every one of ours is within 2^53. */
export function readNumbers(client: pg.ClientBase): void {
  client.setTypeParser(pg.types.builtins.INT8, Number);
}

export function clientConfig(
  { url, instance, sockets, Client = HostClient }: ConnectionOptions,
  role: ConnectionRole,
): ClientSetting {
  return {
    Client,
    connectionString: url,
    stream: () => sockets.open(),
    application_name: applicationName(role, instance),
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    // A server that has gone without a word must not hold a batch for ever.
    query_timeout: 60_000,
  };
}

/**
 * Statements are few, prepared and by key: planned once, by index, so that a plan made while a table was small
 * never turns into a scan of a large one. And durable means on disk, whatever the role's or the database's default.
 */
export const sessionSettings = `
SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off;
SET default_transaction_isolation = 'read committed'; SET client_min_messages = warning;
DO $$ BEGIN IF current_setting('synchronous_commit') = 'off' THEN SET synchronous_commit = on; END IF; END $$`;

/**
 * What the connection that writes adds. A node that stalls between two statements, or reads no answer, loses its session
 * and its locks before others have waited for two seconds; statements may take as long as they need. Nothing but their
 * lock ends them, as an ended wait for a synchronous standby would be answered like a commit.
 */
export const writerSettings = `${sessionSettings}; SET statement_timeout = 0; SET lock_timeout = '3s';
SET idle_in_transaction_session_timeout = '1s'; SET tcp_user_timeout = '2s'`;

/** The same limits for one transaction: less patience with a lock that is known to be held, or more time to decide. */
export function transactionLimits({ brief, patient }: TransactionLimits): pg.QueryConfig[] {
  return [
    ...(brief ? [{ text: "SET LOCAL lock_timeout = '100ms'" }] : []),
    ...(patient ? [{ text: "SET LOCAL idle_in_transaction_session_timeout = '5s'" }] : []),
  ];
}

export interface TransactionLimits {
  /** A lock that is not free is hardly waited for. */
  readonly brief: boolean;
  /** This node has lost its session over the same acts before: it is slow, and not stalled. */
  readonly patient: boolean;
}

/** Whether the connection is gone, as opposed to a statement that was refused. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return (
    error.severity === 'FATAL' ||
    error.severity === 'PANIC' ||
    error.code?.startsWith('57P') === true ||
    error.code?.startsWith('08') === true
  );
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Connects, and makes the new session ready with `prepare`. */
export async function connect(
  { Client, ...config }: ClientSetting,
  prepare: (client: pg.Client) => Promise<unknown>,
): Promise<pg.Client> {
  const client = new Client(config);
  readNumbers(client);
  // Without a listener the loss of an idle connection would end the process; the next query sees it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(client);
    return client;
  } catch (error) {
    drop(client);
    throw error;
  }
}

/**
 * Does something that needs a connection, and again with growing pauses while the server cannot be reached,
 * until `deadline` (of `performance.now()`) or until `closing`. Throws `Unreachable` then, and at once what
 * the server refuses for good, such as a wrong password.
 */
export async function untilReached<T>(
  attempt: () => Promise<T>,
  deadline: number,
  closing: AbortSignal,
): Promise<T> {
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    if (closing.aborted) throw new Unreachable('PostgreSQL does not answer');
    try {
      return await attempt();
    } catch (error) {
      if (!isConnectionError(error) || isRefusal(error)) throw error;
      if (closing.aborted || performance.now() + pauseMs > deadline)
        throw new Unreachable('PostgreSQL does not answer', { cause: error });
      await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

/** Wrong credentials (class 28) and unknown databases (3D000) get no better by waiting. */
function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state?.startsWith('28') === true || state === '3D000';
}

/** Lets go of a connection whose state no longer matters, without waiting for its goodbye. */
export function drop(client: pg.Client): void {
  client.end().catch(() => undefined);
}

/** How long a server that does not answer is waited for when the store closes. */
const goodbyeMs = 1000;

/** Waits for an end that may never come, but not for ever. */
export async function goodbye(end: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([end, sleep(goodbyeMs, undefined, { ref: false })]);
}

/** The lock of the node that puts entries into the log. */
export function sequencerLock(namespace: string): string {
  return lockId(`${namespace}\0sequencer`);
}

/** A 64-bit advisory lock named by a text, as the decimal that SQL takes. */
export function lockId(name: string): string {
  return hash('sha256', name, 'buffer').readBigInt64BE().toString();
}
