/**
 * A small product to hold stores to: tallies with numbered ticks, names that point at tallies, and a journal
 * that no decision reads. It has every kind of table and column that the table descriptions know.
 */
import {
  writes,
  type Act,
  type Committed,
  type Event,
  type Key,
  type Projection,
  type Schema,
  type Tx,
} from '../../src/engine/act.ts';
import type { Store } from '../../src/engine/store.ts';
import { integer, json, nullable, real, table, text } from '../../src/engine/tables.ts';
import { isFault } from '../../src/kernel/fault.ts';
import type { JsonValue } from '../../src/kernel/json.ts';
import type { Head } from '../../src/ledger/entry.ts';

export const tallyTable = table('tally', {
  key: { id: text() },
  columns: {
    value: integer(),
    note: nullable(text()),
    data: nullable(json<JsonValue>()),
    head: json<Head>(),
  },
  aggregate: 'tally',
});

export const tickTable = table('tick', {
  key: { id: text(), n: integer() },
  columns: { label: text(), weight: real() },
  aggregate: 'tally',
  compact: true,
});

export const nameTable = table('name', {
  key: { path: text() },
  columns: { id: text(), rank: nullable(integer()) },
  aggregate: 'name',
  compact: true,
});

export const journalTable = table('journal', {
  key: { object: text(), word: text() },
  columns: { seq: integer(), value: nullable(real()) },
});

export const tallySchema: Schema = {
  version: 1,
  tables: [tallyTable, tickTable, nameTable, journalTable],
  project,
};

/** What an entry says of itself; every member is optional. */
export type Said = {
  readonly value?: number;
  readonly note?: string | null;
  readonly data?: JsonValue;
  readonly tick?: { readonly n: number; readonly label: string; readonly weight: number };
  readonly untick?: number;
  readonly name?: string;
  readonly unname?: string;
  /** Takes one from what a name may still give; nothing but the name's own row counts it. */
  readonly spend?: string;
  readonly journal?: { readonly object: string; readonly word: string; readonly value: number | null };
  readonly drop?: boolean;
};

function project(event: Event, to: Projection): void {
  const { chain: id, n, ts } = event.sealed.entry;
  const said = (event.contents['content_sha'] ?? {}) as unknown as Said;
  const before = to.row(tallyTable, id);
  const head = { n, hash: event.sealed.hash, ts };
  if (said.drop === true) to.remove(tallyTable, id);
  else {
    to.put(tallyTable, {
      id,
      value: said.value ?? before?.value ?? 0,
      note: said.note === undefined ? (before?.note ?? null) : said.note,
      data: said.data === undefined ? (before?.data ?? null) : said.data,
      head,
    });
  }
  if (said.tick !== undefined) to.put(tickTable, { id, ...said.tick });
  if (said.untick !== undefined) to.remove(tickTable, id, said.untick);
  if (said.name !== undefined) to.put(nameTable, { path: said.name, id, rank: null });
  if (said.spend !== undefined)
    to.put(nameTable, { path: said.spend, id: '', rank: (to.row(nameTable, said.spend)?.rank ?? 0) + 1 });
  if (said.unname !== undefined) to.remove(nameTable, said.unname);
  if (said.journal !== undefined) to.put(journalTable, { ...said.journal, seq: event.seq });
}

export const noon = '2026-03-01T12:00:00.000Z';

/** Appends to a tally's chain, after what its row says is newest. */
export function append(tx: Tx, id: string, said: Said, ts: string = noon) {
  const head = tx.row(tallyTable, id)?.head ?? null;
  return tx.append({
    draft: { chain: id, ts, actor: 'system', action: 'say' },
    head,
    contents: [{ field: 'content_sha', value: said }],
  });
}

export function act<R>(keys: readonly Key[], decide: (tx: Tx) => R): Act<R> {
  return { name: 'test', keys, decide };
}

/** Says something of a tally, once. */
export function say(id: string, said: Said, more: readonly Key[] = []): Act<number> {
  return act([writes('tally', id), ...more], (tx) => append(tx, id, said).seq);
}

/** Adds one, and answers with the value before: all different, where none is lost. */
export function increment(id: string): Act<number> {
  return act([writes('tally', id)], (tx) => {
    const value = tx.row(tallyTable, id)?.value ?? 0;
    append(tx, id, { value: value + 1 });
    return value;
  });
}

/** Spends from a budget on a chain of its own; answers whether anything was left. */
export function spend(path: string, budget: number, chain: string): Act<boolean> {
  return act([writes('name', path), writes('tally', chain)], (tx) => {
    if ((tx.row(nameTable, path)?.rank ?? 0) >= budget) return false;
    append(tx, chain, { spend: path });
    return true;
  });
}

/** What an act committed; a store's own refusal fails the test. */
export async function committed<R>(store: Store, toRun: Act<R>): Promise<Committed<R>> {
  const outcome = await store.run(toRun);
  if (isFault(outcome)) throw new Error(`refused: ${outcome.message}`);
  return outcome;
}
