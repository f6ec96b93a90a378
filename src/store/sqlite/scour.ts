/**
 * Rewriting a database file. SQLite leaves what was deleted or overwritten in free pages, in gaps of others and in
 * the write-ahead log; after a scrub none of it may stay. A worker does it, so that reads go on meanwhile.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Nobody may write until it resolves. Rejects where the disk has no room, and leaves the file as it was. */
export function scourFile(path: string): Promise<void> {
  const worker = new Worker(new URL(`./scour-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path },
    execArgv: [],
  });
  return new Promise((done, failed) => {
    worker.once('error', failed);
    worker.once('exit', () => done());
  });
}
