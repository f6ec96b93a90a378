import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planDrawing } from '../../../src/app/outside/creative-local.ts';
import { drawPrompt, pngOf } from '../../../src/represent/drawing.ts';
import { mediaTypeOf } from '../../../src/represent/media-type.ts';

describe('a picture of the local engine', () => {
  it('is identical for the same prompt and different for another', () => {
    const hashOf = (prompt: string): string =>
      createHash('sha256')
        .update(drawPrompt(prompt, 96, 64).rgba)
        .digest('hex')
        .slice(0, 16);
    expect([hashOf('a'), hashOf('a') === hashOf('a'), hashOf('a') === hashOf('b')]).toEqual([
      '79bf4786acf56d8b',
      true,
      false,
    ]);
  });

  it('shows its prompt in white letters, more of them in later frames of a film', () => {
    const white = (part: number): number => {
      const { rgba } = drawPrompt('LEDGER', 160, 90, part);
      let count = 0;
      for (let i = 0; i < rgba.length; i += 4)
        if (rgba[i] === 255 && rgba[i + 1] === 255 && rgba[i + 2] === 255) count++;
      return count;
    };
    expect([white(0), white(0.5) > 0, white(1) > white(0.5)]).toEqual([0, true, true]);
  });

  it('has the requested size for any prompt and any size that the row accepts', () => {
    const side = fc.integer({ min: 64, max: 200 });
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        side,
        side,
        (prompt, w, h) => {
          const { rgba } = drawPrompt(prompt, w, h);
          return rgba.length === w * h * 4 && rgba[3] === 255;
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is encoded as a PNG that contains its pixels and a comment', () => {
    const png = pngOf({ width: 2, height: 1, rgba: Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 255) }, 'said');
    expect(mediaTypeOf(png)).toBe('image/png');
    expect(png.toString('latin1')).toContain('tEXtComment\0said');
    expect([...inflateSync(png.subarray(png.indexOf('IDAT') + 4))]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('the arguments of the local engine', () => {
  it.each([
    [{}, [640, 360, 0]],
    [{ size: '321x201' }, [321, 201, 0]],
    [{ aspect_ratio: '1:1' }, [640, 640, 0]],
    [{ aspect_ratio: '1:99' }, [64, 1920, 0]],
    [{ resolution: '720p' }, [1280, 720, 0]],
    [{ duration: 2 }, [320, 180, 2]],
    [{ duration: 2, aspect_ratio: '9:16' }, [320, 568, 2]],
  ])('map %j to width, height and seconds %j', (more, expected) => {
    const { width, height, seconds } = planDrawing({ engine: 'local', prompt: 'x', ...more });
    expect([width, height, seconds]).toEqual(expected);
  });
});

describe('mediaTypeOf', () => {
  it.each([
    ['ffd8ffe0', 'image/jpeg'],
    ['52494646000000005745425056503820', 'image/webp'],
    ['474946383961', 'image/gif'],
    ['00000018667479706d703432', 'video/mp4'],
    ['1a45dfa3', 'video/webm'],
    ['3c68746d6c3e', undefined],
    ['3c7376673e', undefined],
    ['', undefined],
  ])('maps the bytes "%s" to %s', (hex, type) => {
    expect(mediaTypeOf(Buffer.from(hex, 'hex'))).toBe(type);
  });
});
