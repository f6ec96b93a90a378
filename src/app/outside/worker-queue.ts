/**
 * A worker thread that runs jobs one after another. It starts with the first job and ends when idle; a job that
 * crashes the thread is rejected, and the next ones get a new thread.
 */
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Idle time until the thread ends. */
const idleMs = 20_000;

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly done: (answer: Answer) => void;
  readonly failed: (error: unknown) => void;
}

export class WorkerQueue<Job, Answer> {
  readonly #file: URL;
  readonly #options: WorkerOptions;
  readonly #transfer: (job: Job) => ArrayBuffer[];
  readonly #waiting: Waiting<Job, Answer>[] = [];
  #running: Waiting<Job, Answer> | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** `file` replies to each message with one message. `transfer` lists the buffers that a job transfers. */
  constructor(file: URL, options: WorkerOptions = {}, transfer: (job: Job) => ArrayBuffer[] = () => []) {
    this.#file = file;
    this.#options = options;
    this.#transfer = transfer;
  }

  async run(job: Job): Promise<Answer> {
    return new Promise((done, failed) => {
      this.#waiting.push({ job, done, failed });
      this.#next();
    });
  }

  /** Rejects waiting jobs. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    const unread = [...(this.#running === undefined ? [] : [this.#running]), ...this.#waiting.splice(0)];
    for (const { failed } of unread) failed(new Error('the server is closing'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) return this.#rest();
    clearTimeout(this.#idle);
    const { job } = this.#running;
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    worker.postMessage(job, this.#transfer(job));
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { execArgv: [], ...this.#options });
    worker.on('message', (answer: Answer) => this.#finish(({ done }) => done(answer)));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('the thread has ended')));
    return worker;
  }

  #finish(settle: (waiting: Waiting<Job, Answer>) => void): void {
    const ran = this.#running;
    this.#running = undefined;
    if (ran !== undefined) settle(ran);
    this.#next();
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#finish(({ failed }) => failed(error));
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), idleMs);
    this.#idle.unref();
  }
}
