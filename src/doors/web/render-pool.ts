/**
 * Renders Markdown without blocking the server: small bodies at once, large ones in worker threads with a timeout.
 * A megabyte of `[` parses for seconds; a text that exceeds the timeout terminates its worker, and the page shows
 * it as plain text.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { articleHtml, ArticleHtml } from '../../represent/article-html.ts';

type Layout = Parameters<typeof articleHtml>[0];

export interface RenderLimits {
  /** Characters of Markdown that are rendered on the main thread. */
  readonly inPlaceMax: number;
  /** The same where the text has mathematics or code to highlight, which take longer. */
  readonly richInPlaceMax: number;
  /** For one text. */
  readonly timeMs: number;
  /** For a thread to start. */
  readonly startMs: number;
  readonly workersMax: number;
  /** Texts that may wait for a worker; further ones are refused. */
  readonly waitingMax: number;
  /** An idle worker is terminated after this time. */
  readonly idleMs: number;
}

export const renderLimits: RenderLimits = {
  inPlaceMax: 32_768,
  richInPlaceMax: 8_192,
  timeMs: 5_000,
  startMs: 20_000,
  workersMax: 2,
  waitingMax: 16,
  idleMs: 20_000,
};

/** `slow`: the text exceeded the timeout. `busy`: the queue is full; retry later. */
export type Rendered = ArticleHtml | 'slow' | 'busy';

interface Job {
  readonly layout: Layout;
  readonly done: (rendered: Rendered) => void;
  readonly failed: (error: unknown) => void;
}

export class RenderPool {
  readonly #limits: RenderLimits;
  readonly #idle: Readonly<{ worker: Worker; timer: NodeJS.Timeout; onError: () => void }>[] = [];
  readonly #waiting: Job[] = [];
  readonly #running = new Set<Worker>();

  constructor(limits: RenderLimits = renderLimits) {
    this.#limits = limits;
  }

  async render(layout: Layout): Promise<Rendered> {
    const size = sizeOf(layout);
    if (size <= (size > this.#limits.richInPlaceMax && isRich(layout) ? 0 : this.#limits.inPlaceMax)) {
      // The sanitiser is large and loaded on demand.
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
      // Remove only these listeners: a worker without its own message listener receives no further message.
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
        // The main thread's young generation is large; workers need a small one.
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
      });
    }
    clearTimeout(rested.timer);
    rested.worker.off('error', rested.onError).ref();
    return rested.worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    // A worker that fails while idle must not end the process.
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

/** Whether its text may have mathematics, or a fence that names a language. */
function isRich({ pieces }: Layout): boolean {
  return pieces.some(({ text }) => /\$|\\[([]|(?:```|~~~) *\w/.test(text));
}

function sizeOf({ lead, pieces }: Layout): number {
  return pieces.reduce((sum, piece) => sum + piece.text.length + piece.sep.length, lead.length);
}
