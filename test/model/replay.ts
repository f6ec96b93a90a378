/**
 * A ledger replayed in memory, and stores compared by what they hold. Replaying is nothing but the projectors
 * over the log, in its order; comparing takes random ids for equal when they appear in the same place.
 */
import type { Event, Projection, Schema, StoredEvent } from '../../src/engine/act.ts';
import type { LogEntry, Reader, Store } from '../../src/engine/store.ts';
import { subOf, type AnyRow, type RowOf, type Sub, type Table } from '../../src/engine/tables.ts';
import type { JsonValue } from '../../src/kernel/json.ts';
import { leafHash, type Entry } from '../../src/ledger/entry.ts';

export type Rows = Record<string, AnyRow[]>;

export async function logOf(read: Reader): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (;;) {
    const more = await read.entries(all.length, 1000);
    if (more.length === 0) return all;
    all.push(...more);
  }
}

/** Every row of every table, as the store has it. */
export async function rowsOf(store: Store, schema: Schema): Promise<Rows> {
  const rows: Rows = {};
  for (const table of schema.tables) {
    rows[table.name] = [];
    for await (const row of store.read.scan(table)) rows[table.name]?.push(row);
  }
  return rows;
}

/** Every row of every table, as the log gives it. */
export function replay(schema: Schema, log: readonly LogEntry[]): Rows {
  const memory = new Memory();
  for (const entry of log) schema.project(eventFrom(entry), memory);
  const rows: Rows = {};
  for (const table of schema.tables) rows[table.name] = memory.all(table);
  return rows;
}

function eventFrom(stored: StoredEvent): Event {
  const leaf = leafHash(stored.text);
  const contents: Record<string, JsonValue> = {};
  const replaced: string[] = [];
  for (const { field, salt, body, replacement = null } of stored.contents) {
    if (body !== null) contents[field] = salt === null ? body : (JSON.parse(body) as JsonValue);
    else if (replacement !== null) {
      contents[field] = field === 'text_sha' ? replacement : (JSON.parse(replacement) as JsonValue);
      replaced.push(field);
    }
  }
  const entry = JSON.parse(stored.text) as Entry;
  return {
    seq: stored.seq,
    sealed: { entry, text: stored.text, leaf, hash: Buffer.from(leaf).toString('hex') },
    contents,
    replaced,
  };
}

class Memory implements Projection {
  readonly #tables = new Map<Table, Map<string, Map<Sub, AnyRow>>>();

  #of(table: Table, id: string): Map<Sub, AnyRow> {
    let ids = this.#tables.get(table);
    if (ids === undefined) this.#tables.set(table, (ids = new Map<string, Map<Sub, AnyRow>>()));
    let rows = ids.get(id);
    if (rows === undefined) ids.set(id, (rows = new Map<Sub, AnyRow>()));
    return rows;
  }

  rows<T extends Table>(table: T, id: string): ReadonlyMap<Sub, RowOf<T>> {
    return this.#of(table, id) as ReadonlyMap<Sub, unknown> as ReadonlyMap<Sub, RowOf<T>>;
  }

  row<T extends Table>(table: T, id: string, sub: Sub = ''): RowOf<T> | undefined {
    return this.rows(table, id).get(sub);
  }

  chain(): readonly StoredEvent[] {
    throw new Error('projectors read rows, not chains');
  }

  put<T extends Table>(table: T, row: RowOf<T>): void {
    this.#of(table, (row as AnyRow)[table.keyNames[0]] as string).set(subOf(table, row), row);
  }

  remove(table: Table, id: string, sub: Sub = ''): void {
    this.#of(table, id).delete(sub);
  }

  /** In key order, as bytes compare. */
  all(table: Table): AnyRow[] {
    const rows = [...(this.#tables.get(table)?.values() ?? [])].flatMap((map) => [...map.values()]);
    return rows.sort((a, b) => {
      for (const name of table.keyNames) {
        const order = compare(a[name], b[name]);
        if (order !== 0) return order;
      }
      return 0;
    });
  }
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number'
    ? a - (b as number)
    : Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
}

// Comparing what random ids keep apart

const random =
  /\b(inv|art|mc)_[a-z2-7]{16}\b|\b(cap)_[0-9a-f]{16}\b|(?:\b|(?<=\\n))(sh)\.[A-Za-z0-9_-]{48}|\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{24})\b/g;

/** Gives every random id and hash a number, in the order in which they are first met. */
export class Masks {
  readonly #numbers = new Map<string, number>();

  mask(text: string): string {
    return text.replace(random, (id: string, ...kinds: (string | undefined)[]) => {
      // A hash and its beginning, by which some rows know it, are one.
      const name = /^[0-9a-f]+$/.test(id) ? id.slice(0, 24) : id;
      let number = this.#numbers.get(name);
      if (number === undefined) this.#numbers.set(name, (number = this.#numbers.size));
      return `${kinds.slice(0, 3).find((kind) => kind !== undefined) ?? 'hash'}#${number}`;
    });
  }
}

/** One answer, with its ids in order of appearance. */
export function masked(answer: unknown): unknown {
  return JSON.parse(new Masks().mask(JSON.stringify(answer ?? null)));
}

/** The log and the rows of a store, with ids numbered in the order of the log, and entries by their index. */
export function maskedStore(
  log: readonly LogEntry[],
  rows: Rows,
): { readonly entries: string[]; readonly rows: Record<string, string[]> } {
  const masks = new Masks();
  const index = new Map(log.map((entry) => [entry.seq, entry.index]));
  const entries = log.map(({ text, contents, act }) => {
    const hash = Buffer.from(leafHash(text)).toString('hex');
    return masks.mask(
      JSON.stringify([index.get(act), text, contents.map(({ field, body }) => [field, body]), hash]),
    );
  });
  const maskedRows: Record<string, string[]> = {};
  for (const [name, list] of Object.entries(rows)) {
    maskedRows[name] = list
      .map((row) =>
        masks.mask(JSON.stringify('seq' in row ? { ...row, seq: index.get(row['seq'] as number) } : row)),
      )
      .sort();
  }
  return { entries, rows: maskedRows };
}
