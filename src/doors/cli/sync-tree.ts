/** Makes what was written durable: a file that is complete in memory is not yet complete after a power cut. */
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file and folder below `path`, files before the folder that names them. Symbolic links are not followed. */
export function syncTree(path: string): void {
  const stats = lstatSync(path);
  if (stats.isDirectory()) for (const name of readdirSync(path)) syncTree(join(path, name));
  if (stats.isDirectory() || stats.isFile()) syncEntry(path);
}

/** One file, or the names in one folder. */
export function syncEntry(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
