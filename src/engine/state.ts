/**
 * Loaded state. An `AggregateSnapshot` is immutable once it is in the cache. A batch changes `AggregateDraft` copies,
 * journals each change so that one act can be undone, and promotes the drafts to snapshots after the commit.
 */
import { LRUCache } from 'lru-cache';
import type { StoredEvent } from './act.ts';
import { subOf, type AnyRow, type Sub, type Table } from './tables.ts';

export type Rows = ReadonlyMap<Sub, AnyRow>;

export interface AggregateSnapshot {
  /** Changes whenever the aggregate does; only equality means anything. */
  readonly stamp: number;
  readonly tables: ReadonlyMap<string, Rows>;
  /** Filled for the chain aggregate only. */
  readonly events: readonly StoredEvent[];
  /** A rough size in bytes, for the cache's bound. */
  readonly bytes: number;
}

const noRows: Rows = new Map();

export const emptySnapshot: AggregateSnapshot = { stamp: 0, tables: new Map(), events: [], bytes: 64 };

export function rowsOf(loaded: AggregateSnapshot, table: Table): Rows {
  return loaded.tables.get(table.name) ?? noRows;
}

export function stateName(aggregate: string, id: string): string {
  return `${aggregate}\0${id}`;
}

/** Builds a loaded aggregate from rows as a store returned them. */
export function snapshotFrom(
  stamp: number,
  rows: Iterable<readonly [Table, readonly AnyRow[]]>,
): AggregateSnapshot {
  const tables = new Map<string, Rows>();
  let bytes = 256;
  for (const [table, list] of rows) {
    const map = new Map<Sub, AnyRow>();
    for (const row of list) {
      map.set(subOf(table, row), row);
      bytes += sizeOf(row);
    }
    if (map.size > 0) tables.set(table.name, map);
  }
  return { stamp, tables, events: [], bytes };
}

function sizeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 24 + value.length;
    case 'object': {
      if (value === null) return 8;
      let sum = 32;
      for (const member of Object.values(value)) sum += 8 + sizeOf(member);
      return sum;
    }
    default:
      return 8;
  }
}

/** Recently used snapshots by state name. */
export type StateCache = LRUCache<string, AggregateSnapshot>;

/** A snapshot larger than `bytesMax` counts as `bytesMax`: it is kept until another one is added. */
export function newStateCache(bytesMax: number): StateCache {
  return new LRUCache({
    maxSize: bytesMax,
    sizeCalculation: (snapshot, name) => Math.min(cachedBytes(name, snapshot), bytesMax),
  });
}

/** Counts the name as well: a caller chooses the names of aggregates that do not exist. */
function cachedBytes(name: string, { bytes }: AggregateSnapshot): number {
  return bytes + 2 * name.length + 96;
}

/** A batch's private copy of one aggregate: a table is copied when it is first written. */
export class AggregateDraft {
  readonly base: AggregateSnapshot;
  readonly #copies = new Map<string, Map<Sub, AnyRow>>();

  constructor(base: AggregateSnapshot) {
    this.base = base;
  }

  rows(table: Table): Rows {
    return this.#copies.get(table.name) ?? rowsOf(this.base, table);
  }

  copy(table: Table): Map<Sub, AnyRow> {
    let copy = this.#copies.get(table.name);
    if (copy === undefined) {
      copy = new Map(rowsOf(this.base, table));
      this.#copies.set(table.name, copy);
    }
    return copy;
  }

  get changed(): boolean {
    return this.#copies.size > 0;
  }

  /** The state after the commit. The copies are handed over and not written again. */
  promoted(stamp: number): AggregateSnapshot {
    const tables = new Map(this.base.tables);
    let { bytes } = this.base;
    for (const [name, copy] of this.#copies) {
      bytes += growth(tables.get(name) ?? noRows, copy);
      tables.set(name, copy);
    }
    return { stamp, tables, events: this.base.events, bytes: Math.max(256, bytes) };
  }
}

/** By how many bytes rows have grown. Counted once, when they are kept: most of what a batch makes never is. */
function growth(before: Rows, after: Rows): number {
  let bytes = 0;
  for (const [sub, row] of after) {
    const old = before.get(sub);
    if (old !== row) bytes += sizeOf(row) - (old === undefined ? 0 : sizeOf(old));
  }
  for (const [sub, row] of before) if (!after.has(sub)) bytes -= sizeOf(row);
  return bytes;
}
