/**
 * What a monitor keeps of one log: the newest checkpoint that it verified, the hashes of the tree below, and where each chain
 * ends. A store of it makes an update whole or not at all; what the tree is made of is read and written here.
 */
import { concatAll, type Bytes } from './bytes.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { hashBytes } from './merkle.ts';
import { MerkleEdge, tileWidth } from './merkle-edge.ts';
import { splitNote } from './note.ts';
import { InvalidEvidence } from './report.ts';
import { TileTree } from './tile-tree.ts';
import type { EntryNews } from './monitor-watch.ts';

/** Where a chain ends: its newest entry. */
export interface KeptHead {
  readonly n: number;
  /** Place of the entry in the log. */
  readonly index: number;
  readonly ts: string;
}

export interface KeptLog {
  /** The newest verified checkpoint, a signed note; nothing before the first. */
  note(): string | undefined;
  putNote(note: string): void;
  /** The kept hashes of a tile, one behind the other. */
  tile(level: number, n: number): Uint8Array | undefined;
  putTile(level: number, n: number, hashes: Uint8Array): void;
  head(chain: string): KeptHead | undefined;
  putHead(chain: string, head: KeptHead): void;
  /** Entries that break a rule, in words: the log stays wrong. */
  problems(): readonly string[];
  putProblem(text: string): void;
  /** Remembers a watched entry until it was reported. */
  putNews(news: EntryNews): void;
  /** Verified checkpoints that the log signed, and whose entries it has not shown. */
  unfollowed(): readonly string[];
  putUnfollowed(note: string): void;
  removeUnfollowed(note: string): void;
  /** Keeps everything that `work` puts, or, where it fails, nothing of it. */
  update<T>(work: () => Promise<T>): Promise<T>;
}

/** The newest verified checkpoint. */
export function keptCheckpoint(kept: KeptLog): (Checkpoint & { readonly note: string }) | undefined {
  const note = kept.note();
  return note === undefined ? undefined : { ...parseCheckpoint(splitNote(note).text), note };
}

/** The kept tree of `size` entries. */
export function keptTree(kept: KeptLog, size: number): TileTree {
  return new TileTree(async (level, n, width) => keptHashes(kept, level, n, width), size);
}

export function keptHash(kept: KeptLog, index: number): Bytes {
  const at = index % tileWidth;
  return keptHashes(kept, 0, Math.floor(index / tileWidth), at + 1)[at] as Bytes;
}

/** The right edge of the kept tree of `size` entries, ready to grow. */
export function keptEdge(kept: KeptLog, size: number): MerkleEdge {
  const levels: Bytes[][] = [[]];
  for (let level = 0, whole = size; whole > 0; level++) {
    const n = Math.floor(whole / tileWidth);
    levels[level] = whole % tileWidth === 0 ? [] : keptHashes(kept, level, n, whole % tileWidth);
    whole = n;
  }
  return new MerkleEdge(levels);
}

/** Keeps the tiles of the right edge that are not full. */
export function keepEdge(kept: KeptLog, edge: MerkleEdge, size: number): void {
  let n = size;
  for (const [level, hashes] of edge.levels.entries()) {
    n = Math.floor(n / tileWidth);
    if (hashes.length > 0) kept.putTile(level, n, concatAll(hashes));
  }
}

function keptHashes(kept: KeptLog, level: number, n: number, width: number): Bytes[] {
  const bytes = kept.tile(level, n);
  if (bytes === undefined || bytes.length < width * hashBytes)
    throw new InvalidEvidence(
      'state',
      `the monitor's own state lacks hashes of tile ${level}/${n}; move it away to follow the log anew`,
    );
  return Array.from(
    { length: width },
    (_, i) => new Uint8Array(bytes.subarray(i * hashBytes, (i + 1) * hashBytes)),
  );
}
