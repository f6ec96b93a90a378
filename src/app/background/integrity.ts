/**
 * The background pass (contract §1.8): a running server goes over its stored ledger as it stands when the pass begins,
 * from the first entry to the last, a page a second, and begins anew an hour later. Where the store is away it goes on
 * when that is back, from where it was. Chain reads say that what they serve
 * hangs together; this finds what somebody altered behind the server's back, before an auditor does, in the ledger and in
 * the projections, which it replays beside those that stand. `colophon verify` judges more, at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ReaderAudit } from '../../engine/audit-reader.ts';
import type { Reader } from '../../engine/store.ts';
import { formatFinding } from '../../ledger/audit.ts';
import { RowComparison, type ComparedRows } from './row-comparison.ts';

export interface IntegrityOptions {
  /** Told of each place that was altered, once. */
  readonly onAltered: (finding: string) => void;
  /** Told of a pass that could not go on. */
  readonly onTrouble: (error: unknown) => void;
  /** From the start of the process to its first pass. */
  readonly firstAfterMs?: number;
  readonly pageEveryMs?: number;
  readonly restMs?: number;
  /** Until a store that did not answer is asked again. */
  readonly retryMs?: number;
  /** How the projections are made again and compared; left out, the ledger alone is judged. */
  readonly rows?: ComparedRows;
}

const defaults = { firstAfterMs: 60_000, pageEveryMs: 1000, restMs: 3_600_000, retryMs: 30_000 } as const;
/** Some milliseconds of the main thread. */
const pageEntries = 256;
/** Ends of chains that a pass remembers: a few MB. */
const recentMax = 16_384;
/** Places that are told one by one; a ledger that was replaced has no end of them. */
const toldMax = 100;

export class IntegrityPass {
  readonly #read: Reader;
  readonly #options: Required<Omit<IntegrityOptions, 'rows'>> & Pick<IntegrityOptions, 'rows'>;
  readonly #closing = new AbortController();
  readonly #told = new Set<string>();
  #running: Promise<void> | undefined;
  #before: readonly string[] = [];
  #now: readonly string[] = [];
  #judged = 0;
  #finishedAt: Date | undefined;

  constructor(read: Reader, options: IntegrityOptions) {
    this.#read = read;
    this.#options = { ...defaults, ...options };
  }

  /** Entries judged by the pass that is under way, or by the last one. */
  get judged(): number {
    return this.#judged;
  }

  /** What the last whole pass found, and the one under way so far; one line a place. */
  get findings(): readonly string[] {
    return [...new Set([...this.#before, ...this.#now])];
  }

  /** When a pass last came to the end of what there was when it began; undefined before. */
  get finishedAt(): Date | undefined {
    return this.#finishedAt;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let wait = this.#options.firstAfterMs;
    while (await this.#waited(wait)) {
      await this.#pass();
      wait = this.#options.restMs;
    }
  }

  async #pass(): Promise<void> {
    const comparison = await this.#comparison();
    try {
      await this.#compare(comparison);
    } finally {
      comparison?.close();
    }
  }

  async #compare(comparison: RowComparison | undefined): Promise<void> {
    const head = await this.#answered(() => this.#read.checkpoint());
    if (head === undefined) return;
    const size = head?.size ?? 0;
    comparison?.begin(size);
    const audit = new ReaderAudit(this.#read, new Set([size]), recentMax);
    // What is written meanwhile is the next pass's: a ledger may grow faster than it is gone over.
    for (let more = true; more;) {
      const followed = await this.#answered(() =>
        audit.next(pageEntries, (entry) => comparison?.take(entry)),
      );
      if (followed === undefined) return;
      more = followed && audit.entries < size;
      this.#judged = audit.entries;
      this.#note(audit.findings.map(formatFinding));
      if (more && !(await this.#waited(this.#options.pageEveryMs))) return;
    }
    const found = audit.findings.map(formatFinding);
    if (head !== null && !Buffer.from(head.root).equals(audit.rootAt(size) ?? new Uint8Array()))
      found.push(`the first ${size} entries do not have the root that was signed for them`);
    // Of an altered ledger nobody knows which rows it should give.
    if (found.length === 0 && comparison !== undefined) found.push(...(await this.#alteredRows(comparison)));
    if (this.#closing.signal.aborted) return;
    this.#note(found);
    this.#before = found;
    this.#now = [];
    this.#finishedAt = new Date();
  }

  /** A comparison of the projections; none where there is no room for it, until the next pass tries again. */
  async #comparison(): Promise<RowComparison | undefined> {
    const { rows } = this.#options;
    if (rows === undefined) return undefined;
    try {
      return new RowComparison(this.#read, rows, await rows.openReplay());
    } catch (error) {
      this.#options.onTrouble(error);
      return undefined;
    }
  }

  /** Rows that differ from what the ledger gives. */
  async #alteredRows(comparison: RowComparison): Promise<readonly string[]> {
    try {
      return await comparison.altered(this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#options.onTrouble(error);
      return [];
    }
  }

  /** What the store says, however often it has to be asked; undefined where the server is closing. */
  async #answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#closing.signal.aborted) return undefined;
        this.#options.onTrouble(error);
      }
      if (!(await this.#waited(this.#options.retryMs))) return undefined;
    }
  }

  #note(found: readonly string[]): void {
    this.#now = found;
    for (const line of found) {
      if (this.#told.has(line) || this.#told.size >= toldMax) continue;
      this.#told.add(line);
      this.#options.onAltered(line);
    }
  }

  /** False where the server is closing. */
  async #waited(ms: number): Promise<boolean> {
    try {
      await pause(ms, undefined, { signal: this.#closing.signal, ref: false });
      return true;
    } catch {
      return false;
    }
  }
}
