/**
 * A worker that copies the write-ahead log back into the database file. Checkpoints on the writer stalled it for 120
 * to 700 ms. Each message requests one passive checkpoint and is answered with SQLite's three numbers.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export interface CheckpointReport {
  readonly busy: number;
  /** Frames in the log, and how many of them are in the database file now. */
  readonly log: number;
  readonly checkpointed: number;
}

const port = parentPort;
if (port !== null) {
  const db = new DatabaseSync((workerData as { path: string }).path);
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  const statement = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  port.on('message', (message: 'checkpoint' | 'close') => {
    if (message === 'close') {
      db.close();
      port.close();
      return;
    }
    port.postMessage(statement.get());
  });
}
