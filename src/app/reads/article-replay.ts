/**
 * Replays an article's chains up to an end (contract §5 `?at=`) through the projectors. History is read a page at a
 * time and projected in slices, so that other requests are not blocked.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { articlePrefix } from '../../domain/articles/chains.ts';
import {
  type ConformanceEvent,
  conformanceEventTable,
  conformancePlace,
  conformanceTable,
  type Outcome,
} from '../../domain/capabilities/conformance.ts';
import { schema } from '../../domain/schema.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import type { PlacedEntry, Range, Reader } from '../../engine/store.ts';
import type { Entry } from '../../ledger/entry.ts';
import { type AnyRow, type RowOf, type Sub, subOf, type Table } from '../../engine/tables.ts';
import type { ReadContext } from '../read-context.ts';
import { LRUCache } from 'lru-cache';

/** The end: a log index, rounded down to the last whole act, or the call that made an entry. */
export type ReplayEnd = { readonly index: number } | { readonly seq: number; readonly inv: string };

/** Entries per slice: a few milliseconds. */
const pageEntries = 200;
const sliceEntries = 50;

export async function replayArticle(read: Reader, aid: string, end: ReplayEnd): Promise<Replay> {
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

type Place = Pick<PlacedEntry, 'seq' | 'index'>;

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
  const newestOutcome = async (outcome: Outcome): Promise<ConformanceEvent | null> => {
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
    newest_success: await newestOutcome('success'),
    newest_failure: await newestOutcome('failure'),
  };
  if (then.successes + then.failures > 0) projection.put(conformanceTable, then);
}

/*
 * A `Reader` of one article at an earlier time (contract §5 `?at=`): rows and chains of the article come from a replay
 * of its chains, so that every read works on history without code of its own. Everything else (names, the head of the
 * log, replacements of scrubbed contents) is read live.
 */

export interface Replay {
  readonly aid: string;
  readonly events: readonly PlacedEntry[];
  /** The entries by chain. */
  readonly chains: ReadonlyMap<string, readonly StoredEvent[]>;
  /** Replayed rows and conformance. */
  readonly projection: MemoryProjection;
  /** Number of the newest included entry. */
  readonly newest: number;
}

/** A context that reads one article from its history. */
export function readingFrom(context: ReadContext, replay: Replay): ReadContext {
  return { ...context, read: pastReader(context.read, replay), isHistorical: true };
}

function pastReader(live: Reader, { aid, events, chains, projection, newest }: Replay): Reader {
  const prefix = articlePrefix(aid);
  return {
    rows: async (table, id) => (id === aid ? projection.rows(table, id) : live.rows(table, id)),
    row: async (table, id, sub = '') =>
      id === aid ? projection.row(table, id, sub) : live.row(table, id, sub),
    list: async (table, id, range) => {
      if (id === aid) return within(table, projection.rows(table, id), range);
      // Invocations have their own chains; their list is in ledger order.
      const cut = (table as Table) === conformanceEventTable && id.startsWith(`${aid} `);
      return live.list(table, id, cut ? { ...range, before: earlier(range.before, newest + 1) } : range);
    },
    count: async (table, id) => (id === aid ? projection.rows(table, id).size : live.count(table, id)),
    chain: async (id) => (id.startsWith(prefix) ? (chains.get(id) ?? []) : live.chain(id)),
    chains: async (name) => (name === prefix ? events : live.chains(name)),
    history: async (name, after, limit) =>
      name === prefix
        ? events.filter((event) => event.seq > after).slice(0, limit)
        : live.history(name, after, limit),
    select: () => Promise.reject(new Error('the past is read article by article')),
    countBy: () => Promise.reject(new Error('the past is read article by article')),
    scan: (table) => live.scan(table),
    stamp: (aggregate, id) => live.stamp(aggregate, id),
    stampNow: (aggregate, id) => live.stampNow(aggregate, id),
    entries: (from, limit) => live.entries(from, limit),
    texts: (from, limit) => live.texts(from, limit),
    indexOf: (seq) => live.indexOf(seq),
    checkpoint: () => live.checkpoint(),
    tile: (level, n, width) => live.tile(level, n, width),
    inclusion: (index, size) => live.inclusion(index, size),
    inclusionLines: (index, size) => live.inclusionLines(index, size),
  };
}

function earlier(before: Sub | undefined, end: number): number {
  return before === undefined ? end : Math.min(Number(before), end);
}

/** `Reader.list` over rows in memory. */
function within<T extends Table>(
  table: T,
  rows: ReadonlyMap<Sub, RowOf<T>>,
  { after, before, limit, reverse }: Range,
): RowOf<T>[] {
  const found = [...rows.values()]
    .map((row) => ({ row, sub: subOf(table, row as AnyRow) }))
    .filter(({ sub }) => (after === undefined || sub > after) && (before === undefined || sub < before))
    .sort((a, b) => (a.sub < b.sub ? -1 : 1));
  if (reverse === true) found.reverse();
  return found.slice(0, limit).map(({ row }) => row);
}

/*
 * Cache of article replays, validated by the article's stamp: a client that reads one part of a historical article reads
 * others. History changes by scrubs only, but any write moves the stamp, which is safe. Replays are made one at a time
 * and in slices, so that long histories do not block other requests.
 */

/** Characters of entries and contents; the rows made of them take about as much again. */
const cachedCharsMax = 16 * 1024 * 1024;
/** What a replay takes beside its entries, so that replays of moments before the first entry count too. */
const charsPerReplay = 4096;

interface CachedReplay {
  readonly stamp: string;
  readonly replay: Replay;
}

class ReplayCache {
  readonly #cache = new LRUCache<string, CachedReplay>({ maxSize: cachedCharsMax });
  #turn: Promise<unknown> = Promise.resolve();

  /** The replay of that name, made of the state that has that stamp. */
  async get(name: string, stamp: string, make: () => Promise<Replay>): Promise<Replay> {
    const cached = (): Replay | undefined => {
      const known = this.#cache.get(name);
      return known?.stamp === stamp ? known.replay : undefined;
    };
    const known = cached();
    if (known !== undefined) return known;
    const made = this.#turn.then(async () => {
      const replay = cached() ?? (await make());
      this.#cache.set(name, { stamp, replay }, { size: sizeOf(replay) });
      return replay;
    });
    this.#turn = made.catch(() => undefined);
    return made;
  }
}

function sizeOf({ events }: Replay): number {
  let chars = charsPerReplay;
  for (const { text, contents } of events) {
    chars += text.length;
    for (const { body, replacement } of contents) chars += (body?.length ?? 0) + (replacement?.length ?? 0);
  }
  return chars;
}

const caches = new WeakMap<Reader, ReplayCache>();

export function replayCacheOf(read: Reader): ReplayCache {
  let cache = caches.get(read);
  if (cache === undefined) caches.set(read, (cache = new ReplayCache()));
  return cache;
}
