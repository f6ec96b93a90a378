/** Small images for tests, built part by part, so that a test can put metadata where a camera does. */
import { deflateSync } from 'node:zlib';

const text = (value: string): Buffer => Buffer.from(value, 'latin1');

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}

export function pngChunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([text(name), body]);
  return Buffer.concat([u32(body.length), named, u32(crc(named))]);
}

/** A PNG of one colour; `extra` stands before its data, `behind` after its end. */
export function png(width = 2, height = 2, extra: readonly Buffer[] = [], behind = Buffer.alloc(0)): Buffer {
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 0, 0, 0, 0])]);
  const rows = Buffer.alloc((width + 1) * height, 7);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    text('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
    behind,
  ]);
}

/** A TIFF block as a camera writes it: an orientation, and a GPS position in words. */
export function exif(orientation = 6): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.write('MM\0*', 0, 'latin1');
  bytes.writeUInt32BE(8, 4);
  bytes.writeUInt16BE(1, 8);
  bytes.writeUInt16BE(0x0112, 10);
  bytes.writeUInt16BE(3, 12);
  bytes.writeUInt32BE(1, 14);
  bytes.writeUInt16BE(orientation, 18);
  return Buffer.concat([bytes, text('GPS 46.9480 N 7.4474 E')]);
}

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** A JPEG of one pixel; its data is none. */
const onePixel = Buffer.from(
  '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  'base64',
);

/** A JPEG with the segments of a camera before its own. */
export function jpeg({ orientation = 6, comment = 'by Ada' } = {}): Buffer {
  return Buffer.concat([
    onePixel.subarray(0, 2),
    segment(0xe1, Buffer.concat([text('Exif\0\0'), exif(orientation)])),
    segment(0xe1, text('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>')),
    segment(0xfe, text(comment)),
    onePixel.subarray(2),
    text('a film behind the picture'),
  ]);
}

/** A GIF of one pixel with a comment. */
export function gif(): Buffer {
  return Buffer.concat([
    text('GIF89a'),
    Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    Buffer.from([0x21, 0xfe, 6]),
    text('by Ada'),
    Buffer.from([0]),
    Buffer.from([0x21, 0xff, 11]),
    text('NETSCAPE2.0'),
    Buffer.from([3, 1, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]),
  ]);
}

function webpChunk(name: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([text(name), size, body, Buffer.alloc(body.length % 2)]);
}

/** A WebP of one pixel in the extended form, with EXIF and XMP. */
export function webp(orientation = 6): Buffer {
  const body = Buffer.concat([
    webpChunk('VP8X', Buffer.from([0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    webpChunk('VP8L', Buffer.from('2f00000000077011fd0f4444ff03', 'hex')),
    webpChunk('EXIF', exif(orientation)),
    webpChunk('XMP ', text('<x:xmpmeta/>')),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(4 + body.length);
  return Buffer.concat([text('RIFF'), size, text('WEBP'), body]);
}

export function box(name: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(8 + body.length), text(name), body]);
}

/** The boxes of an AVIF of 3 by 2 pixels whose items are of `types`; its data is none. */
export function avif(types: readonly string[] = ['av01'], more: readonly Buffer[] = []): Buffer {
  const version = (n: number): Buffer => Buffer.from([n, 0, 0, 0]);
  const items = types.map((type, i) =>
    box('infe', version(2), Buffer.from([0, i + 1, 0, 0]), text(`${type}\0`)),
  );
  return Buffer.concat([
    box('ftyp', text('avif'), u32(0), text('avifmif1')),
    box(
      'meta',
      version(0),
      box('iinf', version(0), Buffer.from([0, types.length]), ...items),
      box('iprp', box('ipco', box('ispe', version(0), u32(3), u32(2)))),
    ),
    ...more,
    box('mdat', Buffer.alloc(8, 1)),
  ]);
}
