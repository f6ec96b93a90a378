/**
 * What a batch asks of its store, and what it leaves there. The engine yields each request and goes on with the
 * reply, so that SQLite drives it synchronously and PostgreSQL drives the same code with `await`.
 */
import type { Appended, Key, Scrub, StoredContent, StoredEvent } from './act.ts';
import type { AggregateSnapshot, AggregateDraft } from './state.ts';
import type { AnyRow, Sub, Table } from './tables.ts';

export interface NewEntry {
  readonly seq: number;
  /** `seq` of the first entry of the same act. */
  readonly act: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
  readonly leaf: Uint8Array;
  readonly contents: readonly StoredContent[];
}

/** Rows to put (or, where null, to remove), by table and both keys; the last write of a batch wins. */
export type Puts = ReadonlyMap<Table, ReadonlyMap<string, ReadonlyMap<Sub, AnyRow | null>>>;

/** What a batch took from stored contents: the entries of these chains as they stood before, those that changed alone. */
export interface ScrubbedChains {
  readonly chains: string;
  readonly before: readonly Pick<StoredEvent, 'seq' | 'contents'>[];
}

/** A batch of a node whose projectors are of another version: to be projected with those of this one. */
export interface ForeignBatch {
  readonly events: readonly StoredEvent[];
  readonly scrubbed: readonly ScrubbedChains[];
}

export interface Writes {
  readonly entries: readonly NewEntry[];
  readonly puts: Puts;
  /** Contents that were stored before and are taken away. */
  readonly scrubs: readonly Scrub[];
  /** All contents of each entry that one of them is taken from, as they stand then; the last of an entry holds. */
  readonly scrubbed: readonly Pick<StoredEvent, 'seq' | 'contents'>[];
  readonly scrubbedChains: readonly ScrubbedChains[];
  /** Aggregates whose rows changed, by state name. */
  readonly touched: readonly Key[];
}

export type Request =
  | { readonly io: 'begin'; readonly keys: readonly Key[] }
  | { readonly io: 'load'; readonly keys: readonly Key[] }
  | { readonly io: 'more'; readonly keys: readonly Key[] }
  | { readonly io: 'seq' }
  | { readonly io: 'write'; readonly writes: Writes }
  | { readonly io: 'commit' }
  | { readonly io: 'rollback' };

/**
 * What each request is answered with: `load` with one state a key, `seq` with the first free number. `more` asks
 * for keys that a decision met: a store that takes no locks gives their states as `load` does, any other nothing.
 */
export type Reply = readonly AggregateSnapshot[] | number | void;

export interface ActOutcome {
  readonly answer: unknown;
  readonly error?: unknown;
  readonly entries: readonly Appended[];
}

export interface BatchResult {
  readonly outcomes: readonly ActOutcome[];
  readonly promoted: ReadonlyMap<string, AggregateDraft>;
  readonly entries: number;
}
