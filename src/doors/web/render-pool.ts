/**
 * Rendering that must not stall the server: small bodies at once, large ones in worker threads under a time
 * limit. A megabyte of `[` parses for seconds; a text that takes longer than the limit costs its worker, and
 * the page shows it as plain text instead.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { articleHtml, ArticleHtml } from '../../represent/article-html.ts';

type Layout = Parameters<typeof articleHtml>[0];

export interface RenderLimits {
  /** Markdown in characters that is rendered where it is asked for. */
  readonly inPlaceMax: number;
  /** For one text. */
  readonly timeMs: number;
  /** For a thread to start. */
  readonly startMs: number;
  readonly workersMax: number;
  /** Texts that wait for a worker; more are refused at once. */
  readonly waitingMax: number;
  /** An unused worker ends after this long. */
  readonly idleMs: number;
}

export const renderLimits: RenderLimits = {
  inPlaceMax: 32_768,
  timeMs: 5_000,
  startMs: 20_000,
  workersMax: 2,
  waitingMax: 16,
  idleMs: 20_000,
};

/** `slow`: the text took longer than the limit. `busy`: too many wait already; asking again later helps. */
export type Rendered = ArticleHtml | 'slow' | 'busy';

interface Job {
  readonly layout: Layout;
  readonly done: (rendered: Rendered) => void;
  readonly failed: (error: unknown) => void;
}

export class RenderPool {
  readonly #limits: RenderLimits;
  readonly #idle: {
    readonly worker: Worker;
    readonly timer: NodeJS.Timeout;
    readonly onError: () => void;
  }[] = [];
  readonly #waiting: Job[] = [];
  readonly #running = new Set<Worker>();

  constructor(limits: RenderLimits = renderLimits) {
    this.#limits = limits;
  }

  async render(layout: Layout): Promise<Rendered> {
    if (sizeOf(layout) <= this.#limits.inPlaceMax) {
      // The sanitiser is heavy: a server that shows no article does without it.
      const represent = await import('../../represent/article-html.ts');
      return represent.articleHtml(layout);
    }
    if (this.#running.size >= this.#limits.workersMax && this.#waiting.length >= this.#limits.waitingMax)
      return 'busy';
    return new Promise((done, failed) => {
      this.#waiting.push({ layout, done, failed });
      this.#next();
    });
  }

  async close(): Promise<void> {
    for (const { done } of this.#waiting.splice(0)) done('busy');
    const idle = this.#idle.splice(0);
    for (const { timer } of idle) clearTimeout(timer);
    await Promise.all(
      [...idle.map(({ worker }) => worker), ...this.#running].map((worker) => worker.terminate()),
    );
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#running.size >= this.#limits.workersMax) return;
    const job = this.#waiting.shift() as Job;
    const worker = this.#take();
    this.#running.add(worker);
    let settled = false;
    const settle = (finish: () => void, reusable: boolean): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      // One by one: a worker without any listener, its own included, never hears another message.
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      this.#running.delete(worker);
      if (reusable) this.#rest(worker);
      else void worker.terminate();
      finish();
      this.#next();
    };
    let timer = setTimeout(() => settle(() => job.done('busy'), false), this.#limits.startMs);
    const onMessage = (message: 'begun' | ArticleHtml): void => {
      if (message !== 'begun') return settle(() => job.done(message), true);
      clearTimeout(timer);
      timer = setTimeout(() => settle(() => job.done('slow'), false), this.#limits.timeMs);
    };
    const onError = (error: unknown): void => settle(() => job.failed(error), false);
    const onExit = (): void => settle(() => job.done('busy'), false);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    const { lead, pieces } = job.layout;
    worker.postMessage({ lead, pieces: pieces.map(({ div_id, text, sep }) => ({ div_id, text, sep })) });
  }

  #take(): Worker {
    const rested = this.#idle.pop();
    if (rested === undefined) {
      return new Worker(new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url), {
        execArgv: [],
        // The main thread's young generation is large; nothing here lives long enough to need one.
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
      });
    }
    clearTimeout(rested.timer);
    rested.worker.off('error', rested.onError).ref();
    return rested.worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    // A worker that dies while it rests must not take the server with it.
    const onError = (): void => this.#forget(worker);
    worker.on('error', onError);
    const timer = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, this.#limits.idleMs);
    timer.unref();
    this.#idle.push({ worker, timer, onError });
  }

  #forget(worker: Worker): void {
    const at = this.#idle.findIndex((rested) => rested.worker === worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

function sizeOf({ lead, pieces }: Layout): number {
  return pieces.reduce((sum, piece) => sum + piece.text.length + piece.sep.length, lead.length);
}
