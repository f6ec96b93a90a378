/** The copy of the checkpoint at a stop (src/deployment/checkpoint-file.ts). */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyCheckpoints } from '../../src/deployment/checkpoint-file.ts';

test('covers the entries that are integrated after the last write, before a stop ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-copy-'));
  try {
    let asked = 0;
    const sizeNow = (): number => (asked < 3 ? 1 : 2);
    const store = {
      rollback: undefined,
      read: { checkpoint: async () => ({ size: sizeNow(), note: `a log\n${sizeNow()}\n` }) },
      unlogged: async () => (++asked < 3 ? 1 : 0),
    } as unknown as Parameters<typeof copyCheckpoints>[1];
    const path = join(folder, 'checkpoint');
    const copies = copyCheckpoints(path, store, { name: 'a log' } as never, (error) => {
      throw error;
    });
    await expect.poll(() => existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a log\n1\n');
    // The kept note is not signed, so that it could not be compared with the newer one.
    rmSync(path);
    await copies.stop();
    expect(readFileSync(path, 'utf8')).toBe('a log\n2\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
