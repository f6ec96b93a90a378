/**
 * A ZIP as files in memory (contract §8, importing). The attacker controls all bytes: sizes are bounded before anything
 * is unpacked, names that leave the folder are refused, and nothing touches a disk.
 */
import { unzipSync, type UnzipFileInfo } from 'fflate';
import { fault, type Fault } from '../../kernel/fault.ts';

export interface ImportFile {
  /** Relative, with `/` between folders. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The title that was typed for it. */
  readonly title?: string | undefined;
  /** What it says in Markdown, where it is a note in another format. */
  readonly converted?: ConvertedNote | undefined;
}

export interface ConvertedNote {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly problems: readonly string[];
}

export interface ImportFiles {
  readonly files: readonly ImportFile[];
  /** Files that were not read, and why. */
  readonly skipped: readonly Skipped[];
}

export interface Skipped {
  readonly path: string;
  readonly why: string;
}

export const importLimits = {
  files: 5_000,
  /** Of one file, and of all of them, unpacked. */
  fileBytes: 8 * 1024 * 1024,
  bytes: 128 * 1024 * 1024,
  pathChars: 500,
} as const;

/** The path of a file inside its folder; undefined where it leads elsewhere. */
export function safePath(path: string): string | undefined {
  const parts = path.replaceAll('\\', '/').split('/');
  const isUnsafe =
    path.length > importLimits.pathChars ||
    path === '' ||
    // oxlint-disable-next-line no-control-regex
    /[\0-\x1f\x7f]/.test(path) ||
    /^(?:[a-z]:|\/)/i.test(path.replaceAll('\\', '/')) ||
    parts.some((part) => part === '..');
  return isUnsafe
    ? undefined
    : parts
        .filter((part) => part !== '' && part !== '.')
        .join('/')
        .normalize('NFC');
}

/** Files that programs keep for themselves: folders such as `.obsidian` and what macOS adds to archives. */
export function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
}

/** Files that a preview names one by one; the others are counted. */
export const skippedMax = 200;

/** The first ones, and how many more there were. */
export function boundedSkips(skipped: readonly Skipped[]): readonly Skipped[] {
  const more = skipped.length - skippedMax;
  return more <= 0
    ? skipped
    : [...skipped.slice(0, skippedMax), { path: `${more} more files`, why: 'They were left out as well.' }];
}

export function readZip(bytes: Uint8Array): ImportFiles | Fault {
  const skipped: Skipped[] = [];
  const kept = new Map<string, string>();
  const modes = modesIn(bytes);
  let index = 0;
  let count = 0;
  let total = 0;
  const take = ({ name, originalSize, size, compression }: UnzipFileInfo): boolean => {
    const mode = modes[index++] ?? 0;
    if (name.endsWith('/')) return false;
    const path = safePath(nameIn(name));
    const skip = (why: string): boolean => {
      skipped.push({ path: (path ?? name).slice(0, 200).replace(/\p{C}/gu, '?'), why });
      return false;
    };
    if (path === undefined) return skip('Its name leads out of the folder.');
    if (isHidden(path)) return false;
    if ((mode & 0o170000) === 0o120000) return skip('It is a link to elsewhere, which is not followed.');
    if (kept.has(path)) return skip('The archive has it twice; the first one is read.');
    if (compression !== 0 && compression !== 8) return skip('It is packed in a way that is not read.');
    // An entry without compression is as long as it is stored, whatever it says.
    const length = compression === 0 ? Math.max(size, originalSize) : originalSize;
    if (length > importLimits.fileBytes)
      return skip(`It has ${length} bytes; at most ${importLimits.fileBytes} are read.`);
    count++;
    total += length;
    if (count > importLimits.files || total > importLimits.bytes) throw new TooMuch();
    kept.set(path, name);
    return true;
  };
  try {
    const unpacked = unzipSync(bytes, { filter: take });
    const files = [...kept].flatMap(([path, name]) => {
      const content = Object.hasOwn(unpacked, name) ? unpacked[name] : undefined;
      return content === undefined ? [] : [{ path, bytes: content }];
    });
    return { files, skipped };
  } catch (error) {
    if (error instanceof TooMuch)
      return fault(
        'payload_ceiling',
        `The archive has more than ${importLimits.files} files or ${importLimits.bytes} bytes unpacked.`,
        'Split it, or import the folder with colophon import --vault.',
      );
    return fault('invalid_request', 'The ZIP archive cannot be read.', 'Pack the folder again and send it.');
  }
}

/** Many programs write UTF-8 without saying so; the library reads such names as Latin-1. */
function nameIn(name: string): string {
  if (!/[\x80-\xff]/.test(name) || /[^\0-\xff]/.test(name)) return name;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'));
  } catch {
    return name;
  }
}

/** The Unix modes of the entries, in the order of the central directory; they tell links from files. */
function modesIn(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 22 - 0xffff && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) return [];
  const modes: number[] = [];
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= bytes.length && view.getUint32(at, true) === 0x02014b50) {
    const isUnix = view.getUint8(at + 5) === 3;
    modes.push(isUnix ? view.getUint32(at + 38, true) >>> 16 : 0);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return modes;
}

class TooMuch extends Error {}

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}
