/**
 * Projections compared with a replay of the ledger while the server goes on writing (contract §1.8). A row that differs
 * may only be newer than the replay: it counts as altered once it differs at a moment when both have seen the same
 * entries.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Schema } from '../../engine/act.ts';
import { differingColumns } from '../../engine/row-difference.ts';
import type { ReadableEntry } from '../../engine/readable-entries.ts';
import type { RowReplay } from '../../engine/row-replay.ts';
import type { Reader } from '../../engine/store.ts';
import { subOf, type AnyRow, type Sub, type Table } from '../../engine/tables.ts';

export interface ComparedRows {
  readonly schema: Schema;
  readonly openReplay: () => Promise<RowReplay>;
  /** Committed entries that have no place in the log yet. */
  readonly unlogged: () => Promise<number>;
}

interface Place {
  readonly table: Table;
  readonly id: string;
  readonly sub: Sub;
}

/** Rows that are compared before other requests have their turn. */
const sliceRows = 64;
const pageEntries = 256;
/** Rows that are looked at again one by one; a store that was replaced has no end of them. */
const candidatesMax = 200;
/** Looks at one row, in the hope of a moment without a write. */
const looksMax = 50;

export class RowComparison {
  readonly #read: Reader;
  readonly #rows: ComparedRows;
  readonly #replay: RowReplay;
  #taken = 0;
  /** Entries of the log when the pass began. */
  #begun = 0;
  /** A scrub since then took contents away that were replayed before it. */
  #isScrubbed = false;
  /** Why an entry could not be replayed. */
  #stopped: string | undefined;

  constructor(read: Reader, rows: ComparedRows, replay: RowReplay) {
    this.#read = read;
    this.#rows = rows;
    this.#replay = replay;
  }

  close(): void {
    this.#replay.close();
  }

  begin(size: number): void {
    this.#begun = size;
  }

  /** Replays the next entry of the log; none behind one that cannot be replayed. */
  take(entry: ReadableEntry): void {
    if (this.#stopped !== undefined || entry.index !== this.#taken || entry.contents === undefined) return;
    try {
      this.#replay.take(entry);
      this.#taken++;
      if (entry.index >= this.#begun && isScrub(entry.text)) this.#isScrubbed = true;
    } catch (error) {
      this.#stopped = (error as Error).message;
    }
  }

  /** Replays what was written since; false where the log had no more. */
  async #follow(): Promise<boolean> {
    const before = this.#taken;
    const page = await this.#read.entries(before, pageEntries);
    for (const entry of page) this.take(entry);
    return this.#taken === before + pageEntries;
  }

  /** One line for each row that differs. */
  async altered(closing: AbortSignal): Promise<string[]> {
    if (this.#stopped !== undefined) return [this.#stopped];
    const found: string[] = [];
    for (const table of this.#rows.schema.tables)
      for (const place of await this.#candidates(table, closing)) {
        if (closing.aborted) return found;
        const difference = await this.#difference(place);
        if (difference === undefined) continue;
        const key = [place.id, place.sub].slice(0, table.keyNames.length).join(' / ');
        found.push(`projection ${table.name}, row ${key}: ${difference}`);
      }
    return found;
  }

  /** Rows that differ from the replay as far as it has come. */
  async #candidates(table: Table, closing: AbortSignal): Promise<readonly Place[]> {
    const found: Place[] = [];
    let looked = 0;
    let known = 0;
    const next = async (): Promise<boolean> => {
      if (looked++ % sliceRows === 0) await turnOfOthers();
      return found.length < candidatesMax && !closing.aborted;
    };
    for await (const row of this.#read.scan(table)) {
      if (!(await next())) return found;
      const place = placeOf(table, row);
      const made = this.#replay.row(table, place.id, place.sub);
      if (made !== undefined) known++;
      if (differingColumns(table, made, row) !== undefined) found.push(place);
    }
    if (known === this.#replay.count(table)) return found;
    for (const row of this.#replay.rows(table)) {
      if (!(await next())) return found;
      const place = placeOf(table, row);
      if ((await this.#live(place)) === undefined) found.push(place);
    }
    return found;
  }

  /** How a row differs when replay and store are of the same moment; nothing where it does not, or there was none. */
  async #difference(place: Place): Promise<string | undefined> {
    for (let look = 0; look < looksMax; look++) {
      while (await this.#follow()) await turnOfOthers();
      const live = await this.#live(place);
      const size = (await this.#read.checkpoint())?.size ?? 0;
      const made = this.#replay.row(place.table, place.id, place.sub);
      const difference = differingColumns(place.table, made, live);
      // What a scrub rewrote, the next pass replays anew.
      if (difference === undefined || this.#isScrubbed) return undefined;
      if (size === this.#taken && (await this.#rows.unlogged()) === 0) return difference;
      await turnOfOthers();
    }
    return undefined;
  }

  /** The row as it is stored, and not as it may be cached. */
  async #live({ table, id, sub }: Place): Promise<AnyRow | undefined> {
    const [first, second] = table.keyNames;
    const rows: readonly AnyRow[] =
      second === undefined
        ? await this.#read.list(table, id, { limit: 1 })
        : await this.#read.select(table, {
            ids: [id],
            where: [{ column: second, op: '=', value: sub }],
            order: first,
            limit: 1,
          });
    return rows[0];
  }
}

function isScrub(text: string): boolean {
  return (JSON.parse(text) as { readonly action?: unknown }).action === 'scrub';
}

function placeOf(table: Table, row: AnyRow): Place {
  return { table, id: String(row[table.keyNames[0]]), sub: subOf(table, row) };
}
