/**
 * Batches on their way to the disk, one after the other: each is decided, written in one transaction, told to the
 * store, and then answered. Deciding the next while one is written was tried and taken out (docs/performance.md).
 */
import { settle, type Pending } from '../../engine/queue.ts';
import type { BatchResult } from '../../engine/batch-io.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import { decideBatch, type Decided, type DecidingPort } from './deciding.ts';
import type { Writer } from './writer.ts';

/** What the store gives, and what it is told. */
export interface CommitPort extends DecidingPort {
  readonly writer: Writer;
  /** The batch is on disk; from now on readers see it. */
  committed(batch: Landed): void;
}

export interface Landed {
  readonly result: BatchResult;
  /** The log's size with this batch, and its signed head. */
  readonly size: number;
  readonly checkpoint: SignedCheckpoint | null;
}

export class Commits {
  readonly #port: CommitPort;

  constructor(port: CommitPort) {
    this.#port = port;
  }

  /** Resolves when every act of the batch is answered or rejected. */
  async run(batch: readonly Pending[]): Promise<void> {
    try {
      await this.#runBatch(batch);
    } catch (error) {
      // A failed transaction takes its whole batch with it; alone, each act fails or lands by itself.
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const pending of batch) await this.run([pending]);
    }
  }

  /** Where it throws, nothing was written, and the log is as it was. */
  async #runBatch(batch: readonly Pending[]): Promise<void> {
    const { log, writer } = this.#port;
    const mark = log.mark();
    let decided: Decided;
    try {
      decided = decideBatch(
        batch.map(({ act }) => act),
        this.#port,
      );
      if (decided.job !== undefined) {
        // A small one is written at once, and nobody waits a turn for it.
        const writing = writer.write(decided.job, batch.length, decided.result.entries);
        if (writing !== undefined) await writing;
      }
    } catch (error) {
      log.reset(mark);
      throw error;
    }
    const { result, size, checkpoint } = decided;
    if (result.entries > 0) this.#port.committed({ result, size, checkpoint });
    settle(batch, result.settled, ({ seq }) => ({ logIndex: seq, checkpoint }));
  }
}
