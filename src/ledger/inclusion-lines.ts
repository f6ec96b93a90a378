/**
 * Inclusion proofs as text (C2SP tlog-proof): one line of base64 for each hash. Neighbouring leaves share the upper part of
 * their paths, so the lines above each node are cached.
 */
import { siblingRange, checkLeaf, rangeHash, type TileSource } from './proof-ranges.ts';
import { linesOf } from './proof.ts';

/** Nodes remembered at a time; a call of a batch needs two or three of its own. */
const nodesMax = 4096;

export class InclusionLines {
  readonly size: number;
  readonly #tile: TileSource;
  /** By height and index of a node: the lines of the path from it to the root. */
  #above: Map<number, string>[] = [];
  #known = 0;

  /** Of the log of `size` leaves. */
  constructor(size: number, tile: TileSource) {
    this.size = size;
    this.#tile = tile;
  }

  /** From the leaf's sibling up; empty for the only leaf of a log. */
  of(index: number): string {
    checkLeaf(index, this.size);
    return this.#from(0, index, 1);
  }

  #from(height: number, index: number, span: number): string {
    if (span >= this.size) return '';
    const known = this.#above[height]?.get(index);
    if (known !== undefined) return known;
    const above = this.#from(height + 1, Math.floor(index / 2), span * 2);
    const range = siblingRange({ height, index }, span, this.size);
    const lines = range === undefined ? above : linesOf([rangeHash(range, this.size, this.#tile)]) + above;
    this.#remember(height, index, lines);
    return lines;
  }

  #remember(height: number, index: number, lines: string): void {
    if (this.#known++ === nodesMax) {
      this.#above = [];
      this.#known = 1;
    }
    (this.#above[height] ??= new Map()).set(index, lines);
  }
}
