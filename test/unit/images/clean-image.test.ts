/** Images as they are stored (contract §8): recognised by their bytes, within limits, without metadata. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanImage, imageBytesMax, imageTypeOf } from '../../../src/domain/images/clean-image.ts';
import { avif, box, gif, jpeg, png, pngChunk, webp } from '../../support/images.ts';

const secret = 'GPS 46.9480 N';

function cleaned(bytes: Uint8Array) {
  const image = cleanImage(bytes);
  if ('problem' in image) throw new Error(image.problem);
  return { ...image, text: Buffer.from(image.bytes).toString('latin1') };
}

function problem(bytes: Uint8Array): string {
  const image = cleanImage(bytes);
  return 'problem' in image ? image.problem : 'it was stored';
}

describe('an image', () => {
  it.each([
    ['image/png', png(3, 2), 3, 2, []],
    ['image/png', png(2, 2, [pngChunk('eXIf', Buffer.from(secret))]), 2, 2, ['EXIF']],
    ['image/png', png(2, 2, [pngChunk('tEXt', Buffer.from(`Comment\0${secret}`))]), 2, 2, ['text']],
    ['image/png', png(2, 2, [pngChunk('prVt', Buffer.from(secret))]), 2, 2, ['other data']],
    ['image/png', png(2, 2, [], Buffer.from(secret)), 2, 2, ['data behind the image']],
    ['image/jpeg', jpeg(), 1, 1, ['EXIF', 'XMP', 'data behind the image', 'text']],
    ['image/gif', gif(), 1, 1, ['text']],
    ['image/webp', webp(), 1, 1, ['EXIF', 'XMP']],
    ['image/avif', avif(), 3, 2, []],
  ])('%s is stored without what does not draw it: case %#', (type, bytes, width, height, removed) => {
    const { media_type, text, ...image } = cleaned(bytes);
    expect([media_type, image.width, image.height, image.removed]).toEqual([type, width, height, removed]);
    for (const left of ['GPS', 'Ada', 'xmpmeta', 'film']) expect(text).not.toContain(left);
    expect(imageTypeOf(image.bytes)).toBe(type);
    // What is stored once is stored under the same hash when it is uploaded again.
    expect(Buffer.from(cleaned(image.bytes).bytes)).toEqual(Buffer.from(image.bytes));
  });

  it.each([
    [1, false],
    [6, true],
    [8, true],
    [9, false],
  ])('that is turned (%i) keeps which way is up and nothing else of its EXIF', (orientation, kept) => {
    for (const bytes of [jpeg({ orientation }), webp(orientation)]) {
      const { text } = cleaned(bytes);
      const turned = `MM\0*\0\0\0\b\0\u0001\u0001\u0012\0\u0003\0\0\0\u0001\0${String.fromCharCode(orientation)}\0\0`;
      expect(text.includes(turned)).toBe(kept);
    }
  });

  it('keeps the loop of an animation', () => {
    expect(cleaned(gif()).text).toContain('NETSCAPE2.0');
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'SVG is a document'],
    ['<!doctype html><title>No</title>', 'It is a web page'],
    ['just text', 'none of PNG, JPEG, GIF, WebP and AVIF'],
    ['', 'none of PNG, JPEG, GIF, WebP and AVIF'],
    ['%PDF-1.7', 'none of PNG'],
  ])('is none where the bytes are %j', (text, expected) => {
    expect(problem(Buffer.from(text))).toContain(expected);
  });

  it('is refused above its limits, with the limit', () => {
    expect(problem(Buffer.concat([png(), Buffer.alloc(imageBytesMax)]))).toContain('at most 5242880');
    expect(problem(png(16_385, 1))).toContain('16385 by 1 pixels');
    expect(problem(png(8_000, 7_000))).toContain('at most 16384 a side and 50000000 in all');
  });

  it.each(['Exif', 'mime', 'uri '])(
    'as AVIF with an item of type %s is refused: it cannot be taken out',
    (type) => {
      expect(problem(avif(['av01', type]))).toContain('holds metadata (EXIF or XMP)');
    },
  );

  it('as AVIF with other parts is refused, and unused room is emptied', () => {
    expect(problem(avif(['av01'], [box('uuid', Buffer.from(secret))]))).toContain('a part (uuid)');
    expect(problem(avif(['av01'], [box('moov', Buffer.from(secret))]))).toContain('a part (moov)');
    const { text, removed } = cleaned(avif(['av01'], [box('free', Buffer.from(secret))]));
    expect([text.includes('GPS'), removed]).toEqual([false, ['other data']]);
  });

  it('that is cut anywhere is refused or stored whole, and never throws', () => {
    for (const bytes of [png(), jpeg(), gif(), webp(), avif()])
      for (let end = 0; end < bytes.length; end++) cleanImage(bytes.subarray(0, end));
    for (const bytes of [png(), gif()])
      for (let end = 0; end < bytes.length; end++)
        expect(problem(bytes.subarray(0, end))).not.toBe('it was stored');
  });

  it('of any bytes is answered, and what is stored has no metadata and is stored again as it is', () => {
    const starts = [png(), jpeg(), gif(), webp(), avif()].map((bytes) => fc.constant(bytes));
    const noise = fc.tuple(fc.oneof(...starts), fc.nat(400), fc.uint8Array({ minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(noise, ([bytes, at, written]) => {
        const given = Buffer.from(bytes);
        given.set(written.subarray(0, Math.max(0, given.length - at)), Math.min(at, given.length));
        const image = cleanImage(given);
        if ('problem' in image) return;
        expect(image.width * image.height).toBeGreaterThan(0);
        const again = cleanImage(image.bytes);
        expect('problem' in again ? again.problem : Buffer.from(again.bytes)).toEqual(
          Buffer.from(image.bytes),
        );
      }),
      { numRuns: 500 },
    );
  });
});
