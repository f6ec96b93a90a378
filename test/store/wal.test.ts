import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { integer, table, text } from '../../src/engine/tables.ts';
import { openSqlite } from '../../src/store/sqlite/store.ts';

const note = table('note', { key: { id: text(), n: integer() }, columns: { body: text() } });

describe('the write-ahead log of the embedded store', () => {
  it('stays within its size limit under continuous writers with one pause, and loses nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-wal-'));
    const wal = { softBytes: 256 * 1024, hardBytes: 1024 * 1024, restMs: 20 };
    const store = openSqlite({
      folder,
      wal,
      sign: (size) => `size ${size}\n`,
      schema: {
        version: 1,
        tables: [note],
        project: (event, to) =>
          to.put(note, { id: 'a', n: event.seq, body: String(event.contents['body_sha']) }),
      },
    });
    const body = 'x'.repeat(4000);
    let largest = 0;
    let written = 0;
    const writer = async (name: number): Promise<void> => {
      for (let i = 0; i < 400; i++) {
        // Long enough for the worker that copies the log back to be let go; another has to take its place.
        if (i === 200) await new Promise((later) => setTimeout(later, 200));
        await store.run({
          name: 'note',
          keys: [],
          decide: (tx) =>
            tx.append({
              draft: {
                chain: `c${name}-${i}`,
                ts: '2026-01-01T00:00:00.000Z',
                actor: 'system',
                action: 'note',
              },
              head: null,
              contents: [{ field: 'body_sha', value: `${body}${i}` }],
            }),
        });
        written++;
        largest = Math.max(largest, statSync(join(folder, 'colophon.db-wal')).size);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
    expect(written).toBe(6400);
    expect(await store.read.count(note, 'a')).toBe(6400);
    // 6,400 notes are some 60 MB of log frames; a batch in flight may overshoot the bound by its own size.
    expect(largest).toBeLessThan(wal.hardBytes * 4);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
