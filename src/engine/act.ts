/**
 * The unit of work. An act is prepared outside (identity, time and random bytes arrive with it), decides
 * synchronously over loaded state, and is answered after its commit is durable. Inside `decide`, `append`
 * seals one ledger entry and projects it at once, so that the next step of the same act sees its effect.
 * An act commits whole or not at all; `decide` may run again with the same time and randomness.
 */
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { Draft, Head, Sealed } from '../ledger/entry.ts';
import type { RowOf, Sub, Table } from './tables.ts';

/** What an act may read for its decision. `write` takes it for itself; `read` only looks. */
export interface Key {
  readonly aggregate: string;
  readonly id: string;
  readonly mode: 'read' | 'write';
}

/** The aggregate name under which a chain's own entries are loaded. */
export const chainAggregate = 'chain';
/** The same for all chains whose ids begin with an id that ends in a dot: an article's whole history. */
export const chainsAggregate = 'chains';

export function writes(aggregate: string, id: string): Key {
  return { aggregate, id, mode: 'write' };
}

export function reads(aggregate: string, id: string): Key {
  return { aggregate, id, mode: 'read' };
}

/** Content an entry commits to. `plain` text is committed unsalted (a DIV's text); the rest is salted JSON. */
export interface Content {
  /** The member of the entry that holds the commitment, such as `text_sha` or `request_sha`. */
  readonly field: string;
  readonly value: JsonValue;
  readonly plain?: boolean;
  /** Committed to and not stored, nor its salt: as if it had been scrubbed at once. */
  readonly withheld?: boolean;
}

export interface EventDraft {
  readonly draft: Draft;
  /**
   * The newest entry of the chain, from the state that owns the chain; null begins a chain; 'previous'
   * follows the entry that this act appended to it just before.
   */
  readonly head: Head | null | 'previous';
  readonly contents?: readonly Content[];
}

/** What projectors see, live and in a rebuild alike. */
export interface Event {
  readonly seq: number;
  readonly sealed: Sealed;
  /** By commitment field. Absent when scrubbed and not replaced. */
  readonly contents: Readonly<Record<string, JsonValue>>;
  /** Fields whose content is a replacement, which the entry's own commitment does not cover. */
  readonly replaced?: readonly string[];
}

export interface StoredContent {
  readonly field: string;
  /** 32 bytes, or null for plain text. */
  readonly salt: Uint8Array | null;
  /** RFC 8785 text of the value, or the plain text; null once scrubbed. */
  readonly body: string | null;
  /** What stands in for scrubbed content, in the form that `body` had. */
  readonly replacement?: string | null;
  /** The chain of the scrub entry that names this content and commits to its replacement. */
  readonly scrubbedBy?: string | null;
}

/** Content to be scrubbed: body and salt go, and what is named stands in for them from then on. */
export interface Scrub {
  readonly seq: number;
  /** Its place among the contents of its entry. */
  readonly slot: number;
  readonly replacement: string;
  readonly scrubbedBy: string;
}

/** The text of a content as it stands: what was committed, or what replaced it; null where nothing is left. */
export function contentText(content: StoredContent | undefined): string | null {
  return content?.body ?? content?.replacement ?? null;
}

/** The only field whose content is plain text; it has no salt whose absence would show a scrub. */
const plainTextField = 'text_sha';

/** The value of a content as it stands; undefined where nothing is left of it. */
export function contentValue(content: StoredContent): JsonValue | undefined {
  const text = contentText(content);
  if (text === null) return undefined;
  const plain = content.body === null ? content.field === plainTextField : content.salt === null;
  return plain ? text : (JSON.parse(text) as JsonValue);
}

export interface StoredEvent {
  readonly seq: number;
  readonly text: string;
  readonly contents: readonly StoredContent[];
}

export interface View {
  /** All rows of one aggregate in one table. Asking for what is not loaded loads it and decides again. */
  rows<T extends Table>(table: T, id: string): ReadonlyMap<Sub, RowOf<T>>;
  row<T extends Table>(table: T, id: string, sub?: Sub): RowOf<T> | undefined;
  /** A chain's own stored entries, oldest first. */
  chain(id: string): readonly StoredEvent[];
}

export interface Tx extends View {
  /** Seals and projects one entry. Its aggregate must be held for writing. */
  append(event: EventDraft): Appended;
  /** Leaves everything this act has appended since `mark` undone. */
  rollback(mark: number): void;
  mark(): number;
  /** The stored entries of all chains whose ids begin with `prefix`, which ends in a dot; in commit order. */
  chains(prefix: string): readonly StoredEvent[];
  /**
   * Takes stored contents of a chain (of all chains below a name that ends in a dot) away, and makes again what
   * was projected from them: their replacements are what projectors see from then on.
   */
  scrub(chains: string, scrubs: readonly Scrub[]): void;
}

export interface Appended {
  readonly seq: number;
  readonly sealed: Sealed;
  /** Commitment and salt of each content, in the order given. */
  readonly contents: readonly {
    readonly field: string;
    readonly sha: string;
    readonly salt: string | null;
  }[];
  /** The RFC 8785 text that was committed to, if just this value was and its text is kept. */
  contentText(value: JsonValue): string | undefined;
}

export interface Act<R> {
  readonly name: string;
  readonly keys: readonly Key[];
  decide(tx: Tx): R;
}

/** A signed tree head: a note over the log's size and 32-byte root. */
export interface SignedCheckpoint {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
}

/** Where an act's entries ended up. */
export interface Committed<R> {
  readonly answer: R;
  readonly entries: readonly Appended[];
  /** Log index of the first entry; null until the log has integrated it (PostgreSQL). */
  readonly logIndex: number | null;
  /** The first signed head that covers the entries; null as above. */
  readonly checkpoint: SignedCheckpoint | null;
}

/** Writes to projections. A projector gets an event and the state before it, and puts or removes rows. */
export interface Projection extends View {
  put<T extends Table>(table: T, row: RowOf<T>): void;
  remove(table: Table, id: string, sub?: Sub): void;
}

/** Pure: the same events give the same rows, live and in a rebuild. */
export type Projector = (event: Event, projection: Projection) => void;

/** What the engine must know of the product: its tables and how events become rows. */
export interface Schema {
  /** Raised whenever a projector writes other rows for the same entries: what older ones made is then made again. */
  readonly version: number;
  readonly tables: readonly Table[];
  /** What is filled in where stored objects lack it, before they are projected. */
  readonly laterMembers?: JsonObject;
  readonly project: Projector;
}
