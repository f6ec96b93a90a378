/**
 * Rewrites a database file in a worker, so that reads continue. In place after a scrub, because SQLite leaves deleted
 * data in free pages, in gaps of pages and in the write-ahead log. Into another file for a backup.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface VacuumTask {
  readonly path: string;
  /** The file to write; without it the database is rewritten in place, and no process may write to it meanwhile. */
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
