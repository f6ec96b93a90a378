/**
 * A Merkle tree read through its tiles (C2SP tlog-tiles): the root of its first entries, and consistency proofs. Whose tiles
 * they are does not matter; what a proof leads to is for the caller to compare.
 */
import type { Bytes } from './bytes.ts';
import { rootOf, nodeHash } from './merkle.ts';
import { tileWidth } from './merkle-edge.ts';

/** The first `width` hashes of a tile. */
export type TileReader = (level: number, n: number, width: number) => Promise<readonly Bytes[]>;

/** log2 of the width of a tile. */
const tileHeight = 8;

export class TileTree {
  readonly #read: TileReader;
  readonly #size: number;
  /** A proof needs the tiles on two paths. */
  readonly #tiles = new Map<string, Promise<readonly Bytes[]>>();

  constructor(read: TileReader, size: number) {
    this.#read = read;
    this.#size = size;
  }

  /** The root over the first entries. */
  async rootAt(size: number): Promise<Bytes> {
    return size === 0 ? rootOf([]) : this.#hash(0, size);
  }

  /**
   * From the tree's first `first` ≥ 1 entries to all of them, as RFC 6962 has it, but with the old root in front also where
   * `first` is a power of two (`consistencyRoots`).
   */
  async consistencyProof(first: number): Promise<Bytes[]> {
    const siblings: Bytes[] = [];
    let begin = 0;
    let end = this.#size;
    while (end > first) {
      const middle = begin + halfOf(end - begin);
      if (first <= middle) {
        siblings.push(await this.#hash(middle, end));
        end = middle;
      } else {
        siblings.push(await this.#hash(begin, middle));
        begin = middle;
      }
    }
    return [await this.#hash(begin, end), ...siblings.reverse()];
  }

  /** The hash over the entries of a range that RFC 6962 has as a node. */
  async #hash(begin: number, end: number): Promise<Bytes> {
    const length = end - begin;
    const half = halfOf(length);
    if (half * 2 === length || length === 1) return this.#node(begin, length);
    return nodeHash(await this.#node(begin, half), await this.#hash(begin + half, end));
  }

  /** The node over `length` entries, a power of two, from the hashes of one tile. */
  async #node(begin: number, length: number): Promise<Bytes> {
    let level = 0;
    let unit = 1;
    for (; unit * tileWidth <= length; unit *= tileWidth) level++;
    const index = begin / unit;
    const n = Math.floor(index / tileWidth);
    const hashes = await this.#tile(level, n);
    return rootOf(hashes.slice(index % tileWidth, (index % tileWidth) + length / unit));
  }

  #tile(level: number, n: number): Promise<readonly Bytes[]> {
    const name = `${level}/${n}`;
    const known = this.#tiles.get(name);
    if (known !== undefined) return known;
    const whole = Math.floor(this.#size / 2 ** (tileHeight * level));
    const tile = this.#read(level, n, Math.min(tileWidth, whole - n * tileWidth));
    this.#tiles.set(name, tile);
    return tile;
  }
}

/** The largest power of two below `length`; 1 for 1. */
function halfOf(length: number): number {
  let half = 1;
  while (half * 2 < length) half *= 2;
  return half;
}
