/**
 * Selects the documents that a query examines, the same on every store (ADR 13): those that contain its rarest words,
 * up to a limit. If even the rarest word is in too many documents, the newest documents with all words come first,
 * then the newest with the rarest word.
 */
import { candidatesMax, type Candidate } from '../engine/search-index.ts';

/**
 * Raise it when terms are made or stored differently: all documents are then indexed again. On PostgreSQL each version
 * has tables of its own, so that nodes of two versions search side by side.
 */
export const termsVersion = 5;

/** Stands between the two in `placed`, and in no term. */
export const placeSign = '·';

/**
 * A term as an index keeps it: with the number of its workspace, so that whatever is counted or looked for is that
 * workspace's alone.
 */
export function placed(workspace: number, term: string): string {
  return `${workspace}${placeSign}${term}`;
}

/** The range of the terms of a workspace that begin so: from the first to behind the last. */
export function termRange(workspace: number, beginning: string): readonly [from: string, to: string] {
  const from = placed(workspace, beginning);
  return [from, `${from}\u{10FFFF}`];
}

/** A term without the number of its workspace. */
export function unplaced(term: string): string {
  return term.slice(term.indexOf(placeSign) + 1);
}

/** Documents that hold any, or all, of some terms; `share` is how many of all documents that may be, from 0 to 1. */
export interface Choice {
  readonly match: 'any' | 'all';
  readonly terms: readonly string[];
  readonly share: number;
}

/** What to look for, in turn, until `candidatesMax` documents are found. */
export function choose(
  terms: readonly string[],
  frequencies: readonly number[],
  documents: number,
): readonly Choice[] {
  const known = terms
    .map((term, i) => ({ term, frequency: frequencies[i] as number }))
    .filter(({ frequency }) => frequency > 0)
    .sort((a, b) => a.frequency - b.frequency);
  const [rarest] = known;
  if (rarest === undefined) return [];
  const shareOf = (frequency: number): number => frequency / Math.max(documents, 1);
  let sum = 0;
  const telling = known.filter(({ frequency }) => (sum += frequency) <= candidatesMax);
  if (telling.length > 0)
    return [{ match: 'any', terms: telling.map(({ term }) => term), share: shareOf(candidatesMax) }];
  const one: Choice = { match: 'all', terms: [rarest.term], share: shareOf(rarest.frequency) };
  if (known.length === 1) return [one];
  const share = known.reduce((product, { frequency }) => product * shareOf(frequency), 1);
  return [{ match: 'all', terms: known.map(({ term }) => term), share }, one];
}

/** Puts what the choices gave, in turn, into one list, each document once. */
export class Found {
  readonly #byKey = new Map<string, Candidate>();

  get isFull(): boolean {
    return this.#byKey.size >= candidatesMax;
  }

  add(candidate: Candidate): void {
    if (!this.isFull) this.#byKey.set(candidate.key, candidate);
  }

  get list(): readonly Candidate[] {
    return [...this.#byKey.values()];
  }
}
