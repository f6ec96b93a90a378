/**
 * The growing Merkle log (contract §6), kept in memory as the unfinished tile of each level. Appending hashes
 * once on average; the root and the proof of a fresh leaf copy nodes that are already there. A failed batch is undone exactly: tiles only grow, so going back is a shorter width.
 */
import { InclusionLines } from './inclusion-lines.ts';
import { rootFromTiles, inclusionProof, consistencyProof, type TileSource } from './proof-ranges.ts';
import { Subtree } from './subtree.ts';
import { tileHeight, tileWidth, widthAt, type TileCoord } from './tiles.ts';

export {
  consistencyProof,
  inclusionProof,
  rootFromTiles,
  tilesForConsistency,
  tilesForInclusion,
  tilesForRoot,
  type TileSource,
} from './proof-ranges.ts';

/** A full tile, 8,192 bytes, to be stored with the batch that completed it. */
export interface CompletedTile {
  readonly level: number;
  readonly n: number;
  readonly bytes: Uint8Array;
}

/** A state to return to. Returning to it voids the marks taken after it. */
export interface Mark {
  readonly size: number;
  readonly frontier: readonly Subtree[];
  readonly completed: readonly CompletedTile[];
}

/**
 * Tiles kept with their inner nodes after they filled, 16 KB each: for the proofs of the same batch, and so that a
 * reader finds the tile that was unfinished before a batch of 4,096 entries, which is still being written.
 */
const recentMax = 20;

export class MerkleLog {
  #size = 0;
  /** The unfinished tile of each level; one that is complete is replaced at once. */
  #frontier: Subtree[] = [new Subtree()];
  #completed: CompletedTile[] = [];
  #root: Uint8Array | undefined;
  /** Of the size that was asked for last: the callers of one batch all ask for the same. */
  #lines: InclusionLines | undefined;
  readonly #recent = new Map<
    string,
    { readonly level: number; readonly n: number; readonly subtree: Subtree }
  >();

  /**
   * The log of `size` leaves from what was stored: `tile` gives the full tiles of `tilesForRestore`, `leaves`
   * the leaf hashes of a range. Costs up to two tiles' reads for each hash of the unfinished tiles.
   */
  static restore(
    size: number,
    tile: (level: number, n: number) => Uint8Array,
    leaves: (from: number, to: number) => Iterable<Uint8Array>,
  ): MerkleLog {
    const log = new MerkleLog();
    log.#size = size;
    for (let level = 0; tileWidth ** level <= size; level++) log.#at(level);
    const tail = size - (size % tileWidth);
    for (const leaf of tail < size ? leaves(tail, size) : []) log.#at(0).push(leaf);
    for (const { level, n } of tilesForRestore(size)) {
      log.#at(level + 1).push(Subtree.of(tile(level, n)).node(tileHeight, 0));
    }
    log.#frontier.forEach((unfinished, level) => {
      const width = widthOfEdge(level, size);
      if (unfinished.width !== width)
        throw new RangeError(`level ${level}: ${width} hashes expected, ${unfinished.width} read`);
    });
    return log;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf hash of 32 bytes; answers with its index. */
  append(leaf: Uint8Array): number {
    const index = this.#size;
    let added = leaf;
    for (let level = 0, n = Math.floor(index / tileWidth); ; level++, n = Math.floor(n / tileWidth)) {
      const unfinished = this.#at(level);
      unfinished.push(added);
      if (unfinished.width < tileWidth) break;
      this.#frontier[level] = new Subtree();
      this.#completed.push({ level, n, bytes: unfinished.bytes() });
      this.#remember(level, n, unfinished);
      added = unfinished.node(tileHeight, 0);
    }
    this.#size = index + 1;
    this.#root = undefined;
    return index;
  }

  /** 32 bytes, computed once a size. */
  root(): Uint8Array {
    this.#root ??= rootFromTiles(this.#size, this.#source());
    return this.#root;
  }

  mark(): Mark {
    return { size: this.#size, frontier: [...this.#frontier], completed: [...this.#completed] };
  }

  /** Back to `mark`, as if nothing had been appended or taken since. */
  reset(mark: Mark): void {
    if (mark.size > this.#size)
      throw new RangeError(`a log of ${this.#size} leaves cannot go back to ${mark.size}`);
    this.#size = mark.size;
    this.#frontier = [...mark.frontier];
    this.#frontier.forEach((unfinished, level) => unfinished.truncate(widthOfEdge(level, mark.size)));
    this.#completed = [...mark.completed];
    this.#root = undefined;
    this.#lines = undefined;
    for (const [name, { level, n }] of this.#recent) {
      if (widthAt(level, n, mark.size) < tileWidth) this.#recent.delete(name);
    }
  }

  /** The full tiles completed since the last take, in the order in which they filled. */
  takeCompleted(): readonly CompletedTile[] {
    const taken = this.#completed;
    this.#completed = [];
    return taken;
  }

  /** A tile's first `width` hashes where they are in memory: always so for the unfinished tiles. */
  tile(level: number, n: number, width: number): Uint8Array | undefined {
    const subtree = this.#inMemory(level, n);
    return subtree !== undefined && width > 0 && width <= subtree.width ? subtree.bytes(width) : undefined;
  }

  /**
   * `read` gives the full tiles that are no longer in memory; without it they are an error. A caller that
   * answers for the same old tiles again and again keeps them as `Subtree`s.
   */
  inclusionProof(index: number, size: number = this.#size, read?: TileSource): Uint8Array[] {
    return inclusionProof(index, this.#within(size), this.#source(read));
  }

  /** The same proof as the lines that a tlog-proof has of it. */
  inclusionLines(index: number, size: number, read?: TileSource): string {
    if (this.#lines?.size !== size) this.#lines = new InclusionLines(this.#within(size), this.#source(read));
    return this.#lines.of(index);
  }

  consistencyProof(first: number, second: number = this.#size, read?: TileSource): Uint8Array[] {
    return consistencyProof(first, this.#within(second), this.#source(read));
  }

  #within(size: number): number {
    if (size > this.#size) throw new RangeError(`the log has ${this.#size} leaves, not ${size}`);
    return size;
  }

  #at(level: number): Subtree {
    return (this.#frontier[level] ??= new Subtree());
  }

  #inMemory(level: number, n: number): Subtree | undefined {
    const edge = Math.floor(this.#size / tileWidth ** (level + 1));
    return n === edge ? this.#frontier[level] : this.#recent.get(`${level}/${n}`)?.subtree;
  }

  #source(read?: TileSource): TileSource {
    return (level, n, width) => {
      const known = this.#inMemory(level, n);
      if (known !== undefined) return known;
      if (read === undefined) throw new RangeError(`tile ${level}/${n} is not in memory`);
      return read(level, n, width);
    };
  }

  #remember(level: number, n: number, subtree: Subtree): void {
    this.#recent.set(`${level}/${n}`, { level, n, subtree });
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= recentMax) break;
      this.#recent.delete(oldest);
    }
  }
}

/** The full tiles whose roots `MerkleLog.restore` needs, in the order in which it asks for them. */
export function tilesForRestore(size: number): TileCoord[] {
  const tiles: TileCoord[] = [];
  for (let level = 0; tileWidth ** (level + 1) <= size; level++) {
    const hashes = Math.floor(size / tileWidth ** (level + 1));
    for (let n = hashes - (hashes % tileWidth); n < hashes; n++) tiles.push({ level, n, width: tileWidth });
  }
  return tiles;
}

function widthOfEdge(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level) % tileWidth;
}
