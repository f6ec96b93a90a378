/**
 * Images that are stored (contract §8, ADR 57): recognised by their bytes as PNG, JPEG, GIF, WebP or AVIF, within
 * limits, and without metadata, which may tell where and by whom a photograph was taken. What is kept of a file are the
 * parts that draw it, its colour profile and the way up; everything else is left out. The attacker controls all bytes.
 */
import { imageSize } from 'image-size';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

export interface CleanImage {
  readonly bytes: Uint8Array;
  readonly media_type: ImageType;
  readonly width: number;
  readonly height: number;
  /** What was left out, such as `EXIF`. */
  readonly removed: readonly string[];
}

/** Why bytes are not stored as an image, and what to do. */
export interface UnusableImage {
  readonly problem: string;
  readonly fix: string;
}

/** Bytes of an image, as sent and as fetched. */
export const imageBytesMax = 5 * 1024 * 1024;
/** Pixels of a side, and of the whole: what a reader's browser unpacks. */
const sideMax = 16_384;
const pixelsMax = 50_000_000;

/** Which image bytes are, by how they begin; undefined for everything else, SVG among it. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const start = Buffer.from(bytes.subarray(0, 32)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  if (start.slice(4, 12) === 'ftypavif') return 'image/avif';
  return undefined;
}

export function cleanImage(given: Uint8Array): CleanImage | UnusableImage {
  if (given.length > imageBytesMax)
    return unusable(
      `The image has ${given.length} bytes; at most ${imageBytesMax} are stored.`,
      'Scale it down or save it with a higher compression, and send it again.',
    );
  const type = imageTypeOf(given);
  if (type === undefined) return unusable(`The file is none of PNG, JPEG, GIF, WebP and AVIF.${hint(given)}`);
  try {
    const removed = new Set<string>();
    const bytes = Buffer.concat(cleaners[type](new Bytes(given), removed));
    const { width, height } = imageSize(bytes);
    if (!(width > 0 && height > 0)) throw new Broken('it has no size');
    if (width > sideMax || height > sideMax || width * height > pixelsMax)
      return unusable(
        `The image is ${width} by ${height} pixels; at most ${sideMax} a side and ${pixelsMax} in all are stored.`,
        'Scale it down and send it again.',
      );
    return { bytes, media_type: type, width, height, removed: [...removed].sort() };
  } catch (error) {
    if (error instanceof Unclean) return unusable(error.message, 'Export it without metadata, or as PNG.');
    // `imageSize` throws on what it cannot read, as the readers below do.
    const why = error instanceof Broken ? error.message : 'its size cannot be read';
    return unusable(
      `The image is broken: ${why}.`,
      'Open it in a program, save it again and send that file.',
    );
  }
}

function unusable(problem: string, fix = 'Save it as PNG, JPEG, GIF, WebP or AVIF.'): UnusableImage {
  return { problem, fix };
}

function hint(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1').toLowerCase();
  if (start.includes('<svg'))
    return ' SVG is a document that can hold scripts and is never stored as an image.';
  return start.includes('<html') || start.includes('<!doctype') ? ' It is a web page.' : '';
}

class Broken extends Error {}
/** Metadata that cannot be taken out. */
class Unclean extends Error {}

/** Bytes that are read with their bounds checked. */
class Bytes {
  readonly view: Buffer;
  constructor(bytes: Uint8Array) {
    this.view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  get length(): number {
    return this.view.length;
  }
  slice(from: number, to: number): Buffer {
    if (from < 0 || to < from || to > this.view.length) throw new Broken('it ends too early');
    return this.view.subarray(from, to);
  }
  text(from: number, to: number): string {
    return this.slice(from, to).toString('latin1');
  }
  byte(at: number): number {
    return this.slice(at, at + 1)[0] as number;
  }
  u16(at: number): number {
    return this.slice(at, at + 2).readUInt16BE(0);
  }
  u32(at: number): number {
    return this.slice(at, at + 4).readUInt32BE(0);
  }
  u32le(at: number): number {
    return this.slice(at, at + 4).readUInt32LE(0);
  }
}

type Cleaner = (bytes: Bytes, removed: Set<string>) => Buffer[];
const cleaners: Readonly<Record<ImageType, Cleaner>> = {
  'image/png': cleanPng,
  'image/jpeg': cleanJpeg,
  'image/gif': cleanGif,
  'image/webp': cleanWebp,
  'image/avif': cleanAvif,
};

/** Chunks that draw a PNG or APNG; text, time and EXIF are not among them. */
const pngChunks = new Set(
  'IHDR PLTE tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs hIST sPLT acTL fcTL fdAT IDAT IEND'.split(
    ' ',
  ),
);

function cleanPng(bytes: Bytes, removed: Set<string>): Buffer[] {
  const kept = [bytes.slice(0, 8)];
  for (let at = 8; ;) {
    const end = at + 12 + bytes.u32(at);
    const name = bytes.text(at + 4, at + 8);
    const chunk = bytes.slice(at, end);
    if (pngChunks.has(name)) kept.push(chunk);
    else removed.add(name === 'eXIf' ? 'EXIF' : /^(?:tEXt|zTXt|iTXt)$/.test(name) ? 'text' : 'other data');
    at = end;
    if (name !== 'IEND') continue;
    if (at < bytes.length) removed.add('data behind the image');
    return kept;
  }
}

/** Application segments that draw: JFIF, ICC profiles and Adobe's colour transform. */
function jpegSegment(marker: number, body: string): string | undefined {
  if (marker === 0xe0 || marker === 0xee) return undefined;
  if (marker === 0xe2 && body.startsWith('ICC_PROFILE\0')) return undefined;
  if (marker === 0xe1 && body.startsWith('Exif\0')) return 'EXIF';
  if (marker === 0xe1) return 'XMP';
  if (marker === 0xed) return 'IPTC';
  if (marker === 0xfe) return 'text';
  return marker > 0xe0 && marker <= 0xef ? 'other data' : undefined;
}

function cleanJpeg(bytes: Bytes, removed: Set<string>): Buffer[] {
  const kept = [bytes.slice(0, 2)];
  let turned = 1;
  for (let at = 2; ;) {
    if (bytes.byte(at) !== 0xff) throw new Broken('a segment has no marker');
    const marker = bytes.byte(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) {
      kept.push(bytes.slice(at, at + 2));
      if (at + 2 < bytes.length) removed.add('data behind the image');
      break;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      kept.push(bytes.slice(at, at + 2));
      at += 2;
      continue;
    }
    const length = bytes.u16(at + 2);
    if (length < 2) throw new Broken('a segment is shorter than its own length');
    let end = at + 2 + length;
    const body = bytes.text(at + 4, end);
    const left = jpegSegment(marker, body);
    if (left === 'EXIF') turned = orientationIn(bytes.slice(at + 10, end));
    // Compressed data runs up to the next marker that is neither a restart nor a stuffed byte.
    if (marker === 0xda) end = scanEnd(bytes, end);
    if (left === undefined) kept.push(bytes.slice(at, end));
    else removed.add(left);
    at = end;
  }
  return turned === 1 ? kept : [kept[0] as Buffer, exifSegment(turned), ...kept.slice(1)];
}

function scanEnd(bytes: Bytes, from: number): number {
  for (let at = from; ;) {
    const next = bytes.view.indexOf(0xff, at);
    if (next < 0 || next + 1 >= bytes.length) throw new Broken('it ends within its data');
    const marker = bytes.view[next + 1] as number;
    if (marker !== 0 && !(marker >= 0xd0 && marker <= 0xd7)) return next;
    at = next + 2;
  }
}

/** The EXIF orientation (1 to 8) of a TIFF block; 1 if it has none. */
function orientationIn(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (first + 2 > tiff.length) return 1;
  const count = Math.min(u16(first), 200);
  for (let i = 0; i < count; i++) {
    const at = first + 2 + 12 * i;
    if (u16(at) !== 0x0112) continue;
    const turned = u16(at + 8);
    return turned >= 1 && turned <= 8 ? turned : 1;
  }
  return 1;
}

/** A TIFF block with the orientation and nothing else. */
function exifBlock(turned: number): Buffer {
  // Big endian, one directory at 8 with one entry: 0x0112, a short, once; no further directory.
  return Buffer.from(`4d4d002a0000000800010112000300000001000${turned}000000000000`, 'hex');
}

function exifSegment(turned: number): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifBlock(turned)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

function cleanGif(bytes: Bytes, removed: Set<string>): Buffer[] {
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const blocksEnd = (from: number): number => {
    let at = from;
    for (let size = bytes.byte(at); size > 0; size = bytes.byte(at)) at += 1 + size;
    return at + 1;
  };
  let at = 13 + tableBytes(bytes.byte(10));
  const kept = [bytes.slice(0, at)];
  for (;;) {
    const kind = bytes.byte(at);
    if (kind === 0x3b) {
      kept.push(bytes.slice(at, at + 1));
      if (at + 1 < bytes.length) removed.add('data behind the image');
      return kept;
    }
    if (kind === 0x2c) {
      const end = blocksEnd(at + 11 + tableBytes(bytes.byte(at + 9)));
      kept.push(bytes.slice(at, end));
      at = end;
      continue;
    }
    if (kind !== 0x21) throw new Broken('a block is of no known kind');
    const label = bytes.byte(at + 1);
    const end = blocksEnd(at + 2);
    const isLoop = label === 0xff && /^.(?:NETSCAPE2\.0|ANIMEXTS1\.0)/s.test(bytes.text(at + 2, end));
    if (label === 0xf9 || isLoop) kept.push(bytes.slice(at, end));
    else removed.add(label === 0xfe || label === 0x01 ? 'text' : 'other data');
    at = end;
  }
}

const webpChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'ICCP']);

function cleanWebp(bytes: Bytes, removed: Set<string>): Buffer[] {
  const end = 8 + bytes.u32le(4);
  bytes.slice(0, end);
  if (end < bytes.length) removed.add('data behind the image');
  const kept: Buffer[] = [];
  let turned = 1;
  for (let at = 12; at < end;) {
    const name = bytes.text(at, at + 4);
    const length = bytes.u32le(at + 4);
    // A chunk of an odd length is followed by one byte; a writer may have forgotten it at the end.
    const next = Math.min(at + 8 + length + (length % 2), Math.max(end, at + 8 + length));
    const chunk = bytes.slice(at, next);
    if (webpChunks.has(name)) kept.push(chunk);
    else {
      removed.add(name === 'EXIF' ? 'EXIF' : name === 'XMP ' ? 'XMP' : 'other data');
      if (name === 'EXIF')
        turned = orientationIn(chunk.subarray(chunk.toString('latin1', 8, 12) === 'Exif' ? 14 : 8));
    }
    at = next;
  }
  const head = kept[0];
  const isExtended = head?.toString('latin1', 0, 4) === 'VP8X';
  if (isExtended && head !== undefined) {
    const flags = Buffer.from(head);
    // EXIF 0x08, XMP 0x04.
    flags.writeUInt8(((flags[8] ?? 0) & ~0x0c) | (turned === 1 ? 0 : 0x08), 8);
    kept[0] = flags;
  }
  if (turned !== 1 && isExtended) {
    const block = exifBlock(turned);
    const chunk = Buffer.from('EXIF\0\0\0\0', 'latin1');
    chunk.writeUInt32LE(block.length, 4);
    kept.push(chunk, block);
  }
  const size = Buffer.alloc(4);
  size.writeUInt32LE(4 + kept.reduce((sum, each) => sum + each.length, 0));
  return [bytes.slice(0, 4), size, bytes.slice(8, 12), ...kept];
}

/** Boxes of a still AVIF. Other top-level boxes, such as `uuid`, may hold anything. */
const avifBoxes = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip']);

/**
 * Where the items of an AVIF begin is written all over its `meta` box, so that nothing can be cut out: a file with
 * metadata is refused. Unused room is filled with zeros.
 */
function cleanAvif(bytes: Bytes, removed: Set<string>): Buffer[] {
  const kept: Buffer[] = [];
  for (const { name, from, body, to } of boxesIn(bytes, 0, bytes.length)) {
    if (!avifBoxes.has(name))
      throw new Unclean(`The AVIF file holds a part (${printable(name)}) that is no still image.`);
    if (name === 'free' || name === 'skip') {
      kept.push(bytes.slice(from, body), Buffer.alloc(to - body));
      if (to > body) removed.add('other data');
    } else kept.push(bytes.slice(from, to));
    if (name !== 'meta') continue;
    const metadata = itemTypes(bytes, body, to).filter(
      (type) => type === 'Exif' || type === 'mime' || type === 'uri ',
    );
    if (metadata.length > 0)
      throw new Unclean(
        'The AVIF file holds metadata (EXIF or XMP), which may tell where it was taken and cannot be taken out of this format.',
      );
  }
  return kept;
}

interface Box {
  readonly name: string;
  readonly from: number;
  readonly body: number;
  readonly to: number;
}

const boxesMax = 10_000;

function boxesIn(bytes: Bytes, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to;) {
    const size = bytes.u32(at);
    const name = bytes.text(at + 4, at + 8);
    const isLong = size === 1;
    const head = isLong ? 16 : 8;
    const length = isLong
      ? Number(bytes.slice(at + 8, at + 16).readBigUInt64BE(0))
      : size === 0
        ? to - at
        : size;
    if (length < head || at + length > to || boxes.length >= boxesMax) throw new Broken('a box has no end');
    boxes.push({ name, from: at, body: at + head, to: at + length });
    at += length;
  }
  return boxes;
}

/** The types of all items that a `meta` box lists. */
function itemTypes(bytes: Bytes, body: number, to: number): string[] {
  const list = boxesIn(bytes, body + 4, to).find(({ name }) => name === 'iinf');
  if (list === undefined) return [];
  const counted = bytes.byte(list.body) === 0 ? 2 : 4;
  return boxesIn(bytes, list.body + 4 + counted, list.to).map((item) => {
    const version = bytes.byte(item.body);
    if (version < 2)
      throw new Unclean('The AVIF file lists its items in an old form that may hide metadata.');
    const at = item.body + 4 + (version === 2 ? 2 : 4) + 2;
    return bytes.text(at, at + 4);
  });
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?');
}
