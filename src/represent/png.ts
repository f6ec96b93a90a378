/** Writing a PNG (W3C PNG, third edition): 8-bit RGB, no filter, one compressed stream, and a line of text on its origin. */
import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from './drawing.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `comment` is Latin-1 text that the file carries with it. */
export function pngOf({ width, height, rgba }: Picture, comment: string): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, to = 0; y < height; y++) {
    lines[to++] = 0;
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      lines[to++] = rgba[from] as number;
      lines[to++] = rgba[from + 1] as number;
      lines[to++] = rgba[from + 2] as number;
    }
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1')),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}
