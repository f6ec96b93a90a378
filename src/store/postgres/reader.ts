/**
 * Reads committed state over a pool. States requested within one turn of the event loop share one version query, and a
 * state cached under an unchanged stamp is not sent again.
 */
import pg from 'pg';
import { chainAggregate, type StoredEvent } from '../../engine/act.ts';
import { prefixEnd } from '../../engine/keys.ts';
import { rowsOf, stateName, type AggregateSnapshot } from '../../engine/state.ts';
import type { Group, Grouping, PlacedEntry, Range, Reader, Selection } from '../../engine/store.ts';
import type { AnyRow, RowOf, Sub, Table } from '../../engine/tables.ts';
import { Unreachable } from './connection.ts';
import type { LogReader } from './log-reader.ts';
import type { RowSource } from './read-pool.ts';
import type { RollbackGuard } from './rollback-guard.ts';
import { unitEntries } from './entry-numbers.ts';
import { countRows, groupOf, quote, rangeOf, selectRows } from '../sql.ts';
import { dialect, eventValues } from './sql.ts';
import {
  eventFrom,
  type EventValues,
  type StateKey,
  type StateLoader,
  type StateRow,
} from './state-loader.ts';

/** Rows fetched at a time where a whole table is read. */
const fetchRows = 1000;

interface Waiting {
  readonly key: StateKey;
  readonly loaded: Promise<AggregateSnapshot>;
  resolve(loaded: AggregateSnapshot): void;
  reject(error: unknown): void;
}

export class PostgresReader implements Reader {
  readonly checkpoint: Reader['checkpoint'];
  readonly indexOf: Reader['indexOf'];
  readonly entries: Reader['entries'];
  readonly texts: Reader['texts'];
  readonly tile: Reader['tile'];
  readonly inclusion: Reader['inclusion'];
  readonly inclusionLines: Reader['inclusionLines'];
  readonly #pool: RowSource;
  readonly #loader: StateLoader;
  readonly #guard: RollbackGuard;
  #waiting = new Map<string, Waiting>();

  constructor(pool: RowSource, loader: StateLoader, log: LogReader, guard: RollbackGuard) {
    this.#pool = pool;
    this.#loader = loader;
    this.#guard = guard;
    this.checkpoint = () => log.checkpoint();
    this.indexOf = (seq) => log.indexOf(seq);
    this.entries = (from, limit) => log.entries(from, limit);
    this.texts = (from, limit) => log.texts(from, limit);
    this.tile = (level, n, width) => log.tile(level, n, width);
    this.inclusion = (index, size) => log.inclusion(index, size);
    this.inclusionLines = (index, size) => log.inclusionLines(index, size);
  }

  async rows<T extends Table>(table: T, id: string): Promise<ReadonlyMap<Sub, RowOf<T>>> {
    if (table.aggregate === undefined) throw new Error(`table ${table.name} is listed, not loaded`);
    return rowsOf(await this.#load({ aggregate: table.aggregate, id }), table) as ReadonlyMap<Sub, RowOf<T>>;
  }

  async row<T extends Table>(table: T, id: string, sub: Sub = ''): Promise<RowOf<T> | undefined> {
    return (await this.rows(table, id)).get(sub);
  }

  /** Stored stamps are multiples of `unitEntries`: the added offset distinguishes stamps of another database. */
  async stamp(aggregate: string, id: string): Promise<number> {
    const { stamp } = await this.#load({ aggregate, id });
    return stamp + (this.#guard.epoch % unitEntries);
  }

  /** Another node may have written since anything here was read. */
  stampNow(): undefined {
    return undefined;
  }

  async chain(id: string): Promise<readonly StoredEvent[]> {
    return (await this.#load({ aggregate: chainAggregate, id })).events;
  }

  list<T extends Table>(table: T, id: string, range: Range): Promise<readonly RowOf<T>[]> {
    return this.select(table, rangeOf(table, id, range));
  }

  async select<T extends Table>(table: T, selection: Selection): Promise<readonly RowOf<T>[]> {
    return this.#pool.rows<AnyRow>(selectRows(table, selection, dialect)) as Promise<RowOf<T>[]>;
  }

  async count(table: Table, id: string): Promise<number> {
    const text = `SELECT count(*) AS n FROM ${quote(table.name)} WHERE ${quote(table.keyNames[0])} = $1`;
    const [row] = await this.#pool.rows<{ n: number }>({ text, values: [id] });
    return (row as { n: number }).n;
  }

  async countBy(table: Table, grouping: Grouping): Promise<readonly Group[]> {
    const rows = await this.#pool.rows<AnyRow>(countRows(table, grouping, dialect));
    return rows.map((row) => groupOf(row, grouping));
  }

  /** One snapshot of the table, however long the reading takes. */
  scan<T extends Table>(table: T): AsyncIterable<RowOf<T>> {
    const order = table.keyNames.map(quote).join(', ');
    return this.#pool.within(async function* (client) {
      await client.query(
        `DECLARE scan NO SCROLL CURSOR FOR SELECT ${columns(table)} FROM ${quote(table.name)} ORDER BY ${order}`,
      );
      for (;;) {
        const { rows } = await client.query<AnyRow>(`FETCH ${fetchRows} FROM scan`);
        yield* rows as RowOf<T>[];
        if (rows.length < fetchRows) break;
      }
      await client.query('CLOSE scan');
    });
  }

  async chains(prefix: string): Promise<readonly StoredEvent[]> {
    const text = `SELECT json_build_array(${eventValues}) AS event FROM entry e WHERE e.chain >= $1 AND e.chain < $2 ORDER BY e.seq`;
    const rows = await this.#pool.rows<{ event: EventValues }>({
      name: 'chains',
      text,
      values: [prefix, prefixEnd(prefix)],
    });
    return rows.map(({ event }) => eventFrom(event));
  }

  async history(prefix: string, after: number, limit: number): Promise<readonly PlacedEntry[]> {
    const text = `SELECT l.idx, e.act, json_build_array(${eventValues}) AS event
      FROM (SELECT seq FROM entry WHERE chain >= $1 AND chain < $2 AND seq > $3 ORDER BY seq LIMIT $4) p
      JOIN entry e ON e.seq = p.seq LEFT JOIN log l ON l.seq = e.seq ORDER BY e.seq`;
    const rows = await this.#pool.rows<{ idx: number | null; act: number; event: EventValues }>({
      name: 'history',
      text,
      values: [prefix, prefixEnd(prefix), after, limit],
    });
    return rows.map(({ idx, act, event }) => ({ ...eventFrom(event), index: idx, act }));
  }

  #load(key: StateKey): Promise<AggregateSnapshot> {
    const name = stateName(key.aggregate, key.id);
    const known = this.#waiting.get(name);
    if (known !== undefined) return known.loaded;
    // After the poll phase, as for acts: what every request asks that has arrived by then.
    if (this.#waiting.size === 0) setImmediate(() => void this.#loadAll());
    const { promise, resolve, reject } = Promise.withResolvers<AggregateSnapshot>();
    this.#waiting.set(name, { key, loaded: promise, resolve, reject });
    return promise;
  }

  /** Reads go on where a rollback was found, from the database as it is: what was cached of the other one is gone. */
  async #loaded(keys: readonly StateKey[]): Promise<readonly AggregateSnapshot[]> {
    for (let tries = 1; ; tries++) {
      const request = this.#loader.request(keys);
      const rows = await this.#pool.rows<StateRow & pg.QueryResultRow>(request.query);
      request.judge(rows);
      const states = request.states(rows);
      if (states !== undefined) return states;
      if (tries === readsMax) throw new Unreachable('PostgreSQL answers from changing databases');
    }
  }

  async #loadAll(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      const loaded = await this.#loaded(waiting.map(({ key }) => key));
      waiting.forEach((each, i) => each.resolve(loaded[i] as AggregateSnapshot));
    } catch (error) {
      for (const each of waiting) each.reject(error);
    }
  }
}

/** How often states are asked for again because the database turned out to be another. */
const readsMax = 4;

/** By name: a table may have columns that are the store's own. */
function columns(table: Table): string {
  return table.names.map(quote).join(', ');
}
