/** The worker behind `backup.ts`: ends when the copy is whole, or throws. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

if (parentPort !== null) {
  const { path, to } = workerData as { readonly path: string; readonly to: string };
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
}
