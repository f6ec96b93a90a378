/**
 * The worker behind `vacuum.ts`. It ends when the file is written and, in place, its log is empty; otherwise it
 * throws.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { VacuumTask } from './vacuum.ts';

/** A reader that is in the middle of something holds the log back for a moment. */
const triesMax = 20;

if (parentPort !== null) {
  const { path, into } = workerData as VacuumTask;
  const db = new DatabaseSync(path, { readOnly: into !== undefined });
  try {
    if (into === undefined) vacuumInPlace(db);
    else db.prepare('VACUUM INTO ?').run(into);
  } finally {
    db.close();
  }
}

function vacuumInPlace(db: DatabaseSync): void {
  db.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; VACUUM');
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let tries = 1; checkpoint.get()?.['busy'] !== 0; tries++)
    if (tries === triesMax) throw new Error('the write-ahead log is held by a reader and was not emptied');
}
