/** What a change needs of a map. */
interface Changing {
  get(key: unknown): unknown;
  set(key: unknown, value: unknown): unknown;
  delete(key: unknown): unknown;
}

/** How maps were before they were changed, so that what an act did can be taken back, all of it or behind a mark. */
export class Journal {
  /** Three places a change: the map, the key, and what stood there. A list of objects cost three times as much. */
  #undos: unknown[] = [];

  clear(): void {
    this.#undos = [];
  }

  /** `note` is what `noted` answers with for the mark. */
  mark(note: number): number {
    this.#undos.push(new Map(), undefined, note);
    return this.#undos.length;
  }

  noted(mark: number): number {
    return this.#undos[mark - 1] as number;
  }

  /** No value is `undefined`, so what a look finds says whether there was one. */
  set(map: Changing, key: unknown, value: unknown): void {
    this.#undos.push(map, key, map.get(key));
    map.set(key, value);
  }

  delete(map: Changing, key: unknown): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.#undos.push(map, key, before);
    map.delete(key);
  }

  /** Takes back what came behind a mark; behind 0, everything. */
  undo(mark: number): void {
    while (this.#undos.length > mark) {
      const [map, key, before] = this.#undos.splice(-3) as [Changing, unknown, unknown];
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    }
  }
}
