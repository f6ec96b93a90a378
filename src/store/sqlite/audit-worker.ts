/**
 * Audits ranges of a ledger file, on the main thread or in a worker: over its own read-only connection, in sequence
 * order. A thread that finishes a range takes the next free one.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { FirstEntryFastPath } from '../../ledger/first-entry-fast-path.ts';
import { auditEntry, type ContentForAudit, type Finding } from '../../ledger/audit.ts';
import { leafHash, leafOneByte } from '../../ledger/entry.ts';
import { hashBytes } from '../../ledger/merkle.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileHeight, tileWidth } from '../../ledger/tiles.ts';
import {
  ContentsInTurn,
  contentsSql,
  entriesSqlOf,
  leavesOf,
  packedForAudit,
  pageEntries,
  pagesOf,
  type ContentRow,
  type EntryRow,
  type LeafColumn,
} from './audit-rows.ts';
import { contentSlots } from './ddl.ts';
import { RecentEntries } from './recent-entries.ts';

export interface AuditTask {
  readonly path: string;
  /** Entries of the whole ledger. */
  readonly size: number;
  /** How many ranges are taken, as one 32-bit number that all threads share. */
  readonly taken: SharedArrayBuffer;
}

export interface RangeReport {
  /** The range's first entry. */
  readonly from: number;
  readonly contents: number;
  readonly findings: readonly Finding[];
  /** Root of each full tile of 256 leaves, then the leaves of the unfinished one; 32 bytes each. */
  readonly tileRoots: Uint8Array;
  readonly tail: Uint8Array;
}

/** Whole tiles. Small enough that threads end together, and large enough to cost nothing by itself. */
export const rangeEntries = 16 * tileWidth;
/** Findings kept of one range; beyond, the ledger is lost anyway. */
const findingsMax = 1000;
/** Entries of one act that are looked at for the call that it answers. */
const actEntriesMax = 65_536;
/** Missing entries whose places are kept, so that those behind them are still judged against their own leaves. */
const gapMax = 65_536;

/** Audits ranges until none is left; `progress` receives the number of entries that this thread has audited. */
export function auditRanges(
  { path, size, taken }: AuditTask,
  progress: (done: number) => void,
): readonly RangeReport[] {
  const counter = new Int32Array(taken);
  const reports: RangeReport[] = [];
  let db: DatabaseSync | undefined;
  let file: LedgerFile | undefined;
  let done = 0;
  try {
    for (;;) {
      const from = Atomics.add(counter, 0, 1) * rangeEntries;
      if (from >= size) return reports;
      const to = Math.min(from + rangeEntries, size);
      const audit = new RangeAudit(from, to);
      try {
        db ??= new DatabaseSync(path, { readOnly: true });
        audit.run((file ??= ledgerFile(db)));
      } catch (error) {
        audit.say(
          audit.expected,
          `it cannot be read, the database file is damaged: ${(error as Error).message}`,
        );
      }
      reports.push(audit.report());
      progress((done += to - from));
    }
  } finally {
    db?.close();
  }
}

/** What is read of the file, and what one range leaves for the next of the same thread. */
interface LedgerFile {
  readonly entries: (from: number, to: number) => readonly EntryRow[];
  readonly contents: (from: number, to: number) => readonly ContentRow[];
  readonly leaves: LeafColumn;
  readonly tile: (n: number) => Uint8Array | undefined;
  readonly actBefore: (seq: number) => ActBefore | undefined;
  /** The hash of an entry by its place in its chain. */
  readonly before: (chain: string, n: number) => string | undefined;
  readonly recent: RecentEntries;
  readonly firstEntries: FirstEntryFastPath;
}

/** The act that an entry is part of, and whether one of its entries up to that answers a call. */
interface ActBefore {
  readonly act: number;
  readonly answers: boolean;
}

function ledgerFile(db: DatabaseSync): LedgerFile {
  const recent = new RecentEntries();
  const tile = db.prepare('SELECT bytes FROM tile WHERE level = 0 AND n = ?');
  const predecessor = db.prepare('SELECT text FROM entry WHERE chain = ? AND n = ?');
  const actOf = db.prepare('SELECT act FROM entry WHERE seq = ?');
  const answers = db.prepare(
    `SELECT 1 FROM entry WHERE seq BETWEEN ? AND ? AND act = ? AND n = 0
       AND chain GLOB 'inv_*' AND instr(text, '"root":"') = 0 LIMIT 1`,
  );
  return {
    entries: pagesOf<EntryRow>(db, entriesSqlOf(db)),
    contents: pagesOf<ContentRow>(db, contentsSql),
    leaves: leavesOf(db),
    tile: (n) => tile.get(n)?.['bytes'] as Uint8Array | undefined,
    actBefore(seq) {
      const act = actOf.get(seq - 1)?.['act'] as number | undefined;
      if (act === undefined) return undefined;
      return { act, answers: answers.get(Math.max(act, seq - actEntriesMax), seq - 1, act) !== undefined };
    },
    before(chain, n) {
      const known = recent.hash(chain, n);
      if (known !== undefined) return known;
      const row = predecessor.get(chain, n) as { readonly text: string } | undefined;
      return row === undefined ? undefined : Buffer.from(leafHash(row.text)).toString('hex');
    },
    recent,
    firstEntries: new FirstEntryFastPath(),
  };
}

class RangeAudit {
  /** The next entry that should come. */
  expected: number;
  readonly #from: number;
  readonly #to: number;
  readonly #findings: Finding[] = [];
  readonly #roots: Uint8Array[] = [];
  #leaves = new Subtree();
  #stored: Uint8Array | undefined;
  #contents = 0;
  #act = -1;
  #actAnswers = false;

  /** `from` is a multiple of 256. */
  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
    this.expected = from;
  }

  say(seq: number, reason: string, chain: string | null = null, n: number | null = null): void {
    if (this.#findings.length < findingsMax) this.#findings.push({ seq, chain, n, reason });
  }

  report(): RangeReport {
    const tail = this.#leaves.width === 0 ? new Uint8Array() : this.#leaves.bytes();
    return {
      from: this.#from,
      contents: this.#contents,
      findings: this.#findings,
      tileRoots: Buffer.concat(this.#roots),
      tail,
    };
  }

  run(file: LedgerFile): void {
    const from = this.#from;
    const to = this.#to;
    const before = file.actBefore(from);
    this.#act = before?.act ?? -1;
    this.#actAnswers = before?.answers ?? false;
    this.#stored = file.tile(from / tileWidth);
    const next = (leaf: Uint8Array | string): void => {
      this.#leaves.push(leaf);
      this.expected++;
      if (this.#leaves.width < tileWidth) return;
      this.#closeTile(file.leaves);
      this.#stored = file.tile(this.expected / tileWidth);
    };
    for (let at = from; at < to; at += pageEntries) {
      const end = Math.min(at + pageEntries, to);
      const own = new ContentsInTurn(file.contents(at * contentSlots, end * contentSlots), (seq) =>
        this.say(seq, 'content is stored that belongs to no entry'),
      );
      for (const row of file.entries(at, end)) {
        if (!this.#skipTo(row[0], next)) return;
        this.#judge(row, own, file, next);
      }
      own.skipTo(end);
    }
    if (this.expected < to) this.say(this.expected, noEntries(this.expected, to));
    if (this.#leaves.width > 0) this.#judgeLeaves(file.leaves);
  }

  /** Names what is missing before `seq`; its leaves are taken from the tile. False where too much is. */
  #skipTo(seq: number, next: (leaf: Uint8Array | string) => void): boolean {
    if (seq === this.expected) return true;
    this.say(this.expected, noEntries(this.expected, seq));
    if (seq - this.expected > gapMax) return false;
    while (this.expected < seq) next(this.#storedLeaf() ?? new Uint8Array(hashBytes));
    return true;
  }

  #judge(
    row: EntryRow,
    contents: ContentsInTurn,
    { recent, firstEntries: alike, before }: LedgerFile,
    next: (leaf: Uint8Array | string) => void,
  ): void {
    const [seq, act, chain, n, text] = row;
    const own = this.#contentsOf(row, contents);
    const leaf = leafOneByte(text);
    this.#contents += own.length;
    const stored = { seq, chain, n, text, contents: own };
    if (!alike.matches(stored)) {
      const found = auditEntry(stored, before);
      if (found.length === 0) alike.remember(stored);
      for (const finding of found) if (this.#findings.length < findingsMax) this.#findings.push(finding);
    }
    this.#judgeAct(seq, act, chain, n, text);
    recent.set(chain, n, leaf);
    next(leaf);
  }

  /** Those in the entry's own row, or in rows of their own. */
  #contentsOf(
    [seq, , chain, n, , fields, packed]: EntryRow,
    contents: ContentsInTurn,
  ): readonly ContentForAudit[] {
    const rows = contents.of(seq);
    if (!contents.inPlace) this.say(seq, 'its contents are not stored in their places', chain, n);
    if (fields === null && packed === null) return rows;
    if (rows.length > 0) this.say(seq, 'its contents are stored twice', chain, n);
    const own = fields === null ? undefined : packedForAudit(fields, packed);
    if (own === undefined) this.say(seq, 'its contents cannot be distinguished', chain, n);
    return own ?? rows;
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
  }
}

function noEntries(from: number, to: number): string {
  return `the log has no entry ${from}${to > from + 1 ? ` to ${to - 1}` : ''}`;
}

function span(i: number): [number, number] {
  return [i * hashBytes, (i + 1) * hashBytes];
}

// Few entries are audited on the main thread; this file then runs outside of a worker.
if (parentPort !== null && (workerData as Partial<AuditTask> | null)?.taken !== undefined) {
  const port = parentPort;
  port.postMessage({ reports: auditRanges(workerData as AuditTask, (done) => port.postMessage({ done })) });
}
