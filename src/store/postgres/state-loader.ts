/**
 * Loads any number of aggregates in one statement. The statement carries the stamps of cached states, and the server
 * sends only states whose stamp changed.
 */
import type pg from 'pg';
import {
  chainAggregate,
  chainsAggregate,
  type Key,
  type Schema,
  type StoredContent,
  type StoredEvent,
} from '../../engine/act.ts';
import {
  emptySnapshot,
  snapshotFrom,
  stateName,
  type AggregateSnapshot,
  type StateCache,
} from '../../engine/state.ts';
import type { AnyRow, Table } from '../../engine/tables.ts';
import type { EvidenceRow, Known, RollbackGuard, Verdict } from './rollback-guard.ts';
import { lockId } from './connection.ts';
import { evidenceAt, loadStates } from './sql.ts';

export type StateKey = Pick<Key, 'aggregate' | 'id'>;

/** What one row of `loadStates` holds. */
export interface StateRow {
  readonly i: number;
  readonly first?: number | null;
  readonly last?: number | null;
  readonly state: readonly unknown[] | null;
}

/** `[field, salt as hex, body, replacement, scrubbed by]`, as the statements put contents together. */
export type EventValues = readonly [
  seq: number,
  text: string,
  contents: readonly (readonly [string, string | null, string | null, string | null, string | null])[] | null,
];

export interface StateRequest {
  readonly query: pg.QueryConfig;
  readonly known: Known;
  /** What the rows say about the database; to be asked before `states`. */
  judge(rows: readonly StateRow[]): Verdict;
  /** Undefined where the database turned out to be another than the one that states were cached of: ask again. */
  states(rows: readonly StateRow[]): AggregateSnapshot[] | undefined;
}

/** Every connection keeps the plan of each statement that it ran. */
const statementsMax = 128;

export class StateLoader {
  readonly #schema: Schema;
  readonly #cache: StateCache;
  readonly #guard: RollbackGuard;
  readonly #statements = new Map<string, Omit<pg.QueryConfig, 'values'>>();

  constructor(schema: Schema, cache: StateCache, guard: RollbackGuard) {
    this.#schema = schema;
    this.#cache = cache;
    this.#guard = guard;
  }

  /** The statement for the aggregates of some keys; one for all aggregates where callers mix too many. */
  #statement(keys: readonly StateKey[], numbered: boolean): Omit<pg.QueryConfig, 'values'> {
    const kind = numbered ? 'load_numbered' : 'load';
    const asked = [...new Set(keys.map((key) => key.aggregate))].sort();
    const signature = `${kind} ${asked.join(' ')}`;
    const known = this.#statements.get(signature);
    if (known !== undefined) return known;
    if (this.#statements.size >= statementsMax) {
      const all = new Set(this.#schema.tables.flatMap(({ aggregate }) => aggregate ?? []));
      return {
        name: kind,
        text: loadStates(this.#schema, numbered, [...all, chainAggregate, chainsAggregate]),
      };
    }
    const statement = {
      name: `${kind} ${lockId(signature)}`,
      text: loadStates(this.#schema, numbered, asked),
    };
    this.#statements.set(signature, statement);
    return statement;
  }

  /** The query for some keys, and what turns its rows into their states. `units` draws entry numbers too. */
  request(keys: readonly StateKey[], units?: number): StateRequest {
    const { known } = this.#guard;
    // Held here, because the query tells the server which states are cached; an eviction in between must not lose them.
    const cached = keys.map((key) => this.#cache.get(stateName(key.aggregate, key.id)));
    const request = JSON.stringify(
      keys.map(({ aggregate, id }, i) => ({ i, aggregate, id, known: cached[i]?.stamp ?? null })),
    );
    return {
      query:
        units === undefined
          ? { ...this.#statement(keys, false), values: [request, known.head.size, known.own.seq] }
          : { ...this.#statement(keys, true), values: [request, units, known.head.size, known.own.seq] },
      known,
      judge: (rows) =>
        this.#guard.judge(known, rows.find(({ i }) => i === evidenceAt)?.state as EvidenceRow | undefined),
      states: (rows) => {
        // What was cached when this was asked was cached of another database.
        if (known.epoch !== this.#guard.epoch) return undefined;
        const states: AggregateSnapshot[] = keys.map(() => emptySnapshot);
        for (const { i, state } of rows) {
          if (i === evidenceAt || state === null) continue;
          states[i] = this.#state(keys[i] as StateKey, state, cached[i]);
        }
        return states;
      },
    };
  }

  #state(key: StateKey, state: readonly unknown[], cached: AggregateSnapshot | undefined): AggregateSnapshot {
    const [stamp, ...lists] = state as [number, ...(readonly (readonly unknown[])[] | null)[]];
    if (key.aggregate === chainAggregate || key.aggregate === chainsAggregate) {
      return {
        stamp: 0,
        tables: new Map(),
        events: ((lists[0] ?? []) as readonly EventValues[]).map(eventFrom),
        bytes: 0,
      };
    }
    if (cached !== undefined && cached.stamp === stamp) return cached;
    const tables = this.#schema.tables.filter((table) => table.aggregate === key.aggregate);
    const loaded = snapshotFrom(
      stamp,
      tables.map((table, i) => [table, (lists[i] ?? []).map((values) => rowFrom(table, values))] as const),
    );
    this.keep(stateName(key.aggregate, key.id), loaded);
    return loaded;
  }

  /** Caches a committed state. Stamps grow, and a slow read never replaces what a newer commit left. */
  keep(name: string, loaded: AggregateSnapshot): void {
    this.#guard.sawStamp(loaded.stamp);
    const known = this.#cache.get(name);
    if (known === undefined || known.stamp < loaded.stamp) this.#cache.set(name, loaded);
  }
}

function rowFrom(table: Table, values: readonly unknown[]): AnyRow {
  const row: Record<string, unknown> = {};
  table.names.forEach((name, i) => (row[name] = values[i]));
  return row;
}

export function eventFrom([seq, text, contents]: EventValues): StoredEvent {
  return {
    seq,
    text,
    contents: (contents ?? []).map(([field, salt, body, replacement, scrubbedBy]): StoredContent => ({
      field,
      salt: salt === null ? null : Buffer.from(salt, 'hex'),
      body,
      replacement,
      scrubbedBy,
    })),
  };
}
