/**
 * Files of a log (C2SP tlog-tiles): their paths and their format. If a partial tile is gone, the full tile is requested.
 */
import { concatAll, fromUtf8, type Bytes } from './bytes.ts';
import { tileWidth } from './merkle-edge.ts';
import { hashBytes } from './merkle.ts';
import { InvalidEvidence } from './report.ts';

/** Reads a path below the log's base URL; nothing where the log has no such file. Other failures throw. */
export type LogFetch = (path: string) => Promise<Uint8Array | undefined>;

/** No file of a log is larger than a bundle of 256 entries of 65,535 bytes, each behind its length. */
const fileBytesMax = tileWidth * (2 + 65_535);
/** An answer that takes longer is none. */
const answerMs = 60_000;

export function fetchFrom(base: string): LogFetch {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async (path) => {
    const response = await fetch(new URL(path, root), { signal: AbortSignal.timeout(answerMs) });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new InvalidEvidence('fetch', `${path} was answered with ${response.status}`);
    const bytes = await bytesOf(response, fileBytesMax);
    if (bytes === undefined) throw new InvalidEvidence('fetch', `${path} is larger than any file of a log`);
    return bytes;
  };
}

/** The body, or nothing where it is longer than `bytesMax`: a server may send without end. */
export async function bytesOf(response: Response, bytesMax: number): Promise<Bytes | undefined> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > bytesMax) {
      await reader?.cancel();
      return undefined;
    }
    parts.push(read.value);
  }
  return concatAll(parts);
}

export async function readText(read: LogFetch, path: string): Promise<string> {
  const text = fromUtf8((await read(path)) ?? new Uint8Array(0));
  if (text === undefined || text === '') throw new InvalidEvidence('fetch', `${path} is missing`);
  return text;
}

/** The first `width` hashes of a tile. */
export async function readTile(
  read: LogFetch,
  level: number,
  n: number,
  width: number,
): Promise<readonly Bytes[]> {
  const path = `tile/${level}/${indexPath(n)}`;
  const bytes = await readFile(read, path, width);
  if (bytes.length < width * hashBytes)
    throw new InvalidEvidence('fetch', `${path} holds fewer than ${width} hashes`);
  return Array.from({ length: width }, (_, i) => bytes.slice(i * hashBytes, (i + 1) * hashBytes));
}

/** The first `width` entries of a bundle. */
export async function readEntries(read: LogFetch, n: number, width: number): Promise<readonly Bytes[]> {
  const path = `tile/entries/${indexPath(n)}`;
  const entries = entriesOf(await readFile(read, path, width));
  if (entries === undefined || entries.length < width)
    throw new InvalidEvidence('fetch', `${path} does not hold ${width} whole entries`);
  return entries.slice(0, width);
}

async function readFile(read: LogFetch, path: string, width: number): Promise<Bytes> {
  const bytes = (width < tileWidth ? await read(`${path}.p/${width}`) : undefined) ?? (await read(path));
  if (bytes === undefined) throw new InvalidEvidence('fetch', `${path} is missing`);
  return new Uint8Array(bytes);
}

/** Each entry stands behind its length as a big-endian 16-bit number. */
function entriesOf(bundle: Bytes): Bytes[] | undefined {
  const entries: Bytes[] = [];
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + (bundle[at] as number) * 256 + (bundle[at + 1] ?? 0);
    if (at + 2 > bundle.length || end > bundle.length) return undefined;
    entries.push(bundle.slice(at + 2, end));
    at = end;
  }
  return entries;
}

/** 1234067 → `x001/x234/067`. */
export function indexPath(n: number): string {
  const groups = [String(n % 1000).padStart(3, '0')];
  for (let rest = Math.floor(n / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  }
  return groups.join('/');
}
