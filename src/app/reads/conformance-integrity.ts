/**
 * What an article says of the calls on it, held against the ledger when it is answered (contract §1.8): the newest
 * success and failure against the chains of those calls, and short counts against the list that they count. Longer
 * lists are compared by the background pass.
 */
import {
  conformanceEventTable,
  conformancePlace,
  conformanceTable,
  type ConformanceRow,
} from '../../domain/capabilities/conformance.ts';
import { schema } from '../../domain/schema.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import type { Reader } from '../../engine/store.ts';
import { sameJson } from '../../kernel/json.ts';
import type { Altered } from './article-integrity.ts';

/** Calls of one outcome that are counted again. */
const countedMax = 200;

export async function alteredConformance(
  read: Reader,
  aid: string,
  row: ConformanceRow | undefined,
): Promise<readonly Altered[]> {
  if (row === undefined) return [];
  const stamp = await read.stamp(conformanceTable.aggregate as string, aid);
  const wrong = [
    ...(await differing(read, aid, 'success', row.successes, row.newest_success)),
    ...(await differing(read, aid, 'failure', row.failures, row.newest_failure)),
  ];
  // A call that ended meanwhile is in the list and not in the row.
  const isOneMoment =
    (await read.stamp(conformanceTable.aggregate as string, aid)) === stamp &&
    sameJson({ ...(await read.row(conformanceTable, aid)) }, { ...row });
  return isOneMoment
    ? wrong.map((column) => ({
        n: null,
        reason: `projection conformance, row ${aid}: ${column} differs from what the ledger gives`,
      }))
    : [];
}

async function differing(
  read: Reader,
  aid: string,
  outcome: 'success' | 'failure',
  count: number,
  newest: ConformanceRow['newest_success'],
): Promise<string[]> {
  const counted = await read.list(conformanceEventTable, conformancePlace(aid, outcome), {
    limit: countedMax + 1,
    reverse: true,
  });
  const countOk = counted.length > countedMax ? count > countedMax : count === counted.length;
  const newestOk =
    newest === null
      ? counted.length === 0
      : counted[0]?.inv === newest.inv && (await isTold(read, aid, outcome, newest));
  return [
    ...(countOk ? [] : [outcome === 'success' ? 'successes' : 'failures']),
    ...(newestOk ? [] : [`newest_${outcome}`]),
  ];
}

async function isTold(
  read: Reader,
  aid: string,
  outcome: 'success' | 'failure',
  newest: NonNullable<ConformanceRow['newest_success']>,
): Promise<boolean> {
  const replayed = new MemoryProjection();
  for (const event of await read.chain(newest.inv)) schema.project(eventFrom(event), replayed);
  const told = replayed.row(conformanceTable, aid)?.[`newest_${outcome}`] ?? null;
  return told !== null && sameJson({ ...told }, { ...newest });
}
