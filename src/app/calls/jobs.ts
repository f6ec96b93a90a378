/** Work behind requests that were answered: waited for when the process ends, and told that it does. */

/** Everything that still runs behind requests that were answered. */
export class Jobs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  /** Aborted when the process is about to end: what is under way stays open on the ledger. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** How many there are. */
  get open(): number {
    return this.#running.size;
  }

  add(work: Promise<unknown>): void {
    const settled = work
      .catch((error: Error) => {
        if (!this.signal.aborted) process.emitWarning(`a job was not recorded: ${error.message}`);
      })
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the process ends'));
    await Promise.all(this.#running);
  }
}
