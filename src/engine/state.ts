/**
 * Loaded state. A `Loaded` aggregate is immutable once it is in the cache; a batch works on `Working`
 * copies, journals what it changes so that one act can be undone, and promotes them after the commit.
 */
import { PairNames } from '../kernel/pair-names.ts';
import type { StoredEvent } from './act.ts';
import { frozenRows, layered, writableRows, type WritableRows } from './layered-rows.ts';
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

const stateNames = new PairNames('\0');

export function stateName(aggregate: string, id: string): string {
  return stateNames.of(aggregate, id);
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
    if (map.size > 0) tables.set(table.name, frozenRows(map));
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

/**
 * Recently used states, bounded in bytes. Two generations: what is used moves to the young one, and when that
 * holds half of the bound, the old one leaves whole. Moving a state to the end of one large map at every use
 * took a seventh of a busy server's time.
 */
export class StateCache {
  readonly #generationBytesMax: number;
  #young = new Map<string, AggregateSnapshot>();
  #old = new Map<string, AggregateSnapshot>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(bytesMax: number) {
    this.#generationBytesMax = bytesMax / 2;
  }

  get(name: string): AggregateSnapshot | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) {
      this.delete(name);
      this.#add(name, old);
    }
    return old;
  }

  set(name: string, state: AggregateSnapshot): void {
    this.delete(name);
    this.#add(name, state);
  }

  #add(name: string, state: AggregateSnapshot): void {
    const bytes = cachedBytes(name, state);
    if (this.#youngBytes > 0 && this.#youngBytes + bytes > this.#generationBytesMax) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(name, state);
    this.#youngBytes += bytes;
  }

  delete(name: string): void {
    const young = this.#young.get(name);
    if (young !== undefined) {
      this.#young.delete(name);
      this.#youngBytes -= cachedBytes(name, young);
    }
    const old = this.#old.get(name);
    if (old !== undefined) {
      this.#old.delete(name);
      this.#oldBytes -= cachedBytes(name, old);
    }
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = 0;
    this.#oldBytes = 0;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }
}

/** Names are strangers' words where somebody asks for what is not there: they and their place in the map count. */
function cachedBytes(name: string, { bytes }: AggregateSnapshot): number {
  return bytes + 2 * name.length + 96;
}

/** A batch's private copy of one aggregate: tables are copied when first written, large ones layered. */
export class AggregateDraft {
  readonly base: AggregateSnapshot;
  readonly #copies = new Map<string, WritableRows<AnyRow>>();

  constructor(base: AggregateSnapshot) {
    this.base = base;
  }

  rows(table: Table): Rows {
    return this.#copies.get(table.name) ?? rowsOf(this.base, table);
  }

  copy(table: Table): WritableRows<AnyRow> {
    let copy = this.#copies.get(table.name);
    if (copy === undefined) {
      copy = writableRows(rowsOf(this.base, table));
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
      tables.set(name, frozenRows(copy));
    }
    return { stamp, tables, events: this.base.events, bytes: Math.max(256, bytes) };
  }
}

/** By how many bytes rows have grown. Counted once, when they are kept: most of what a batch makes never is. */
function growth(before: Rows, after: Rows): number {
  let bytes = 0;
  const count = (old: AnyRow | undefined, row: AnyRow | undefined): void => {
    if (old === row) return;
    if (row !== undefined) bytes += sizeOf(row);
    if (old !== undefined) bytes -= sizeOf(old);
  };
  const layers = layered(after);
  if (layers?.isOver(before) === true) {
    for (const sub of layers.changedKeys()) count(before.get(sub), after.get(sub));
    return bytes;
  }
  let known = 0;
  for (const [sub, row] of after) {
    const old = before.get(sub);
    if (old !== undefined) known++;
    count(old, row);
  }
  if (known < before.size) for (const [sub, row] of before) if (!after.has(sub)) count(row, undefined);
  return bytes;
}
