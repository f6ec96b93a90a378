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

export function readZip(bytes: Uint8Array): ImportFiles | Fault {
  const skipped: Skipped[] = [];
  const kept = new Map<string, string>();
  let count = 0;
  let total = 0;
  const take = ({ name, originalSize, size, compression }: UnzipFileInfo): boolean => {
    if (name.endsWith('/')) return false;
    const path = safePath(name);
    if (path === undefined) {
      skipped.push({
        path: name.slice(0, 200).replace(/\p{C}/gu, '?'),
        why: 'Its name leads out of the folder.',
      });
      return false;
    }
    if (isHidden(path)) return false;
    if (kept.has(path)) {
      skipped.push({ path, why: 'The archive has it twice; the first one is read.' });
      return false;
    }
    if (compression !== 0 && compression !== 8) {
      skipped.push({ path, why: 'It is packed in a way that is not read.' });
      return false;
    }
    // An entry without compression is as long as it is stored, whatever it says.
    const length = compression === 0 ? Math.max(size, originalSize) : originalSize;
    if (length > importLimits.fileBytes) {
      skipped.push({ path, why: `It has ${length} bytes; at most ${importLimits.fileBytes} are read.` });
      return false;
    }
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

class TooMuch extends Error {}

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}
