/**
 * The background integrity pass (contract §1.8): a running server audits its stored ledger from first to last entry,
 * a page a second, and again an hour later; after store failures it continues where it was. Reads only verify the
 * chains that they serve; this pass finds alterations elsewhere, in the ledger and, by replay, in the projections.
 * `colophon verify` judges more, at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ReaderAudit } from '../../engine/audit-reader.ts';
import type { Reader } from '../../engine/store.ts';
import { formatFinding } from '../../ledger/audit.ts';
import { RowComparison, type ComparedRows } from './row-comparison.ts';

export interface IntegrityOptions {
  /** Reports each altered place, once. */
  readonly onAltered: (finding: string) => void;
  /** Reports a pass that could not continue. */
  readonly onTrouble: (error: unknown) => void;
  /** Delay of the first pass after start. */
  readonly firstAfterMs?: number;
  readonly pageEveryMs?: number;
  readonly restMs?: number;
  /** Delay before an unreachable store is retried. */
  readonly retryMs?: number;
  /** Replays and compares the projections; without it only the ledger is judged. */
  readonly rows?: ComparedRows;
}

const defaults = { firstAfterMs: 60_000, pageEveryMs: 1000, restMs: 3_600_000, retryMs: 30_000 } as const;
/** Takes some milliseconds of the main thread. */
const pageEntries = 256;
/** Chain heads that a pass keeps: a few MB. */
const recentMax = 16_384;
/** Maximum number of places reported one by one; a replaced ledger has no end of them. */
const reportedMax = 100;

export class IntegrityPass {
  readonly #read: Reader;
  readonly #options: Required<Omit<IntegrityOptions, 'rows'>> & Pick<IntegrityOptions, 'rows'>;
  readonly #closing = new AbortController();
  readonly #reported = new Set<string>();
  #running: Promise<void> | undefined;
  #before: readonly string[] = [];
  #now: readonly string[] = [];
  #judged = 0;
  #finishedAt: Date | undefined;

  constructor(read: Reader, options: IntegrityOptions) {
    this.#read = read;
    this.#options = { ...defaults, ...options };
  }

  /** Entries judged by the current pass, or by the last one. */
  get judged(): number {
    return this.#judged;
  }

  /** Findings of the last complete pass and of the current one; one line each. */
  get findings(): readonly string[] {
    return [...new Set([...this.#before, ...this.#now])];
  }

  /** End of the last complete pass; undefined before. */
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
    // Later entries belong to the next pass: a ledger may grow faster than it is judged.
    for (let more = true; more;) {
      const hasMore = await this.#answered(() => audit.next(pageEntries, (entry) => comparison?.take(entry)));
      if (hasMore === undefined) return;
      more = hasMore && audit.entries < size;
      this.#judged = audit.entries;
      this.#note(audit.findings.map(formatFinding));
      if (more && !(await this.#waited(this.#options.pageEveryMs))) return;
    }
    const found = audit.findings.map(formatFinding);
    if (head !== null && !Buffer.from(head.root).equals(audit.rootAt(size) ?? new Uint8Array()))
      found.push(`the first ${size} entries do not have the root that was signed for them`);
    // The rows of an altered ledger cannot be derived.
    if (found.length === 0 && comparison !== undefined) found.push(...(await this.#alteredRows(comparison)));
    if (this.#closing.signal.aborted) return;
    this.#note(found);
    this.#before = found;
    this.#now = [];
    this.#finishedAt = new Date();
  }

  /** Compares the projections; undefined if there is no disk space, until the next pass. */
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

  /** Rows that differ from a replay. */
  async #alteredRows(comparison: RowComparison): Promise<readonly string[]> {
    try {
      return await comparison.altered(this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#options.onTrouble(error);
      return [];
    }
  }

  /** Retries until the store answers; undefined on shutdown. */
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
      if (this.#reported.has(line) || this.#reported.size >= reportedMax) continue;
      this.#reported.add(line);
      this.#options.onAltered(line);
    }
  }

  /** False on shutdown. */
  async #waited(ms: number): Promise<boolean> {
    try {
      await pause(ms, undefined, { signal: this.#closing.signal, ref: false });
      return true;
    } catch {
      return false;
    }
  }
}
