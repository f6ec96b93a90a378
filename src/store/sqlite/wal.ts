/**
 * Keeps the write-ahead log short. Above the soft bound a worker checkpoints beside the writer; above the hard bound
 * the writer waits for it, so that all frames are copied and the next commit restarts the log.
 */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckpointReport } from './wal-worker.ts';

export interface WalBounds {
  readonly softBytes: number;
  readonly hardBytes: number;
  /** A worker that was asked for nothing for so long is let go. */
  readonly restMs: number;
}

export const defaultWalBounds: WalBounds = {
  softBytes: 8 * 1024 * 1024,
  hardBytes: 64 * 1024 * 1024,
  restMs: 5000,
};

/** What the keeper may ask of the writer. */
export interface WriterControl {
  pause(): void;
  resume(): void;
  checkpointInline(): void;
}

export class WalKeeper {
  /** There while there is something to copy, and a little longer: an idle server does without its 10 MB. */
  #worker: Worker | undefined;
  #resting: NodeJS.Timeout | undefined;
  readonly #path: string;
  readonly #bounds: WalBounds;
  readonly #hold: WriterControl;
  #asked = false;
  #holding = false;
  /** A checkpoint that was asked for before the writer stood still may have missed its last frames. */
  #askedAtRest = false;
  #closed = false;

  constructor(path: string, bounds: WalBounds, hold: WriterControl) {
    this.#path = path;
    this.#bounds = bounds;
    this.#hold = hold;
  }

  committed(): void {
    if (this.#closed || this.#holding) return;
    const bytes = this.#size();
    if (bytes >= this.#bounds.hardBytes) {
      this.#holding = true;
      this.#hold.pause();
    }
    if (bytes >= this.#bounds.softBytes && !this.#asked) this.#ask();
  }

  #ask(): void {
    this.#asked = true;
    this.#askedAtRest = this.#holding;
    clearTimeout(this.#resting);
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./wal-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { path: this.#path },
      execArgv: [],
      // The main thread's young generation is large; nothing here lives long enough to need one.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    worker.on('message', (report: CheckpointReport) => this.#done(report));
    worker.on('error', () => {
      // The writer must never wait for a worker that is gone; it checkpoints by itself from now on.
      this.#closed = true;
      this.#hold.checkpointInline();
      this.#release();
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  /** Lets the worker go until there is something to copy again. */
  #rest(): void {
    this.#worker?.postMessage('close');
    this.#worker = undefined;
  }

  #done(report: CheckpointReport): void {
    this.#asked = false;
    if (this.#closed) return;
    if (this.#holding) {
      const complete = report.busy === 0 && report.log === report.checkpointed;
      if (complete && this.#askedAtRest) this.#release();
      else {
        this.#ask();
        return;
      }
    }
    this.#resting = setTimeout(() => this.#rest(), this.#bounds.restMs).unref();
  }

  #release(): void {
    if (!this.#holding) return;
    this.#holding = false;
    this.#hold.resume();
  }

  #size(): number {
    try {
      return statSync(`${this.#path}-wal`).size;
    } catch {
      return 0;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#resting);
    this.#release();
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.postMessage('close');
    await new Promise<void>((done) => {
      worker.once('exit', () => done());
      worker.ref();
    });
  }
}
