/**
 * The overlay in which acts are decided: loaded snapshots, the changes of this batch, and a journal that undoes a failed act.
 * It does no I/O; a missing key is reported as `missingKeys`.
 */
import type { JsonValue } from '../kernel/json.ts';
import { headOf, seal, type Draft, type Head } from '../ledger/entry.ts';
import {
  chainAggregate,
  chainsAggregate,
  type Act,
  type Appended,
  type Event,
  type EventDraft,
  type Key,
  type Projection,
  type Schema,
  type Scrub,
  type StoredEvent,
  type Tx,
} from './act.ts';
import { AppendedEntry, commitContent, withScrub } from './appended.ts';
import type { ActOutcome, ForeignBatch, NewEntry, ScrubbedChains, Writes } from './batch-io.ts';
import { Journal } from './journal.ts';
import { isChain } from './keys.ts';
import { eventFrom } from './memory-projection.ts';
import { reproject } from './reproject.ts';
import { emptySnapshot, stateName, AggregateDraft, type AggregateSnapshot } from './state.ts';
import { subOf, type AnyRow, type RowOf, type Sub, type Table } from './tables.ts';

/** Thrown through `decide` when it meets a key that is not loaded; never leaves the engine. */
class MissingKey extends Error {
  readonly key: Key;
  constructor(key: Key) {
    super(`needs ${key.aggregate} ${key.id} for ${key.mode}`);
    this.key = key;
  }
}

/** One aggregate of a batch: how it is held, and the batch's own copy of it. */
interface LoadedAggregate {
  readonly key: Key;
  readonly working: AggregateDraft;
}

/** One batch: each of its acts reads and writes through it, and sees what those before it have written. */
export class Batch implements Tx, Projection {
  readonly missingKeys = new Map<string, Key>();
  readonly entries: NewEntry[] = [];
  readonly #scrubs: Scrub[] = [];
  readonly #scrubbed: StoredEvent[] = [];
  readonly #scrubbedChains: ScrubbedChains[] = [];
  readonly #schema: Schema;
  /** By aggregate, then id: one text of both, made for every look, cost more than the two looks. */
  readonly #held = new Map<string, Map<string, LoadedAggregate>>();
  readonly #chains = new Map<string, readonly StoredEvent[]>();
  readonly #puts = new Map<Table, Map<string, Map<Sub, AnyRow | null>>>();
  #appended: Appended[] = [];
  readonly #journal = new Journal();
  #first: number;
  #actFirst: number;

  constructor(schema: Schema, keys: readonly Key[], states: readonly AggregateSnapshot[], first: number) {
    this.#schema = schema;
    this.#first = first;
    this.#actFirst = first;
    this.hold(keys, states);
  }

  hold(keys: readonly Key[], states: readonly AggregateSnapshot[]): void {
    keys.forEach((key, i) => {
      const state = states[i] ?? emptySnapshot;
      let held = this.#held.get(key.aggregate);
      if (held === undefined) this.#held.set(key.aggregate, (held = new Map<string, LoadedAggregate>()));
      held.set(key.id, { key, working: new AggregateDraft(state) });
      if (isChain(key)) this.#chains.set(key.id, state.events);
    });
    this.missingKeys.clear();
  }

  /**
   * Keys that can be held from now on: what nobody held nobody has changed. A chain may have grown in this batch
   * without being held, so for one the batch starts over.
   */
  loadableKeys(): readonly Key[] {
    const keys = [...this.missingKeys.values()];
    return keys.some(isChain) ? [] : keys;
  }

  decide(act: Act<unknown>): ActOutcome {
    this.#journal.clear();
    this.#appended = [];
    const start = this.entries.length;
    const taken = this.#scrubs.length;
    const rewritten = this.#scrubbed.length;
    const chains = this.#scrubbedChains.length;
    this.#actFirst = this.#first + start;
    try {
      const answer: unknown = act.decide(this);
      return { answer, entries: this.#appended };
    } catch (error) {
      this.#journal.undo(0);
      this.entries.length = start;
      this.#scrubs.length = taken;
      this.#scrubbed.length = rewritten;
      this.#scrubbedChains.length = chains;
      if (error instanceof MissingKey) {
        this.missingKeys.set(stateName(error.key.aggregate, error.key.id), error.key);
        return { answer: undefined, entries: [] };
      }
      return { answer: undefined, error, entries: [] };
    }
  }

  // Reading

  rows<T extends Table>(table: T, id: string): ReadonlyMap<Sub, RowOf<T>> {
    return this.#of(table, id).rows(table) as ReadonlyMap<Sub, RowOf<T>>;
  }

  row<T extends Table>(table: T, id: string, sub: Sub = ''): RowOf<T> | undefined {
    return this.rows(table, id).get(sub);
  }

  chain(id: string): readonly StoredEvent[] {
    const events = this.#chains.get(id);
    if (events === undefined) throw new MissingKey({ aggregate: chainAggregate, id, mode: 'write' });
    return events;
  }

  chains(prefix: string): readonly StoredEvent[] {
    const events = this.#chains.get(prefix);
    if (events === undefined) throw new MissingKey({ aggregate: chainsAggregate, id: prefix, mode: 'write' });
    return events;
  }

  #of(table: Table, id: string): AggregateDraft {
    if (table.aggregate === undefined) throw new Error(`table ${table.name} is written, never decided upon`);
    const held = this.#held.get(table.aggregate)?.get(id);
    if (held === undefined) throw new MissingKey({ aggregate: table.aggregate, id, mode: 'read' });
    return held.working;
  }

  // Writing

  append(event: EventDraft): Appended {
    const sealedContents = (event.contents ?? []).map(commitContent);
    const draft: Record<string, JsonValue> = {};
    for (const name in event.draft) {
      const member = event.draft[name];
      if (member !== undefined) draft[name] = member;
    }
    for (const content of sealedContents) draft[content.stored.field] = content.sha;
    const sealed = seal(
      draft as Draft,
      event.head === 'previous' ? this.#previous(event.draft.chain) : event.head,
    );
    const seq = this.#first + this.entries.length;
    const values: Record<string, JsonValue> = {};
    for (const content of event.contents ?? [])
      if (content.withheld !== true) values[content.field] = content.value;
    const contents = sealedContents.map((content) => content.stored);
    this.entries.push({
      seq,
      act: this.#actFirst,
      chain: sealed.entry.chain,
      n: sealed.entry.n,
      text: sealed.text,
      leaf: sealed.leaf,
      contents,
    });
    for (const name of this.#namesOf(sealed.entry.chain)) {
      const known = this.#chains.get(name) as readonly StoredEvent[];
      this.#journal.set(this.#chains, name, [...known, { seq, text: sealed.text, contents }]);
    }
    const appended = new AppendedEntry(seq, sealed, contents, event.contents);
    this.#appended.push(appended);
    this.#schema.project({ seq, sealed, contents: values } satisfies Event, this);
    return appended;
  }

  /** The names under which a chain's events are loaded: its own, and that of the chains it belongs to. */
  #namesOf(chain: string): string[] {
    if (this.#chains.size === 0) return [];
    const dot = chain.indexOf('.');
    return [chain, ...(dot < 0 ? [] : [chain.slice(0, dot + 1)])].filter((name) => this.#chains.has(name));
  }

  /** For acts that do nothing else: `rollback` does not know of it. */
  scrub(chains: string, scrubs: readonly Scrub[]): void {
    const before = chains.endsWith('.') ? this.chains(chains) : this.chain(chains);
    const bySeq = Map.groupBy(scrubs, ({ seq }) => seq);
    const without = <E extends StoredEvent>(event: E): E =>
      (bySeq.get(event.seq) ?? []).reduce((rest, scrub) => withScrub(rest, scrub), event);
    reproject(this.#schema, this, chains, before, before.map(without));
    for (const [name, events] of this.#chains)
      if (events.some(({ seq }) => bySeq.has(seq)))
        this.#journal.set(this.#chains, name, events.map(without));
    // Appended by an act of this very batch: it is not stored yet.
    for (const seq of bySeq.keys()) {
      const own = this.entries[seq - this.#first];
      if (own !== undefined) this.entries[seq - this.#first] = without(own);
    }
    // A scrub may reach more entries than a call takes arguments.
    for (const event of before)
      if (event.seq < this.#first && bySeq.has(event.seq)) this.#scrubbed.push(without(event));
    for (const scrub of scrubs) this.#scrubs.push(scrub);
    this.#scrubbedChains.push({ chains, before: before.filter(({ seq }) => bySeq.has(seq)) });
  }

  /** Projects what is committed already, by a node of another version. */
  follow({ events, scrubbed }: ForeignBatch): void {
    for (const event of events) this.#schema.project(eventFrom(event), this);
    for (const { chains, before } of scrubbed) {
      const after = chains.endsWith('.') ? this.chains(chains) : this.chain(chains);
      const stood = new Map(before.map((event) => [event.seq, event.contents]));
      const were = after.map((event) => ({ ...event, contents: stood.get(event.seq) ?? event.contents }));
      reproject(this.#schema, this, chains, were, after);
    }
  }

  #previous(chain: string): Head {
    const before = this.#appended.findLast(({ sealed }) => sealed.entry.chain === chain);
    if (before === undefined) throw new Error(`nothing was appended to ${chain} before`);
    return headOf(before.sealed);
  }

  put<T extends Table>(table: T, row: RowOf<T>): void {
    const id = (row as AnyRow)[table.keyNames[0]] as string;
    this.#change(table, id, subOf(table, row), row);
  }

  remove(table: Table, id: string, sub: Sub = ''): void {
    this.#change(table, id, sub, null);
  }

  #change(table: Table, id: string, sub: Sub, row: AnyRow | null): void {
    if (table.aggregate !== undefined) {
      const held = this.#held.get(table.aggregate)?.get(id);
      if (held?.key.mode !== 'write') throw new MissingKey({ aggregate: table.aggregate, id, mode: 'write' });
      const copy = held.working.copy(table);
      if (row === null) this.#journal.delete(copy, sub);
      else this.#journal.set(copy, sub, row);
    }
    // By both keys apart: a text of both, made for every row, would be hashed and kept by the runtime.
    let ids = this.#puts.get(table);
    if (ids === undefined) this.#puts.set(table, (ids = new Map<string, Map<Sub, AnyRow | null>>()));
    let rows = ids.get(id);
    if (rows === undefined) ids.set(id, (rows = new Map<Sub, AnyRow | null>()));
    this.#journal.set(rows, sub, row);
  }

  // Undoing

  mark(): number {
    return this.#journal.mark(this.#appended.length);
  }

  rollback(mark: number): void {
    const kept = this.#journal.noted(mark);
    this.#journal.undo(mark);
    this.entries.length -= this.#appended.length - kept;
    this.#appended.length = kept;
  }

  // Results

  writes(): Writes {
    return {
      entries: this.entries,
      puts: this.#puts,
      scrubs: this.#scrubs,
      scrubbed: this.#scrubbed,
      scrubbedChains: this.#scrubbedChains,
      touched: [...this.#changed()].map(({ key }) => key),
    };
  }

  /** The states to keep after the commit, by name. */
  promoted(): ReadonlyMap<string, AggregateDraft> {
    const promoted = new Map<string, AggregateDraft>();
    for (const { key, working } of this.#changed()) promoted.set(stateName(key.aggregate, key.id), working);
    return promoted;
  }

  *#changed(): Iterable<LoadedAggregate> {
    for (const states of this.#held.values()) {
      for (const held of states.values()) if (held.working.changed) yield held;
    }
  }
}
