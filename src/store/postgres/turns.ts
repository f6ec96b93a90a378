/**
 * Turns among nodes whose batches meet. Nodes that write the same articles wait for each other's locks, each with a batch
 * that it took up before it waited: with four nodes, a batch had a quarter of the acts, and its fixed costs (a
 * transaction, a flush to disk, the loading of states) were paid four times as often. A node that had to wait
 * therefore queues for one lock first, and takes up its batch when it gets it, with all that has arrived meanwhile.
 * Nodes that never wait never queue.
 */

/** Batches that take turns after one that had to wait for another node. */
const turnsMax = 32;
/** A turn that was free says that no other node wants it: four of them end it. */
const freeTurns = turnsMax / 4;
/** Less is what a server needs by itself. */
const waitedMs = 1;

export class Turns {
  #left = 0;

  /** Whether the next batch queues for its turn. */
  get areTaken(): boolean {
    return this.#left > 0;
  }

  /** How long a batch without a turn waited for its locks. */
  locked(ms: number): void {
    if (ms >= waitedMs) this.#left = turnsMax;
  }

  /** How long a turn was waited for. At the end a batch goes without one, in case the nodes meet only here. */
  taken(ms: number): void {
    this.#left -= ms >= waitedMs ? 1 : freeTurns;
  }

  /** The turn was not to be had: the next batch goes without. */
  end(): void {
    this.#left = 0;
  }
}
