/**
 * Replays an article's chains up to an end (contract §5 `?at=`) through the projectors. History is read a page at a
 * time and projected in slices, so that other requests are not blocked.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { articlePrefix } from '../../domain/articles/chains.ts';
import {
  conformanceEventTable,
  conformancePlace,
  conformanceTable,
  type ConformanceEvent,
  type Outcome,
} from '../../domain/capabilities/conformance.ts';
import { schema } from '../../domain/schema.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import type { PlacedEntry, Reader } from '../../engine/store.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Replay } from './historical-reader.ts';

/** The end: a log index, rounded down to the last whole act, or the call that made an entry. */
export type ReplayEnd = { readonly index: number } | { readonly seq: number; readonly inv: string };

/** Entries per slice: a few milliseconds. */
const pageEntries = 200;
const sliceEntries = 50;

export async function replay(read: Reader, aid: string, end: ReplayEnd): Promise<Replay> {
  const events = await eventsUntil(read, articlePrefix(aid), end);
  const projection = new MemoryProjection();
  const chains = new Map<string, StoredEvent[]>();
  for (const [i, event] of events.entries()) {
    if (i % sliceEntries === 0) await turnOfOthers();
    const projected = eventFrom(event);
    schema.project(projected, projection);
    const { chain } = projected.sealed.entry;
    const own = chains.get(chain);
    if (own === undefined) chains.set(chain, [event]);
    else own.push(event);
  }
  const last = events.at(-1);
  const newest = last === undefined ? -1 : await newestOf(read, aid, last, end);
  await putConformance(read, projection, aid, newest);
  return { aid, events, chains, projection, newest };
}

async function eventsUntil(read: Reader, prefix: string, end: ReplayEnd): Promise<PlacedEntry[]> {
  const events: PlacedEntry[] = [];
  for (let after = -1; ;) {
    const page = await read.history(prefix, after, pageEntries);
    const behind = page.findIndex((event) => isBehind(event, end));
    events.push(...(behind < 0 ? page : page.slice(0, behind)));
    const next = page[behind];
    // Partial acts are left out.
    if (next !== undefined && 'index' in end) return events.filter(({ act }) => act !== next.act);
    after = page.at(-1)?.seq ?? after;
    if (next !== undefined || page.length < pageEntries) return events;
  }
}

function isBehind(event: PlacedEntry, end: ReplayEnd): boolean {
  if ('index' in end) return event.index === null || event.index > end.index;
  return event.seq > end.seq && callOf(event) !== end.inv;
}

/** The invocation that made an entry; an entry without one stands for itself. */
export function callOf({ text, seq }: Pick<PlacedEntry, 'text' | 'seq'>): string {
  return String((JSON.parse(text) as Entry)['inv'] ?? `entry ${seq}`);
}

/** The last entry of the same act; the entry itself if it is not in the log yet. */
export async function endOfAct(read: Reader, { seq, index, act }: PlacedEntry): Promise<Place> {
  let end = { seq, index };
  while (end.index !== null) {
    const page = await read.entries(end.index + 1, pageEntries);
    const other = page.findIndex((entry) => entry.act !== act);
    end = (other < 0 ? page : page.slice(0, other)).at(-1) ?? end;
    if (other >= 0 || page.length < pageEntries) break;
  }
  return end;
}

export type Place = Pick<PlacedEntry, 'seq' | 'index'>;

/** Number of the newest included entry. Without a log index yet, nothing comes later. */
async function newestOf(read: Reader, aid: string, last: PlacedEntry, end: ReplayEnd): Promise<number> {
  const whole = await endOfAct(read, last);
  if (whole.index === null) return Number.MAX_SAFE_INTEGER - 1;
  const index = 'index' in end ? Math.max(end.index, whole.index) : whole.index;
  const [entry] = await read.entries(index, 1);
  let newest = entry?.seq ?? whole.seq;
  // Sequence numbers and log indexes may differ in order for concurrent acts on other articles.
  for (const outcome of outcomes)
    for (;;) {
      const [call] = await eventsOf(read, aid, outcome, { before: newest + 1, limit: 1, reverse: true });
      if (call === undefined || ((await read.indexOf(call.seq)) ?? Infinity) <= index) break;
      newest = call.seq - 1;
    }
  return newest;
}

const outcomes = ['success', 'failure'] as const satisfies readonly Outcome[];

function eventsOf(read: Reader, aid: string, outcome: Outcome, range: Parameters<Reader['list']>[2]) {
  return read.list(conformanceEventTable, conformancePlace(aid, outcome), range);
}

/** Conformance at that time: present rows without later invocations. */
async function putConformance(
  read: Reader,
  projection: MemoryProjection,
  aid: string,
  newest: number,
): Promise<void> {
  const now = await read.row(conformanceTable, aid);
  if (now === undefined) return;
  const told = async (outcome: Outcome): Promise<ConformanceEvent | null> => {
    const [row] = await eventsOf(read, aid, outcome, { before: newest + 1, limit: 1, reverse: true });
    if (row === undefined) return null;
    const { inv, key, status, actor, ts } = row;
    return { inv, key, status, actor, ts };
  };
  const later = async (outcome: Outcome): Promise<number> => {
    let count = 0;
    for (let after = newest; ;) {
      const page = await eventsOf(read, aid, outcome, { after, limit: pageEntries });
      count += page.length;
      if (page.length < pageEntries) return count;
      after = page.at(-1)?.seq ?? after;
      await turnOfOthers();
    }
  };
  const then = {
    aid,
    successes: now.successes - (await later('success')),
    failures: now.failures - (await later('failure')),
    newest_success: await told('success'),
    newest_failure: await told('failure'),
  };
  if (then.successes + then.failures > 0) projection.put(conformanceTable, then);
}
