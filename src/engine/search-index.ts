/**
 * The port of the search index: documents by their terms (ADR 13). An index proposes; what it proposes is read
 * from the projections and shown, or left out, as it stands there. It holds nothing that the log and the
 * projections could not give again, and keeps how far into the log it has come. Every adapter answers alike.
 */

export interface IndexedDocument {
  /** Names the document for ever. */
  readonly key: string;
  readonly tenant: string;
  readonly kind: string;
  /** Where in the log it last changed: no two documents have the same, and the newest has the highest. */
  readonly at: number;
  /** Without spaces, and bounded as `indexedTerms` bounds them. No terms: the document leaves the index. */
  readonly terms: readonly string[];
}

/** How far an index has followed the log, and the hash of the last entry it has seen, '' before the first. */
export interface IndexCursor {
  readonly size: number;
  readonly head: string;
  /** Scrubs before this entry of the log are applied: the index holds nothing that they removed. */
  readonly scrubsApplied: number;
}

/** A step along the log: current documents, or a reset of the index. */
export type IndexStep =
  | { readonly documents: readonly IndexedDocument[]; readonly cursor: IndexCursor }
  | { readonly reset: true; readonly scrubsApplied: number };

export interface SearchQuery {
  readonly tenant: string;
  readonly kinds: readonly string[] | undefined;
  /** Different ones. */
  readonly terms: readonly string[];
}

/** Documents that hold asked terms, each with how often it holds each of them, in the order they were asked. */
export interface Candidates {
  readonly documents: number;
  /** Terms of all documents together. */
  readonly length: number;
  /** How many documents hold each asked term. */
  readonly frequencies: readonly number[];
  readonly found: readonly Candidate[];
}

export interface Candidate {
  readonly key: string;
  readonly length: number;
  readonly counts: readonly number[];
}

/** Documents that one question looks at. */
export const candidatesMax = 2000;

export const termsBeginningMax = 2000;

/** Which terms of a workspace are wanted: those with this beginning. */
export interface TermsQuery {
  readonly tenant: string;
  readonly beginning: string;
}

export interface SearchIndex {
  cursor(): Promise<IndexCursor>;
  /**
   * Takes one step along the log, all of it or nothing, and answers with how far that came. Where nodes share
   * an index one of them at a time takes a step: undefined while it is another.
   */
  follow(step: (from: IndexCursor) => Promise<IndexStep | undefined>): Promise<IndexCursor | undefined>;
  find(wanted: SearchQuery): Promise<Candidates>;
  /** As `Store.cut`. */
  cut?(forGood: boolean): void;
  /** Terms of the documents of a workspace, by their UTF-8 bytes, at most `termsBeginningMax`. */
  termsBeginning(wanted: TermsQuery): Promise<readonly string[]>;
  close(): Promise<void>;
}
