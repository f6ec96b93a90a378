/**
 * The state that readers of the embedded store see (ADR 38): only what is on disk. State that no batch in flight has
 * touched is returned at once; other state after the disk caught up.
 */
import type { Key, SignedCheckpoint, StoredEvent } from '../../engine/act.ts';
import { rowsOf, stateName, type AggregateSnapshot } from '../../engine/state.ts';
import type {
  Group,
  Grouping,
  LogEntry,
  LogText,
  PlacedEntry,
  Range,
  Reader,
  Selection,
} from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import type { Disk } from './disk.ts';
import type { LogReader } from './log-reader.ts';
import type { RowReader } from './row-reader.ts';

type Aggregate = Pick<Key, 'aggregate' | 'id'>;

/** What the store gives. */
export interface ReadingPort {
  readonly disk: Disk;
  readonly rows: RowReader;
  readonly entries: LogReader;
  /** The newest state, durable or not; kept from then on. */
  load(key: Aggregate): AggregateSnapshot;
  /** A state by name, where it is in memory. */
  kept(name: string): AggregateSnapshot | undefined;
  /** Whether a batch that the disk may not have yet changed a state, or rows of a table below an id. */
  isStateUnderWay(name: string): boolean;
  isRowUnderWay(table: Table, id: string): boolean;
  /** Durable entries, and their signed head. */
  size(): number;
  checkpoint(): SignedCheckpoint | null;
}

/** Rows that a scan reads at once. */
const scanRows = 512;

export class DurableReader implements Reader {
  readonly #port: ReadingPort;
  #waiting = 0;

  constructor(port: ReadingPort) {
    this.#port = port;
  }

  /** Whether a reader waits for the disk. Commits pause meanwhile, or the wait might never end. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  async rows<T extends Table>(table: T, id: string): Promise<ReadonlyMap<Sub, RowOf<T>>> {
    const loaded = await this.#loaded({ aggregate: aggregateOf(table), id });
    return rowsOf(loaded, table) as ReadonlyMap<Sub, RowOf<T>>;
  }

  async row<T extends Table>(table: T, id: string, sub: Sub = ''): Promise<RowOf<T> | undefined> {
    return (await this.rows(table, id)).get(sub);
  }

  list<T extends Table>(table: T, id: string, range: Range): Promise<readonly RowOf<T>[]> {
    return this.#rowsBelow(
      table,
      [id],
      () => this.#port.rows.list(table, id, range) as unknown as readonly RowOf<T>[],
    );
  }

  select<T extends Table>(table: T, selection: Selection): Promise<readonly RowOf<T>[]> {
    return this.#rowsBelow(
      table,
      selection.ids,
      () => this.#port.rows.chosen(table, selection) as unknown as readonly RowOf<T>[],
    );
  }

  count(table: Table, id: string): Promise<number> {
    return this.#rowsBelow(table, [id], () => this.#port.rows.count(table, id));
  }

  countBy(table: Table, grouping: Grouping): Promise<readonly Group[]> {
    return this.#rowsBelow(table, grouping.ids, () => this.#port.rows.counted(table, grouping));
  }

  /** A page at a time, each when the disk has all: what is committed between two pages may be lost like anything. */
  async *scan<T extends Table>(table: T): AsyncIterable<RowOf<T>> {
    for (let last: AnyRow | undefined; ;) {
      const page = await this.#durably(() => this.#port.rows.page(table, last, scanRows));
      yield* page as RowOf<T>[];
      last = page.at(-1);
      if (page.length < scanRows) return;
    }
  }

  async stamp(aggregate: string, id: string): Promise<number> {
    return (await this.#loaded({ aggregate, id })).stamp;
  }

  stampNow(aggregate: string, id: string): number | undefined {
    return this.#atOnce({ aggregate, id })?.stamp;
  }

  chain(id: string): Promise<readonly StoredEvent[]> {
    return this.#durably(() => this.#port.entries.chain(id));
  }

  chains(prefix: string): Promise<readonly StoredEvent[]> {
    return this.#durably(() => this.#port.entries.chains(prefix));
  }

  history(prefix: string, after: number, limit: number): Promise<readonly PlacedEntry[]> {
    return this.#durably(() => this.#port.entries.history(prefix, after, limit));
  }

  entries(from: number, limit: number): Promise<readonly LogEntry[]> {
    return this.#durably(() => this.#port.entries.entries(from, limit));
  }

  async texts(from: number, limit: number): Promise<readonly LogText[]> {
    return this.#port.entries.texts(from, limit);
  }

  async indexOf(seq: number): Promise<number | null> {
    return seq < this.#port.size() ? seq : null;
  }

  async checkpoint(): Promise<SignedCheckpoint | null> {
    return this.#port.checkpoint();
  }

  async tile(level: number, n: number, width: number): Promise<Uint8Array | undefined> {
    return this.#port.entries.tile(level, n, width);
  }

  async inclusion(index: number, size: number): Promise<readonly Uint8Array[]> {
    return this.#port.entries.inclusion(index, size);
  }

  async inclusionLines(index: number, size: number): Promise<string> {
    return this.#port.entries.inclusionLines(index, size);
  }

  /** Rows of a table below some ids. */
  async #rowsBelow<R>(table: Table, ids: readonly string[], read: () => R): Promise<R> {
    const { disk, isRowUnderWay } = this.#port;
    const settled = disk.lost === undefined && !(disk.isBehind && ids.some((id) => isRowUnderWay(table, id)));
    return settled ? read() : this.#durably(read);
  }

  /** What may be under way is read when the disk has all that was committed; rejects where it has lost some. */
  async #durably<T>(read: () => T): Promise<T> {
    const { disk } = this.#port;
    this.#waiting++;
    try {
      while (disk.isBehind) await disk.caughtUp();
      if (disk.lost !== undefined) throw disk.lost;
      return read();
    } finally {
      this.#waiting--;
    }
  }

  #loaded(key: Aggregate): AggregateSnapshot | Promise<AggregateSnapshot> {
    return this.#atOnce(key) ?? this.#durably(() => this.#port.load(key));
  }

  #atOnce(key: Aggregate): AggregateSnapshot | undefined {
    const { disk, load, kept, isStateUnderWay } = this.#port;
    const name = stateName(key.aggregate, key.id);
    if ((disk.isBehind || disk.lost !== undefined) && isStateUnderWay(name)) return undefined;
    return disk.lost === undefined ? load(key) : kept(name);
  }
}

function aggregateOf(table: Table): string {
  if (table.aggregate === undefined) throw new Error(`table ${table.name} is listed, not loaded`);
  return table.aggregate;
}
