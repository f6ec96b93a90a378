/**
 * A file that cannot be written because of where it lies: a full disk, a folder that became read-only, a disk that
 * fails. Nothing was written, what there is can still be read, and only whoever runs the server can do something about it.
 */
import { StoreUnreachable } from '../../engine/store.ts';

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN, which are the lowest byte of what SQLite says. */
const placeCodes: ReadonlySet<number> = new Set([8, 10, 13, 14]);

export function orUnwritable(error: unknown): unknown {
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string };
  if (!placeCodes.has(errcode & 0xff)) return error;
  return new StoreUnreachable(`its file cannot be written: ${message}`, {
    cause: error,
    fix: 'See that the disk of the data folder is sound and has room, and that the server may write there; colophon doctor looks at it. Writes go on by themselves then.',
  });
}
