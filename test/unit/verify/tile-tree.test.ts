import { describe, expect, test } from 'vitest';
import { MerkleLog } from '../../../src/ledger/log.ts';
import { consistencyRoots } from '../../../verify/merkle.ts';
import { TileTree, type TileReader } from '../../../verify/tile-tree.ts';
import { bytes, leafOf, oracleConsistency, oracleRoot } from '../ledger/support.ts';

const leaves = Array.from({ length: 900 }, (_, i) => leafOf(i));

/** Serves no hash that the tree of this size does not have. */
function tilesOf(size: number): TileReader {
  const log = new MerkleLog();
  const full = new Map<string, Uint8Array>();
  for (const leaf of leaves.slice(0, size)) log.append(leaf);
  for (const { level, n, bytes: tile } of log.takeCompleted()) full.set(`${level}/${n}`, tile);
  return async (level, n, width) => {
    const tile = full.get(`${level}/${n}`) ?? log.tile(level, n, width);
    return Array.from({ length: width }, (_, i) => bytes(tile as Uint8Array).slice(32 * i, 32 * i + 32));
  };
}

describe('a tree read through its tiles', () => {
  test.each([1, 2, 3, 7, 8, 255, 256, 257, 300, 511, 512, 513, 768, 900])(
    'has the roots and proofs of RFC 6962 (%i entries)',
    async (size) => {
      const tree = new TileTree(tilesOf(size), size);
      const firsts = [1, 2, 3, 5, 8, 200, 255, 256, 257, 300, 511, 512, 700, size - 1, size];
      for (const first of new Set(firsts.filter((each) => each >= 1 && each <= size))) {
        const old = oracleRoot(leaves.slice(0, first));
        expect([first, await tree.rootAt(first)]).toEqual([first, bytes(old)]);
        if (first === size) continue;
        const proof = await tree.consistencyProof(first);
        const rfc = oracleConsistency(first, leaves.slice(0, size));
        const isWhole = Number.isInteger(Math.log2(first));
        expect([first, proof]).toEqual([first, (isWhole ? [old, ...rfc] : rfc).map(bytes)]);
        expect(await consistencyRoots(first, size, proof)).toEqual({
          first: bytes(old),
          second: bytes(oracleRoot(leaves.slice(0, size))),
        });
      }
    },
  );

  test('has the root of no entries', async () => {
    expect(await new TileTree(tilesOf(3), 3).rootAt(0)).toEqual(bytes(oracleRoot([])));
  });
});
