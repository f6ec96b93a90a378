/** What reads work with: committed state, the address of the site and the clock. */
import type { Credential } from '../domain/capabilities/credential.ts';
import type { Row } from '../domain/capabilities/row.ts';
import type { Candidates, SearchQuery, TermsQuery } from '../engine/search-index.ts';
import type { Reader } from '../engine/store.ts';
import type { VerifierKey } from '../ledger/note.ts';

export interface ReadContext {
  /** Committed state: the store's, or that of one article at an earlier time (`reads/historical-reader.ts`). */
  readonly read: Reader;
  /** `read` answers from the history of an article. */
  readonly isHistorical?: true;
  /** Base address without a final slash. */
  readonly base: string;
  /** The key that verifies checkpoints of this log; its name is the log's origin. */
  readonly logKey: VerifierKey;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The caller of a read, and the workspace that it looks at. */
export interface Viewed {
  readonly viewer: Credential;
  readonly tenant: string;
}

export interface CallerContext extends ReadContext, Viewed {}

/** Reads of the directory: its rows by key. */
export interface DirectoryContext extends ReadContext {
  readonly rows: ReadonlyMap<string, Row>;
}

/** Reads that search. */
export interface SearchContext extends ReadContext {
  readonly search: Searcher;
}

/** Searches an index that follows the log. */
export interface Searcher {
  /** Lets the index catch up for so long, at least one step. Returns how many entries of the log it has not seen. */
  catchUp(budgetMs: number): Promise<number>;
  find(wanted: SearchQuery): Promise<Candidates>;
  termsBeginning(wanted: TermsQuery): Promise<readonly string[]>;
  /** Altered entries whose changes the index could not read. */
  readonly passedOver: number;
}
