/**
 * Queries the evidence of `rollback-guard.ts` outside of batches. A connection to a server that was paused and
 * replaced answers from the past, which is no rollback; a contradiction therefore counts only when a new connection
 * repeats it.
 */
import type pg from 'pg';
import { lostCheckpoint } from '../../engine/store.ts';
import { drop, isConnectionError } from './connection.ts';
import { restoreLog } from './restore-log.ts';
import {
  evidence,
  type EvidenceRow,
  type Known,
  type RollbackGuard,
  type Verdict,
} from './rollback-guard.ts';

const ask = `SELECT ${evidence('$1', '$2')} AS evidence`;

/** The verdict over this connection; never `unproven`. Within a transaction it holds for that transaction. */
export async function examine(client: pg.ClientBase, guard: RollbackGuard): Promise<Verdict> {
  const { known } = guard;
  const { rows } = await client.query<{ readonly evidence: EvidenceRow | null }>({
    name: 'evidence',
    text: ask,
    values: [known.head.size, known.own.seq],
  });
  const row = rows[0]?.evidence;
  const verdict = guard.judge(known, row);
  if (verdict.kind !== 'unproven' || row == null) return verdict;
  if (!(await hasKnownRoot(client, known)))
    return {
      kind: 'contradicts',
      reason: `the first ${known.head.size} entries of the log are not those that this node has seen`,
    };
  guard.sawRow(row);
  return { kind: 'sound' };
}

/** Recomputes the root at the known size. What cannot be restored is no continuation either. */
async function hasKnownRoot(client: pg.ClientBase, { head }: Known): Promise<boolean> {
  try {
    const log = await restoreLog(client, head.size);
    return Buffer.from(log.root()).toString('hex') === head.root;
  } catch (error) {
    if (error instanceof RangeError || !isConnectionError(error)) return false;
    throw error;
  }
}

/**
 * Examines the database over a fresh connection. Where that contradicts, too, this node refuses from here on, and so
 * do the others: what it saw is left in the keyring, where each of their statements finds it.
 */
export async function confirm(reach: () => Promise<pg.Client>, guard: RollbackGuard): Promise<void> {
  if (guard.rollback !== undefined) return;
  const client = await reach();
  try {
    const { kind, reason } = await examine(client, guard);
    if (kind !== 'contradicts') return;
    const { checkpoint } = guard.found(reason);
    await client
      .query(
        `INSERT INTO keyring (name, value) VALUES ('${lostCheckpoint}', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE keyring.value = ''`,
        [`${reason}\n${checkpoint ?? ''}`],
      )
      // A database that cannot be written stops the others by itself.
      .catch(() => undefined);
  } finally {
    drop(client);
  }
}
