/**
 * Batches on their way to the disk. Each is decided and committed at once, and published and answered when it is
 * durable. The next batch builds on the committed one: if the disk loses the first, it loses the second too.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Act, Key, Schema, SignedCheckpoint } from '../../engine/act.ts';
import { runBatch } from '../../engine/batch.ts';
import type { BatchResult, Puts, Reply, Request, Writes } from '../../engine/batch-io.ts';
import { resolveBatch, type Pending } from '../../engine/queue.ts';
import type { AggregateSnapshot } from '../../engine/state.ts';
import type { SignCheckpoint } from '../../engine/store.ts';
import type { MerkleLog } from '../../ledger/log.ts';
import type { BatchWriter, RowGroup } from './batch-writer.ts';
import type { Disk } from './disk.ts';
import { rowsToWrite } from './rows-to-write.ts';

/** What the store provides, and what it is notified of. */
export interface CommitPort extends BatchContext {
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

/**
 * Deciding so many entries takes some ten milliseconds, and writing them as many: between the two other requests have
 * their turn. Nothing of the batch is in the log then, and no transaction is open.
 */
const manyEntries = 500;

export class Commits {
  readonly #port: CommitPort;

  constructor(port: CommitPort) {
    this.#port = port;
  }

  /** Returns, or resolves, when the batch is committed, or every act of it rejected. */
  run(batch: readonly Pending[]): void | Promise<void> {
    try {
      const decision = decideBatch(
        batch.map(({ act }) => act),
        this.#port,
      );
      if (decision.entries < manyEntries) return this.#write(batch, decision);
      return nextTurn()
        .then(() => this.#write(batch, decision))
        .catch((error: unknown) => this.#failed(batch, error));
    } catch (error) {
      return this.#failed(batch, error);
    }
  }

  /** A failed transaction takes its whole batch with it; alone, each act fails or lands by itself. */
  #failed(batch: readonly Pending[], error: unknown): void | Promise<void> {
    if (batch.length > 1) return this.#runEach(batch);
    batch[0]?.reject(error);
  }

  async #runEach(batch: readonly Pending[]): Promise<void> {
    for (const pending of batch) await this.run([pending]);
  }

  /** Where it throws, nothing was written, and the log is as it was. */
  #write(batch: readonly Pending[], decision: Decision): void {
    const { log, writer, disk } = this.#port;
    if (disk.lost !== undefined) throw disk.lost;
    const mark = log.mark();
    let committed: CommittedBatch;
    let tell: () => void;
    try {
      const { result, rows, puts, size, checkpoint } = decision.seal();
      tell = () => resolveBatch(batch, result.outcomes, ({ seq }) => ({ logIndex: seq, checkpoint }));
      // What changes nothing may still have been decided upon what is not durable yet.
      if (rows === undefined) {
        if (disk.isBehind) void whenDurable(batch, disk.caughtUp(), tell);
        else tell();
        return;
      }
      writer.write(rows);
      committed = { states: result.promoted, puts, size, checkpoint };
    } catch (error) {
      log.reset(mark);
      throw error;
    }
    const ticket = disk.committed();
    this.#port.committed(committed);
    void whenDurable(batch, disk.durable(ticket), () => {
      this.#port.landed(committed);
      tell();
    });
  }
}

/** Refuses every act that was decided on state that the disk lost. */
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

// Deciding: drives the engine synchronously, from memory and the store's own connection. No locks are needed: this process
// is the only writer and writes one batch at a time.

interface BatchContext {
  readonly schema: Schema;
  readonly sign: SignCheckpoint;
  /** Ahead of what readers see while a batch is on its way to the disk. */
  readonly log: MerkleLog;
  /** State as the last commit left it, whether the disk has that or not. */
  load(key: Key): AggregateSnapshot;
}

/** A batch before its commit. */
interface DecidedBatch {
  readonly result: BatchResult;
  /** Absent where there is nothing to write. */
  readonly rows: readonly RowGroup[] | undefined;
  /** What of that are projections. */
  readonly puts: Puts;
  /** The log's size with this batch, and its signed head. */
  readonly size: number;
  readonly checkpoint: SignedCheckpoint | null;
}

/** A batch that is decided. The log has nothing of it before it is sealed. */
interface Decision {
  /** Entries that are to be written. */
  readonly entries: number;
  /** Seals, and appends to the log in memory; the caller undoes that if the write fails. */
  seal(): DecidedBatch;
}

function decideBatch(acts: readonly Act<unknown>[], port: BatchContext): Decision {
  const reply = (request: Request): Reply => {
    switch (request.io) {
      case 'load':
      case 'more':
        return request.keys.map(port.load);
      case 'seq':
        return port.log.size;
      default:
        return undefined;
    }
  };
  const engine = runBatch(acts, port.schema);
  let step = engine.next();
  while (step.done !== true && step.value.io !== 'write') step = engine.next(reply(step.value));
  const decided = step;
  const writes = decided.done !== true && decided.value.io === 'write' ? decided.value.writes : undefined;
  return {
    entries: writes?.entries.length ?? 0,
    seal() {
      const sealed =
        writes === undefined
          ? { rows: undefined, puts: new Map(), size: port.log.size, checkpoint: null }
          : seal(port, writes);
      let last = decided;
      while (last.done !== true) last = engine.next();
      return { ...sealed, result: last.value };
    },
  };
}

function seal({ log, sign }: BatchContext, writes: Writes): Omit<DecidedBatch, 'result'> {
  for (const { leaf } of writes.entries) log.append(leaf);
  const { size } = log;
  const root = log.root();
  const checkpoint = { size, root, note: sign(size, root) };
  const rows = rowsToWrite(writes, log.takeCompleted(), checkpoint.note);
  return { rows, puts: writes.puts, size, checkpoint };
}
