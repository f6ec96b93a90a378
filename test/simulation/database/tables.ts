/**
 * The tables of the simulated PostgreSQL database and the changes that its write-ahead log carries. A state is whatever a
 * prefix of that log makes, so that a failover, a crash and a restore are the same replay over different prefixes.
 */
import type { Schema } from '../../../src/engine/act.ts';
import type { Table } from '../../../src/engine/tables.ts';
import { isSole } from '../../../src/store/postgres/sql.ts';

export interface EntryRow {
  readonly seq: number;
  readonly act: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
}

export interface ContentRow {
  readonly seq: number;
  readonly field: string;
  readonly salt: string | null;
  readonly body: string | null;
}

export type JsonRow = Readonly<Record<string, unknown>>;

interface StampedRow {
  readonly row: JsonRow;
  /** Of the batch that wrote it. */
  readonly stamp: number;
}

export interface Taken {
  readonly at: number;
  readonly first: number;
  readonly count: number;
}

export interface TileRow {
  readonly level: number;
  readonly n: number;
  /** In hex. */
  readonly bytes: string;
  readonly root: string;
}

/** One change, as the write-ahead log carries it. */
export type Change =
  | {
      readonly kind: 'batch';
      readonly first: number;
      readonly count: number;
      readonly entries: readonly EntryRow[];
      readonly contents: readonly ContentRow[];
      readonly stamped: readonly { readonly aggregate: string; readonly id: string }[];
      readonly puts: readonly { readonly table: string; readonly rows: readonly JsonRow[] }[];
      readonly removes: readonly { readonly table: string; readonly rows: readonly JsonRow[] }[];
    }
  | {
      readonly kind: 'integrate';
      readonly size: number;
      readonly root: Buffer;
      readonly note: string;
      readonly database: string;
      readonly taken: readonly Taken[];
      readonly tiles: readonly TileRow[];
    }
  | { readonly kind: 'keyring'; readonly name: string; readonly value: string }
  | { readonly kind: 'units'; readonly logged: number }
  | { readonly kind: 'message' };

export interface Head {
  readonly size: number;
  readonly root: Buffer | null;
  readonly note: string | null;
  readonly database: string | null;
}

/** A sequence is logged this far ahead of what it gave out, as PostgreSQL does it. */
export const unitsAhead = 32;

export class Tables {
  readonly entries = new Map<number, EntryRow>();
  readonly chains = new Map<string, EntryRow[]>();
  readonly contents = new Map<number, ContentRow[]>();
  /** Count by first number. */
  readonly pending = new Map<number, number>();
  readonly log: { readonly seq: number; root: Buffer | null }[] = [];
  readonly places = new Map<number, number>();
  readonly tiles = new Map<string, TileRow>();
  readonly keyring = new Map<string, string>();
  readonly stamps = new Map<string, number>();
  head: Head = { size: 0, root: null, note: null, database: null };
  /** The newest number of the sequence of entry numbers. */
  units = 1;
  readonly #schema: Schema;
  readonly #rows = new Map<string, Map<string, Map<string, StampedRow>>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Rows of a table below its first key, in the order of the second. */
  rows(table: Table, id: string): StampedRow[] {
    const [, second] = table.keyNames;
    const rows = [...(this.#rows.get(table.name)?.get(id)?.values() ?? [])];
    return second === undefined
      ? rows
      : rows.sort((a, b) => ((a.row[second] as number) < (b.row[second] as number) ? -1 : 1));
  }

  /** The constraint that a change breaks, if it breaks one. */
  conflict(change: Change): string | undefined {
    if (change.kind === 'batch') {
      if (this.pending.has(change.first)) return 'pending_pkey';
      for (const { seq, chain, n } of change.entries) {
        if (this.entries.has(seq)) return 'entry_pkey';
        if ((this.chains.get(chain)?.length ?? 0) > n) return 'entry_chain_n_key';
      }
    }
    if (change.kind === 'integrate')
      for (const { at, first, count } of change.taken) {
        if (at < this.log.length) return 'log_pkey';
        for (let seq = first; seq < first + count; seq++) if (this.places.has(seq)) return 'log_seq_key';
      }
    return undefined;
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'batch':
        return this.#batch(change);
      case 'integrate':
        return this.#integrate(change);
      case 'keyring':
        this.keyring.set(change.name, change.value);
        return;
      case 'units':
        this.units = Math.max(this.units, change.logged);
        return;
      case 'message':
    }
  }

  #batch(change: Change & { readonly kind: 'batch' }): void {
    for (const entry of change.entries) {
      this.entries.set(entry.seq, entry);
      const chain = this.chains.get(entry.chain);
      if (chain === undefined) this.chains.set(entry.chain, [entry]);
      else chain.push(entry);
    }
    for (const content of change.contents)
      this.contents.set(content.seq, [...(this.contents.get(content.seq) ?? []), content]);
    if (change.count > 0) this.pending.set(change.first, change.count);
    for (const { aggregate, id } of change.stamped) this.stamps.set(`${aggregate}\0${id}`, change.first);
    for (const { table, rows } of change.puts)
      for (const row of rows) this.#put(this.#table(table), { row, stamp: change.first });
    for (const { table, rows } of change.removes)
      for (const row of rows) this.#remove(this.#table(table), row);
  }

  #integrate({ size, root, note, database, taken, tiles }: Change & { readonly kind: 'integrate' }): void {
    for (const { at, first, count } of taken) {
      for (let i = 0; i < count; i++) {
        this.log[at + i] = { seq: first + i, root: null };
        this.places.set(first + i, at + i);
      }
      this.pending.delete(first);
    }
    const last = this.log[size - 1];
    if (last !== undefined) last.root = root;
    for (const tile of tiles) this.tiles.set(`${tile.level}/${tile.n}`, tile);
    this.head = { size, root, note, database };
  }

  #put(table: Table, stamped: StampedRow): void {
    const [first, second] = table.keyNames;
    const { row } = stamped;
    const id = row[first] as string;
    const ids = this.#rows.get(table.name) ?? new Map<string, Map<string, StampedRow>>();
    this.#rows.set(table.name, ids);
    const rows = ids.get(id) ?? new Map<string, StampedRow>();
    ids.set(id, rows);
    rows.set(second === undefined ? '' : String(row[second]), stamped);
  }

  #remove(table: Table, row: JsonRow): void {
    const [first, second] = table.keyNames;
    this.#rows
      .get(table.name)
      ?.get(row[first] as string)
      ?.delete(second === undefined ? '' : String(row[second]));
  }

  #table(name: string): Table {
    const table = this.#schema.tables.find((each) => each.name === name);
    if (table === undefined) throw new Error(`no table ${name}`);
    return table;
  }

  /** `[stamp, rows of each table …]` as the statement that loads states answers; null where there is nothing. */
  state(aggregate: string, id: string, known: number | null): readonly unknown[] | null {
    const tables = this.#schema.tables.filter((table) => table.aggregate === aggregate);
    const [only] = tables as [Table];
    if (isSole(only, this.#schema)) {
      const [found] = this.rows(only, id);
      if (found === undefined) return null;
      return found.stamp === known ? [known] : [found.stamp, [valuesOf(only, found.row)]];
    }
    const stamp = this.stamps.get(`${aggregate}\0${id}`);
    if (stamp === undefined) return null;
    if (stamp === known) return [stamp];
    return [stamp, ...tables.map((table) => this.rows(table, id).map(({ row }) => valuesOf(table, row)))];
  }

  /** `[seq, text, contents]` of an entry. */
  event({ seq, text }: EntryRow): readonly unknown[] {
    const contents = this.contents.get(seq) ?? [];
    return [seq, text, contents.map(({ field, salt, body }) => [field, salt, body, null, null])];
  }
}

/** Names of the rows that a change writes and another may want to write, too. */
export function rowsOf(change: Change): string[] {
  if (change.kind === 'keyring') return [`keyring ${change.name}`];
  if (change.kind === 'integrate') return ['log_head'];
  if (change.kind !== 'batch') return [];
  return change.entries.map(({ chain }) => `chain ${chain}`);
}

function valuesOf(table: Table, row: JsonRow): unknown[] {
  return table.names.map((name) => row[name] ?? null);
}
