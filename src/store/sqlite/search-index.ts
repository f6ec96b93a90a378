/**
 * The embedded search index behind its port (ADR 13). A worker owns the file, so that neither a search among a million
 * documents nor a burst of new ones blocks requests. It starts on demand and ends when idle; the position in the log
 * is remembered here.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  Candidates,
  IndexCursor,
  SearchIndex,
  IndexStep,
  SearchQuery,
  TermsQuery,
} from '../../engine/search-index.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { readCursor } from './search-file.ts';
import type { SearchReport, SearchTask } from './search-worker.ts';

export interface SearchLimits {
  /** Tasks that wait; one more search is refused. */
  readonly tasksMax: number;
  /** How long a worker without a task is kept. */
  readonly idleMs: number;
}

const defaultLimits: SearchLimits = { tasksMax: 64, idleMs: 30_000 };

export function openSearchIndex(path: string, limits: Partial<SearchLimits> = {}): SearchIndex {
  return new WorkerSearchIndex(path, { ...defaultLimits, ...limits });
}

interface Waiting {
  done(json: string): void;
  failed(error: unknown): void;
}

interface Running {
  readonly worker: Worker;
  /** In the order they were asked, which is that of their answers. */
  readonly waiting: Waiting[];
  idle: NodeJS.Timeout | undefined;
}

class WorkerSearchIndex implements SearchIndex {
  readonly #path: string;
  readonly #limits: SearchLimits;
  #running: Running | undefined;
  /** Position in the log; only this worker moves it. Unknown before the first look, and after a failure. */
  #cursor: IndexCursor | undefined;
  #ended: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(path: string, limits: SearchLimits) {
    this.#path = path;
    this.#limits = limits;
  }

  async cursor(): Promise<IndexCursor> {
    return (this.#cursor ??=
      readCursor(this.#path) ?? (JSON.parse(await this.#ask({ task: 'cursor' })) as IndexCursor));
  }

  async follow(step: (from: IndexCursor) => Promise<IndexStep | undefined>): Promise<IndexCursor> {
    const from = await this.cursor();
    const taken = await step(from);
    if (taken === undefined) return from;
    this.#cursor = undefined;
    if ('reset' in taken) {
      await this.#ask({ task: 'clear', scrubsApplied: taken.scrubsApplied });
      return (this.#cursor = { size: 0, head: '', scrubsApplied: taken.scrubsApplied });
    }
    const documents = taken.documents.map(({ terms, ...document }) => ({
      ...document,
      length: terms.length,
      terms: terms.join(' '),
    }));
    await this.#ask({ task: 'write', documents, cursor: taken.cursor });
    return (this.#cursor = taken.cursor);
  }

  async find(wanted: SearchQuery): Promise<Candidates> {
    return JSON.parse(await this.#ask({ task: 'find', wanted })) as Candidates;
  }

  async termsBeginning(wanted: TermsQuery): Promise<readonly string[]> {
    return JSON.parse(await this.#ask({ task: 'terms', wanted })) as readonly string[];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#end();
    await this.#ended;
  }

  #ask(task: SearchTask): Promise<string> {
    if (this.#closed) return Promise.reject(new StoreUnreachable('the search index is closed'));
    const running = (this.#running ??= this.#start());
    if ((task.task === 'find' || task.task === 'terms') && running.waiting.length >= this.#limits.tasksMax)
      return Promise.reject(new StoreUnreachable('too many searches wait'));
    clearTimeout(running.idle);
    return new Promise((done, failed) => {
      running.waiting.push({ done, failed });
      running.worker.ref();
      running.worker.postMessage(task);
    });
  }

  #start(): Running {
    const worker = new Worker(new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: this.#path,
      execArgv: [],
      // The main thread's young generation is large; nothing here lives long enough to need one.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    const running: Running = { worker, waiting: [], idle: undefined };
    worker.on('message', (report: SearchReport) => {
      const waiting = running.waiting.shift();
      // A worker that was asked to end is awaited and does not idle.
      if (running.waiting.length === 0 && this.#running === running) this.#rest(running);
      if ('failed' in report) waiting?.failed(report.failed);
      else waiting?.done(report.json);
    });
    worker.on('error', (error) => this.#lose(running, error));
    worker.on('exit', () => this.#lose(running, undefined));
    return running;
  }

  #rest(running: Running): void {
    running.worker.unref();
    running.idle = setTimeout(() => this.#end(), this.#limits.idleMs);
    running.idle.unref();
  }

  /** What it had in hand may be asked again; the next task starts another. */
  #lose(running: Running, error: unknown): void {
    if (this.#running === running) this.#running = undefined;
    clearTimeout(running.idle);
    const lost = new StoreUnreachable('the search index was lost in the middle of a task', { cause: error });
    for (const waiting of running.waiting.splice(0)) waiting.failed(lost);
  }

  /** The worker does what it was asked before, and then lets go of the file. */
  #end(): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.idle);
    this.#ended = new Promise((done) => running.worker.once('exit', () => done()));
    running.worker.ref();
    running.worker.postMessage('close');
  }
}
