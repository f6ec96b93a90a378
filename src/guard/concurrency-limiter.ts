/** Limits concurrent long requests, in total and by client address (contract §4). */
export interface ConcurrencyLimits {
  readonly perKeyMax: number;
  readonly totalMax: number;
}

export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  get perKeyMax(): number {
    return this.#limits.perKeyMax;
  }

  /** Active in total. */
  get active(): number {
    return this.#total;
  }

  /** Returns the release function, or the limit that is reached. Without a key only the total counts. */
  acquire(key: string | undefined): (() => void) | 'key' | 'total' {
    const held = key === undefined ? 0 : (this.#taken.get(key) ?? 0);
    if (held >= this.#limits.perKeyMax) return 'key';
    if (this.#total >= this.#limits.totalMax) return 'total';
    this.#total++;
    if (key !== undefined) this.#taken.set(key, held + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#total--;
      if (key === undefined) return;
      const left = (this.#taken.get(key) as number) - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }
}
