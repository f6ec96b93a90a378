/** How maps were before they were changed, so that what an act did can be taken back, all of it or behind a mark. */

interface Undo {
  readonly map: Map<unknown, unknown>;
  readonly key: unknown;
  readonly had: boolean;
  readonly value: unknown;
}

export class Journal {
  #undos: Undo[] = [];

  clear(): void {
    this.#undos = [];
  }

  /** `note` is what `noted` answers with for the mark. */
  mark(note: number): number {
    this.#undos.push({ map: new Map(), key: undefined, had: false, value: note });
    return this.#undos.length;
  }

  noted(mark: number): number {
    return this.#undos[mark - 1]?.value as number;
  }

  /** No value is `undefined`, so what a look finds says whether there was one. */
  set(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    const before = map.get(key);
    this.#undos.push({ map, key, had: before !== undefined, value: before });
    map.set(key, value);
  }

  delete(map: Map<unknown, unknown>, key: unknown): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.#undos.push({ map, key, had: true, value: before });
    map.delete(key);
  }

  /** Takes back what came behind a mark; behind 0, everything. */
  undo(mark: number): void {
    while (this.#undos.length > mark) {
      const { map, key, had, value } = this.#undos.pop() as Undo;
      if (had) map.set(key, value);
      else map.delete(key);
    }
  }
}
