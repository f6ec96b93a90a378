/**
 * One batch up to its commit: drives the engine synchronously, from memory and the store's own connection. Nothing
 * is locked before: there is no writer but this process, and it writes one batch at a time.
 */
import type { Act, Key, Schema, SignedCheckpoint } from '../../engine/act.ts';
import { runBatch } from '../../engine/batch.ts';
import type { BatchResult, Reply, Request, Writes } from '../../engine/batch-io.ts';
import { isChain } from '../../engine/named-keys.ts';
import type { Loaded } from '../../engine/state.ts';
import type { SignCheckpoint } from '../../engine/store.ts';
import type { Mark, MerkleLog } from '../../ledger/log.ts';
import type { WriteJob } from './batch-writer.ts';
import { jobOf } from './write-job.ts';

export interface DecidingPort {
  readonly schema: Schema;
  readonly sign: SignCheckpoint;
  /** Ahead of what is committed while a batch is being written. */
  readonly log: MerkleLog;
  /** Committed state. */
  load(key: Key): Loaded;
}

/** The batch before, which is still being written. */
export interface Beside {
  readonly load: (key: Key) => Loaded;
  readonly isWritten: () => boolean;
}

/** A batch before its commit. */
export interface Decided {
  readonly result: BatchResult;
  /** Absent where there is nothing to write. */
  readonly job: WriteJob | undefined;
  /** The log's size with this batch, and its signed head. */
  readonly size: number;
  readonly checkpoint: SignedCheckpoint | null;
  /** The log before the batch. */
  readonly mark: Mark;
}

export class Deciding {
  readonly #port: DecidingPort;
  readonly #beside: Beside | undefined;
  readonly #engine: Generator<Request, BatchResult, Reply>;
  #step: IteratorResult<Request, BatchResult>;
  #sealed: Pick<Decided, 'job' | 'size' | 'checkpoint'> | undefined;

  constructor(acts: readonly Act<unknown>[], port: DecidingPort, beside?: Beside) {
    this.#port = port;
    this.#beside = beside;
    this.#engine = runBatch(acts, port.schema);
    this.#step = this.#engine.next();
  }

  /** Goes on up to where further acts may join, or a chain is asked for that the batch before may have grown. */
  advance(): void {
    while (this.#step.done !== true && this.#step.value.io !== 'join' && !this.#mustWait(this.#step.value))
      this.#step = this.#engine.next(this.#reply(this.#step.value));
  }

  get canJoin(): boolean {
    return this.#step.done !== true && this.#step.value.io === 'join';
  }

  /** Only where they can. None of them names a chain. */
  join(acts: readonly Act<unknown>[]): void {
    this.#step = this.#engine.next(acts);
    this.advance();
  }

  /** Decides what is left, seals the batch and appends it to the log. Where it throws, the log is as it was. */
  end(): Decided {
    const { log } = this.#port;
    const mark = log.mark();
    try {
      while (this.#step.done !== true) this.#step = this.#engine.next(this.#reply(this.#step.value));
    } catch (error) {
      log.reset(mark);
      throw error;
    }
    const sealed = this.#sealed ?? { job: undefined, size: log.size, checkpoint: null };
    return { ...sealed, mark, result: this.#step.value };
  }

  #mustWait(request: Request): boolean {
    if (this.#beside === undefined || this.#beside.isWritten()) return false;
    return (request.io === 'load' || request.io === 'more') && request.keys.some(isChain);
  }

  #reply(request: Request): Reply {
    switch (request.io) {
      case 'load':
      case 'more':
        return request.keys.map(this.#beside?.load ?? this.#port.load);
      case 'seq':
        return this.#port.log.size;
      case 'write':
        return this.#seal(request.writes);
      default:
        return undefined;
    }
  }

  #seal(writes: Writes): void {
    const { log, sign } = this.#port;
    for (const { leaf } of writes.entries) log.append(leaf);
    const { size } = log;
    const root = log.root();
    const checkpoint = { size, root, note: sign(size, root) };
    this.#sealed = { job: jobOf(writes, log.takeCompleted(), checkpoint.note), size, checkpoint };
  }
}
