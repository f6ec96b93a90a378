/**
 * What a start must know of sessions (contract §0): whether this node's connections keep their session, which a pooler
 * in transaction mode breaks, and whether other nodes are connected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../../engine/store.ts';
import { sequencerLock, sqlState } from './connection.ts';

const looks = 4;
/** How PgBouncer refuses what its mode does not allow. */
const protocolViolation = '08P01';

/**
 * Locks, notifications and settings belong to sessions. A pooler of transactions gives its only idle session to
 * whichever connection asks next, so that two connections meet in one session, or one connection changes its own. A
 * pooler of statements refuses transactions. Throws `OperatorError` then. `second` is another connection of the same
 * kind.
 */
export async function refusePooler(first: pg.ClientBase, second: pg.ClientBase): Promise<void> {
  const mine = await backend(first);
  for (let look = 0; look < looks; look++) {
    await second.query('BEGIN').catch((error: unknown) => {
      throw sqlState(error) === protocolViolation ? pooled() : error;
    });
    try {
      if ((await backend(second)) === mine || (await backend(first)) !== mine) throw pooled();
    } finally {
      await second.query('ROLLBACK');
    }
  }
}

function pooled(): OperatorError {
  return new OperatorError(
    'DATABASE_URL leads to a pooler that hands each transaction to another session; it accepts PostgreSQL itself, or a pooler that keeps one session for each connection (PgBouncer: pool_mode=session).',
  );
}

async function backend(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return (rows[0] as { pid: number }).pid;
}

const nodeLooks = 20;

/**
 * Whether no node uses this database. The leading node holds a lock; other nodes are recognised by the name of their
 * sessions. PostgreSQL lists a closed session for a moment longer.
 */
export async function isAlone(client: pg.ClientBase, namespace: string): Promise<boolean> {
  for (let look = 1; look <= nodeLooks; look++) {
    // Every node has one such session for as long as it lives; one that is only starting has none yet.
    const { rows } = await client.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'colophon log %'",
    );
    if (rows[0]?.n === 0 && (await isUnled(client, sequencerLock(namespace)))) return true;
    await sleep(50);
  }
  return false;
}

async function isUnled(client: pg.ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ free: boolean }>(
    'SELECT CASE WHEN pg_try_advisory_lock($1) THEN pg_advisory_unlock($1) ELSE false END AS free',
    [lock],
  );
  return rows[0]?.free === true;
}

const lockPauseMs = 100;
const sayEveryMs = 10_000;

/** Waits for an advisory lock of the session, however long another node keeps it; `waiting` is called now and then. */
export async function waitForLock(client: pg.ClientBase, lock: string, waiting: () => void): Promise<void> {
  for (let reportedAt = performance.now(); ; await sleep(lockPauseMs)) {
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [lock]);
    if (rows[0]?.got === true) return;
    if (performance.now() - reportedAt < sayEveryMs) continue;
    reportedAt = performance.now();
    waiting();
  }
}
