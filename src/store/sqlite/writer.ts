/**
 * Where batches are written. A small one goes through the store's own connection, at once; a large one, as a
 * busy server or a few documents make it, through a worker: inserts, write-ahead log and fsync are a third of
 * such a batch's time, and meanwhile the main thread reads the next requests. One batch at a time, whoever
 * writes it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BatchWriter, type WriteJob } from './batch-writer.ts';
import type { WriterReport, WriterSetup } from './writer-worker.ts';

/** Acts, or entries of fewer acts, from which the way to the worker and back is worth it. */
const actsMin = 8;
const entriesMin = 64;
/** Entries beyond which a batch is written here: the unfinished tiles of the log stay in reach of readers. */
const entriesMax = 4096;

interface Flight {
  readonly last: number;
  done(): void;
  failed(error: unknown): void;
}

export class Writer {
  readonly #db: DatabaseSync;
  readonly #own: BatchWriter;
  readonly #setup: WriterSetup;
  #worker: Worker | undefined;
  #ready = false;
  #gone = false;
  #inline = false;
  #flight: Flight | undefined;

  constructor(db: DatabaseSync, setup: WriterSetup) {
    this.#db = db;
    this.#own = new BatchWriter(db);
    this.#setup = setup;
  }

  /** Whether a commit may land between two reads of the same tick. */
  get inFlight(): boolean {
    return this.#flight !== undefined;
  }

  /** Returns, or resolves, after the commit. Where it throws or rejects, nothing was written. */
  write(job: WriteJob, acts: number, entries: number): void | Promise<void> {
    const isSmall = acts < actsMin && entries < entriesMin;
    if (isSmall || entries > entriesMax || this.#gone || this.#inline) return this.#own.write(job);
    this.#worker ??= this.#start();
    // It takes some milliseconds to come up; nobody waits for that.
    if (!this.#ready) return this.#own.write(job);
    const worker = this.#worker;
    return new Promise((done, failed) => {
      this.#flight = { last: job.last, done, failed };
      worker.postMessage(job, [job.blobs.buffer]);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: this.#setup,
      execArgv: [],
      // The main thread's young generation is large; nothing here lives long enough to need one.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    worker.on('message', (report: WriterReport) => {
      if (report === 'ready') {
        this.#ready = true;
        return;
      }
      const flight = this.#land();
      if (report === 'written') flight?.done();
      else flight?.failed(report.failed);
    });
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', () => this.#lose(new Error('the writing worker ended')));
    return worker;
  }

  /** Without the worker everything is written here. What it had in hand is in the ledger or not. */
  #lose(error: unknown): void {
    this.#gone = true;
    const flight = this.#land();
    if (flight === undefined) return;
    if (this.#db.prepare('SELECT 1 FROM entry WHERE seq = ?').get(flight.last) === undefined)
      flight.failed(error);
    else flight.done();
  }

  #land(): Flight | undefined {
    const flight = this.#flight;
    this.#flight = undefined;
    return flight;
  }

  /** From now on each commit checkpoints by itself, and so here. */
  checkpointInline(): void {
    this.#inline = true;
    this.#db.exec('PRAGMA wal_autocheckpoint = 1000');
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined || this.#gone) return;
    worker.postMessage('close');
    await new Promise<void>((done) => {
      worker.once('exit', () => done());
      worker.ref();
    });
  }
}
