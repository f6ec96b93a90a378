/**
 * Strict parsing of large JSON bodies (contract §4) in a thread of its own, one after another. Only the native parse of a
 * body that was found sound, and whose sender may send it, is left to the main thread.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fault, isFault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';

export interface ParseJob {
  readonly bytes: Uint8Array;
  readonly valuesMax: number;
}

/** What is wrong with a body, or its bytes again and the credential that it bears. */
export type ParseVerdict =
  | { readonly refusal: { readonly code: FaultCode; readonly message: string; readonly fix: string } }
  | { readonly bytes: Uint8Array; readonly token: string | undefined };

/** The credential that stands in a body: `share` of a dispatch call, `key` of any other write. */
export function tokenIn(value: JsonValue): string | undefined {
  const { key, share } = (value ?? {}) as JsonObject;
  return [share, key].find((each) => typeof each === 'string' && /^(?:sh\.|[ct]k_)/.test(each)) as
    string | undefined;
}

/** An unused thread ends after this long. */
const idleMs = 20_000;

interface Waiting {
  readonly job: ParseJob;
  readonly done: (verdict: ParseVerdict) => void;
  readonly failed: (error: unknown) => void;
}

export class JsonPool {
  readonly #waiting: Waiting[] = [];
  #running: Waiting | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** The value of a sound body, once `admit` has nothing against the credential in it. */
  async parse(
    bytes: Uint8Array,
    valuesMax: number,
    admit: (token: string | undefined) => Promise<Fault | undefined>,
  ): Promise<{ readonly value: JsonValue } | Fault> {
    const verdict = await new Promise<ParseVerdict>((done, failed) => {
      this.#waiting.push({ job: { bytes, valuesMax }, done, failed });
      this.#next();
    });
    if ('refusal' in verdict) {
      const { code, message, fix } = verdict.refusal;
      return fault(code, message, fix);
    }
    const refusal = await admit(verdict.token);
    if (isFault(refusal)) return refusal;
    const { buffer, byteOffset, byteLength } = verdict.bytes;
    return { value: JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) as JsonValue };
  }

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
    worker.postMessage(job, [job.bytes.buffer as ArrayBuffer]);
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./json-worker${extname(import.meta.url)}`, import.meta.url), {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    worker.on('message', (verdict: ParseVerdict) => this.#finish(({ done }) => done(verdict)));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('the thread that parses JSON has ended')));
    return worker;
  }

  #finish(settle: (waiting: Waiting) => void): void {
    const ran = this.#running;
    this.#running = undefined;
    if (ran !== undefined) settle(ran);
    this.#next();
  }

  /** Its body is refused; those behind it get another thread. */
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
