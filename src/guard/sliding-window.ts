/**
 * Counts calls by key over a sliding window, in bounded memory. The window is six slots and the one that
 * is filling: a call counts until its whole slot is a window old, so that never more than `callsMax` calls
 * fall into any window, and a spent budget is back after at most seven sixths of one (contract §4).
 *
 * Keys are written by strangers. When the table is full, a key whose calls have all lapsed makes room, which
 * loses nothing; failing that, the key that has spent least. So a flood of fresh keys pushes out its own kind,
 * and a budget spent in full is forgotten early only when every other key of the table is spent in full too.
 */

export interface Verdict {
  readonly allowed: boolean;
  /** Calls in a window. */
  readonly limit: number;
  /** Calls left at once. */
  readonly remaining: number;
  /** 0 when allowed; otherwise whole seconds after which one call will be. */
  readonly retryAfterSeconds: number;
  /** Whole seconds until the whole budget is back, if nothing more is asked. */
  readonly resetSeconds: number;
}

export interface WindowOptions {
  readonly callsMax: number;
  readonly windowSeconds: number;
  readonly keysMax: number;
}

const slots = 7;
/** Keys are kept by how much they have spent, in 32nds, each level in the order of the last counted call. */
const levels = 33;

/** What a key has spent. */
interface Spent {
  readonly key: string;
  /** Counted calls by slot, modulo `slots`. */
  readonly counts: number[];
  total: number;
  /** The slot of the last look: older counts have lapsed. */
  seen: number;
  level: number;
}

export class SlidingWindow {
  readonly #options: WindowOptions;
  readonly #slotMs: number;
  readonly #keys = new Map<string, Spent>();
  readonly #levels = Array.from({ length: levels }, () => new Set<Spent>());
  #slot = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#slotMs = (options.windowSeconds * 1000) / (slots - 1);
  }

  /** Keys held just now. */
  get size(): number {
    return this.#keys.size;
  }

  /** Counts one call of `key` at `nowMs`, a clock that does not go back, unless its budget is spent. */
  take(key: string, nowMs: number): Verdict {
    const spent = this.#at(key, nowMs) ?? this.#insert(key);
    if (spent.total >= this.#options.callsMax) return this.#verdict(spent, false, nowMs);
    const at = this.#slot % slots;
    spent.counts[at] = (spent.counts[at] as number) + 1;
    spent.total++;
    this.#levels[spent.level]?.delete(spent);
    spent.level = Math.floor((spent.total * (levels - 1)) / this.#options.callsMax);
    this.#levels[spent.level]?.add(spent);
    return this.#verdict(spent, true, nowMs);
  }

  /** What `take` would answer, without counting: `remaining` is what is left before the call. */
  peek(key: string, nowMs: number): Verdict {
    const limit = this.#options.callsMax;
    const spent = this.#at(key, nowMs);
    return spent === undefined
      ? { allowed: limit > 0, limit, remaining: limit, retryAfterSeconds: 0, resetSeconds: 0 }
      : this.#verdict(spent, spent.total < limit, nowMs);
  }

  #at(key: string, nowMs: number): Spent | undefined {
    this.#slot = Math.max(this.#slot, Math.floor(nowMs / this.#slotMs));
    const spent = this.#keys.get(key);
    if (spent !== undefined) this.#lapse(spent);
    return spent;
  }

  /** Takes the slots that are a window old out of the count. */
  #lapse(spent: Spent): void {
    for (let slot = Math.max(spent.seen + 1, this.#slot - slots + 1); slot <= this.#slot; slot++) {
      spent.total -= spent.counts[slot % slots] as number;
      spent.counts[slot % slots] = 0;
    }
    spent.seen = this.#slot;
  }

  #verdict({ counts, total }: Spent, allowed: boolean, nowMs: number): Verdict {
    const limit = this.#options.callsMax;
    const used: number[] = [];
    for (let slot = Math.max(0, this.#slot - slots + 1); slot <= this.#slot; slot++)
      if (counts[slot % slots] !== 0) used.push(slot);
    const [first = 0] = used;
    const last = used.at(-1);
    return {
      allowed,
      limit,
      remaining: limit - total,
      retryAfterSeconds: allowed ? 0 : this.#secondsUntilLapsed(first, nowMs),
      resetSeconds: last === undefined ? 0 : this.#secondsUntilLapsed(last, nowMs),
    };
  }

  #secondsUntilLapsed(slot: number, nowMs: number): number {
    return Math.max(1, Math.ceil(((slot + slots) * this.#slotMs - nowMs) / 1000));
  }

  #insert(key: string): Spent {
    if (this.#keys.size >= this.#options.keysMax) {
      const least = this.#leastMissed();
      this.#levels[least.level]?.delete(least);
      this.#keys.delete(least.key);
    }
    const spent = {
      key,
      counts: Array.from({ length: slots }, () => 0),
      total: 0,
      seen: this.#slot,
      level: 0,
    };
    this.#keys.set(key, spent);
    this.#levels[0]?.add(spent);
    return spent;
  }

  /** A key without a counted call in the window; failing that, the oldest of those that have spent least. */
  #leastMissed(): Spent {
    const oldest = this.#levels.flatMap((level) => level.values().next().value ?? []);
    for (const spent of oldest) {
      this.#lapse(spent);
      if (spent.total === 0) return spent;
    }
    return oldest[0] as Spent;
  }
}
