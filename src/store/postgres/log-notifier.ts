/** Wakes followers of the log. The version lets a follower notice an entry that arrived while it was reading. */
export class LogNotifier {
  #version = 0;
  #isClosed = false;
  readonly #waiting = new Set<() => void>();

  get version(): number {
    return this.#version;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  notify(): void {
    this.#version++;
    for (const wake of this.#waiting) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.notify();
  }

  /** Resolves once the version is above `seen`, or when `signal` aborts. */
  async newerThan(seen: number, signal: AbortSignal): Promise<void> {
    if (this.#version > seen || signal.aborted) return;
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
