/**
 * Compares projections with a replay of the ledger while the server writes (contract §1.8). A differing row may be
 * newer than the replay: it counts as altered if no committed entry up to the time of the read explains it.
 */
import { setImmediate as turnOfOthers, setTimeout } from 'node:timers/promises';
import type { Schema } from '../../engine/act.ts';
import { differingColumns } from '../../engine/row-difference.ts';
import type { ReadableEntry } from '../../engine/readable-entries.ts';
import type { RowReplay } from '../../engine/row-replay.ts';
import type { Reader } from '../../engine/store.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import { subOf, type AnyRow, type Sub, type Table } from '../../engine/tables.ts';

export interface ComparedRows {
  readonly schema: Schema;
  readonly openReplay: () => Promise<RowReplay>;
  /** Committed entries without a place in the log. */
  readonly unlogged: () => Promise<number>;
}

interface Place {
  readonly table: Table;
  readonly id: string;
  readonly sub: Sub;
  /** The last difference found. */
  readonly difference: string;
}

/** Rows compared before yielding to requests. */
const sliceRows = 64;
const pageEntries = 256;
/** Rows of a table that are checked again; a replaced store has no end of them. */
const candidatesMax = 200;
/** Rows judged exactly, and the most that one pass names. */
const judgedMax = 100;
/** Differing reads after which a row counts as altered. */
const looks = 3;
const waitsMax = 100;
const waitMs = 20;

export class RowComparison {
  readonly #read: Reader;
  readonly #rows: ComparedRows;
  readonly #replay: RowReplay;
  #taken = 0;
  /** Log size at the start of the pass. */
  #begun = 0;
  /** A scrub since then removed contents that had been replayed. */
  #isScrubbed = false;
  /** Why the replay stopped. */
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

  /** Replays the next entry; stops at one that cannot be replayed. */
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

  /** One line per altered row. Ends after a bounded number of entries, however much is written meanwhile. */
  async altered(closing: AbortSignal): Promise<string[]> {
    const found: Place[] = [];
    for (const table of this.#rows.schema.tables) await this.#candidates(table, found, closing);
    let suspects: readonly Place[] = found;
    // The first check sorts out rows that were only newer, most of them under load.
    for (let look = 0; look < looks && suspects.length > 0 && !closing.aborted; look++)
      suspects = await this.#stillDiffering(suspects.slice(0, look === 0 ? undefined : judgedMax), look > 0);
    if (this.#stopped !== undefined) return [this.#stopped];
    // Rows rewritten by a scrub are replayed by the next pass.
    if (this.#isScrubbed || closing.aborted) return [];
    return suspects.map(({ table, id, sub, difference }) => {
      const key = [id, sub].slice(0, table.keyNames.length).join(' / ');
      return `projection ${table.name}, row ${key}: ${difference}`;
    });
  }

  /** Adds rows that differ from the replay to `found`. */
  async #candidates(table: Table, found: Place[], closing: AbortSignal): Promise<void> {
    const end = found.length + candidatesMax;
    let looked = 0;
    let known = 0;
    const next = async (): Promise<boolean> => {
      if (looked++ % sliceRows === 0) await turnOfOthers();
      return found.length < end && !closing.aborted;
    };
    for await (const row of this.#read.scan(table)) {
      if (!(await next())) return;
      const place = rowPlace(table, row);
      const made = this.#replay.row(table, place.id, place.sub);
      if (made !== undefined) known++;
      if (differingColumns(table, made, row) !== undefined) found.push(place);
    }
    if (known === this.#replay.count(table)) return;
    for (const row of this.#replay.rows(table)) {
      if (!(await next())) return;
      const place = rowPlace(table, row);
      if ((await this.#live(place)) === undefined) found.push(place);
    }
  }

  /**
   * Rows whose stored state, read again, matches the replay at no committed entry; `afterEach`: checked after each
   * entry.
   */
  async #stillDiffering(places: readonly Place[], afterEach: boolean): Promise<readonly Place[]> {
    const rows = new Map<Place, AnyRow | undefined>();
    for (const place of places) rows.set(place, await this.#live(place));
    // Order matters: an entry integrated between the two reads is counted by the second.
    const unlogged = await this.#rows.unlogged();
    const until = ((await this.#read.checkpoint())?.size ?? 0) + unlogged;
    const differing = (): Place[] =>
      [...rows].flatMap(([place, live]) => {
        const made = this.#replay.row(place.table, place.id, place.sub);
        const difference = differingColumns(place.table, made, live);
        if (difference === undefined) rows.delete(place);
        return difference === undefined ? [] : [{ ...place, difference }];
      });
    differing();
    const slices = new TimeSlices();
    for (let waits = 0; this.#taken < until && rows.size > 0;) {
      const before = this.#taken;
      for (const entry of await this.#read.entries(before, Math.min(pageEntries, until - before))) {
        this.take(entry);
        if (afterEach) differing();
        if (slices.isDue) await slices.yieldTurn();
      }
      if (this.#stopped !== undefined) return [];
      if (this.#taken > before) continue;
      // Entries without a place in the log cannot be replayed.
      if (++waits > waitsMax) return [];
      await setTimeout(waitMs);
    }
    return differing();
  }

  /** Reads the stored row, not a cached one. */
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

function rowPlace(table: Table, row: AnyRow): Place {
  return { table, id: String(row[table.keyNames[0]]), sub: subOf(table, row), difference: 'differs' };
}
