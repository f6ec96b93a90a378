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
  /** At most 65,535. */
  readonly callsMax: number;
  readonly windowSeconds: number;
  readonly keysMax: number;
}

const slots = 7;
/** Keys are listed by how much they have spent, in 32nds, each list in the order of the last counted call. */
const levels = 33;
const none = -1;

export class SlidingWindow {
  readonly #options: WindowOptions;
  readonly #slotMs: number;
  readonly #indexOf = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #oldest = new Int32Array(levels).fill(none);
  readonly #newest = new Int32Array(levels).fill(none);
  #slot = 0;
  #counts = new Uint16Array(0);
  #total = new Uint16Array(0);
  #seen = new Float64Array(0);
  #level = new Uint8Array(0);
  #older = new Int32Array(0);
  #newer = new Int32Array(0);

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#slotMs = (options.windowSeconds * 1000) / (slots - 1);
    this.#resize(Math.min(256, options.keysMax));
  }

  /** Keys held just now. */
  get size(): number {
    return this.#indexOf.size;
  }

  /** Counts one call of `key` at `nowMs`, a clock that does not go back, unless its budget is spent. */
  take(key: string, nowMs: number): Verdict {
    this.#slot = Math.max(this.#slot, Math.floor(nowMs / this.#slotMs));
    let index = this.#indexOf.get(key);
    if (index === undefined) index = this.#insert(key);
    else this.#lapse(index);
    if (this.#spent(index) >= this.#options.callsMax) return this.#verdict(index, false, nowMs);
    const at = index * slots + (this.#slot % slots);
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#total[index] = this.#spent(index) + 1;
    this.#unlink(index);
    this.#link(index);
    return this.#verdict(index, true, nowMs);
  }

  /** What `take` would answer, without counting: `remaining` is what is left before the call. */
  peek(key: string, nowMs: number): Verdict {
    this.#slot = Math.max(this.#slot, Math.floor(nowMs / this.#slotMs));
    const index = this.#indexOf.get(key);
    const limit = this.#options.callsMax;
    if (index === undefined) {
      return { allowed: limit > 0, limit, remaining: limit, retryAfterSeconds: 0, resetSeconds: 0 };
    }
    this.#lapse(index);
    return this.#verdict(index, this.#spent(index) < limit, nowMs);
  }

  #spent(index: number): number {
    return this.#total[index] as number;
  }

  /** Takes the slots that are a window old out of the count. */
  #lapse(index: number): void {
    const from = Math.max((this.#seen[index] as number) + 1, this.#slot - slots + 1);
    for (let slot = from; slot <= this.#slot; slot++) {
      const at = index * slots + (slot % slots);
      this.#total[index] = this.#spent(index) - (this.#counts[at] as number);
      this.#counts[at] = 0;
    }
    this.#seen[index] = this.#slot;
  }

  #verdict(index: number, allowed: boolean, nowMs: number): Verdict {
    const limit = this.#options.callsMax;
    let first = none;
    let last = none;
    for (let slot = Math.max(0, this.#slot - slots + 1); slot <= this.#slot; slot++) {
      if (this.#counts[index * slots + (slot % slots)] === 0) continue;
      if (first === none) first = slot;
      last = slot;
    }
    return {
      allowed,
      limit,
      remaining: limit - this.#spent(index),
      retryAfterSeconds: allowed ? 0 : this.#secondsUntilLapsed(first, nowMs),
      resetSeconds: last === none ? 0 : this.#secondsUntilLapsed(last, nowMs),
    };
  }

  #secondsUntilLapsed(slot: number, nowMs: number): number {
    return Math.max(1, Math.ceil(((slot + slots) * this.#slotMs - nowMs) / 1000));
  }

  #insert(key: string): number {
    let index = this.#keys.length;
    if (index >= this.#options.keysMax) {
      index = this.#leastMissed();
      this.#unlink(index);
      this.#indexOf.delete(this.#keys[index] as string);
    } else if (index === this.#total.length) {
      this.#resize(Math.min(index * 2, this.#options.keysMax));
    }
    this.#keys[index] = key;
    this.#indexOf.set(key, index);
    this.#counts.fill(0, index * slots, (index + 1) * slots);
    this.#total[index] = 0;
    this.#seen[index] = this.#slot;
    this.#link(index);
    return index;
  }

  /** A key without a counted call in the window; failing that, the oldest of those that have spent least. */
  #leastMissed(): number {
    let least = none;
    for (const index of this.#oldest) {
      if (index === none) continue;
      this.#lapse(index);
      if (this.#spent(index) === 0) return index;
      if (least === none) least = index;
    }
    return least;
  }

  #link(index: number): void {
    const level = Math.floor((this.#spent(index) * (levels - 1)) / this.#options.callsMax);
    const before = this.#newest[level] as number;
    this.#level[index] = level;
    this.#older[index] = before;
    this.#newer[index] = none;
    if (before === none) this.#oldest[level] = index;
    else this.#newer[before] = index;
    this.#newest[level] = index;
  }

  #unlink(index: number): void {
    const level = this.#level[index] as number;
    const older = this.#older[index] as number;
    const newer = this.#newer[index] as number;
    if (older === none) this.#oldest[level] = newer;
    else this.#newer[older] = newer;
    if (newer === none) this.#newest[level] = older;
    else this.#older[newer] = older;
  }

  #resize(capacity: number): void {
    this.#counts = copyInto(new Uint16Array(capacity * slots), this.#counts);
    this.#total = copyInto(new Uint16Array(capacity), this.#total);
    this.#seen = copyInto(new Float64Array(capacity), this.#seen);
    this.#level = copyInto(new Uint8Array(capacity), this.#level);
    this.#older = copyInto(new Int32Array(capacity), this.#older);
    this.#newer = copyInto(new Int32Array(capacity), this.#newer);
  }
}

function copyInto<T extends { set(values: T): void }>(target: T, source: T): T {
  target.set(source);
  return target;
}
