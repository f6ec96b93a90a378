/**
 * Copy-on-write rows: a layer of changes over shared, immutable rows, so that a change costs the same in a table of 10 rows
 * and of 10,000. Reads and iteration order equal those of a `Map` with the same changes: a replaced row keeps its position,
 * a new or re-added row comes last.
 */
import type { Sub } from './tables.ts';

export interface WritableRows<V> extends ReadonlyMap<Sub, V> {
  set(sub: Sub, row: V): unknown;
  delete(sub: Sub): boolean;
}

/** Fewer rows are copied as soon as layered, and read faster. */
const layeredMin = 256;

export class LayeredRows<V> implements WritableRows<V> {
  readonly #below: ReadonlyMap<Sub, V>;
  /** What stands in place of rows below; null where one was removed. */
  #over = new Map<Sub, V | null>();
  #added = new Map<Sub, V>();
  #removed = 0;

  /** Over immutable rows. */
  constructor(below: ReadonlyMap<Sub, V>) {
    this.#below = below;
  }

  /** What lies under all layers. Where it is the same, rows differ at most in what their layers name. */
  get root(): ReadonlyMap<Sub, V> {
    return layered(this.#below)?.root ?? this.#below;
  }

  isOver(rows: ReadonlyMap<Sub, V>): boolean {
    return this.#below === rows;
  }

  /** The keys that this layer names, each once. */
  *changedKeys(): Iterable<Sub> {
    yield* this.#over.keys();
    for (const sub of this.#added.keys()) if (!this.#over.has(sub)) yield sub;
  }

  /** The keys that any layer names. */
  *changedSinceRoot(): Iterable<Sub> {
    yield* layered(this.#below)?.changedSinceRoot() ?? [];
    yield* this.changedKeys();
  }

  /** The same rows to be kept, as one layer; without one when what it costs to copy it comes near to that of all rows. */
  flattened(): ReadonlyMap<Sub, V> {
    const below = layered(this.#below);
    if (below === undefined) return this;
    const flat = new LayeredRows(below.#below);
    flat.#over = new Map(below.#over);
    flat.#added = new Map(below.#added);
    flat.#removed = below.#removed;
    this.#applyTo(flat);
    // A batch copies the layer, and every so many batches one copies the whole: together least where both are alike.
    const layerMax = Math.sqrt(2 * flat.#below.size);
    if (flat.#over.size + flat.#added.size <= layerMax) return flat;
    const all = new Map(flat.#below);
    flat.#applyTo(all);
    return frozenRows(all);
  }

  #applyTo(rows: WritableRows<V>): void {
    for (const [sub, row] of this.#over) {
      if (row === null) rows.delete(sub);
      else rows.set(sub, row);
    }
    for (const [sub, row] of this.#added) rows.set(sub, row);
  }

  get size(): number {
    return this.#below.size - this.#removed + this.#added.size;
  }

  get(sub: Sub): V | undefined {
    const added = this.#added.get(sub);
    if (added !== undefined) return added;
    const over = this.#over.get(sub);
    return over === undefined ? this.#below.get(sub) : (over ?? undefined);
  }

  has(sub: Sub): boolean {
    return this.get(sub) !== undefined;
  }

  set(sub: Sub, row: V): this {
    if (this.#standsBelow(sub)) this.#over.set(sub, row);
    else this.#added.set(sub, row);
    return this;
  }

  delete(sub: Sub): boolean {
    if (this.#added.delete(sub)) return true;
    if (!this.#standsBelow(sub)) return false;
    this.#over.set(sub, null);
    this.#removed++;
    return true;
  }

  #standsBelow(sub: Sub): boolean {
    return this.#over.get(sub) !== null && this.#below.has(sub);
  }

  *entries(): MapIterator<[Sub, V]> {
    for (const entry of this.#below) {
      const over = this.#over.get(entry[0]);
      if (over === undefined) yield entry;
      else if (over !== null) yield [entry[0], over];
    }
    yield* this.#added;
  }

  *keys(): MapIterator<Sub> {
    for (const sub of this.#below.keys()) if (this.#over.get(sub) !== null) yield sub;
    yield* this.#added.keys();
  }

  *values(): MapIterator<V> {
    if (this.#over.size === 0) yield* this.#below.values();
    else
      for (const [sub, row] of this.#below) {
        const over = this.#over.get(sub);
        if (over !== null) yield over ?? row;
      }
    yield* this.#added.values();
  }

  [Symbol.iterator](): MapIterator<[Sub, V]> {
    return this.entries();
  }

  forEach(visit: (row: V, sub: Sub, rows: ReadonlyMap<Sub, V>) => void, self?: unknown): void {
    for (const [sub, row] of this) visit.call(self, row, sub, this);
  }
}

/** The same rows where they lie in layers. */
export function layered<V>(rows: ReadonlyMap<Sub, V>): LayeredRows<V> | undefined {
  return rows instanceof LayeredRows ? (rows as LayeredRows<V>) : undefined;
}

/** Immutable rows, as they are cached. */
export function frozenRows<V>(rows: WritableRows<V>): ReadonlyMap<Sub, V> {
  return layered(rows)?.flattened() ?? (rows.size < layeredMin ? rows : new LayeredRows(rows));
}

/** Rows of one's own, as `rows` are: those stay as they are whatever becomes of these. */
export function writableRows<V>(rows: ReadonlyMap<Sub, V>): WritableRows<V> {
  return layered(rows) === undefined ? new Map(rows) : new LayeredRows(rows);
}
