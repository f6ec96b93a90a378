import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeBundle,
  encodeBundle,
  entriesPath,
  parseLogPath,
  tilePath,
  widthAt,
} from '../../../src/ledger/tiles.ts';

describe('tile paths', () => {
  test.each([
    [0, 0, 256, 'tile/0/000'],
    [0, 0, 5, 'tile/0/000.p/5'],
    [1, 999, 256, 'tile/1/999'],
    [63, 1000, 255, 'tile/63/x001/000.p/255'],
    [0, 1234067, 256, 'tile/0/x001/x234/067'],
    [2, 9007199254740991, 1, 'tile/2/x009/x007/x199/x254/x740/991.p/1'],
  ])('write tile %i/%i of width %i as %s', (level, n, width, path) => {
    expect(tilePath({ level, n, width })).toBe(path);
    expect(parseLogPath(path)).toEqual({ kind: 'hashes', level, n, width });
  });

  test('name entry bundles like tiles, under entries', () => {
    expect(entriesPath(1234067, 256)).toBe('tile/entries/x001/x234/067');
    expect(parseLogPath('tile/entries/001.p/7')).toEqual({ kind: 'entries', n: 1, width: 7 });
  });

  test.each([
    '',
    'tile',
    '/tile/0/000',
    'tile/0/0',
    'tile/0/00',
    'tile/0/0000',
    'tile/00/000',
    'tile/01/000',
    'tile/64/000',
    'tile/100/000',
    'tile/-1/000',
    'tile/+1/000',
    'tile/0/x000/000',
    'tile/0/x000/x001/000',
    'tile/0/001/000',
    'tile/0/x001',
    'tile/0/x001/x000',
    'tile/0/X001/000',
    'tile/0/x1/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/05',
    'tile/0/000.p/',
    'tile/0/000.p',
    'tile/0/000.p/-1',
    'tile/0/000/',
    'tile/0/000\n',
    'tile/0/٠٠٠',
    'tile/Entries/000',
    'tile/data/000',
    'tile/entries/x000/001',
    'tile/0/x009/x007/x199/x254/x740/992',
    'tile/0/x001/x000/x000/x000/x000/x000/000',
    'tile/0/000?x',
    'tile/0/../0/000',
  ])('refuse %j', (path) => {
    expect(parseLogPath(path)).toBeUndefined();
  });

  test('are unique for each tile', () => {
    const coord = fc.record({
      level: fc.nat(63),
      n: fc.maxSafeNat(),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(coord, fc.nat(40), fc.constantFrom(...'0x/.p19'), (tile, at, char) => {
        const path = tilePath(tile);
        expect(parseLogPath(path)).toEqual({ kind: 'hashes', ...tile });
        const other = path.slice(0, at) + char + path.slice(at);
        const read = parseLogPath(other);
        if (read?.kind === 'hashes') expect(tilePath(read)).toBe(other);
      }),
    );
  });
});

describe('widthAt', () => {
  test('gives the widths of the 70,000-leaf example of the specification', () => {
    expect([widthAt(0, 272, 70_000), widthAt(0, 273, 70_000), widthAt(0, 274, 70_000)]).toEqual([
      256, 112, 0,
    ]);
    expect([widthAt(1, 0, 70_000), widthAt(1, 1, 70_000), widthAt(1, 2, 70_000)]).toEqual([256, 17, 0]);
    expect([widthAt(2, 0, 70_000), widthAt(3, 0, 70_000)]).toEqual([1, 0]);
    expect([widthAt(0, 0, 256), widthAt(0, 1, 256), widthAt(1, 0, 256)]).toEqual([256, 0, 1]);
  });
});

describe('entry bundles', () => {
  test('put a big-endian length before each entry', () => {
    expect(Buffer.from(encodeBundle(['{}', 'é'])).toString('hex')).toBe('00027b7d0002c3a9');
    const long = encodeBundle(['x'.repeat(65_535)]);
    expect([long[0], long[1], long.length]).toEqual([255, 255, 65_537]);
  });

  test('reject an entry of 65,536 bytes', () => {
    expect(() => encodeBundle(['é'.repeat(32_768)])).toThrow('65536 bytes');
  });

  test('decode to their entries, and are rejected if truncated', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 20 }),
        fc.nat(),
        (texts, cut) => {
          const bundle = encodeBundle(texts);
          expect(
            decodeBundle(bundle, texts.length)?.map((bytes) => Buffer.from(bytes).toString('utf8')),
          ).toEqual(texts);
          expect(decodeBundle(bundle, texts.length + 1)).toBeUndefined();
          expect(decodeBundle(bundle, texts.length - 1)).toBeUndefined();
          expect(decodeBundle(bundle.subarray(0, cut % bundle.length), texts.length)).toBeUndefined();
        },
      ),
    );
    expect(decodeBundle(new Uint8Array(0), 0)).toEqual([]);
    expect(decodeBundle(Uint8Array.of(0), 1)).toBeUndefined();
  });
});
