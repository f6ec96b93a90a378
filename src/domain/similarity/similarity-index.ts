/**
 * The texts of one article or thread, ready to be asked which of them a new text repeats, contradicts or is like
 * (contract §5 "Near-duplicates and contraries", spec §4.5.6). Immutable to its users: `add` and `remove` answer
 * with another index and leave this one as it is, yet copy nothing, since all share one append-only table of
 * which each sees its own part. A projection: built from rows, the same from the same rows on either store.
 */
import { comparePrepared, prepare, similarityMin, type Prepared, type Verdict } from './compare.ts';
import { Best } from './best.ts';
import { Postings } from './postings.ts';
import { trigramsOf } from './trigrams.ts';

export interface Found<Id> {
  readonly id: Id;
  readonly verdict: Verdict;
}

export interface FindOptions {
  /** How many of the most alike texts are judged. Default 16. */
  readonly limit?: number;
}

export interface SimilarityIndex<Id extends string | number> {
  readonly size: number;
  /** With this text under the id, in place of the one that stood there. */
  add(id: Id, text: string): SimilarityIndex<Id>;
  remove(id: Id): SimilarityIndex<Id>;
  /** The texts of equal wording, in the order in which they were added. */
  equal(text: string): readonly Id[];
  /**
   * The texts of equal wording and then the most alike ones, at most `limit`, each with its verdict; none that is
   * `different`. Ordered by similarity, then by id.
   */
  find(text: string, options?: FindOptions): readonly Found<Id>[];
}

export function similarityIndex<Id extends string | number>(
  rows: Iterable<readonly [Id, string]> = [],
): SimilarityIndex<Id> {
  let index = new Part<Id>(
    { postings: new Postings(), rows: [], byId: new Map(), byPlain: new Map() },
    0,
    new Set(),
    0,
  );
  for (const [id, text] of rows) index = index.add(id, text);
  return index;
}

interface Row<Id> {
  readonly id: Id;
  readonly prepared: Prepared;
}

/** Grows at its end only; several parts look at it at once. */
interface Table<Id> {
  readonly postings: Postings;
  readonly rows: Row<Id>[];
  readonly byId: Map<Id, number[]>;
  readonly byPlain: Map<string, number[]>;
}

class Part<Id extends string | number> implements SimilarityIndex<Id> {
  readonly size: number;
  readonly #table: Table<Id>;
  /** Sees the rows before `end` but for the hidden ones. */
  readonly #end: number;
  readonly #hidden: ReadonlySet<number>;

  constructor(table: Table<Id>, end: number, hidden: ReadonlySet<number>, size: number) {
    this.#table = table;
    this.#end = end;
    this.#hidden = hidden;
    this.size = size;
  }

  add(id: Id, text: string): Part<Id> {
    const known = this.#ordinalOf(id);
    if (known !== undefined && this.#table.rows[known]?.prepared.text === text) return this;
    const base = (known === undefined ? this : this.#without(known)).#tidy();
    const prepared = prepare(text);
    const table = base.#table;
    const ordinal = table.postings.add(trigramsOf(prepared.plain));
    table.rows.push({ id, prepared });
    append(table.byId, id, ordinal);
    append(table.byPlain, prepared.plain, ordinal);
    // What another branch has appended since stays out of sight.
    const hidden =
      base.#end === ordinal ? base.#hidden : new Set([...base.#hidden, ...between(base.#end, ordinal)]);
    return new Part(table, ordinal + 1, hidden, base.size + 1);
  }

  remove(id: Id): Part<Id> {
    const ordinal = this.#ordinalOf(id);
    return ordinal === undefined ? this : this.#without(ordinal).#tidy();
  }

  equal(text: string): readonly Id[] {
    return this.#equalTo(prepare(text).plain).map(this.#idOf);
  }

  find(text: string, { limit = 16 }: FindOptions = {}): readonly Found<Id>[] {
    const asked = prepare(text);
    const { plain } = asked;
    const { postings, rows } = this.#table;
    const idOf = this.#idOf;
    const best = new Best((a, b) => byOrder(idOf(a), idOf(b)), limit);
    // Equal wordings first: some have no trigrams, and no likeness may push them out. 2 is above any likeness.
    const equal = this.#equalTo(plain);
    for (const ordinal of equal) best.offer(ordinal, 2);
    postings.alike(trigramsOf(plain), similarityMin, this.#isVisible, (ordinal, similarity) => {
      if (!equal.includes(ordinal)) best.offer(ordinal, similarity);
    });
    return best.taken
      .map(({ ordinal, similarity }) => ({
        id: idOf(ordinal),
        verdict: comparePrepared(asked, (rows[ordinal] as Row<Id>).prepared, similarity),
      }))
      .filter((each) => each.verdict.kind !== 'different')
      .sort((a, b) => b.verdict.similarity - a.verdict.similarity || byOrder(a.id, b.id));
  }

  #equalTo(plain: string): number[] {
    return (this.#table.byPlain.get(plain) ?? []).filter(this.#isVisible);
  }

  readonly #idOf = (ordinal: number): Id => (this.#table.rows[ordinal] as Row<Id>).id;

  readonly #isVisible = (ordinal: number): boolean => ordinal < this.#end && !this.#hidden.has(ordinal);

  #ordinalOf(id: Id): number | undefined {
    return this.#table.byId.get(id)?.findLast(this.#isVisible);
  }

  #without(ordinal: number): Part<Id> {
    return new Part(this.#table, this.#end, new Set(this.#hidden).add(ordinal), this.size - 1);
  }

  /** With a table of its own once most of the shared one is out of sight, so that memory follows what is seen. */
  #tidy(): Part<Id> {
    if (this.#table.rows.length <= 2 * this.size + slack) return this;
    const rows = this.#table.rows.filter((_, ordinal) => this.#isVisible(ordinal));
    const table: Table<Id> = {
      postings: this.#table.postings.compacted(this.#isVisible),
      rows,
      byId: new Map(),
      byPlain: new Map(),
    };
    for (const [n, { id, prepared }] of rows.entries()) {
      append(table.byId, id, n);
      append(table.byPlain, prepared.plain, n);
    }
    return new Part(table, rows.length, new Set(), rows.length);
  }
}

const slack = 64;

function append<K>(map: Map<K, number[]>, key: K, value: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function between(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

function byOrder<Id extends string | number>(a: Id, b: Id): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
