/** Audits one range of a ledger file, on the main thread or beside it: its own connection, read-only, in sequence order. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { auditEntry, type Finding } from '../../ledger/audit.ts';
import { leafHash, leafOneByte } from '../../ledger/entry.ts';
import { hashBytes } from '../../ledger/merkle.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileHeight, tileWidth } from '../../ledger/tiles.ts';
import {
  ContentsInTurn,
  contentsSql,
  entriesSql,
  leavesOf,
  pageEntries,
  pagesOf,
  type ContentRow,
  type EntryRow,
  type LeafColumn,
} from './audit-rows.ts';
import { contentSlots } from './ddl.ts';
import { RecentEntries } from './recent-entries.ts';

export interface AuditRange {
  readonly path: string;
  /** A multiple of 256. */
  readonly from: number;
  readonly to: number;
}

export interface RangeReport {
  readonly contents: number;
  readonly findings: readonly Finding[];
  /** Root of each full tile of 256 leaves, then the leaves of the unfinished one; 32 bytes each. */
  readonly tileRoots: Uint8Array;
  readonly tail: Uint8Array;
}

/** Findings kept by one worker; beyond, the ledger is lost anyway. */
const findingsMax = 1000;
/** Missing entries whose places are kept, so that those behind them are still judged against their own leaves. */
const gapMax = 65_536;

export function auditRange(range: AuditRange, progress: (done: number) => void): RangeReport {
  const audit = new RangeAudit(range, progress);
  try {
    audit.run();
  } catch (error) {
    audit.say(audit.expected, `it cannot be read, the database file is damaged: ${(error as Error).message}`);
  }
  return audit.report();
}

class RangeAudit {
  /** The next entry that should come. */
  expected: number;
  readonly #range: AuditRange;
  readonly #progress: (done: number) => void;
  readonly #findings: Finding[] = [];
  readonly #recent = new RecentEntries();
  readonly #roots: Uint8Array[] = [];
  #leaves = new Subtree();
  #stored: Uint8Array | undefined;
  #contents = 0;
  #act = -1;
  #actAnswers = false;

  constructor(range: AuditRange, progress: (done: number) => void) {
    this.#range = range;
    this.#progress = progress;
    this.expected = range.from;
  }

  say(seq: number, reason: string, chain: string | null = null, n: number | null = null): void {
    if (this.#findings.length < findingsMax) this.#findings.push({ seq, chain, n, reason });
  }

  report(): RangeReport {
    const tail = this.#leaves.width === 0 ? new Uint8Array() : this.#leaves.bytes();
    return {
      contents: this.#contents,
      findings: this.#findings,
      tileRoots: Buffer.concat(this.#roots),
      tail,
    };
  }

  run(): void {
    const { path, from, to } = this.#range;
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const before = this.#predecessors(db);
      const tile = db.prepare('SELECT bytes FROM tile WHERE level = 0 AND n = ?');
      const entries = pagesOf<EntryRow>(db, entriesSql);
      const contents = pagesOf<ContentRow>(db, contentsSql);
      this.#act =
        (db.prepare('SELECT act FROM entry WHERE seq = ?').get(from - 1)?.['act'] as number | undefined) ??
        -1;
      this.#stored = tile.get(from / tileWidth)?.['bytes'] as Uint8Array | undefined;
      const leaves = leavesOf(db);
      const next = (leaf: Uint8Array | string): void => {
        this.#leaves.push(leaf);
        this.expected++;
        if (this.#leaves.width < tileWidth) return;
        this.#closeTile(leaves);
        this.#stored = tile.get(this.expected / tileWidth)?.['bytes'] as Uint8Array | undefined;
      };
      for (let at = from; at < to; at += pageEntries) {
        const end = Math.min(at + pageEntries, to);
        const own = new ContentsInTurn(contents(at * contentSlots, end * contentSlots), (seq) =>
          this.say(seq, 'content is stored that belongs to no entry'),
        );
        for (const row of entries(at, end)) {
          if (!this.#skipTo(row[0], next)) return;
          this.#judge(row, own, before, next);
        }
        own.skipTo(end);
      }
      if (this.expected < to) this.say(this.expected, `the log ends here; ${to} entries are expected`);
      if (this.#leaves.width > 0) this.#judgeLeaves(leaves);
    } finally {
      db.close();
    }
  }

  #predecessors(db: DatabaseSync): (chain: string, n: number) => string | undefined {
    const predecessor = db.prepare('SELECT text FROM entry WHERE chain = ? AND n = ?');
    return (chain, n) => {
      const known = this.#recent.hash(chain, n);
      if (known !== undefined) return known;
      const row = predecessor.get(chain, n) as { readonly text: string } | undefined;
      return row === undefined ? undefined : Buffer.from(leafHash(row.text)).toString('hex');
    };
  }

  /** Names what is missing before `seq`; its leaves are taken from the tile. False where too much is. */
  #skipTo(seq: number, next: (leaf: Uint8Array | string) => void): boolean {
    if (seq === this.expected) return true;
    this.say(
      this.expected,
      `the log has no entry ${this.expected}${seq > this.expected + 1 ? ` to ${seq - 1}` : ''}`,
    );
    if (seq - this.expected > gapMax) return false;
    while (this.expected < seq) next(this.#storedLeaf() ?? new Uint8Array(hashBytes));
    return true;
  }

  #judge(
    row: EntryRow,
    contents: ContentsInTurn,
    before: (chain: string, n: number) => string | undefined,
    next: (leaf: Uint8Array | string) => void,
  ): void {
    const [seq, act, chain, n, text] = row;
    const own = contents.of(seq);
    const leaf = leafOneByte(text);
    this.#contents += own.length;
    for (const finding of auditEntry({ seq, chain, n, text, contents: own }, before))
      if (this.#findings.length < findingsMax) this.#findings.push(finding);
    if (!contents.inPlace) this.say(seq, 'its contents are not stored in their places');
    this.#judgeAct(seq, act, chain, n, text);
    this.#recent.set(chain, n, leaf);
    next(leaf);
  }

  /** An act is its entries one behind the other, and answers one call. */
  #judgeAct(seq: number, act: number, chain: string, n: number, text: string): void {
    if (act !== this.#act && act !== seq)
      this.say(seq, `it is stored as part of act ${act}, and stands neither at its beginning nor behind it`);
    if (act !== this.#act) this.#actAnswers = false;
    this.#act = act;
    if (n !== 0 || !chain.startsWith('inv_') || text.includes('"root":"')) return;
    if (this.#actAnswers) this.say(seq, `act ${act} has a call already`);
    this.#actAnswers = true;
  }

  #storedLeaf(): Uint8Array | undefined {
    const at = (this.expected % tileWidth) * hashBytes;
    return this.#stored === undefined ? undefined : this.#stored.subarray(at, at + hashBytes);
  }

  /** The hashes that are stored beside the entries and in the tile, compared as a whole: most often both agree. */
  #judgeLeaves(leaves: LeafColumn): void {
    const own = Buffer.from(this.#leaves.bytes());
    const first = this.expected - this.#leaves.width;
    const stored = leaves.joined(first, this.expected);
    if (stored === null || !own.equals(stored))
      for (const { seq, chain, n, leaf } of leaves.each(first, this.expected))
        if (leaf !== null && own.compare(leaf, 0, leaf.length, ...span(seq - first)) !== 0)
          this.say(seq, 'its bytes are not those whose hash was stored with it', chain, n);
    if (this.#stored === undefined || own.equals(this.#stored)) return;
    const whole = Math.min(this.#leaves.width, Math.floor(this.#stored.length / hashBytes));
    for (let i = 0; i < whole; i++)
      if (own.compare(this.#stored, ...span(i), ...span(i)) !== 0)
        this.say(first + i, `its hash is not the one in tile 0/${Math.floor(first / tileWidth)}`);
  }

  #closeTile(leaves: LeafColumn): void {
    this.#judgeLeaves(leaves);
    if (this.#stored?.length !== tileWidth * hashBytes)
      this.say(
        this.expected - tileWidth,
        `tile 0/${this.expected / tileWidth - 1} is ${this.#stored === undefined ? 'missing' : 'not whole'}`,
      );
    this.#roots.push(this.#leaves.node(tileHeight, 0));
    this.#leaves = new Subtree();
    if (this.#roots.length % 64 === 0) this.#progress(this.expected - this.#range.from);
  }
}

function span(i: number): [number, number] {
  return [i * hashBytes, (i + 1) * hashBytes];
}

// Few entries are audited where they are asked for: then nobody started this file as a worker.
if (parentPort !== null && (workerData as Partial<AuditRange> | null)?.from !== undefined) {
  const port = parentPort;
  port.postMessage({ report: auditRange(workerData as AuditRange, (done) => port.postMessage({ done })) });
}
