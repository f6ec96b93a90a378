/**
 * The store port: what the product asks of a place that keeps the ledger and its projections. Two adapters
 * implement it (`store/sqlite`, `store/postgres`); one contract suite and one model hold them to it.
 */
import type { Fault } from '../kernel/fault.ts';
import type { Act, Committed, Schema, SignedCheckpoint, StoredEvent } from './act.ts';
import type { StoreLoad } from './queue.ts';
import type { RowOf, Sub, Table } from './tables.ts';

export interface Store {
  /** Resolves after the durable commit; a `Fault` answer may have committed its receipt too. */
  run<R>(act: Act<R>): Promise<Committed<R> | Fault>;
  readonly read: Reader;
  readonly keyring: Keyring;
  readonly ephemeral: EphemeralStore;
  readonly blobs: Blobs;
  /** The texts of integrated entries from `index` on, in log order, for ever; ends when the store closes. */
  follow(index: number, signal: AbortSignal): AsyncIterable<LogText>;
  /** Rewrites what is stored so that no byte of what was taken away is left in the files that the store keeps. */
  vacuum(): Promise<void>;
  /** How busy it is with writes. */
  readonly load: StoreLoad;
  /** Whether this node is the one that puts entries into the log. */
  readonly leads: boolean;
  /** Committed entries that have no place in the log yet. */
  unlogged(): Promise<number>;
  /**
   * Entries in the log, read again after a write that changes nothing. Throws `StoreUnreachable` with the reason if
   * either fails or there is no answer in time.
   */
  probe(withinMs: number): Promise<number>;
  /** Set once this node found that the ledger was set back behind it. */
  readonly rollback?: ObservedRollback | undefined;
  /**
   * Ends waits for a database that went silent: cuts every connection, and connects again only where not `forGood`.
   * Only a store that has connections needs it.
   */
  cut?(forGood: boolean): void;
  close(): Promise<void>;
}

/** The place that keeps the ledger does not answer; nothing was read, and nothing is known to be written. */
export class StoreUnreachable extends Error {
  /** What the operator has to do if waiting does not help. */
  readonly fix: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly fix?: string } = {}) {
    super(message, options);
    this.fix = options.fix;
  }
}

/** The keyring row that stops every node of a database that was set back: the reason, then the checkpoint that was lost. */
export const lostCheckpoint = 'lost_checkpoint';

/** What a node had seen of a ledger that is gone back behind it. */
export interface ObservedRollback {
  /** What is missing, as a clause. */
  readonly reason: string;
  /** The newest signed checkpoint that the node saw; null where it saw none. */
  readonly checkpoint: string | null;
}

/** The ledger was set back behind this running node, which answers no write any more (contract §6). */
export class LedgerRolledBack extends StoreUnreachable {
  constructor({ reason }: ObservedRollback) {
    super(`the database was set back behind this node: ${reason}`, {
      fix: 'Bring back the database that has the newer ledger and restart the nodes; or restart them with --accept-rollback, which begins a new log.',
    });
  }
}

/** Whoever runs the command has to change something first: the message is the one line that says what. */
export class OperatorError extends Error {}

/** Another process owns the ledger: nothing was opened, and nothing changed. */
export class LedgerInUse extends OperatorError {
  static ofFolder(folder: string, cause?: unknown): LedgerInUse {
    return new LedgerInUse(
      `another Colophon process owns ${folder}; stop it, or set COLOPHON_DATA to another folder.`,
      { cause },
    );
  }
}

/** An entry that the projectors cannot take: it was altered, or its content was. */
export class UnreplayableEntry extends Error {}

export interface Range {
  readonly after?: Sub;
  readonly before?: Sub;
  readonly limit: number;
  readonly reverse?: boolean;
}

/** One comparison of a column with a value; `contains` looks for a text within a text, as it is written. */
export interface Condition {
  readonly column: string;
  readonly op: '=' | '!=' | '>' | '>=' | '<' | '<=' | 'contains';
  readonly value: Sub;
}

/** Rows of a two-key table below any of `ids` that meet all conditions, in one total order. */
export interface Selection {
  readonly ids: readonly string[];
  readonly where: readonly Condition[];
  /** Rows are ordered by this column, then by their key; texts compare by their UTF-8 bytes. */
  readonly order: string;
  readonly reverse?: boolean;
  /** The column's value and the key of the row behind which to go on. */
  readonly after?: readonly [Sub, Sub, Sub] | undefined;
  readonly limit: number;
}

/** Rows below any of `ids` that meet all conditions, counted by the values of text columns. */
export interface Grouping {
  readonly ids: readonly string[];
  readonly where: readonly Condition[];
  /** `chars`: a group has so many first characters in common, such as 10 of a time for its day. */
  readonly by: readonly { readonly column: string; readonly chars?: number }[];
}

export interface Group {
  /** A value for each column of the grouping. */
  readonly of: readonly string[];
  readonly n: number;
}

/** Committed state only. */
export interface Reader {
  rows<T extends Table>(table: T, id: string): Promise<ReadonlyMap<Sub, RowOf<T>>>;
  row<T extends Table>(table: T, id: string, sub?: Sub): Promise<RowOf<T> | undefined>;
  /** Rows of a two-key table in order of the second key. */
  list<T extends Table>(table: T, id: string, range: Range): Promise<readonly RowOf<T>[]>;
  select<T extends Table>(table: T, selection: Selection): Promise<readonly RowOf<T>[]>;
  count(table: Table, id: string): Promise<number>;
  /** The number of rows in each group, in no order; groups without rows are not there. */
  countBy(table: Table, grouping: Grouping): Promise<readonly Group[]>;
  /** Every row of a table in key order, for `rebuild --check`. */
  scan<T extends Table>(table: T): AsyncIterable<RowOf<T>>;
  /** Changes whenever the aggregate does. */
  stamp(aggregate: string, id: string): Promise<number>;
  /** The same, where it is known without a query. */
  stampNow(aggregate: string, id: string): number | undefined;
  chain(id: string): Promise<readonly StoredEvent[]>;
  /** All chains whose id begins with `prefix`, in commit order. */
  chains(prefix: string): Promise<readonly StoredEvent[]>;
  /** The same a page at a time, from behind the entry of the number `after`, each with its place. */
  history(prefix: string, after: number, limit: number): Promise<readonly PlacedEntry[]>;
  /** Integrated entries in log order. Throws `Unreplayable` if the contents of one cannot be separated. */
  entries(from: number, limit: number): Promise<readonly LogEntry[]>;
  /** The same without what they commit to, which may be large. */
  texts(from: number, limit: number): Promise<readonly LogText[]>;
  /** Log index of an entry, or null while it is not integrated. */
  indexOf(seq: number): Promise<number | null>;
  /** The newest signed checkpoint, or null for a log that is still empty. */
  checkpoint(): Promise<SignedCheckpoint | null>;
  /** Tile bytes: `width` hashes of 32 bytes, for tiles that the log of now covers; undefined elsewhere. */
  tile(level: number, n: number, width: number): Promise<Uint8Array | undefined>;
  /** Inclusion path of a leaf in the log of `size` leaves. */
  inclusion(index: number, size: number): Promise<readonly Uint8Array[]>;
  /** The same path as a proof writes it: a line of base64 for each hash. */
  inclusionLines(index: number, size: number): Promise<string>;
}

/** An entry's place in the log, and the exact text that the log holds. */
export interface LogText {
  readonly index: number;
  readonly text: string;
}

export interface PlacedEntry extends StoredEvent {
  /** Its place in the log, or null while it is not integrated. */
  readonly index: number | null;
  /** Number of the first entry of the same act. */
  readonly act: number;
}

export interface LogEntry extends PlacedEntry {
  readonly index: number;
}

/** Secrets' hashes and other settings that no rebuild makes again: backed up, never exported. */
export interface Keyring {
  get(name: string): Promise<string | undefined>;
  /** Everything whose name begins with `prefix`. */
  under(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
  /** Sets a name once; answers with the value that stands. */
  claim(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
  /** Sets a name only where its value is `expected`, undefined for none; answers with whether it did. Durable then. */
  compareAndSet(name: string, expected: string | undefined, value: string): Promise<boolean>;
}

/** What a node finds in a database that it is about to join. */
export interface Admission {
  readonly keyring: Keyring;
  /** The newest signed checkpoint; null where there is none. */
  readonly checkpoint: string | null;
  /** Whether no other node uses the database. */
  isAlone(): Promise<boolean>;
}

/** Throws what keeps a node from joining, before it writes anything. */
export type Admit = (database: Admission) => Promise<void>;

/**
 * Operational records that all nodes share until they expire (docs/ARCHITECTURE.md "What is stored where"): durable, but
 * part of neither the ledger nor a rebuild. Times are milliseconds since 1970.
 */
export interface EphemeralStore {
  put(name: string, value: string, expiresMs: number): Promise<void>;
  get(name: string, nowMs: number): Promise<string | undefined>;
  /** Forgets what has expired. */
  sweep(nowMs: number): Promise<void>;
  all(): Promise<readonly { readonly name: string; readonly value: string }[]>;
  remove(name: string): Promise<void>;
}

/** Large results that receipts name by their hash; kept with the ledger, never changed, removed by a scrub alone. */
export interface Blobs {
  /** Durable when it resolves; answers with the hex SHA-256. */
  put(bytes: Uint8Array): Promise<string>;
  /** Undefined where there is none, and where what is kept has another hash. */
  get(sha256: string): Promise<Uint8Array | undefined>;
  /** The hashes of all of them. */
  names(): AsyncIterable<string>;
  remove(sha256: string): Promise<void>;
}

/** Makes the signed note for a log head; the store calls it inside the batch. */
export type SignCheckpoint = (size: number, root: Uint8Array) => string;

/** How a store is opened; a kind of store passes over what does not concern it. */
export interface StoreOptions {
  readonly schema: Schema;
  readonly sign: SignCheckpoint;
  /** Whether a ledger of a build before ledgers had a version is upgraded; otherwise it is refused. */
  readonly upgrades?: boolean;
  /** Judges the deployment's keys before anything is written to a ledger that nodes share. */
  readonly admit?: Admit;
  /** Told of entries replayed where the projections are made again; undefined while another node does that. */
  readonly onReplay?: (done: number | undefined) => void;
  /** Told of failures that the store works around by itself, such as a lost connection. */
  readonly onTrouble?: (error: unknown) => void;
  /** Told once, when the ledger turned out to be set back behind this node. */
  readonly onRollback?: (rollback: ObservedRollback) => void;
  readonly limits?: Partial<StoreLimits>;
}

export interface StoreLimits {
  readonly batchMax: number;
  readonly queueMax: number;
  readonly cacheBytesMax: number;
}

export const defaultStoreLimits: StoreLimits = {
  batchMax: 64,
  queueMax: 4096,
  cacheBytesMax: 24 * 1024 * 1024,
};
