/**
 * Whether a write succeeds now (`/readyz`, contract §7): it writes a row that has no other use. What was read before, and
 * that a connection stands, say nothing of a full disk, a database that only reads, or a standby that does not confirm.
 * Probes that come together share one write, so that they cost no more than one write each quarter of a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnreachable } from './store.ts';

/** How long an answer holds. */
const sharedMs = 250;
/** A later answer shows no more than that something gave up waiting. */
const writtenWithinMs = 1000;

interface Attempt {
  readonly done: Promise<void>;
  endedAt: number | undefined;
}

export class WriteProbe {
  readonly #write: () => Promise<void>;
  readonly #unanswered: string;
  #attempt: Attempt | undefined;

  /** `write` throws `StoreUnreachable` with the reason; `unanswered` is the reason while it does not return. */
  constructor(write: () => Promise<void>, unanswered: string) {
    this.#write = write;
    this.#unanswered = unanswered;
  }

  /** Throws `StoreUnreachable` if a write fails, or has not succeeded within the time. */
  async check(withinMs: number): Promise<void> {
    const endedAt = this.#attempt?.endedAt;
    // One that has not returned is not doubled: each would occupy a connection of a database that is silent.
    if (this.#attempt === undefined || (endedAt !== undefined && performance.now() - endedAt > sharedMs))
      this.#attempt = this.#begin();
    const late = new AbortController();
    try {
      await Promise.race([this.#attempt.done, this.#tooLate(withinMs, late.signal)]);
    } finally {
      late.abort();
    }
  }

  #begin(): Attempt {
    const attempt: Attempt = {
      done: this.#writeInTime().finally(() => (attempt.endedAt = performance.now())),
      endedAt: undefined,
    };
    // It may fail after all probes have stopped waiting.
    attempt.done.catch(() => undefined);
    return attempt;
  }

  async #writeInTime(): Promise<void> {
    const begun = performance.now();
    await this.#write();
    if (performance.now() - begun > writtenWithinMs) throw new StoreUnreachable(this.#unanswered);
  }

  async #tooLate(ms: number, signal: AbortSignal): Promise<never> {
    await sleep(Math.max(ms, 0), undefined, { signal });
    throw new StoreUnreachable(this.#unanswered);
  }
}
