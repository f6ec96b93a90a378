/**
 * The right edge of a growing tile tree: for each level, the hashes that do not fill a tile yet. It suffices to compute the
 * root of millions of leaves page by page.
 */
import type { Bytes } from './bytes.ts';
import { rootOf } from './merkle.ts';

export const tileWidth = 256;

export class MerkleEdge {
  readonly levels: Bytes[][];

  constructor(levels: readonly (readonly Bytes[])[] = [[]]) {
    this.levels = levels.map((hashes) => [...hashes]);
  }

  clone(): MerkleEdge {
    return new MerkleEdge(this.levels);
  }

  /** Adds a leaf hash; `carry` must follow before a tile would hold more than 256. */
  push(leaf: Bytes): void {
    (this.levels[0] as Bytes[]).push(leaf);
  }

  /** Hashes full tiles into the level above; answers with the full tiles of the levels above the leaves. */
  async carry(): Promise<{ level: number; hashes: readonly Bytes[] }[]> {
    const filled = [];
    for (let level = 0; this.levels[level]?.length === tileWidth; level++) {
      const hashes = this.levels[level] as Bytes[];
      if (level > 0) filled.push({ level, hashes });
      this.levels[level] = [];
      (this.levels[level + 1] ??= []).push(await rootOf(hashes));
    }
    return filled;
  }

  /** The root over all leaves so far: each level's rest, with what lies to its right as one more hash. */
  async root(): Promise<Bytes> {
    let right: Bytes | undefined;
    for (const hashes of this.levels) {
      const row = right === undefined ? hashes : [...hashes, right];
      if (row.length > 0) right = await rootOf(row);
    }
    return right ?? rootOf([]);
  }
}
