/** Projections in plain maps: a few chains replayed to see how something stood at an earlier moment. */
import { contentValue, type Event, type Projection, type StoredEvent, type View } from './act.ts';
import { subOf, type AnyRow, type RowOf, type Sub, type Table } from './tables.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import type { JsonValue } from '../kernel/json.ts';

export class MemoryProjection implements Projection {
  readonly #below: View | undefined;
  readonly #tables = new Map<Table, Map<string, Map<Sub, AnyRow>>>();

  /** `below` gives the rows that nothing replayed here has written. */
  constructor(below?: View) {
    this.#below = below;
  }

  rows<T extends Table>(table: T, id: string): ReadonlyMap<Sub, RowOf<T>> {
    const own = this.#of(table, id) as unknown as ReadonlyMap<Sub, RowOf<T>>;
    return this.#below === undefined ? own : new Map([...this.#below.rows(table, id), ...own]);
  }

  row<T extends Table>(table: T, id: string, sub: Sub = ''): RowOf<T> | undefined {
    return (
      (this.#of(table, id).get(sub) as RowOf<T> | undefined) ??
      (table.aggregate === undefined ? undefined : this.#below?.row(table, id, sub))
    );
  }

  /** What was written here. */
  own(table: Table, id: string, sub: Sub): AnyRow | undefined {
    return this.#of(table, id).get(sub);
  }

  chain(): readonly StoredEvent[] {
    throw new Error('a projector reads rows, never chains');
  }

  put<T extends Table>(table: T, row: RowOf<T>): void {
    this.#of(table, (row as AnyRow)[table.keyNames[0]] as string).set(subOf(table, row), row);
  }

  remove(table: Table, id: string, sub: Sub = ''): void {
    this.#of(table, id).delete(sub);
  }

  /** Every row, table by table. */
  *all(): Iterable<{ readonly table: Table; readonly id: string; readonly sub: Sub; readonly row: AnyRow }> {
    for (const [table, ids] of this.#tables)
      for (const [id, rows] of ids) for (const [sub, row] of rows) yield { table, id, sub, row };
  }

  #of(table: Table, id: string): Map<Sub, AnyRow> {
    let ids = this.#tables.get(table);
    if (ids === undefined) this.#tables.set(table, (ids = new Map<string, Map<Sub, AnyRow>>()));
    let rows = ids.get(id);
    if (rows === undefined) ids.set(id, (rows = new Map<Sub, AnyRow>()));
    return rows;
  }
}

/** What a projector saw when the entry was made, from what was stored of it. */
export function eventFrom(stored: StoredEvent): Event {
  const leaf = leafHash(stored.text);
  const contents: Record<string, JsonValue> = {};
  const replaced: string[] = [];
  for (const content of stored.contents) {
    const value = contentValue(content);
    if (value === undefined) continue;
    contents[content.field] = value;
    if (content.body === null) replaced.push(content.field);
  }
  return {
    seq: stored.seq,
    sealed: {
      entry: JSON.parse(stored.text) as Entry,
      text: stored.text,
      leaf,
      hash: Buffer.from(leaf).toString('hex'),
    },
    contents,
    replaced,
  };
}
