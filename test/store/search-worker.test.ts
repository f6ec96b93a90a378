/** The embedded search index is a worker's: the main thread goes on meanwhile, and losing the worker loses nothing. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnreachable } from '../../src/engine/store.ts';
import { openSearchIndex, type SearchLimits } from '../../src/store/sqlite/search-index.ts';
import { ask, document, write } from '../support/search-indexes.ts';

const folders: string[] = [];
let path: string;
let open: { close(): Promise<void> }[] = [];

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-worker-'));
  folders.push(folder);
  path = join(folder, 'search.db');
});
afterEach(async () => {
  for (const index of open.splice(0)) await index.close();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const openIndex = (limits?: Partial<SearchLimits>) => {
  const index = openSearchIndex(path, limits);
  open.push(index);
  return index;
};
/** SQLite takes the write-ahead log away when the last connection to a file is closed: that of the worker. */
const hasFileOpen = (): boolean => existsSync(`${path}-wal`);

describe('the search index worker', () => {
  it('keeps the main thread free during a search', async () => {
    const index = openIndex();
    const documents = Array.from({ length: 4000 }, (_, i) => document(`k${i}`, i, `a b w${i} `.repeat(100)));
    for (let i = 0; i < documents.length; i += 500)
      await write(index, i + 500, ...documents.slice(i, i + 500));
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const before = ticks;
    await Promise.all(Array.from({ length: 20 }, () => ask(index, 'a b')));
    clearInterval(ticking);
    expect(ticks - before).toBeGreaterThan(20);
  });

  it('answers in request order, and refuses searches beyond its queue', async () => {
    const index = openIndex({ tasksMax: 3 });
    await write(index, 1, document('x', 1, 'a'));
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => ask(index, 'a')));
    expect(asked.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect((asked[4] as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnreachable);
    expect((await ask(index, 'a')).found).toHaveLength(1);
  });

  it('ends when idle, restarts on demand, and keeps its cursor', async () => {
    const index = openIndex({ idleMs: 20 });
    await write(index, 3, document('x', 1, 'a'));
    expect(hasFileOpen()).toBe(true);
    await vi.waitFor(() => expect(hasFileOpen()).toBe(false));
    expect(await index.cursor()).toEqual({ size: 3, head: 'head of 3', scrubsApplied: 0 });
    expect(hasFileOpen()).toBe(false);
    expect((await ask(index, 'a')).found).toHaveLength(1);
  });

  it('reads the cursor of an earlier run from the file', async () => {
    const first = openIndex();
    await write(first, 8, document('x', 1, 'a'));
    await first.close();
    const second = openIndex();
    expect(await second.cursor()).toEqual({ size: 8, head: 'head of 8', scrubsApplied: 0 });
  });

  it('resets the index when the file is not a search index', async () => {
    writeFileSync(path, 'this is no database, and has never been one');
    const index = openIndex();
    expect(await index.cursor()).toEqual({ size: 0, head: '', scrubsApplied: 0 });
    await write(index, 1, document('x', 1, 'a'));
    expect((await ask(index, 'a')).found).toHaveLength(1);
  });

  it('fails pending searches when it cannot open its file, and retries on the next search', async () => {
    rmSync(join(path, '..'), { recursive: true });
    const index = openIndex();
    await expect(ask(index, 'a')).rejects.toThrow('lost in the middle of a task');
    await expect(ask(index, 'a')).rejects.toBeInstanceOf(StoreUnreachable);
    mkdirSync(join(path, '..'));
    expect((await ask(index, 'a')).found).toEqual([]);
  });

  it('answers searches from before the close and refuses later ones', async () => {
    const index = openIndex();
    const asked = ask(index, 'a');
    await index.close();
    expect((await asked).found).toEqual([]);
    await expect(ask(index, 'a')).rejects.toThrow('closed');
  });
});
