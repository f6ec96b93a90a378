/**
 * Projections made again at a node's start (contract §6), from the log and from what was committed behind it and waits
 * to be put into it, in the order in which it will be. No other node may be running.
 */
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import { replayLog } from '../../engine/row-replay.ts';
import type { LogEntry } from '../../engine/store.ts';
import { openReplay } from '../sqlite/scratch.ts';
import { LogReader } from './log-reader.ts';
import { RollbackGuard } from './rollback-guard.ts';
import { rowsFrom } from './read-pool.ts';
import { writeProjections } from './replace-projections.ts';
import { eventValues } from './sql.ts';
import { eventFrom, type EventValues } from './state-loader.ts';

export async function renewProjections(
  client: pg.Client,
  schema: Schema,
  progress: (done: number) => void,
): Promise<void> {
  progress(0);
  const replay = openReplay(schema);
  try {
    await replayLog({ entries: committedEntries(client) }, replay, progress);
    await client.query('BEGIN');
    await writeProjections(client, schema, (table) => replay.rows(table));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    replay.close();
  }
}

/** Entries by their place in the log, then those that have none yet. */
function committedEntries(client: pg.Client): (from: number, limit: number) => Promise<LogEntry[]> {
  const log = new LogReader(rowsFrom(client), new RollbackGuard(() => undefined));
  return async (from, limit) => {
    const logged = await log.entries(from, limit);
    if (logged.length === limit) return logged;
    const { rows } = await client.query<{ act: number; event: EventValues }>(
      `SELECT e.act, json_build_array(${eventValues}) AS event FROM pending p
       JOIN entry e ON e.seq >= p.first AND e.seq < p.first + p.count ORDER BY e.seq
       OFFSET greatest($1 - (SELECT size FROM log_head), 0) LIMIT $2`,
      [from, limit - logged.length],
    );
    const behind = rows.map(({ act, event }, i) => ({
      ...eventFrom(event),
      act,
      index: from + logged.length + i,
    }));
    return [...logged, ...behind];
  };
}
