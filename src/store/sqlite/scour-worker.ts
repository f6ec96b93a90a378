/** The worker behind `scour.ts`: ends when the file is rewritten and its log is empty, or throws. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** A reader that is in the middle of something holds the log back for a moment. */
const triesMax = 20;

if (parentPort !== null) {
  const db = new DatabaseSync((workerData as { readonly path: string }).path);
  try {
    db.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; VACUUM');
    const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let tries = 1; checkpoint.get()?.['busy'] !== 0; tries++)
      if (tries === triesMax) throw new Error('the write-ahead log is held by a reader and was not emptied');
  } finally {
    db.close();
  }
}
