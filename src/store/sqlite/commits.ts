/**
 * Batches on their way to the disk: each is decided and committed at once, and told and answered when it is durable.
 * The next one builds on what was committed: should the disk lose that, it loses the next one too.
 */
import { settle, type Pending } from '../../engine/queue.ts';
import type { BatchResult, Puts } from '../../engine/batch-io.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { BatchWriter } from './batch-writer.ts';
import { decideBatch, type DecidingPort } from './deciding.ts';
import type { Disk } from './disk.ts';

/** What the store gives, and what it is told. */
export interface CommitPort extends DecidingPort {
  readonly writer: BatchWriter;
  readonly disk: Disk;
  /** The next batch is decided upon what this one changed; no reader sees it yet. */
  committed(batch: CommittedBatch): void;
  /** The batch is on disk; from now on readers see it. */
  landed(batch: CommittedBatch): void;
}

export interface CommittedBatch {
  readonly states: BatchResult['promoted'];
  readonly puts: Puts;
  /** The log's size with this batch, and its signed head. */
  readonly size: number;
  readonly checkpoint: SignedCheckpoint | null;
}

export class Commits {
  readonly #port: CommitPort;

  constructor(port: CommitPort) {
    this.#port = port;
  }

  /** Returns when the batch is committed, or every act of it rejected. */
  run(batch: readonly Pending[]): void {
    try {
      this.#runBatch(batch);
    } catch (error) {
      // A failed transaction takes its whole batch with it; alone, each act fails or lands by itself.
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const pending of batch) this.run([pending]);
    }
  }

  /** Where it throws, nothing was written, and the log is as it was. */
  #runBatch(batch: readonly Pending[]): void {
    const { log, writer, disk } = this.#port;
    if (disk.lost !== undefined) throw disk.lost;
    const mark = log.mark();
    const { result, rows, puts, size, checkpoint } = this.#decided(batch, () => log.reset(mark));
    const tell = (): void => settle(batch, result.settled, ({ seq }) => ({ logIndex: seq, checkpoint }));
    // What changes nothing may still have been decided upon what is not durable yet.
    if (rows === undefined) {
      if (disk.isBehind) void whenDurable(batch, disk.caughtUp(), tell);
      else tell();
      return;
    }
    try {
      writer.write(rows);
    } catch (error) {
      log.reset(mark);
      throw error;
    }
    const committed = { states: result.promoted, puts, size, checkpoint };
    const ticket = disk.committed();
    this.#port.committed(committed);
    void whenDurable(batch, disk.durable(ticket), () => {
      this.#port.landed(committed);
      tell();
    });
  }

  #decided(batch: readonly Pending[], undo: () => void): ReturnType<typeof decideBatch> {
    try {
      return decideBatch(
        batch.map(({ act }) => act),
        this.#port,
      );
    } catch (error) {
      undo();
      throw error;
    }
  }
}

/** What the disk has lost is told to every act that was decided upon it. */
async function whenDurable(
  batch: readonly Pending[],
  durable: Promise<void>,
  then: () => void,
): Promise<void> {
  try {
    await durable;
  } catch (error) {
    for (const pending of batch) pending.reject(error);
    return;
  }
  then();
}
