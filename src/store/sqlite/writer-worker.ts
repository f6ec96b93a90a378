/** A worker that writes batches on a connection of its own, so that the main thread goes on while one commits. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { BatchWriter, type WriteJob } from './batch-writer.ts';

export interface WriterSetup {
  readonly path: string;
  readonly pragmas: string;
}

/** What the worker says: that it is there, or how a job ended. */
export type WriterReport = 'ready' | 'written' | { readonly failed: unknown };

const port = parentPort;
if (port !== null) {
  const { path, pragmas } = workerData as WriterSetup;
  const db = new DatabaseSync(path);
  db.exec(pragmas);
  const writer = new BatchWriter(db);
  port.on('message', (job: WriteJob | 'close') => {
    if (job === 'close') {
      db.close();
      port.close();
      return;
    }
    try {
      writer.write(job);
      port.postMessage('written' satisfies WriterReport);
    } catch (failed) {
      port.postMessage({ failed } satisfies WriterReport);
    }
  });
  port.postMessage('ready' satisfies WriterReport);
}
