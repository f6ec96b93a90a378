/**
 * A copy of a ledger file as of one moment, made beside the process that writes it: SQLite writes it anew from one
 * read transaction, so that it is whole and compact and holds nothing that was deleted. A worker does it; the
 * size of the copy tells how far it has come.
 */
import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { databaseName } from './ddl.ts';

const lookMs = 250;

/** `progress` is told bytes written and about how many there will be. Rejects where the disk is full. */
export async function copyLedger(
  folder: string,
  to: string,
  progress: (done: number, of: number) => void,
): Promise<void> {
  const path = join(folder, databaseName);
  const size = statSync(path).size;
  const worker = new Worker(new URL(`./copy-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path, to },
    execArgv: [],
  });
  const timer = setInterval(() => progress(statSync(to, { throwIfNoEntry: false })?.size ?? 0, size), lookMs);
  try {
    await new Promise<void>((done, failed) => {
      worker.once('error', failed);
      worker.once('exit', () => done());
    });
  } finally {
    clearInterval(timer);
  }
}
