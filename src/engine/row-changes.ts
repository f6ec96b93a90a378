/**
 * Tracks which rows changed since the last update. For layered rows over the same root only the keys in the layers are
 * compared, so that the cost depends on the changes and not on the size of the table.
 */
import { layered } from './layered-rows.ts';
import type { Sub } from './tables.ts';

export class RowChanges<V> {
  /** As they were last seen: the rows given then may belong to a batch that has changed them since. */
  readonly #seen = new Map<Sub, V>();
  #root: ReadonlyMap<Sub, V> | undefined;
  #named: ReadonlySet<Sub> = new Set();

  /** Shows `visit` each row that is new, or another; and of those that are gone, the key alone. */
  update(rows: ReadonlyMap<Sub, V>, visit: (sub: Sub, row: V | undefined) => void): void {
    const layers = layered(rows);
    const named = new Set(layers?.changedSinceRoot());
    const look = (sub: Sub, row: V | undefined): void => {
      if (this.#seen.get(sub) === row) return;
      if (row === undefined) this.#seen.delete(sub);
      else this.#seen.set(sub, row);
      visit(sub, row);
    };
    if (layers !== undefined && layers.root === this.#root)
      for (const sub of this.#named.union(named)) look(sub, rows.get(sub));
    else {
      for (const [sub, row] of rows) look(sub, row);
      if (this.#seen.size > rows.size)
        for (const sub of this.#seen.keys()) if (!rows.has(sub)) look(sub, undefined);
    }
    this.#root = layers?.root;
    this.#named = named;
  }
}
