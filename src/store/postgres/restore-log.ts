/** The log in memory at a given size, from the stored tiles and the leaves after the last full tile. */
import type pg from 'pg';
import { MerkleLog, tilesForRestore } from '../../ledger/log.ts';
import { tileWidth } from '../../ledger/tiles.ts';
import { leaves } from './sql.ts';

export const leavesOfRange = `SELECT ${leaves('l.idx')} AS bytes FROM log l JOIN entry e ON e.seq = l.seq WHERE l.idx >= $1 AND l.idx < $2`;

const hashBytes = 32;

/** Throws where the log has lost a tile or a leaf of those. */
export async function restoreLog(client: pg.ClientBase, size: number): Promise<MerkleLog> {
  const tiles = await client.query<{ level: number; n: number; bytes: Buffer }>(
    'SELECT t.level, t.n, t.bytes FROM tile t JOIN json_to_recordset($1) AS x(level integer, n bigint) ON t.level = x.level AND t.n = x.n',
    [JSON.stringify(tilesForRestore(size))],
  );
  const tail = await client.query<{ bytes: Buffer | null }>(leavesOfRange, [size - (size % tileWidth), size]);
  const byName = new Map(tiles.rows.map(({ level, n, bytes }) => [`${level}/${n}`, bytes]));
  return MerkleLog.restore(
    size,
    (level, n) => {
      const bytes = byName.get(`${level}/${n}`);
      if (bytes === undefined) throw new RangeError(`the log has lost tile ${level}/${n}`);
      return bytes;
    },
    () => split(tail.rows[0]?.bytes ?? Buffer.alloc(0)),
  );
}

function split(bytes: Buffer): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += hashBytes) hashes.push(bytes.subarray(at, at + hashBytes));
  return hashes;
}
