/**
 * One tile with everything above it: up to 256 hashes and the inner nodes they complete, heights 0 to 8,
 * in one buffer. A growing tile hashes each inner node once, when its right child arrives, so that a proof
 * later copies nodes instead of hashing them again.
 */
import { hash } from 'node:crypto';
import { hashBytes } from './merkle.ts';
import { tileHeight, tileWidth } from './tiles.ts';

/** So many are kept for proofs by a reader of the log, 16 KB each. */
export const subtreesMax = 256;

const nodeCount = 2 * tileWidth - 1;
const pair = Buffer.alloc(1 + 2 * hashBytes);
pair[0] = 1;

export class Subtree {
  readonly #nodes = Buffer.allocUnsafeSlow(nodeCount * hashBytes);
  #width = 0;

  /** From tile bytes: 1 to 256 hashes of 32 bytes each. */
  static of(tile: Uint8Array): Subtree {
    const width = tile.length / hashBytes;
    if (!Number.isInteger(width) || width < 1 || width > tileWidth) {
      throw new RangeError(`a tile of ${tile.length} bytes is none`);
    }
    const subtree = new Subtree();
    for (let at = 0; at < tile.length; at += hashBytes) subtree.push(tile.subarray(at, at + hashBytes));
    return subtree;
  }

  get width(): number {
    return this.#width;
  }

  /** A hash as bytes, or as a text of 32 characters below 256. */
  push(added: Uint8Array | string): void {
    if (added.length !== hashBytes) throw new RangeError(`a hash has ${hashBytes} bytes`);
    const nodes = this.#nodes;
    let index = this.#width++;
    if (typeof added === 'string') nodes.write(added, index * hashBytes, 'latin1');
    else nodes.set(added, index * hashBytes);
    for (let height = 0; index % 2 === 1; height++) {
      nodes.copy(pair, 1, offset(height, index - 1), offset(height, index + 1));
      index = (index - 1) / 2;
      nodes.write(hash('sha256', pair, 'binary'), offset(height + 1, index), 'latin1');
    }
  }

  /** Forgets all but the first `width` hashes. */
  truncate(width: number): void {
    if (width > this.#width)
      throw new RangeError(`a tile of ${this.#width} hashes cannot shrink to ${width}`);
    this.#width = width;
  }

  /** A copy of the `index`-th node at `height` 0 to 8, which the tile's hashes must cover. */
  node(height: number, index: number): Uint8Array {
    if (height > tileHeight || (index + 1) * (1 << height) > this.#width) {
      throw new RangeError(`a tile of ${this.#width} hashes has no node ${index} at height ${height}`);
    }
    return Buffer.from(this.#nodes.subarray(offset(height, index), offset(height, index + 1)));
  }

  /** A copy of the first `width` hashes: the tile as it is served. */
  bytes(width: number = this.#width): Uint8Array {
    if (width > this.#width) throw new RangeError(`a tile of ${this.#width} hashes has no ${width}`);
    return Uint8Array.prototype.slice.call(this.#nodes, 0, width * hashBytes);
  }
}

/** Heights lie one after another: 256 hashes, 128 nodes, …, the root. */
function offset(height: number, index: number): number {
  return (2 * tileWidth - ((2 * tileWidth) >>> height) + index) * hashBytes;
}
