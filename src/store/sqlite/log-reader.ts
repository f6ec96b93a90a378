/** Reads committed entries, tiles and proofs of the log. The log index is the sequence number. */
import { LRUCache } from 'lru-cache';
import type { SignedCheckpoint, StoredEvent } from '../../engine/act.ts';
import { prefixEnd } from '../../engine/keys.ts';
import type { LogEntry, LogText } from '../../engine/store.ts';
import { leafHash } from '../../ledger/entry.ts';
import { MerkleLog } from '../../ledger/log.ts';
import { Subtree, subtreesMax } from '../../ledger/subtree.ts';
import { tileWidth, widthAt } from '../../ledger/tiles.ts';
import type { Packed } from './packed-contents.ts';
import type { StatementCache } from './statement-cache.ts';
import type { StoredContents } from './stored-contents.ts';

interface EntryRow extends Packed {
  readonly seq: number;
  readonly act: number;
  readonly text: string;
}

export class LogReader {
  readonly #statements: StatementCache;
  readonly #contents: StoredContents;
  readonly #log: MerkleLog;
  readonly #size: () => number;
  readonly #subtrees = new LRUCache<string, Subtree>({ max: subtreesMax });
  readonly #fullTile = (level: number, n: number): Subtree => this.#subtree(level, n);

  /** `log` is ahead of what is durable while a batch is on its way to the disk; `size` says how far that is. */
  constructor(statements: StatementCache, contents: StoredContents, log: MerkleLog, size: () => number) {
    this.#statements = statements;
    this.#contents = contents;
    this.#log = log;
    this.#size = size;
  }

  chain(id: string): StoredEvent[] {
    const rows = this.#statements
      .prepare('SELECT seq, act, text, fields, packed FROM entry WHERE chain = ? ORDER BY n')
      .all(id) as unknown as EntryRow[];
    return rows.map((row) => this.#event(row));
  }

  chains(prefix: string): StoredEvent[] {
    const rows = this.#statements
      .prepare('SELECT seq, act, text, fields, packed FROM entry WHERE chain >= ? AND chain < ? ORDER BY seq')
      .all(prefix, prefixEnd(prefix)) as unknown as EntryRow[];
    return rows.map((row) => this.#event(row));
  }

  history(prefix: string, after: number, limit: number): LogEntry[] {
    const rows = this.#statements
      .prepare(
        `SELECT seq, act, text, fields, packed FROM entry WHERE seq IN (
           SELECT seq FROM entry WHERE chain >= ? AND chain < ? AND seq > ? ORDER BY seq LIMIT ?) ORDER BY seq`,
      )
      .all(prefix, prefixEnd(prefix), after, limit) as unknown as EntryRow[];
    return rows.map((row) => this.#placed(row));
  }

  entries(from: number, limit: number): LogEntry[] {
    const rows = this.#statements
      .prepare('SELECT seq, act, text, fields, packed FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?')
      .all(from, limit) as unknown as EntryRow[];
    return rows.map((row) => this.#placed(row));
  }

  #placed(row: EntryRow): LogEntry {
    return { ...this.#event(row), index: row.seq, act: row.act };
  }

  /** As far as readers see the log. */
  texts(from: number, limit: number): LogText[] {
    return this.#statements
      .prepare('SELECT seq AS "index", text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?')
      .all(from, this.#size(), limit) as unknown as LogText[];
  }

  #event(row: EntryRow): StoredEvent {
    return { seq: row.seq, text: row.text, contents: this.#contents.of(row) };
  }

  tile(level: number, n: number, width: number): Uint8Array | undefined {
    if (width < 1 || width > widthAt(level, n, this.#size())) return undefined;
    const live = this.#log.tile(level, n, width);
    if (live !== undefined) return live;
    const stored = this.#statements
      .prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?')
      .get(level, n)?.['bytes'] as Uint8Array | undefined;
    return stored?.subarray(0, width * 32);
  }

  /** A full tile with its inner nodes; the most recently used are kept, 16 KB each. */
  #subtree(level: number, n: number): Subtree {
    const name = `${level}/${n}`;
    const cached = this.#subtrees.get(name);
    if (cached !== undefined) return cached;
    const bytes = this.tile(level, n, tileWidth);
    if (bytes === undefined) throw new Error(`the log has no full tile ${name}`);
    const subtree = Subtree.of(bytes);
    this.#subtrees.set(name, subtree);
    return subtree;
  }

  inclusion(index: number, size: number): readonly Uint8Array[] {
    return this.#log.inclusionProof(index, this.#within(size), this.#fullTile);
  }

  inclusionLines(index: number, size: number): string {
    return this.#log.inclusionLines(index, this.#within(size), this.#fullTile);
  }

  #within(size: number): number {
    if (size > this.#size()) throw new RangeError(`the log has ${this.#size()} leaves, not ${size}`);
    return size;
  }
}

/** The log as it was left, and its signed head. */
export function restoreLog(statements: StatementCache): {
  readonly log: MerkleLog;
  readonly checkpoint: SignedCheckpoint | null;
} {
  const size =
    ((statements.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? -1) + 1;
  const log = MerkleLog.restore(
    size,
    (level, n) =>
      statements.prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?').get(level, n)?.[
        'bytes'
      ] as Uint8Array,
    (from, to) =>
      (
        statements
          .prepare('SELECT text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq')
          .all(from, to) as { readonly text: string }[]
      ).map((row) => leafHash(row.text)),
  );
  if (size === 0) return { log, checkpoint: null };
  const note = statements.prepare("SELECT value FROM meta WHERE name = 'checkpoint'").get()?.['value'] as
    string | undefined;
  // A ledger without a signed head is damaged; `verify` says so, and the next write signs.
  return { log, checkpoint: note === undefined ? null : { size, root: log.root(), note } };
}
