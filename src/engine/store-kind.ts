/**
 * The port of a kind of store: everything that depends on where a deployment keeps its ledger. Each folder below
 * `src/store` exports one. `compose.ts` selects it from the configuration; nothing else asks which one it is.
 */
import type { Schema, StoredContent } from './act.ts';
import type { ReplayReport } from './check-projections.ts';
import type { FoundVersion } from './ledger-version.ts';
import type { RowReplay } from './row-replay.ts';
import type { SearchIndex } from './search-index.ts';
import {
  OperatorError,
  type Blobs,
  type Keyring,
  type LogEntry,
  type Reader,
  type SignCheckpoint,
  type Store,
  type StoreOptions,
} from './store.ts';
import type { HeldRow, KeyringRow, LedgerCopy, TransferProgress } from './transfer.ts';
import type { Sealed } from '../ledger/entry.ts';

export interface StoreKind {
  /** As backups and logs name it. */
  readonly name: string;
  /** Where the ledger is, as messages name it: without user and password. */
  readonly place: string;
  /** Whether several nodes use one ledger at the same time. */
  readonly isShared: boolean;
  /** Bytes that the ledger takes in the data folder. */
  storedBytes(): number;
  open(options: StoreOptions): Promise<Store>;
  openSearch(): Promise<SearchIndex>;
  /** An empty replay, held on this machine until it is closed. */
  openReplay(schema: Schema): Promise<RowReplay>;
  /**
   * Reads the ledger as of one moment, beside running nodes, and changes nothing. `use` may be called a second time.
   * Throws `NoLedger`, and `UnsupportedLedger` where this build may not read the ledger.
   */
  withSnapshot<T>(use: (ledger: LedgerSnapshot) => Promise<T>): Promise<T>;
  /** Replaces every projection with its replay. `startNode` starts a node of the deployment, checks included. */
  rebuild(schema: Schema, progress: (done: number) => void, startNode: StartNode): Promise<ReplayReport>;
  /**
   * Copies the ledger and what belongs to it into the folder `to`, beside running nodes, as the data folder of an
   * embedded ledger has it, whatever the kind of store.
   */
  backup(to: string, progress: (done: number, of: number) => void): Promise<LedgerBackup>;
  /** What a command has left for the nodes of the ledger and for other commands; it is no part of the ledger. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, text: string): Promise<void>;
  /** Moves the entries into a new log (ADR 47). No node may be running. */
  beginLog(schema: Schema, make: MakeNewLog): Promise<void>;
  /**
   * Keeps every node out of the ledger until `use` is done, which may write to the keyring. Throws `LedgerInUse` where a
   * node runs, and `NoLedger`.
   */
  whileStopped<T>(use: (keyring: Keyring) => Promise<T>): Promise<T>;
  /**
   * Makes the ledger from a copy (ADR 67), and projections from its entries: in an empty place, or over an unfinished
   * transfer of the same log. All of it is durable when it resolves; a crash before leaves nothing that a node opens.
   * Throws `NotEmpty`, and `LedgerInUse` where a node runs.
   */
  receive(copy: LedgerCopy, schema: Schema, progress: TransferProgress): Promise<void>;
  /** What `colophon doctor` says of the place itself; `isServing`: whether a server answers for the data folder. */
  diagnose(isServing: boolean): Promise<readonly Diagnosis[]>;
}

/**
 * The ledger at one moment: entries in log order, then those that await their place in the log, and rows of the
 * projections. What cannot be read because it was altered throws `Unreplayable`.
 */
export interface LedgerSnapshot extends Pick<Reader, 'entries' | 'row' | 'scan'> {
  version(): Promise<FoundVersion>;
  keyring(name: string): Promise<string | undefined>;
  /** Every row of the keyring, and of the operational records that are durable until they expire. */
  keyringRows(): Promise<readonly KeyringRow[]>;
  heldRows(): Promise<readonly HeldRow[]>;
  readonly blobs: Pick<Blobs, 'names' | 'get'>;
  /** Committed entries that have no place in the log yet. */
  unlogged(): Promise<number>;
  head(): Promise<{ readonly size: number; readonly checkpoint: string | null }>;
  /** Root of the first `size` entries, from the stored tiles and the entries behind them. */
  rootAt(size: number): Promise<Uint8Array>;
  /** Recomputes the ledger from its bytes. */
  audit(options: AuditOptions): Promise<LedgerAudit>;
  /** Undefined where there is no index. To be opened before entries are read: an index may be behind them, never ahead. */
  openSearch(): Promise<Pick<SearchIndex, 'cursor' | 'find'> | undefined>;
}

export interface AuditOptions {
  /** Log sizes whose roots will be asked for. */
  readonly sizes: ReadonlySet<number>;
  /** Leave out what is checked beside the entries themselves, such as every page of a file. */
  readonly ledgerOnly: boolean;
  readonly progress: (done: number, of: number) => void;
  /** Called with every entry of the log, in order. */
  readonly seen?: (entry: LogEntry) => void;
}

export interface LedgerAudit {
  readonly entries: number;
  /** Entries that are committed and await their place in the log; they are judged, too. */
  readonly pending: number;
  readonly contents: number;
  readonly scrubbed: number;
  readonly root: Uint8Array;
  /** As stored; null for an empty ledger. */
  readonly checkpoint: string | null;
  /** One line each. */
  readonly problems: readonly string[];
  /** As recomputed from the entries. */
  rootAt(size: number): Promise<Uint8Array>;
}

export interface LedgerBackup {
  /** Files below the backup's folder. */
  readonly paths: readonly string[];
  /** Name of the log; undefined where the ledger has none yet. */
  readonly origin: string | undefined;
  /** The checkpoint that covers what was copied; undefined where the log is empty. */
  readonly checkpoint: string | undefined;
}

export type StartNode = () => Promise<{ readonly store: Store; close(): Promise<void> }>;

/** Nothing was ever stored here. The message is the one line that names the setting. */
export class NoLedger extends OperatorError {}

/** What a store tells of the log that it holds, where a new one is begun over its entries (contract §6, ADR 47). */
export interface FoundLog {
  readonly entries: number;
  /** Values of the keyring by name. */
  readonly keyring: Readonly<Record<string, string>>;
  /** The signed checkpoint stored with the entries. */
  readonly checkpoint: string | null;
}

/** What is written in its place: the new entry comes first, the others follow in their order. */
export interface NewLog {
  readonly first: { readonly sealed: Sealed; readonly contents: readonly StoredContent[] };
  /** Values that the keyring gets. */
  readonly keyring: Readonly<Record<string, string>>;
  readonly sign: SignCheckpoint;
}

/** Called within the transaction that writes the new log. */
export type MakeNewLog = (found: FoundLog) => NewLog;

/** One thing that `colophon doctor` looked at: what it found, and what to do about it. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; '' where nothing is wrong. */
  readonly fix: string;
}

export function ok(check: string, detail: string): Diagnosis {
  return { check, state: 'ok', detail, fix: '' };
}

export function warn(check: string, detail: string, fix: string): Diagnosis {
  return { check, state: 'warn', detail, fix };
}

export function fail(check: string, detail: string, fix: string): Diagnosis {
  return { check, state: 'fail', detail, fix };
}
