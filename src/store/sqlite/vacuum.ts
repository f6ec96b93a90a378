/**
 * Writing a database file anew, by a worker, so that reads go on meanwhile. In place after a scrub: SQLite leaves what
 * was deleted or overwritten in free pages, in gaps of others and in the write-ahead log. Into another file for a backup.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface VacuumTask {
  readonly path: string;
  /** The file that is made; in place where it is left out, and nobody may write meanwhile. */
  readonly into?: string;
}

/** Rejects where the disk has no room, and leaves the file as it was. */
export function vacuum(task: VacuumTask): Promise<void> {
  const worker = new Worker(new URL(`./vacuum-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    execArgv: [],
  });
  return new Promise((done, failed) => {
    worker.once('error', failed);
    worker.once('exit', () => done());
  });
}
