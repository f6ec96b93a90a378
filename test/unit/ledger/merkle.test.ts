import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyRoot,
  nodeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  verifySubtreeConsistency,
  verifySubtreeInclusion,
} from '../../../src/ledger/merkle.ts';
import {
  flipBit,
  hex,
  leafOf,
  oracleConsistency,
  oraclePath,
  oracleRoot,
  unhex,
  vectorJson,
} from './support.ts';

interface Vector {
  name: string;
  desc: string;
  wantErr: boolean;
  proof: string[] | null;
}

const b64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const proofOf = (vector: Vector) => (vector.proof ?? []).map(b64);

/** What the vectors call an error is a refusal here. */
function failures<V extends Vector>(file: string, accepts: (vector: V) => boolean): string[] {
  return vectorJson<V[]>(`merkle/${file}.json`)
    .filter((vector) => accepts(vector) === vector.wantErr)
    .map(({ name }) => name);
}

describe('the transparency-dev vectors', () => {
  test('contain 518 cases, of which 482 must be rejected', () => {
    const all = ['inclusion', 'consistency', 'subtreeinclusion', 'subtreeconsistency'].flatMap((file) =>
      vectorJson<Vector[]>(`merkle/${file}.json`),
    );
    expect([all.length, all.filter(({ wantErr }) => wantErr).length]).toEqual([518, 482]);
  });

  test('agree with verifyInclusion', () => {
    type V = Vector & { leafIdx: number; treeSize: number; root: string; leafHash: string };
    expect(
      failures<V>('inclusion', (v) =>
        verifyInclusion(v.leafIdx, v.treeSize, b64(v.leafHash), proofOf(v), b64(v.root)),
      ),
    ).toEqual([]);
  });

  test('agree with verifyConsistency', () => {
    type V = Vector & { size1: number; size2: number; root1: string; root2: string };
    expect(
      failures<V>('consistency', (v) =>
        verifyConsistency(v.size1, v.size2, proofOf(v), b64(v.root1), b64(v.root2)),
      ),
    ).toEqual([]);
  });

  test('agree with verifySubtreeInclusion', () => {
    type V = Vector & { leafIdx: number; start: number; end: number; root: string; leafHash: string };
    expect(
      failures<V>('subtreeinclusion', (v) =>
        verifySubtreeInclusion(v.leafIdx, v.start, v.end, b64(v.leafHash), proofOf(v), b64(v.root)),
      ),
    ).toEqual([]);
  });

  test('agree with verifySubtreeConsistency', () => {
    type V = Vector & { start: number; end: number; size: number; root1: string; root2: string };
    expect(
      failures<V>('subtreeconsistency', (v) =>
        verifySubtreeConsistency(v.start, v.end, v.size, proofOf(v), b64(v.root1), b64(v.root2)),
      ),
    ).toEqual([]);
  });
});

describe('hashing', () => {
  test('computes the roots of the RFC 6962 test trees', () => {
    const leaves = Array.from({ length: 7 }, (_, i) => leafOf(i));
    expect(hex(emptyRoot)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(hex(rootOf([]))).toBe(hex(emptyRoot));
    const golden = vectorJson<{ roots: { size: number; root: string }[] }>('ledger/log.json');
    for (const { size, root } of golden.roots.filter(({ size: s }) => s <= 7))
      expect(hex(rootOf(leaves.slice(0, size)))).toBe(root);
  });

  test('returns a new buffer for each node', () => {
    const [a, b] = [unhex('01'.repeat(32)), unhex('02'.repeat(32))];
    const first = nodeHash(a, b);
    const kept = hex(first);
    expect(hex(nodeHash(b, a))).not.toBe(kept);
    expect(hex(first)).toBe(kept);
  });
});

const leaves = Array.from({ length: 70 }, (_, i) => leafOf(i));
const tree = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.record({ size: fc.constant(size), at: fc.nat(size - 1) }));

describe('verifyInclusion', () => {
  test('accepts the proof of every leaf of every small tree, and at no other index', () => {
    for (let size = 1; size <= 20; size++) {
      const d = leaves.slice(0, size);
      const root = oracleRoot(d);
      for (let index = 0; index < size; index++) {
        const proof = oraclePath(index, d);
        for (let claimed = 0; claimed <= size; claimed++) {
          expect(verifyInclusion(claimed, size, leaves[index] as Uint8Array, proof, root)).toBe(
            claimed === index,
          );
        }
      }
    }
  });

  test('fails with any flipped bit, a hash more or a hash less', () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.nat(255), ({ size, at }, pick, bit) => {
        const d = leaves.slice(0, size);
        const leaf = leaves[at] as Uint8Array;
        const [proof, root] = [oraclePath(at, d), oracleRoot(d)];
        expect(verifyInclusion(at, size, leaf, proof, root)).toBe(true);
        expect(verifyInclusion(at, size, flipBit(leaf, bit), proof, root)).toBe(false);
        expect(verifyInclusion(at, size, leaf, proof, flipBit(root, bit))).toBe(false);
        expect(verifyInclusion(at, size, leaf, [...proof, leaf], root)).toBe(false);
        if (proof.length === 0) return;
        const i = pick % proof.length;
        expect(
          verifyInclusion(at, size, leaf, proof.with(i, flipBit(proof[i] as Uint8Array, bit)), root),
        ).toBe(false);
        expect(verifyInclusion(at, size, leaf, proof.toSpliced(i, 1), root)).toBe(false);
      }),
    );
  });

  test.each<[string, number, number]>([
    ['a negative index', -1, 2],
    ['a fractional index', 0.5, 2],
    ['a size beyond 2^53', 0, 2 ** 53],
    ['the index NaN', Number.NaN, 2],
    ['an index equal to the size', 2, 2],
  ])('rejects %s', (_title, index, size) => {
    const [a, b] = [leafOf(0), leafOf(1)];
    expect(verifyInclusion(index, size, a, [b], nodeHash(a, b))).toBe(false);
  });

  test('rejects hashes that are not 32 bytes even if they lead to the root', () => {
    const [a, b] = [unhex('aa'.repeat(31)), unhex('bb'.repeat(33))];
    const root = oracleRoot([a, b]);
    expect(verifyInclusion(0, 2, a, [b], root)).toBe(false);
  });

  test('refuses a proof that goes on above the root', () => {
    const [a, b] = [leafOf(0), leafOf(1)];
    expect(verifyInclusion(1, 2, b, [a], nodeHash(a, b))).toBe(true);
    expect(verifyInclusion(0, 1, b, [a], nodeHash(a, b))).toBe(false);
  });
});

describe('subtree ranges', () => {
  test('are valid only if they are nodes of a tree', () => {
    const [a, b] = [leafOf(1), leafOf(2)];
    expect(verifySubtreeInclusion(2, 2, 4, a, [b], nodeHash(a, b))).toBe(true);
    expect(verifySubtreeInclusion(1, 1, 3, a, [b], nodeHash(a, b))).toBe(false);
    expect(verifySubtreeConsistency(1, 2, 2, [leafOf(0)], a, nodeHash(leafOf(0), a))).toBe(true);
    expect(verifySubtreeConsistency(1, 3, 3, [], a, a)).toBe(false);
  });
});

describe('verifyConsistency', () => {
  test('accepts the proof between all small trees, and for no other sizes', () => {
    for (let second = 1; second <= 14; second++) {
      for (let first = 1; first <= second; first++) {
        const [older, newer] = [leaves.slice(0, first), leaves.slice(0, second)];
        const proof = oracleConsistency(first, newer);
        const [before, after] = [oracleRoot(older), oracleRoot(newer)];
        expect(verifyConsistency(first, second, proof, before, after)).toBe(true);
        if (first === second) continue;
        for (let claimed = 0; claimed <= second; claimed++) {
          if (claimed !== first) expect(verifyConsistency(claimed, second, proof, before, after)).toBe(false);
        }
      }
    }
  });

  test('fails with any flipped bit, a hash more or a hash less', () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.nat(255), ({ size, at }, pick, bit) => {
        const d = leaves.slice(0, size);
        const first = at + 1;
        const [proof, before, after] = [
          oracleConsistency(first, d),
          oracleRoot(leaves.slice(0, first)),
          oracleRoot(d),
        ];
        expect(verifyConsistency(first, size, proof, before, after)).toBe(true);
        expect(verifyConsistency(first, size, proof, flipBit(before, bit), after)).toBe(false);
        expect(verifyConsistency(first, size, proof, before, flipBit(after, bit))).toBe(false);
        expect(verifyConsistency(first, size, [...proof, after], before, after)).toBe(false);
        if (proof.length === 0) return;
        const i = pick % proof.length;
        expect(
          verifyConsistency(first, size, proof.with(i, flipBit(proof[i] as Uint8Array, bit)), before, after),
        ).toBe(false);
        expect(verifyConsistency(first, size, proof.toSpliced(i, 1), before, after)).toBe(false);
      }),
    );
  });

  test('rejects hashes that are not 32 bytes even if they lead to both roots', () => {
    const [a, b, c] = [unhex('aa'.repeat(31)), unhex('bb'.repeat(33)), leafOf(0)];
    expect(verifyConsistency(1, 2, [b], a, oracleRoot([a, b]))).toBe(false);
    expect(verifyConsistency(1, 2, [b], c, oracleRoot([c, b]))).toBe(false);
    expect(verifyConsistency(1, 2, [c], a, oracleRoot([a, c]))).toBe(false);
  });

  test('refuses a proof that goes on above the root', () => {
    const [a, b, c] = [leafOf(0), leafOf(1), leafOf(2)];
    const root = nodeHash(c, nodeHash(a, b));
    expect(verifyConsistency(1, 2, [b, c], nodeHash(c, a), root)).toBe(false);
    expect(verifyConsistency(1, 2, [b, c], a, root)).toBe(false);
  });

  test('rejects every proof from the empty tree', () => {
    expect(verifyConsistency(0, 1, [], emptyRoot, leafOf(0))).toBe(false);
    expect(verifyConsistency(0, 0, [], emptyRoot, emptyRoot)).toBe(false);
  });
});
