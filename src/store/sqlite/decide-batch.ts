/**
 * Runs one batch up to its commit: drives the engine synchronously, from memory and the store's own connection. No
 * locks are needed: this process is the only writer and writes one batch at a time.
 */
import type { Act, Key, Schema, SignedCheckpoint } from '../../engine/act.ts';
import type { BatchResult, Puts, Reply, Request, Writes } from '../../engine/batch-io.ts';
import { runBatch } from '../../engine/batch.ts';
import type { AggregateSnapshot } from '../../engine/state.ts';
import type { SignCheckpoint } from '../../engine/store.ts';
import type { MerkleLog } from '../../ledger/log.ts';
import type { RowGroup } from './batch-writer.ts';
import { rowsToWrite } from './rows-to-write.ts';

export interface BatchContext {
  readonly schema: Schema;
  readonly sign: SignCheckpoint;
  /** Ahead of what readers see while a batch is on its way to the disk. */
  readonly log: MerkleLog;
  /** State as the last commit left it, whether the disk has that or not. */
  load(key: Key): AggregateSnapshot;
}

/** A batch before its commit. */
export interface DecidedBatch {
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
export interface Decision {
  /** Entries that are to be written. */
  readonly entries: number;
  /** Seals, and appends to the log in memory; the caller undoes that if the write fails. */
  seal(): DecidedBatch;
}

export function decideBatch(acts: readonly Act<unknown>[], port: BatchContext): Decision {
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
