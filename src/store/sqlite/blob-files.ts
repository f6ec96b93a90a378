/**
 * Large results beside the embedded ledger: one file per content, named by its hash, complete or absent. An existing
 * file is never written again, and bytes are checked against their name when read.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnreachable, type Blobs } from '../../engine/store.ts';
import { sha256Hex } from '../../kernel/hash.ts';

export function blobFiles(folder: string): Blobs {
  const blobPath = (sha256: string): string => join(folder, 'blobs', sha256.slice(0, 2), sha256);
  return {
    async put(bytes) {
      const sha256 = sha256Hex(bytes);
      const place = blobPath(sha256);
      if (await stat(place).catch(() => undefined)) return sha256;
      const draft = `${place}.${randomUUID()}`;
      try {
        await mkdir(join(place, '..'), { recursive: true, mode: 0o700 });
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, place);
      } catch (error) {
        // A full disk must not be kept full by what could not be written.
        await rm(draft, { force: true });
        throw unwritable(error);
      }
      return sha256;
    },
    async get(sha256) {
      const bytes = await readFile(blobPath(sha256)).catch(() => undefined);
      return bytes === undefined || sha256Hex(bytes) !== sha256 ? undefined : bytes;
    },
    async *names() {
      const root = join(folder, 'blobs');
      for (const shelf of await readdir(root).catch(() => []))
        for (const name of await readdir(join(root, shelf)).catch(() => []))
          if (/^[0-9a-f]{64}$/.test(name)) yield name;
    },
    async remove(sha256) {
      await rm(blobPath(sha256), { force: true });
    },
  };
}

/** The message has no path: it is recorded as the outcome of a call, which anyone may read. */
function unwritable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new StoreUnreachable(
    code === 'ENOSPC' ? 'the disk of the data folder is full' : `the data folder cannot be written (${code})`,
    {
      cause: error,
      fix: 'See that the disk of the data folder is sound and has room, and that the server may write there; colophon doctor looks at it. Then repair the invocation.',
    },
  );
}
