/**
 * The batch engine, written once. A batch of acts is one transaction: load every key, decide each act in
 * turn over an overlay, write all changes, commit. It is a generator that yields its I/O as requests, so
 * that SQLite drives it synchronously inside one call and PostgreSQL drives the same code with `await`.
 */
import { randomBytes } from '../kernel/ids.ts';
import { canonicalJson, type JsonValue } from '../kernel/json.ts';
import { sha256Hex } from '../kernel/hash.ts';

import { commitment, headOf, seal, type Draft, type Head, type Sealed } from '../ledger/entry.ts';
import {
  type Content,
  chainAggregate,
  chainsAggregate,
  writes,
  type Act,
  type Appended,
  type Event,
  type EventDraft,
  type Key,
  type Projection,
  type Schema,
  type Scrub,
  type StoredContent,
  type StoredEvent,
  type Tx,
} from './act.ts';
import { reproject } from './reproject.ts';
import { emptyLoaded, stateName, Working, type Loaded } from './state.ts';
import { subOf, type AnyRow, type RowOf, type Sub, type Table } from './tables.ts';

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

/** Rows to put (or, where null, to remove), by table and key; the last write of a batch wins. */
export type Puts = ReadonlyMap<Table, ReadonlyMap<string, RowChange>>;
export interface RowChange {
  readonly id: string;
  readonly sub: Sub;
  readonly row: AnyRow | null;
}

export interface Writes {
  readonly entries: readonly NewEntry[];
  readonly puts: Puts;
  /** Contents that were stored before and are taken away. */
  readonly scrubs: readonly Scrub[];
  /** Aggregates whose rows changed, by state name. */
  readonly touched: readonly Key[];
}

export type Request =
  | { readonly io: 'begin'; readonly keys: readonly Key[] }
  | { readonly io: 'load'; readonly keys: readonly Key[] }
  | { readonly io: 'more'; readonly keys: readonly Key[] }
  | { readonly io: 'seq' }
  | { readonly io: 'join' }
  | { readonly io: 'write'; readonly writes: Writes }
  | { readonly io: 'commit' }
  | { readonly io: 'rollback' };

/**
 * What each request is answered with: `load` with one state a key, `seq` with the first free number. `more` asks
 * for keys that a decision or an act that joined brings: a store that takes no locks gives their states as `load`
 * does, any other nothing. `join` comes when all acts are decided: a store whose disk is busy anyway may answer with
 * further acts, which name no chains, any number of times; with nothing, the batch is written.
 */
export type Reply = readonly Loaded[] | readonly Act<unknown>[] | number | void;

export interface Settled {
  readonly answer: unknown;
  readonly error?: unknown;
  readonly entries: readonly Appended[];
}

export interface BatchResult {
  readonly settled: readonly Settled[];
  readonly promoted: ReadonlyMap<string, Working>;
  readonly entries: number;
}

/** How often a batch may meet keys that nobody named: each of many operations of one act may. */
const meetingsMax = 4096;

export function* runBatch(
  first: readonly Act<unknown>[],
  schema: Schema,
): Generator<Request, BatchResult, Reply> {
  const acts = [...first];
  const keys = new Map<string, Key>();
  for (const act of acts) addKeys(keys, act.keys);
  for (let meetings = 0; meetings < meetingsMax; meetings++) {
    const sorted = [...keys].sort(byName).map(([, key]) => key);
    yield { io: 'begin', keys: sorted };
    const states = (yield { io: 'load', keys: sorted }) as readonly Loaded[];
    const batch = new Batch(schema, sorted, states, (yield { io: 'seq' }) as number);
    const settled: Settled[] = [];
    while (settled.length < acts.length) {
      const act = acts[settled.length] as Act<unknown>;
      let decided = batch.decide(act);
      for (let more = batch.needed(); more.length > 0 && meetings < meetingsMax; more = batch.needed()) {
        meetings++;
        const given = (yield { io: 'more', keys: more }) as readonly Loaded[] | undefined;
        if (given === undefined) break;
        // Where nothing is locked, what was met by reading may be written without being met again.
        batch.hold(
          more.map(({ aggregate, id }) => writes(aggregate, id)),
          given,
        );
        decided = batch.decide(act);
      }
      settled.push(decided);
      if (settled.length < acts.length || batch.needs.size > 0) continue;
      const joining = ((yield { io: 'join' }) ?? []) as readonly Act<unknown>[];
      for (const { keys: named } of joining) addKeys(keys, named);
      const fresh = batch.notHeld(joining);
      if (fresh.length > 0) batch.hold(fresh, (yield { io: 'more', keys: fresh }) as readonly Loaded[]);
      acts.push(...joining);
    }
    if (batch.needs.size > 0) {
      // A decision met a key nobody had named, and locks are taken in one order, so the batch starts over.
      yield { io: 'rollback' };
      addKeys(keys, batch.needs.values());
      continue;
    }
    if (batch.entries.length === 0) {
      yield { io: 'rollback' };
      return { settled, promoted: new Map(), entries: 0 };
    }
    yield { io: 'write', writes: batch.writes() };
    yield { io: 'commit' };
    return { settled, promoted: batch.promoted(), entries: batch.entries.length };
  }
  throw new Error(`a batch asked for more keys ${meetingsMax} times`);
}

function addKeys(keys: Map<string, Key>, more: Iterable<Key>): void {
  for (const key of more) {
    const name = stateName(key.aggregate, key.id);
    const known = keys.get(name);
    if (known === undefined || (known.mode === 'read' && key.mode === 'write')) keys.set(name, key);
  }
}

function byName([left]: readonly [string, Key], [right]: readonly [string, Key]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Thrown through `decide` when it meets a key that is not loaded; never leaves the engine. */
class Needed extends Error {
  readonly key: Key;
  constructor(key: Key) {
    super(`needs ${key.aggregate} ${key.id} for ${key.mode}`);
    this.key = key;
  }
}

/** One aggregate of a batch: how it is held, and the batch's own copy of it. */
interface Held {
  readonly key: Key;
  readonly working: Working;
}

/** An appended entry; what was committed is put together for whoever asks. */
class Added implements Appended {
  readonly seq: number;
  readonly sealed: Sealed;
  readonly #stored: readonly StoredContent[];

  constructor(seq: number, sealed: Sealed, stored: readonly StoredContent[]) {
    this.seq = seq;
    this.sealed = sealed;
    this.#stored = stored;
  }

  get contents(): Appended['contents'] {
    return this.#stored.map(({ field, salt }) => ({
      field,
      sha: this.sealed.entry[field] as string,
      salt: salt === null ? null : Buffer.from(salt).toString('hex'),
    }));
  }
}

interface Undo {
  readonly map: Map<unknown, unknown>;
  readonly key: unknown;
  readonly had: boolean;
  readonly value: unknown;
}

class Batch implements Tx, Projection {
  readonly needs = new Map<string, Key>();
  readonly entries: NewEntry[] = [];
  readonly #scrubs: Scrub[] = [];
  readonly #schema: Schema;
  /** By aggregate, then id: one text of both, made for every look, cost more than the two looks. */
  readonly #held = new Map<string, Map<string, Held>>();
  readonly #chains = new Map<string, readonly StoredEvent[]>();
  readonly #last = new Map<string, Head>();
  readonly #puts = new Map<Table, Map<string, RowChange>>();
  #appended: Appended[] = [];
  #journal: Undo[] = [];
  #first: number;
  #actFirst: number;

  constructor(schema: Schema, keys: readonly Key[], states: readonly Loaded[], first: number) {
    this.#schema = schema;
    this.#first = first;
    this.#actFirst = first;
    this.hold(keys, states);
  }

  hold(keys: readonly Key[], states: readonly Loaded[]): void {
    keys.forEach((key, i) => {
      const state = states[i] ?? emptyLoaded;
      let held = this.#held.get(key.aggregate);
      if (held === undefined) this.#held.set(key.aggregate, (held = new Map<string, Held>()));
      // What was only looked at, and is now to be written, is as it was loaded.
      held.set(key.id, { key, working: new Working(state) });
      if (key.aggregate === chainAggregate || key.aggregate === chainsAggregate)
        this.#chains.set(key.id, state.events);
    });
    this.needs.clear();
  }

  /**
   * Keys that can be held from now on: what nobody held nobody has changed. A chain may have grown in this batch
   * without being held, so for one the batch starts over.
   */
  needed(): readonly Key[] {
    const keys = [...this.needs.values()];
    return keys.some(({ aggregate }) => aggregate === chainAggregate || aggregate === chainsAggregate)
      ? []
      : keys;
  }

  /** What acts that join the batch name and nobody before them held, or held for reading only. */
  notHeld(acts: readonly Act<unknown>[]): readonly Key[] {
    const fresh = new Map<string, Key>();
    for (const act of acts)
      addKeys(
        fresh,
        act.keys.filter(({ aggregate, id, mode }) => {
          const held = this.#held.get(aggregate)?.get(id);
          return held === undefined || (held.key.mode === 'read' && mode === 'write');
        }),
      );
    return [...fresh.values()];
  }

  decide(act: Act<unknown>): Settled {
    this.#journal = [];
    this.#appended = [];
    const start = this.entries.length;
    const taken = this.#scrubs.length;
    this.#actFirst = this.#first + start;
    try {
      const answer: unknown = act.decide(this);
      return { answer, entries: this.#appended };
    } catch (error) {
      this.#undo(0);
      this.entries.length = start;
      this.#scrubs.length = taken;
      if (error instanceof Needed) {
        this.needs.set(stateName(error.key.aggregate, error.key.id), error.key);
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
    if (events === undefined) throw new Needed({ aggregate: chainAggregate, id, mode: 'write' });
    return events;
  }

  chains(prefix: string): readonly StoredEvent[] {
    const events = this.#chains.get(prefix);
    if (events === undefined) throw new Needed({ aggregate: chainsAggregate, id: prefix, mode: 'write' });
    return events;
  }

  #of(table: Table, id: string): Working {
    if (table.aggregate === undefined) throw new Error(`table ${table.name} is written, never decided upon`);
    const held = this.#held.get(table.aggregate)?.get(id);
    if (held === undefined) throw new Needed({ aggregate: table.aggregate, id, mode: 'read' });
    return held.working;
  }

  // Writing

  append(event: EventDraft): Appended {
    const sealedContents = (event.contents ?? []).map(commit);
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
    this.#set(this.#last, sealed.entry.chain, headOf(sealed));
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
      this.#set(this.#chains, name, [...known, { seq, text: sealed.text, contents }]);
    }
    const appended = new Added(seq, sealed, contents);
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
      (bySeq.get(event.seq) ?? []).reduce((rest, scrub) => scrubbed(rest, scrub), event);
    reproject(this.#schema, this, chains, before, before.map(without));
    for (const [name, events] of this.#chains)
      if (events.some(({ seq }) => bySeq.has(seq))) this.#set(this.#chains, name, events.map(without));
    // Appended by an act of this very batch: it is not stored yet.
    for (const seq of bySeq.keys()) {
      const own = this.entries[seq - this.#first];
      if (own !== undefined) this.entries[seq - this.#first] = without(own);
    }
    this.#scrubs.push(...scrubs);
  }

  #previous(chain: string): Head {
    const head = this.#last.get(chain);
    if (head === undefined) throw new Error(`nothing was appended to ${chain} before`);
    return head;
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
      if (held?.key.mode !== 'write') throw new Needed({ aggregate: table.aggregate, id, mode: 'write' });
      const copy = held.working.copy(table);
      if (row === null) this.#delete(copy, sub);
      else this.#set(copy, sub, row);
    }
    let puts = this.#puts.get(table);
    if (puts === undefined) this.#puts.set(table, (puts = new Map<string, RowChange>()));
    const name = table.keyNames.length === 1 ? id : `${id}\0${sub}`;
    this.#set(puts, name, { id, sub, row } satisfies RowChange);
  }

  // Undoing

  mark(): number {
    this.#journal.push({ map: new Map(), key: undefined, had: false, value: this.#appended.length });
    return this.#journal.length;
  }

  rollback(mark: number): void {
    const kept = this.#journal[mark - 1]?.value as number;
    this.#undo(mark);
    this.entries.length -= this.#appended.length - kept;
    this.#appended.length = kept;
  }

  /** No value is `undefined`, so what a look finds says whether there was one. */
  #set(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
    const before = map.get(key);
    this.#journal.push({ map, key, had: before !== undefined, value: before });
    map.set(key, value);
  }

  #delete(map: Map<unknown, unknown>, key: unknown): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.#journal.push({ map, key, had: true, value: before });
    map.delete(key);
  }

  #undo(to: number): void {
    while (this.#journal.length > to) {
      const { map, key, had, value } = this.#journal.pop() as Undo;
      if (had) map.set(key, value);
      else map.delete(key);
    }
  }

  // Results

  writes(): Writes {
    return {
      entries: this.entries,
      puts: this.#puts,
      scrubs: this.#scrubs,
      touched: [...this.#changed()].map(({ key }) => key),
    };
  }

  /** The states to keep after the commit, by name. */
  promoted(): ReadonlyMap<string, Working> {
    const promoted = new Map<string, Working>();
    for (const { key, working } of this.#changed()) promoted.set(stateName(key.aggregate, key.id), working);
    return promoted;
  }

  *#changed(): Iterable<Held> {
    for (const states of this.#held.values()) {
      for (const held of states.values()) if (held.working.changed) yield held;
    }
  }
}

function scrubbed<E extends StoredEvent>(event: E, { slot, replacement, scrubbedBy }: Scrub): E {
  const contents = event.contents.map((content, i) =>
    i === slot ? { field: content.field, salt: null, body: null, replacement, scrubbedBy } : content,
  );
  return { ...event, contents };
}

function commit(content: Content): {
  readonly stored: StoredContent;
  readonly sha: string;
} {
  if (content.plain === true) {
    if (typeof content.value !== 'string') throw new TypeError(`plain content ${content.field} must be text`);
    return {
      stored: { field: content.field, salt: null, body: content.value },
      sha: sha256Hex(content.value),
    };
  }
  const salt = randomBytes(32);
  const body = canonicalJson(content.value);
  const stored = content.withheld === true ? { salt: null, body: null } : { salt, body };
  return { stored: { field: content.field, ...stored }, sha: commitment(salt, body) };
}
