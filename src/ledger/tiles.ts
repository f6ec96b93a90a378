/**
 * Where the log's bytes are found (C2SP tlog-tiles, contract §6): the coordinates of a tile of up to 256
 * hashes, its one canonical path, and the bundles that carry the entries themselves. A path that could be
 * written in another way is refused, so that a tile has one URL and one cache entry.
 */
import { entryBytesMax } from './entry.ts';
import { fromDecimal } from './refusal.ts';

export const tileWidth = 256;
/** Heights of the Merkle tree that one tile spans. */
export const tileHeight = 8;
const levelMax = 63;

/** `width` hashes, from 1 to 256, of the `n`-th tile of a level; level 0 holds leaf hashes. */
export interface TileCoord {
  readonly level: number;
  readonly n: number;
  readonly width: number;
}

export type LogPath =
  | ({ readonly kind: 'hashes' } & TileCoord)
  | { readonly kind: 'entries'; readonly n: number; readonly width: number };

/** How many hashes the `n`-th tile of a level holds in a log of `size` leaves: 0 to 256. */
export function widthAt(level: number, n: number, size: number): number {
  const hashes = Math.floor(size / tileWidth ** level);
  return Math.min(tileWidth, Math.max(0, hashes - n * tileWidth));
}

/** Such as `tile/1/x001/234` or `tile/0/000.p/5`. */
export function tilePath({ level, n, width }: TileCoord): string {
  return `tile/${level}/${indexPath(n)}${widthSuffix(width)}`;
}

/** Such as `tile/entries/x001/234` or `tile/entries/000.p/5`. */
export function entriesPath(n: number, width: number): string {
  return `tile/entries/${indexPath(n)}${widthSuffix(width)}`;
}

function indexPath(n: number): string {
  let path = String(n % 1000).padStart(3, '0');
  for (let rest = Math.floor(n / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    path = `x${String(rest % 1000).padStart(3, '0')}/${path}`;
  }
  return path;
}

function widthSuffix(width: number): string {
  return width === tileWidth ? '' : `.p/${width}`;
}

const tilePattern = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads a canonical path as `tilePath` and `entriesPath` write it; nothing for any other text. */
export function parseLogPath(path: string): LogPath | undefined {
  const match = tilePattern.exec(path);
  if (match === null) return undefined;
  const [, where = '', index = '', partial] = match;
  if (index.startsWith('x000')) return undefined;
  const n = Number(index.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(n) || (partial !== undefined && width >= tileWidth)) return undefined;
  if (where === 'entries') return { kind: 'entries', n, width };
  const level = fromDecimal(where);
  return level === undefined || level > levelMax ? undefined : { kind: 'hashes', level, n, width };
}

/** An entry bundle: each entry's bytes behind their length as a big-endian 16-bit number. */
export function encodeBundle(texts: readonly string[]): Uint8Array {
  const parts: Buffer[] = [];
  for (const text of texts) {
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > entryBytesMax)
      throw new TypeError(`a bundle has no room for an entry of ${bytes.length} bytes`);
    parts.push(Buffer.of(bytes.length >>> 8, bytes.length & 0xff), bytes);
  }
  return Buffer.concat(parts);
}

/** The entries of a bundle as bytes, or nothing when it does not hold exactly `width` whole entries. */
export function decodeBundle(bundle: Uint8Array, width: number): readonly Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length;) {
    const start = at + 2;
    if (start > bundle.length) return undefined;
    at = start + (((bundle[at] as number) << 8) | (bundle[at + 1] as number));
    if (at > bundle.length) return undefined;
    entries.push(bundle.subarray(start, at));
  }
  return entries.length === width ? entries : undefined;
}
