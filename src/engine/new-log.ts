/**
 * Beginning a log anew over the entries of an older one (contract §6, ADR 47): what a store tells of the log that it
 * holds, and what it is given to write in its place. The new entry comes first, the others follow in their order.
 */
import type { Sealed } from '../ledger/entry.ts';
import type { StoredContent } from './act.ts';
import type { SignCheckpoint } from './store.ts';

export interface FoundLog {
  readonly entries: number;
  /** Values of the keyring by name. */
  readonly keyring: Readonly<Record<string, string>>;
  /** The signed checkpoint stored with the entries. */
  readonly checkpoint: string | null;
}

export interface NewLog {
  readonly first: { readonly sealed: Sealed; readonly contents: readonly StoredContent[] };
  /** Values that the keyring gets. */
  readonly keyring: Readonly<Record<string, string>>;
  readonly sign: SignCheckpoint;
}

/** Called within the transaction that writes the new log. */
export type MakeNewLog = (found: FoundLog) => NewLog;
