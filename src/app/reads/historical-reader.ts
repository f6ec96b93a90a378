/**
 * A `Reader` of one article at an earlier time (contract §5 `?at=`): rows and chains of the article come from a replay
 * of its chains, so that every read works on history without code of its own. Everything else (names, the head of the
 * log, replacements of scrubbed contents) is read live.
 */
import { articlePrefix } from '../../domain/articles/chains.ts';
import { conformanceEventTable } from '../../domain/capabilities/conformance.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { MemoryProjection } from '../../engine/memory-projection.ts';
import type { PlacedEntry, Range, Reader } from '../../engine/store.ts';
import { subOf, type AnyRow, type RowOf, type Sub, type Table } from '../../engine/tables.ts';
import type { ReadContext } from '../read-context.ts';

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
