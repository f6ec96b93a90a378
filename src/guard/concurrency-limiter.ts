/**
 * How many long answers are under way, in all and from each address (contract §4): what one client holds open is
 * taken from everybody, so that neither one client nor all of them together can hold more than there is.
 */
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

  /** How many are under way in all. */
  get active(): number {
    return this.#total;
  }

  /** Answers with what gives the seat back, or says which limit is reached. No key counts against the total alone. */
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
