import { describe, expect, test } from 'vitest';
import { leafHash, rootOf, verifyConsistency, verifyInclusion } from '../../../verify/index.ts';
import { bytes, hex, leafOf, oracleRoot, vectorJson } from '../ledger/support.ts';

interface Vector {
  name: string;
  wantErr: boolean;
  proof: string[] | null;
}

const b64 = (text: string) => bytes(Buffer.from(text, 'base64'));

/** Names of the vectors on which the verifier and the vector disagree. */
async function failures<V extends Vector>(
  file: string,
  accepts: (vector: V, proof: Uint8Array<ArrayBuffer>[]) => Promise<boolean>,
): Promise<string[]> {
  const vectors = vectorJson<V[]>(`merkle/${file}.json`);
  expect(vectors).toHaveLength(98);
  const failed: string[] = [];
  for (const vector of vectors) {
    if ((await accepts(vector, (vector.proof ?? []).map(b64))) === vector.wantErr) failed.push(vector.name);
  }
  return failed;
}

describe("the verifier's own Merkle trees", () => {
  test('agree with the transparency-dev inclusion vectors', async () => {
    type V = Vector & { leafIdx: number; treeSize: number; root: string; leafHash: string };
    expect(
      await failures<V>('inclusion', (v, proof) =>
        verifyInclusion(v.leafIdx, v.treeSize, b64(v.leafHash), proof, b64(v.root)),
      ),
    ).toEqual([]);
  });

  test('agree with the transparency-dev consistency vectors', async () => {
    type V = Vector & { size1: number; size2: number; root1: string; root2: string };
    expect(
      await failures<V>('consistency', (v, proof) =>
        verifyConsistency(v.size1, v.size2, proof, b64(v.root1), b64(v.root2)),
      ),
    ).toEqual([]);
  });

  test('compute the root that RFC 6962 defines at every size', async () => {
    const leaves = Array.from({ length: 40 }, (_, i) => bytes(leafOf(i)));
    for (let size = 0; size <= 40; size++)
      expect(hex(await rootOf(leaves.slice(0, size)))).toBe(hex(oracleRoot(leaves.slice(0, size))));
  });

  test('reject hashes that are not 32 bytes even if they lead to the root', async () => {
    const [leaf, long] = [bytes(leafOf(0)), bytes(Buffer.alloc(33, 7))];
    const root = bytes(oracleRoot([leaf, long]));
    expect(await verifyInclusion(0, 2, leaf, [long], root)).toBe(false);
    expect(await verifyInclusion(0, 2, long, [leaf], bytes(oracleRoot([long, leaf])))).toBe(false);
    expect(await verifyConsistency(1, 2, [long], leaf, root)).toBe(false);
    expect(await verifyConsistency(1, 2, [leaf], long, bytes(oracleRoot([long, leaf])))).toBe(false);
  });

  test('hash a leaf as SHA-256 of a zero byte and its bytes', async () => {
    expect(hex(await leafHash(''))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  });
});
