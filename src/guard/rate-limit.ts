/**
 * The rate limits of contract §4, by name: each counts in a table of its own, so that a flood of one kind of
 * key touches no other kind. The caller brings the clock and the key: a client's by `clientKey`, an article's
 * slug only once the article exists, a credential's fingerprint only once it is authentic, since a stranger
 * can make up any number of the others. A refusal is answered as `rate_limited` by the door.
 */
import { rateLimits, type RateLimit, type RateLimitName } from './limits.ts';
import { SlidingWindow, type Verdict } from './sliding-window.ts';

export interface Charge {
  readonly limit: RateLimitName;
  readonly key: string;
}

export class RateLimiter {
  readonly #windows: ReadonlyMap<RateLimitName, SlidingWindow>;

  constructor(limits: Readonly<Record<RateLimitName, RateLimit>> = rateLimits) {
    const names = Object.keys(limits) as RateLimitName[];
    this.#windows = new Map(names.map((name) => [name, new SlidingWindow(limits[name])]));
  }

  /** Counts one call at `nowMs`, milliseconds of a clock that does not go back (`performance.now()`). */
  take(limit: RateLimitName, key: string, nowMs: number): Verdict {
    return this.#window(limit).take(key, nowMs);
  }

  /** What `take` would answer, without counting. */
  peek({ limit, key }: Charge, nowMs: number): Verdict {
    return this.#window(limit).peek(key, nowMs);
  }

  /**
   * Counts one call under every charge, or under none when one refuses: a client over its own limit does not
   * use up an article's. Answers with the refusal that lasts longest, else with the tightest verdict.
   */
  takeAll(charges: readonly [Charge, ...Charge[]], nowMs: number): Verdict {
    let refusal: Verdict | undefined;
    for (const { limit, key } of charges) {
      const verdict = this.#window(limit).peek(key, nowMs);
      if (verdict.allowed) continue;
      if (refusal === undefined || verdict.retryAfterSeconds > refusal.retryAfterSeconds) refusal = verdict;
    }
    if (refusal !== undefined) return refusal;
    return charges
      .map(({ limit, key }) => this.take(limit, key, nowMs))
      .reduce((tightest, verdict) => (verdict.remaining < tightest.remaining ? verdict : tightest));
  }

  #window(limit: RateLimitName): SlidingWindow {
    return this.#windows.get(limit) as SlidingWindow;
  }
}
