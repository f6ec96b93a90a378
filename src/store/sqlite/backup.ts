/**
 * Backs up the embedded store beside the process that writes it: a copy of the ledger file as of one moment, and the
 * blobs. SQLite writes the copy from one read transaction, so that it is complete, compact and free of deleted data;
 * its size shows the progress.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { databaseName } from './ddl.ts';
import { vacuum } from './vacuum.ts';
import { readableVersion } from './version.ts';

type Progress = (done: number, of: number) => void;

const lookMs = 250;

/** Answers with the paths of what was copied. Rejects where the disk is full. */
export async function copyLedger(folder: string, to: string, progress: Progress): Promise<string[]> {
  readableVersion(join(folder, databaseName));
  await copyDatabase(join(folder, databaseName), join(to, databaseName), progress);
  chmodSync(join(to, databaseName), 0o600);
  const blobs = join(folder, 'blobs');
  const paths = (existsSync(blobs) ? readdirSync(blobs) : []).flatMap((shelf) =>
    readdirSync(join(blobs, shelf))
      // What is being written at this moment has another name yet, and no receipt names it.
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .map((name) => `blobs/${shelf}/${name}`),
  );
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    copyFileSync(join(folder, path), join(to, path));
  }
  return [databaseName, ...paths];
}

/** `progress` receives the bytes written and the estimated total. */
async function copyDatabase(path: string, to: string, progress: Progress): Promise<void> {
  const size = statSync(path).size;
  const timer = setInterval(() => progress(statSync(to, { throwIfNoEntry: false })?.size ?? 0, size), lookMs);
  try {
    await vacuum({ path, into: to });
  } finally {
    clearInterval(timer);
  }
}
