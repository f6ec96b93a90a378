/**
 * Keeps the write-ahead log short. Above the soft bound a worker checkpoints beside the writer; above the
 * hard bound the writer waits for it, so that all frames are copied and the next commit starts the log over.
 */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckpointReport } from './checkpointer.ts';

export interface WalBounds {
  readonly softBytes: number;
  readonly hardBytes: number;
}

export const defaultWalBounds: WalBounds = { softBytes: 8 * 1024 * 1024, hardBytes: 64 * 1024 * 1024 };

/** What the keeper may ask of the writer. */
export interface WriterControl {
  pause(): void;
  resume(): void;
  checkpointInline(): void;
}

export class WalKeeper {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #bounds: WalBounds;
  readonly #hold: WriterControl;
  #asked = false;
  #holding = false;
  #closed = false;

  constructor(path: string, bounds: WalBounds, hold: WriterControl) {
    this.#path = path;
    this.#bounds = bounds;
    this.#hold = hold;
    this.#worker = new Worker(new URL(`./checkpointer${extname(import.meta.url)}`, import.meta.url), {
      workerData: { path },
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (report: CheckpointReport) => this.#done(report));
    this.#worker.on('error', () => {
      // The writer must never wait for a worker that is gone; it checkpoints by itself from now on.
      this.#closed = true;
      this.#hold.checkpointInline();
      this.#release();
    });
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
    this.#worker.postMessage('checkpoint');
  }

  #done(report: CheckpointReport): void {
    this.#asked = false;
    if (this.#closed) return;
    const complete = report.busy === 0 && report.log === report.checkpointed;
    if (complete) this.#release();
    else if (this.#holding) this.#ask();
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
    this.#release();
    this.#worker.postMessage('close');
    await new Promise<void>((done) => {
      this.#worker.once('exit', () => done());
      this.#worker.ref();
    });
  }
}
