/**
 * Inclusion and consistency proofs from tiles (RFC 6962 §2.1.1 and §2.1.2, C2SP tlog-tiles). A proof is a
 * list of ranges of leaves, and a range is a few whole nodes; the tiles that hold them are known before any
 * is read, so that a caller may fetch them at once, synchronously or beforehand.
 */
import { emptyRoot, nodeHash } from './merkle.ts';
import { Subtree } from './subtree.ts';
import { tileHeight, widthAt, type TileCoord } from './tiles.ts';

/** A whole node of the tree: the leaves [index · 2^height, (index + 1) · 2^height). */
export interface Node {
  readonly height: number;
  readonly index: number;
}

/** The nodes of one range, from right to left, to be hashed into one. */
export type Range = readonly Node[];

/** Gives a tile's bytes, at least `width` hashes of it. A `Subtree` saves hashing its inner nodes again. */
export type TileSource = (level: number, n: number, width: number) => Uint8Array | Subtree;

/** The tiles that `inclusionProof` reads for a leaf in a log of `size` leaves. */
export function tilesForInclusion(index: number, size: number): TileCoord[] {
  return tilesOf(inclusionRanges(index, size), size);
}

/** Hashes from the leaf's sibling up to the root's child. `index` is below `size`. */
export function inclusionProof(index: number, size: number, tile: TileSource): Uint8Array[] {
  return hashRanges(inclusionRanges(index, size), size, tile);
}

/** The tiles that `consistencyProof` reads. */
export function tilesForConsistency(first: number, second: number): TileCoord[] {
  return tilesOf(consistencyRanges(first, second), second);
}

/** That the log of `second` leaves begins with that of `first`; empty where the two are equal. */
export function consistencyProof(first: number, second: number, tile: TileSource): Uint8Array[] {
  return hashRanges(consistencyRanges(first, second), second, tile);
}

export function tilesForRoot(size: number): TileCoord[] {
  return tilesOf([raggedRange(0, size)], size);
}

/** The root of the log of `size` leaves. */
export function rootFromTiles(size: number, tile: TileSource): Uint8Array {
  return size === 0 ? emptyRoot : (hashRanges([raggedRange(0, size)], size, tile)[0] as Uint8Array);
}

function inclusionRanges(index: number, size: number): Range[] {
  checkLeaf(index, size);
  return siblings({ height: 0, index }, size);
}

export function checkLeaf(index: number, size: number): void {
  if (!isCount(index) || !isCount(size) || index >= size)
    throw new RangeError(`a log of ${size} leaves has no leaf ${index}`);
}

function consistencyRanges(first: number, second: number): Range[] {
  if (!isCount(first) || !isCount(second) || first < 1 || first > second) {
    throw new RangeError(`no consistency proof leads from ${first} to ${second} leaves`);
  }
  if (first === second) return [];
  // The largest whole node at the end of the older log; the climb from it passes all that has been added.
  let node: Node = { height: 0, index: first - 1 };
  while (node.index % 2 === 1) node = { height: node.height + 1, index: (node.index - 1) / 2 };
  const above = siblings(node, second);
  // A verifier has the older root already, and here it is that node.
  return node.index === 0 ? above : [[node], ...above];
}

/** What lies beside the path from a node to the root. At most one range is ragged: cut off by the log's end. */
function siblings(node: Node, size: number): Range[] {
  const ranges: Range[] = [];
  let { height, index } = node;
  for (let span = 2 ** height; span < size; span *= 2, height++, index = Math.floor(index / 2)) {
    const range = siblingRange({ height, index }, span, size);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

/** What lies beside a node of `span` leaves, whole or ragged; nothing where the log ends before it. */
export function siblingRange({ height, index }: Node, span: number, size: number): Range | undefined {
  const sibling = index % 2 === 0 ? index + 1 : index - 1;
  if (sibling * span >= size) return undefined;
  return (sibling + 1) * span <= size ? [{ height, index: sibling }] : raggedRange(sibling * span, size);
}

/** The whole nodes of [from, size), where `from` is a multiple of a power of two that reaches past `size`. */
function raggedRange(from: number, size: number): Range {
  const nodes: Node[] = [];
  let rest = size;
  for (let height = 0, span = 1; rest > from; height++, span *= 2) {
    if ((rest / span) % 2 !== 1) continue;
    rest -= span;
    nodes.push({ height, index: rest / span });
  }
  return nodes;
}

function levelOf(node: Node): number {
  return Math.floor(node.height / tileHeight);
}

/** How many nodes of that height a tile holds: 256 at its foot, 2 below its root. */
function nodesInTile(height: number): number {
  return 1 << (tileHeight - (height % tileHeight));
}

function tileOf(node: Node): number {
  return Math.floor(node.index / nodesInTile(node.height));
}

function tilesOf(ranges: readonly Range[], size: number): TileCoord[] {
  const tiles = new Map<string, TileCoord>();
  for (const node of ranges.flat()) {
    const level = levelOf(node);
    const n = tileOf(node);
    tiles.set(`${level}/${n}`, { level, n, width: widthAt(level, n, size) });
  }
  return [...tiles.values()];
}

function hashRanges(ranges: readonly Range[], size: number, tile: TileSource): Uint8Array[] {
  // A path stays in one tile a level, and the log's edge in another.
  const opened: { level: number; n: number; subtree: Subtree }[] = [];
  const once: TileSource = (level, n, width) => {
    let found = opened.find((open) => open.level === level && open.n === n);
    if (found === undefined) {
      found = { level, n, subtree: asSubtree(tile(level, n, width)) };
      opened.push(found);
    }
    return found.subtree;
  };
  return ranges.map((range) => rangeHash(range, size, once));
}

/** The one hash of a range of a log of `size` leaves. */
export function rangeHash(range: Range, size: number, tile: TileSource): Uint8Array {
  return range.map((node) => nodeIn(node, size, tile)).reduce((right, left) => nodeHash(left, right));
}

function nodeIn(node: Node, size: number, tile: TileSource): Uint8Array {
  const [level, n] = [levelOf(node), tileOf(node)];
  const subtree = asSubtree(tile(level, n, widthAt(level, n, size)));
  return subtree.node(node.height % tileHeight, node.index - n * nodesInTile(node.height));
}

function asSubtree(tile: Uint8Array | Subtree): Subtree {
  return tile instanceof Subtree ? tile : Subtree.of(tile);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
