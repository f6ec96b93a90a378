/** Large results beside the shared ledger: one row for each content, named by its hash. */
import type { Blobs } from '../../engine/store.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { RowSource } from './read-pool.ts';

export function blobRows(pool: Pick<RowSource, 'rows'>): Blobs {
  return {
    async put(bytes) {
      const sha256 = sha256Hex(bytes);
      await pool.rows({
        text: 'INSERT INTO blob (sha256, bytes) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING',
        values: [sha256, bytes],
      });
      return sha256;
    },
    async get(sha256) {
      const [row] = await pool.rows<{ bytes: Buffer }>({
        text: 'SELECT bytes FROM blob WHERE sha256 = $1',
        values: [sha256],
      });
      return row === undefined || sha256Hex(row.bytes) !== sha256 ? undefined : row.bytes;
    },
    async *names() {
      let after = '';
      for (;;) {
        const page = await pool.rows<{ sha256: string }>({
          text: 'SELECT sha256 FROM blob WHERE sha256 > $1 ORDER BY sha256 LIMIT 500',
          values: [after],
        });
        for (const { sha256 } of page) yield sha256;
        after = page.at(-1)?.sha256 ?? '';
        if (after === '') return;
      }
    },
    async remove(sha256) {
      await pool.rows({ text: 'DELETE FROM blob WHERE sha256 = $1', values: [sha256] });
    },
  };
}
