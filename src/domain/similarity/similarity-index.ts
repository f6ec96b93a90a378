/**
 * Finds the texts of one article that a new text repeats, contradicts or resembles (contract §5 "Near-duplicates and
 * contraries", spec §4.5.6). The same texts give the same answers on both stores, whatever their order was.
 */
import { comparePrepared, prepare, similarityMin, type Prepared, type Verdict } from './compare.ts';
import { TrigramIndex, trigramsOf } from './trigrams.ts';

export interface Found<Id> {
  readonly id: Id;
  readonly verdict: Verdict;
}

interface Row<Id> {
  readonly id: Id;
  readonly prepared: Prepared;
}

interface Candidate<Id> {
  readonly row: Row<Id>;
  readonly similarity: number;
}

/** Removed rows that are kept until a rebuild, beyond as many as there are texts. */
const removedMax = 64;

export class SimilarityIndex<Id extends string | number> {
  #trigrams = new TrigramIndex();
  /** By the number of a text in `#trigrams`; undefined for removed texts. */
  #rows: (Row<Id> | undefined)[] = [];
  readonly #numbers = new Map<Id, number>();
  readonly #byPlain = new Map<string, Set<Id>>();

  constructor(texts: Iterable<readonly [Id, string]> = []) {
    for (const [id, text] of texts) this.set(id, text);
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** Adds a text, or replaces the text of this id. */
  set(id: Id, text: string): void {
    const number = this.#numbers.get(id);
    if (number !== undefined && this.#rows[number]?.prepared.text === text) return;
    this.delete(id);
    this.#append({ id, prepared: prepare(text) });
  }

  delete(id: Id): void {
    const number = this.#numbers.get(id);
    if (number === undefined) return;
    this.#byPlain.get(this.#rows[number]?.prepared.plain ?? '')?.delete(id);
    this.#rows[number] = undefined;
    this.#numbers.delete(id);
    if (this.#rows.length > 2 * this.size + removedMax) this.#rebuild();
  }

  /** The texts of equal wording, in the order in which they were added. */
  equal(text: string): readonly Id[] {
    return [...(this.#byPlain.get(prepare(text).plain) ?? [])];
  }

  /**
   * Compares with the texts of equal wording and then with the most similar ones, at most `limit`. Returns the verdicts
   * that are not `different`, ordered by similarity, then by id.
   */
  find(text: string, limit = 16): readonly Found<Id>[] {
    const prepared = prepare(text);
    const best: Candidate<Id>[] = [];
    this.#trigrams.similar(trigramsOf(prepared.plain), similarityMin, (number, similarity) => {
      const row = this.#rows[number];
      if (row !== undefined && row.prepared.plain !== prepared.plain)
        keepBest(best, { row, similarity }, limit);
    });
    // Equal wordings may have no trigrams. 2 ranks them above every similarity.
    for (const id of this.#byPlain.get(prepared.plain) ?? [])
      keepBest(best, { row: this.#rows[this.#numbers.get(id) as number] as Row<Id>, similarity: 2 }, limit);
    return best
      .map(({ row, similarity }) => ({
        id: row.id,
        verdict: comparePrepared(prepared, row.prepared, similarity),
      }))
      .filter(({ verdict }) => verdict.kind !== 'different')
      .sort((a, b) => b.verdict.similarity - a.verdict.similarity || (a.id < b.id ? -1 : 1));
  }

  #append(row: Row<Id>): void {
    const { plain } = row.prepared;
    this.#numbers.set(row.id, this.#trigrams.add(trigramsOf(plain)));
    this.#rows.push(row);
    const equal = this.#byPlain.get(plain);
    if (equal === undefined) this.#byPlain.set(plain, new Set([row.id]));
    else equal.add(row.id);
  }

  #rebuild(): void {
    const rows = this.#rows.filter((row) => row !== undefined);
    this.#trigrams = new TrigramIndex();
    this.#rows = [];
    this.#byPlain.clear();
    for (const row of rows) this.#append(row);
  }
}

/** Inserts a candidate into the few best ones, ordered by similarity, then by id. */
function keepBest<Id extends string | number>(
  best: Candidate<Id>[],
  candidate: Candidate<Id>,
  limit: number,
): void {
  const precedes = (other: Candidate<Id>): boolean =>
    candidate.similarity === other.similarity
      ? candidate.row.id < other.row.id
      : candidate.similarity > other.similarity;
  const last = best[limit - 1];
  if (last !== undefined && !precedes(last)) return;
  const at = best.findIndex(precedes);
  best.splice(at < 0 ? best.length : at, 0, candidate);
  best.length = Math.min(best.length, limit);
}
