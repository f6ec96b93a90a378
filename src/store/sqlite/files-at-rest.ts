/**
 * Opens the databases of a data folder without changing a byte (contract §6), also on read-only media. In WAL mode
 * SQLite creates a shared-memory file even for a connection that only reads. Beside a running server that file exists
 * and is needed; without a server a database is opened as immutable or, if a crash left a write-ahead log, as a
 * temporary copy.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLocked } from './lock.ts';

export interface LedgerFiles {
  has(name: string): boolean;
  /** What to open for the database of this name, read-only. */
  location(name: string): string;
}

const beside = (folder: string): LedgerFiles => ({
  has: (name) => existsSync(join(folder, name)),
  location: (name) => join(folder, name),
});

/**
 * Reads a folder with `use`. Where no server owned it and the files changed meanwhile, what was read may be of two
 * moments: then it is read again as beside a server.
 */
export async function withFiles<T>(folder: string, use: (files: LedgerFiles) => Promise<T>): Promise<T> {
  if (isLocked(folder)) return use(beside(folder));
  const resting = new RestingFiles(folder);
  try {
    const result = await use(resting);
    if (!resting.changed()) return result;
  } finally {
    resting.release();
  }
  return use(beside(folder));
}

class RestingFiles implements LedgerFiles {
  readonly #folder: string;
  readonly #locations = new Map<string, string>();
  readonly #states = new Map<string, string>();
  #copies: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  location(name: string): string {
    let known = this.#locations.get(name);
    if (known === undefined) {
      const path = join(this.#folder, name);
      this.#states.set(path, stateOf(path));
      this.#locations.set(name, (known = sizeOf(`${path}-wal`) > 0 ? this.#copy(name) : immutable(path)));
    }
    return known;
  }

  changed(): boolean {
    return [...this.#states].some(([path, state]) => stateOf(path) !== state);
  }

  release(): void {
    if (this.#copies !== undefined) rmSync(this.#copies, { recursive: true, force: true });
  }

  #copy(name: string): string {
    this.#copies ??= mkdtempSync(join(tmpdir(), 'colophon-at-rest-'));
    const path = join(this.#folder, name);
    for (const end of ['', '-wal']) copyFileSync(path + end, join(this.#copies, name + end));
    return join(this.#copies, name);
  }
}

function immutable(path: string): string {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url.href;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function stateOf(path: string): string {
  return ['', '-wal']
    .map((end) => statSync(path + end, { throwIfNoEntry: false }))
    .map((stats) => `${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`)
    .join(' ');
}
