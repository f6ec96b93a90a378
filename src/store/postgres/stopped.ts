/**
 * A database without nodes: holds the lock under which nodes start, and refuses where one runs, so that a transfer
 * (ADR 67) reads or fills it alone. Sessions of a process that was killed may last a moment longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { NoLedger } from '../../engine/store-kind.ts';
import { LedgerInUse, OperatorError, type Keyring } from '../../engine/store.ts';
import { SqlKeyring } from '../sql.ts';
import { lockId, readNumbers } from './connection.ts';
import { connectForCommand } from './hosts.ts';
import { stepsKnown } from './migrations.ts';
import { checkServer } from './prepare.ts';
import { refuseUnlike } from './probe.ts';
import { rowsFrom } from './read-pool.ts';
import { isAlone, refusePooler } from './sessions.ts';
import { storedLedger } from './version.ts';

const lockTries = 100;
const lockPauseMs = 100;

/** `use` gets a connection without time limits, to an empty database as well. */
export async function withoutNodes<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectForCommand({
    connectionString: url,
    application_name: 'transfer',
    // It may be silent for minutes, and holds the lock.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  readNumbers(client);
  // The next query says that the connection is lost.
  client.on('error', () => undefined);
  try {
    await client.query(
      'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0; SET client_min_messages = warning',
    );
    const namespace = await checkServer(client);
    const second = await connectForCommand({ connectionString: url, application_name: 'transfer' });
    try {
      await refusePooler(client, second);
      await refuseUnlike(client, second);
    } finally {
      await second.end();
    }
    await lock(client, lockId(`${namespace}\0migrate`));
    if (!(await isAlone(client, namespace)))
      throw new LedgerInUse('nodes use the database: stop them all, then run colophon transfer again.');
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function whileStopped<T>(url: string, use: (keyring: Keyring) => Promise<T>): Promise<T> {
  return withoutNodes(url, async (client) => {
    const { steps } = await storedLedger(client);
    if (steps === 0)
      throw new NoLedger('There is no ledger in this database; set DATABASE_URL to the one that holds it.');
    if (steps !== stepsKnown)
      throw new OperatorError(
        `${steps} migrations are applied to the database, and this version has ${stepsKnown}: start and stop colophon serve of the newer of both versions, then run colophon transfer with it.`,
      );
    return use(new SqlKeyring(rowsFrom(client)));
  });
}

async function lock(client: pg.Client, id: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [id]);
    if (rows[0]?.got === true) return;
    if (tries === lockTries)
      throw new LedgerInUse('a node is starting on the database, or another transfer uses it.');
    await sleep(lockPauseMs);
  }
}
