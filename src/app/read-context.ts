/** What reads work with: committed state, the address of the site and the clock. */
import type { Credential } from '../domain/capabilities/credential.ts';
import type { Row } from '../domain/capabilities/row.ts';
import type { Candidates, SearchQuery, TermsQuery } from '../engine/search-index.ts';
import type { SignedCheckpoint } from '../engine/act.ts';
import type { Reader } from '../engine/store.ts';
import type { VerifierKey } from '../ledger/note.ts';
import type { Judgement, Policy } from '../ledger/policy.ts';

export interface ReadContext {
  /** Committed state: the store's, or that of one article at an earlier time (`reads/historical-reader.ts`). */
  readonly read: Reader;
  /** `read` answers from the history of an article. */
  readonly isHistorical?: true;
  /** Base address without a final slash. */
  readonly base: string;
  /** The key that verifies checkpoints of this log; its name is the log's origin. */
  readonly logKey: VerifierKey;
  /** What witnesses have cosigned; undefined without a policy. */
  readonly cosigning?: Cosigning | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The witnesses of the deployment's own log (`background/cosigning.ts`). */
export interface Cosigning {
  readonly policy: Policy;
  /** The newest checkpoint with the quorum of the policy; durable, and covered by the log. */
  readonly newest: Cosigned | undefined;
  /** How long the oldest entry waits that no quorum has cosigned; 0 on a node that does not ask. */
  readonly waitMs: number;
  /** In the order of the policy. */
  status(): readonly WitnessStatus[];
}

/** A checkpoint with the quorum of the policy, and who has cosigned it. */
export interface Cosigned extends SignedCheckpoint {
  readonly cosigned: Judgement['cosigned'];
}

export type WitnessState = 'cosigned' | 'behind' | 'failing' | 'ahead' | 'contradicts' | 'not asked';

/** Whether the witness disagrees with the log. An honest log and an honest witness never do: the operator has to look. */
export function isAlarming(state: WitnessState): boolean {
  return state === 'ahead' || state === 'contradicts';
}

/** What is known of one witness of the policy. */
export interface WitnessStatus {
  /** As the policy names it. */
  readonly name: string;
  readonly url: string | undefined;
  /** Entries of the newest checkpoint of this log that it has cosigned, as far as it is known. */
  readonly size: number;
  readonly state: WitnessState;
  /** Why it is failing, ahead or contradicts, as a clause. */
  readonly problem: string | undefined;
  /** Requests that brought no cosignature, since this node started. */
  readonly failures: number;
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
