import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Packer, unpack } from '../../../src/store/sqlite/packed-contents.ts';

const content = fc.record({
  field: fc.constantFrom('text_sha', 'request_sha', 'content_sha', 'said_sha'),
  salt: fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 })),
  body: fc.string({ unit: 'grapheme', maxLength: 200 }),
});
const contents = fc.array(content, { maxLength: 6 });

describe('packed contents', () => {
  it('are unpacked unchanged after a batch of any size', () => {
    fc.assert(
      fc.property(fc.array(contents, { maxLength: 20 }), (batch) => {
        const packer = new Packer();
        packer.begin();
        const packed = batch.map((each) => packer.pack(each));
        batch.forEach((each, i) => {
          const { fields = null, packed: bytes = null } = packed[i] ?? {};
          expect(fields === null ? [] : unpack(fields, bytes)).toEqual(each);
        });
      }),
    );
  });

  it('keep their bytes if a batch exceeds the reserved buffer', () => {
    const packer = new Packer();
    packer.begin();
    const large = Array.from({ length: 9 }, (_, i) => [
      { field: 'request_sha', salt: new Uint8Array(32).fill(i), body: `${i}ü`.repeat(20_000) },
      { field: 'response_sha', salt: new Uint8Array(32).fill(-i), body: '' },
    ]);
    const packed = large.map((each) => packer.pack(each));
    large.forEach((each, i) => {
      expect(packed[i]?.fields).toBe('request_sha+60032 response_sha+32');
      expect(unpack('request_sha+60032 response_sha+32', packed[i]?.packed ?? null)).toEqual(each);
    });
  });

  it('do not keep the buffer of a large batch for the next one', () => {
    const packer = new Packer();
    const salt = new Uint8Array(32);
    packer.begin();
    packer.pack([{ field: 'request_sha', salt, body: 'x'.repeat(1_000_000) }]);
    packer.begin();
    const { packed } = packer.pack([{ field: 'request_sha', salt, body: 'x' }]) ?? {};
    expect((packed as Uint8Array).buffer.byteLength).toBe(262_144);
  });

  it('are a field name and a text for a single unsalted text', () => {
    expect(new Packer().pack([{ field: 'text_sha', salt: null, body: 'Größe' }])).toEqual({
      fields: 'text_sha',
      packed: 'Größe',
    });
  });

  it('are absent when one of them is missing', () => {
    const salt = new Uint8Array(32);
    const withheld = { field: 'response_sha', salt: null, body: null };
    expect(new Packer().pack([{ field: 'request_sha', salt, body: '"a"' }, withheld])).toBeUndefined();
  });

  it.each([
    ['text_sha', null],
    ['text_sha', new Uint8Array(3)],
    ['text_sha', 3],
    ['text_sha=3', 3],
    ['text_sha=3', 'abc'],
    ['text_sha=4', new Uint8Array(3)],
    ['request_sha+31', new Uint8Array(31)],
    ['request_sha+32 ', new Uint8Array(32)],
    ['request_sha+1e1', new Uint8Array(10)],
    ['', ''],
  ])('are rejected when they do not fit their description: %j', (fields, packed) => {
    expect(unpack(fields, packed as string | Uint8Array | null)).toBeUndefined();
  });
});
