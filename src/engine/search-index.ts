/**
 * The port of the search index: documents by their terms (ADR 13). An index proposes; what it proposes is read
 * from the projections and shown, or left out, as it stands there. It holds nothing that the log and the
 * projections could not give again, and keeps how far into the log it has come.
 */

export interface IndexedDocument {
  /** Names the document for ever. */
  readonly key: string;
  readonly tenant: string;
  readonly kind: string;
  /** Without spaces. No terms: the document leaves the index. */
  readonly terms: readonly string[];
}

/** How far an index has followed the log, and the hash of the last entry it has seen, '' before the first. */
export interface Followed {
  readonly size: number;
  readonly head: string;
  /** Scrubs before this entry of the log have been honoured: nothing is left of what they took away. */
  readonly honoured: number;
}

export interface Wanted {
  readonly tenant: string;
  readonly kinds: readonly string[] | undefined;
  readonly terms: readonly string[];
}

/** Documents that hold asked terms, each with how often it holds each of them, in the order they were asked. */
export interface Candidates {
  readonly documents: number;
  /** Terms of all documents together. */
  readonly length: number;
  /** How many documents hold each asked term. */
  readonly frequencies: readonly number[];
  readonly found: readonly {
    readonly key: string;
    readonly kind: string;
    readonly length: number;
    readonly counts: readonly number[];
  }[];
}

export interface SearchIndex {
  followed(): Promise<Followed>;
  /** Takes in documents as they now stand, and that the log was followed so far: both or neither. */
  write(documents: readonly IndexedDocument[], followed: Followed): Promise<void>;
  /** Forgets everything, and leaves nothing of it in its file. */
  clear(honoured: number): Promise<void>;
  find(wanted: Wanted): Promise<Candidates>;
  close(): void;
}
