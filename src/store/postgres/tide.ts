/** Wakes whoever follows the log. A count of rises lets a follower notice one that came while it was reading. */
export class Tide {
  #height = 0;
  #ended = false;
  readonly #waiting = new Set<() => void>();

  get height(): number {
    return this.#height;
  }

  get ended(): boolean {
    return this.#ended;
  }

  rise(): void {
    this.#height++;
    for (const wake of this.#waiting) wake();
  }

  end(): void {
    this.#ended = true;
    this.rise();
  }

  /** Resolves once the height is above `seen`, or when `signal` aborts. */
  async above(seen: number, signal: AbortSignal): Promise<void> {
    if (this.#height > seen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
