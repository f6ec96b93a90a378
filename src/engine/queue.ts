/**
 * Natural group commit: a batch is whatever queued while the last one ran. There is no timer, the batch is
 * capped (beyond about 64 only latency grows), and a full queue refuses instead of growing.
 */
import { fault, type Fault } from '../kernel/fault.ts';
import type { Act, Appended, Committed, SignedCheckpoint } from './act.ts';
import type { ActOutcome } from './batch-io.ts';
import { DurationHistogram } from '../kernel/duration-histogram.ts';

export interface Pending {
  readonly act: Act<unknown>;
  resolve(value: Committed<unknown> | Fault): void;
  reject(error: unknown): void;
}

/** Counters of writes, for metrics. */
export interface StoreLoad {
  /** Acts that wait for a batch. */
  readonly waiting: number;
  /** For how long the oldest act has waited for its outcome; 0 if none does. */
  readonly oldestMs: number;
  /** Acts that were answered without knowing whether they were recorded. */
  readonly unknown: number;
  /** Acts that batches took up. */
  readonly acts: number;
  /** How long each batch kept the next one waiting. */
  readonly batches: DurationHistogram;
}

/** Whether the acts that wait may become a batch now; `proceed` has it asked again. */
export type MayRun = (waiting: readonly Pending[]) => boolean;

export interface QueueLimits {
  readonly batchMax: number;
  readonly queueMax: number;
}

export class ActQueue implements StoreLoad {
  readonly batches = new DurationHistogram();
  readonly unknown = 0;
  readonly #run: (batch: readonly Pending[]) => void | Promise<void>;
  readonly #limits: QueueLimits;
  readonly #mayRun: MayRun;
  #waiting: Pending[] = [];
  #acts = 0;
  /** When the oldest act of the running batch, and of those that wait, arrived. */
  #runningSince: number | undefined;
  #waitingSince: number | undefined;
  #running = false;
  #paused = false;
  #alone = false;
  #closed = false;
  #idle: (() => void)[] = [];
  #between: (() => void)[] = [];

  constructor(
    run: (batch: readonly Pending[]) => void | Promise<void>,
    limits: QueueLimits,
    mayRun: MayRun = () => true,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#mayRun = mayRun;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get oldestMs(): number {
    const since = this.#runningSince ?? this.#waitingSince;
    return since === undefined ? 0 : performance.now() - since;
  }

  get acts(): number {
    return this.#acts;
  }

  push<R>(act: Act<R>): Promise<Committed<R> | Fault> {
    if (this.#closed) {
      return Promise.resolve(
        fault(
          'shutting_down',
          'The server is shutting down.',
          'Send the same request again in a few seconds.',
        ),
      );
    }
    if (this.#waiting.length >= this.#limits.queueMax) {
      return Promise.resolve(
        fault('overloaded', 'Too many writes are waiting.', 'Wait a second and send the same request again.'),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waitingSince ??= performance.now();
      this.#waiting.push({ act, resolve: resolve as Pending['resolve'], reject });
      this.#schedule();
    });
  }

  /** Holds the next batch back until `resume`; what runs now runs on. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  /** What kept a batch from running may be over. */
  reschedule(): void {
    this.#schedule();
  }

  /** Runs `work` between two batches; what arrives meanwhile waits. One at a time. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone || this.#running) await new Promise<void>((done) => this.#between.push(done));
    this.#alone = true;
    try {
      return await work();
    } finally {
      this.#alone = false;
      for (const next of this.#between.splice(0)) next();
      this.#schedule();
    }
  }

  /** Refuses new acts and resolves when the waiting ones are done. */
  async close(): Promise<void> {
    this.#closed = true;
    this.resume();
    if (this.#running || this.#waiting.length > 0) await new Promise<void>((done) => this.#idle.push(done));
  }

  #schedule(): void {
    if (this.#running || this.#paused || this.#alone || this.#waiting.length === 0) return;
    if (!this.#mayRun(this.#waiting)) return;
    this.#running = true;
    // After the poll phase: every request whose bytes have arrived by then shares the commit.
    setImmediate(() => void this.#next());
  }

  async #next(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#limits.batchMax);
    this.#acts += batch.length;
    const begun = performance.now();
    this.#runningSince = this.#waitingSince;
    // Those that are left are not older than the batch.
    if (this.#waiting.length === 0) this.#waitingSince = undefined;
    try {
      const running = this.#run(batch);
      if (running !== undefined) await running;
    } catch (error) {
      for (const pending of batch) pending.reject(error);
    }
    this.batches.add(performance.now() - begun);
    this.#running = false;
    this.#runningSince = undefined;
    const runExclusive = this.#between.splice(0);
    if (runExclusive.length > 0) {
      for (const next of runExclusive) next();
      // Whoever waits for a moment between two batches takes it first.
      await Promise.resolve();
    }
    if (this.#waiting.length > 0) this.#schedule();
    else for (const done of this.#idle.splice(0)) done();
  }
}

/** Tells every act of a committed batch how it ended. */
export function resolveBatch(
  batch: readonly Pending[],
  settled: readonly ActOutcome[],
  where: (first: Appended) => { logIndex: number | null; checkpoint: SignedCheckpoint | null },
): void {
  batch.forEach((pending, i) => {
    const { answer, error, entries } = settled[i] as ActOutcome;
    if (error !== undefined) {
      pending.reject(error);
      return;
    }
    const first = entries[0];
    const place = first === undefined ? { logIndex: null, checkpoint: null } : where(first);
    pending.resolve({ answer, entries, ...place });
  });
}
