import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consistencyProof,
  inclusionProof,
  MerkleLog,
  rootFromTiles,
  tilesForConsistency,
  tilesForInclusion,
  tilesForRestore,
  tilesForRoot,
  type CompletedTile,
  type TileSource,
} from '../../../src/ledger/log.ts';
import { verifyConsistency, verifyInclusion } from '../../../src/ledger/merkle.ts';
import { InclusionLines } from '../../../src/ledger/inclusion-lines.ts';
import { Subtree } from '../../../src/ledger/subtree.ts';
import { tilePath, widthAt, type TileCoord } from '../../../src/ledger/tiles.ts';
import {
  verifyConsistency as verifyConsistencyElsewhere,
  verifyInclusion as verifyInclusionElsewhere,
} from '../../../verify/merkle.ts';
import { bytes, hex, leafOf, oracleConsistency, oraclePath, oracleRoot, vectorJson } from './support.ts';

const golden = vectorJson<{
  roots: { size: number; root: string }[];
  inclusion: { index: number; size: number; proof: string[] }[];
  consistency: { first: number; second: number; proof: string[] }[];
}>('ledger/log.json');

const goldenSize = 66_000;
const leaves = Array.from({ length: goldenSize }, (_, i) => leafOf(i));

/** A store of tiles: full ones as they complete, partial ones cut from what a log of now has in memory. */
class Tiles {
  readonly full = new Map<string, Uint8Array>();
  readonly log = new MerkleLog();

  grow(to: number): this {
    for (let i = this.log.size; i < to; i++) this.log.append(leaves[i] as Uint8Array);
    this.keep(this.log.takeCompleted());
    return this;
  }

  keep(completed: readonly CompletedTile[]): void {
    for (const { level, n, bytes: tile } of completed) this.full.set(`${level}/${n}`, tile);
  }

  readonly read: TileSource = (level, n, width) => {
    const tile = this.full.get(`${level}/${n}`) ?? this.log.tile(level, n, width);
    if (tile === undefined) throw new Error(`no tile ${level}/${n} of width ${width}`);
    return tile.subarray(0, width * 32);
  };
}

const grown = new Tiles().grow(goldenSize);

describe('proofs from tiles', () => {
  test.each(golden.roots)('match the golden root of $size leaves', ({ size, root }) => {
    expect(hex(rootFromTiles(size, grown.read))).toBe(root);
  });

  test.each(golden.inclusion)(
    'match the golden inclusion proof of $index in $size',
    ({ index, size, proof }) => {
      expect(inclusionProof(index, size, grown.read).map(hex)).toEqual(proof);
    },
  );

  test.each(golden.consistency)(
    'match the golden consistency proof from $first to $second',
    ({ first, second, proof }) => {
      expect(consistencyProof(first, second, grown.read).map(hex)).toEqual(proof);
    },
  );

  test('read exactly the tiles that tilesFor* lists, each once and at its width in that log', () => {
    const place = fc
      .integer({ min: 1, max: goldenSize })
      .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
    fc.assert(
      fc.property(place, ([size, index]) => {
        const asked: TileCoord[] = [];
        const spy: TileSource = (level, n, width) => {
          asked.push({ level, n, width });
          expect(width).toBe(widthAt(level, n, size));
          return grown.read(level, n, width);
        };
        inclusionProof(index, size, spy);
        expect(named(asked.splice(0))).toEqual(named(tilesForInclusion(index, size)));
        consistencyProof(index + 1, size, spy);
        expect(named(asked.splice(0))).toEqual(named(tilesForConsistency(index + 1, size)));
        rootFromTiles(size, spy);
        expect(named(asked)).toEqual(named(tilesForRoot(size)));
      }),
      { numRuns: 60 },
    );
  });

  test('equal the proofs of the RFC 6962 definition and verify in three implementations', async () => {
    const place = fc
      .integer({ min: 1, max: 1100 })
      .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
    await fc.assert(
      fc.asyncProperty(place, async ([size, index]) => {
        const d = leaves.slice(0, size);
        const root = oracleRoot(d);
        const leaf = d[index] as Uint8Array;
        const inclusion = inclusionProof(index, size, grown.read);
        expect(inclusion.map(hex)).toEqual(oraclePath(index, d).map(hex));
        expect(verifyInclusion(index, size, leaf, inclusion, root)).toBe(true);
        expect(
          await verifyInclusionElsewhere(index, size, bytes(leaf), inclusion.map(bytes), bytes(root)),
        ).toBe(true);
        const first = index + 1;
        const consistency = consistencyProof(first, size, grown.read);
        const before = oracleRoot(leaves.slice(0, first));
        expect(consistency.map(hex)).toEqual(oracleConsistency(first, d).map(hex));
        expect(verifyConsistency(first, size, consistency, before, root)).toBe(true);
        expect(
          await verifyConsistencyElsewhere(first, size, consistency.map(bytes), bytes(before), bytes(root)),
        ).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('accept a full tile in place of a requested partial tile', () => {
    expect(inclusionProof(300, 600, wide).map(hex)).toEqual(
      golden.inclusion.find(({ index }) => index === 300)?.proof,
    );
  });

  test.each<[string, () => unknown]>([
    ['a leaf beyond the log', () => inclusionProof(5, 5, grown.read)],
    ['a negative leaf', () => inclusionProof(-1, 5, grown.read)],
    ['consistency from size 0', () => consistencyProof(0, 5, grown.read)],
    ['consistency from a larger to a smaller size', () => consistencyProof(6, 5, grown.read)],
    ['a tile that is too narrow', () => inclusionProof(0, 256, (level, n) => grown.read(level, n, 10))],
    ['a tile with half a hash', () => inclusionProof(0, 256, () => new Uint8Array(48))],
  ])('throw on %s', (_title, ask) => {
    expect(ask).toThrow(RangeError);
  });
});

describe('inclusion lines', () => {
  const subtrees = new Map<string, Subtree>();
  const kept: TileSource = (level, n, width) => {
    const name = `${level}/${n}/${width}`;
    const subtree = subtrees.get(name) ?? Subtree.of(grown.read(level, n, width) as Uint8Array);
    subtrees.set(name, subtree);
    return subtree;
  };

  test.each(golden.inclusion)(
    'match the golden inclusion proof of $index in $size',
    ({ index, size, proof }) => {
      expect(hashesIn(grown.log.inclusionLines(index, size, grown.read))).toEqual(proof);
    },
  );

  test('match the definition for every leaf and size, in any order of requests', () => {
    for (const size of [1, 2, 3, 7, 8, 9, 31, 32, 70]) {
      const d = leaves.slice(0, size);
      const lines = new InclusionLines(size, kept);
      for (let i = 0; i < size; i++) {
        const index = (i * 389) % size;
        expect(hashesIn(lines.of(index))).toEqual(oraclePath(index, d).map(hex));
      }
    }
  });

  test('match the proof after more requests than the cache holds', () => {
    const lines = new InclusionLines(goldenSize, kept);
    for (let index = 0; index < 9000; index++) lines.of(index);
    for (const index of [0, 1, 8999, 65_999])
      expect(hashesIn(lines.of(index))).toEqual(inclusionProof(index, goldenSize, grown.read).map(hex));
  });

  test('match the proof in a log of more than 2^32 leaves', () => {
    const size = 2 ** 44 + 5 * 2 ** 31 + 3;
    const lines = new InclusionLines(size, numbered);
    for (const index of [0, 2 ** 31, 2 ** 32 + 1, 2 ** 43 - 1, 2 ** 44 + 7, size - 4, size - 1])
      expect(hashesIn(lines.of(index))).toEqual(inclusionProof(index, size, numbered).map(hex));
    expect(hashesIn(lines.of(size - 1))).toHaveLength(4);
    expect(hashesIn(lines.of(0))).toHaveLength(45);
  });

  test('do not use the nodes of a batch that was reset', () => {
    const log = new MerkleLog();
    append(log, 0, 5);
    const mark = log.mark();
    append(log, 5, 3);
    log.inclusionLines(0, 8);
    log.reset(mark);
    append(log, 10, 3);
    const left = [...leaves.slice(0, 5), ...leaves.slice(10, 13)];
    expect(hashesIn(log.inclusionLines(0, 8))).toEqual(oraclePath(0, left).map(hex));
  });

  test('read only the new tile for a leaf next to one requested before', () => {
    let reads = 0;
    const lines = new InclusionLines(600, (level, n, width) => {
      reads++;
      return grown.read(level, n, width);
    });
    lines.of(300);
    reads = 0;
    lines.of(301);
    expect(reads).toBe(1);
    lines.of(301);
    expect(reads).toBe(1);
  });

  test.each<[string, () => unknown]>([
    ['a leaf beyond the log', () => grown.log.inclusionLines(5, 5, grown.read)],
    ['a negative leaf', () => grown.log.inclusionLines(-1, 5, grown.read)],
    ['a log larger than this one', () => grown.log.inclusionLines(0, goldenSize + 1, grown.read)],
  ])('throw on %s', (_title, ask) => {
    expect(ask).toThrow(RangeError);
  });
});

describe('MerkleLog', () => {
  test('has the golden root at every golden size while it grows', () => {
    const log = new MerkleLog();
    const roots = new Map(golden.roots.map(({ size, root }) => [size, root]));
    for (const leaf of leaves) {
      const expected = roots.get(log.size);
      if (expected !== undefined) expect(hex(log.root())).toBe(expected);
      log.append(leaf);
    }
    expect(hex(log.root())).toBe(roots.get(goldenSize));
  });

  test('keeps the partial tile from before a batch of 4,096 leaves for readers of that size', () => {
    for (const size of [1, 255, 4000, 65_535 - 4096, 61_500]) {
      const log = new MerkleLog();
      for (let i = 0; i < size; i++) log.append(leaves[i] as Uint8Array);
      log.takeCompleted();
      const n = Math.floor(size / 256);
      const width = size % 256;
      const before = hex(log.tile(0, n, width) as Uint8Array);
      for (let i = size; i < size + 4096; i++) log.append(leaves[i] as Uint8Array);
      expect(hex(log.tile(0, n, width) as Uint8Array)).toBe(before);
      const above = Math.floor(size / 65_536);
      const widthAbove = Math.floor(size / 256) % 256;
      if (widthAbove > 0) expect(log.tile(1, above, widthAbove)).toHaveLength(widthAbove * 32);
    }
  });

  test('returns the index of each appended leaf and rejects a leaf that is not 32 bytes', () => {
    const log = new MerkleLog();
    expect([log.append(leafOf(0)), log.append(leafOf(1))]).toEqual([0, 1]);
    expect(() => log.append(new Uint8Array(31))).toThrow(RangeError);
  });

  test('proves every leaf of the newest tiles without reading stored tiles', () => {
    const log = new MerkleLog();
    for (const leaf of leaves.slice(0, 700)) log.append(leaf);
    const root = log.root();
    for (let index = 0; index < 700; index++) {
      expect(verifyInclusion(index, 700, leaves[index] as Uint8Array, log.inclusionProof(index), root)).toBe(
        true,
      );
    }
    for (let first = 1; first <= 700; first += 13) {
      expect(
        verifyConsistency(first, 700, log.consistencyProof(first), oracleRoot(leaves.slice(0, first)), root),
      ).toBe(true);
    }
  });

  test('proves old leaves at any earlier size with stored tiles', () => {
    expect(() => grown.log.inclusionProof(3)).toThrow('not in memory');
    expect(hex(grown.log.inclusionProof(0, goldenSize, grown.read)[0] as Uint8Array)).toBe(hex(leafOf(1)));
    const cached: TileSource = (level, n, width) => Subtree.of(grown.read(level, n, width) as Uint8Array);
    expect(grown.log.inclusionProof(300, 600, cached).map(hex)).toEqual(
      golden.inclusion.find(({ index }) => index === 300)?.proof,
    );
    expect(() => grown.log.inclusionProof(0, goldenSize + 1)).toThrow(RangeError);
  });

  test('returns each full tile once, with the hashes of the level below as its leaves', () => {
    const tiles = new Tiles().grow(65_536);
    expect(tiles.full.size).toBe(257);
    expect(hex(Subtree.of(tiles.full.get('0/7') as Uint8Array).node(8, 0))).toBe(
      hex(oracleRoot(leaves.slice(7 * 256, 8 * 256))),
    );
    expect(hex((tiles.full.get('1/0') as Uint8Array).subarray(7 * 32, 8 * 32))).toBe(
      hex(oracleRoot(leaves.slice(7 * 256, 8 * 256))),
    );
    expect(tiles.log.takeCompleted()).toEqual([]);
    expect([tiles.log.tile(2, 0, 1)?.length, tiles.log.tile(0, 256, 1), tiles.log.tile(2, 0, 2)]).toEqual([
      32,
      undefined,
      undefined,
    ]);
  });

  test('returns proofs and tiles as copies that later appends do not change', () => {
    const log = new MerkleLog();
    for (const leaf of leaves.slice(0, 5)) log.append(leaf);
    const mark = log.mark();
    log.append(leafOf(5));
    const [proof, tile] = [log.inclusionProof(4), log.tile(0, 0, 6) as Uint8Array];
    const before = [...proof.map(hex), hex(tile)];
    log.reset(mark);
    for (let i = 0; i < 300; i++) log.append(leafOf(1000 + i));
    expect([...proof.map(hex), hex(tile)]).toEqual(before);
  });

  test('equals a log without the later appends after a reset to a mark', () => {
    // Sizes around tile and level boundaries; each step may be kept or undone, once or twice.
    const step = fc.record({
      add: fc.constantFrom(0, 1, 2, 5, 254, 255, 256, 257, 600),
      undo: fc.nat(2),
      take: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(0, 1, 255, 256, 300, 511),
        fc.array(step, { maxLength: 5 }),
        (start, steps) => {
          const [log, plain] = [new MerkleLog(), new MerkleLog()];
          append(log, 0, start);
          append(plain, 0, start);
          for (const { add, undo, take } of steps) {
            for (let again = 0; again < undo; again++) {
              const mark = log.mark();
              append(log, 20_000 + again * 1000, add);
              if (take) log.takeCompleted();
              log.root();
              log.reset(mark);
            }
            append(log, log.size, add);
            append(plain, plain.size, add);
          }
          expect(state(log)).toEqual(state(plain));
        },
      ),
      { numRuns: 80 },
    );
  });

  test('returns no tile of leaves that a reset removed', () => {
    const log = new MerkleLog();
    const mark = log.mark();
    append(log, 0, 600);
    expect([log.tile(0, 0, 256)?.length, log.tile(0, 1, 256)?.length, log.tile(0, 2, 88)?.length]).toEqual([
      8192, 8192, 2816,
    ]);
    log.reset(mark);
    expect([log.tile(0, 0, 1), log.tile(0, 1, 256), log.tile(0, 2, 1), log.tile(1, 0, 1)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('throws on a reset to a mark beyond its size', () => {
    const log = new MerkleLog();
    const early = log.mark();
    log.append(leafOf(0));
    const late = log.mark();
    log.reset(early);
    expect(() => log.reset(late)).toThrow(RangeError);
  });

  test('equals the live log after a restore from its tiles and last leaves, and after further appends', () => {
    const sizes = fc.constantFrom(
      0,
      1,
      255,
      256,
      257,
      511,
      512,
      4000,
      65_535,
      65_536,
      65_537,
      goldenSize - 300,
    );
    fc.assert(
      fc.property(sizes, (size) => {
        const live = new Tiles().grow(size);
        const restored = MerkleLog.restore(
          size,
          (level, n) => live.full.get(`${level}/${n}`) as Uint8Array,
          (from, to) => leaves.slice(from, to),
        );
        expect(state(restored)).toEqual(state(live.log));
        for (const leaf of leaves.slice(size, size + 300)) {
          restored.append(leaf);
          live.log.append(leaf);
        }
        expect(state(restored)).toEqual(state(live.log));
        expect(restored.inclusionProof(size + 299).map(hex)).toEqual(
          live.log.inclusionProof(size + 299).map(hex),
        );
      }),
      { numRuns: 15 },
    );
  });

  test('reads exactly the tiles that tilesForRestore lists in a restore, and throws on missing leaves', () => {
    const asked: string[] = [];
    const size = 1000;
    const full = new Tiles().grow(size).full;
    const tile = (level: number, n: number) => {
      asked.push(`tile/${level}/00${n}`);
      return full.get(`${level}/${n}`) as Uint8Array;
    };
    MerkleLog.restore(size, tile, (from, to) => leaves.slice(from, to));
    expect(asked).toEqual(['tile/0/000', 'tile/0/001', 'tile/0/002']);
    expect(tilesForRestore(size).map(tilePath)).toEqual(asked);
    expect(() => MerkleLog.restore(size, tile, (from, to) => leaves.slice(from, to - 1))).toThrow(RangeError);
  });
});

/** Tiles as wide as the whole log has them, whatever was asked for. */
function wide(level: number, n: number): Uint8Array | Subtree {
  return grown.read(level, n, widthAt(level, n, goldenSize));
}

/** Tiles of a log that nobody could fill: each hash says where it stands. */
function numbered(level: number, n: number, width: number): Uint8Array {
  const tile = Buffer.alloc(width * 32, level);
  for (let i = 0; i < width; i++) tile.writeDoubleBE(n * 256 + i, i * 32);
  return tile;
}

/** The hashes of a proof's lines, each of which is ended. */
function hashesIn(lines: string): string[] {
  const [end, ...hashes] = lines.split('\n').reverse();
  expect(end).toBe('');
  return hashes.reverse().map((line) => Buffer.from(line, 'base64').toString('hex'));
}

function named(tiles: readonly TileCoord[]): string[] {
  return tiles.map(tilePath).sort();
}

function append(to: MerkleLog, from: number, count: number): void {
  for (let i = 0; i < count; i++) to.append(leaves[from + i] as Uint8Array);
}

/** Everything that can be seen of a log, completed tiles included. */
function state(log: MerkleLog): unknown {
  const tiles = [];
  for (let level = 0; 256 ** level <= log.size; level++) {
    const n = Math.floor(log.size / 256 ** (level + 1));
    const width = widthAt(level, n, log.size);
    tiles.push(hex(log.tile(level, n, width) ?? new Uint8Array(0)));
  }
  const mark = log.mark();
  const completed = log.takeCompleted().map(({ level, n, bytes: tile }) => `${level}/${n} ${hex(tile)}`);
  log.reset(mark);
  return { size: log.size, root: hex(log.root()), tiles, completed };
}
