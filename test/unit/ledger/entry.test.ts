import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitment, headOf, leafHash, seal, type Draft, type Head } from '../../../src/ledger/entry.ts';
import { canonicalJson, type JsonValue } from '../../../src/kernel/json.ts';
import { hex, unhex, vectorJson } from './support.ts';

const golden = vectorJson<{
  sealed: { draft: Draft; head: Head | null; text: string; hash: string }[];
  commitments: { salt: string; content: JsonValue; content_sha: string }[];
}>('ledger/entries.json');

const draft: Draft = { chain: 'div_k3', ts: '2026-01-31T09:00:00.000Z', actor: 'owner', op: 'edit' };

describe('seal', () => {
  test.each(golden.sealed)(
    'reproduces the text and hash of golden entry %#',
    ({ draft: from, head, text, hash }) => {
      const sealed = seal(from, head);
      expect(sealed.text).toBe(text);
      expect(sealed.hash).toBe(hash);
      expect(hex(sealed.leaf)).toBe(hash);
      expect(sealed.entry).toEqual(JSON.parse(text));
    },
  );

  test('begins a chain at n 0 with prev genesis', () => {
    expect(seal(draft, null).entry).toEqual({ ...draft, n: 0, prev: 'genesis' });
  });

  test('appends to the head of a chain with a time not before that of the head', () => {
    const head = { n: 4, hash: 'ab'.repeat(32), ts: '2026-01-31T09:00:00.001Z' };
    const sealed = seal(draft, head);
    expect(sealed.entry).toEqual({ ...draft, n: 5, prev: 'ab'.repeat(32), ts: '2026-01-31T09:00:00.001Z' });
    expect(headOf(sealed)).toEqual({ n: 5, hash: sealed.hash, ts: '2026-01-31T09:00:00.001Z' });
  });

  test('keeps a time later than that of the head', () => {
    expect(seal(draft, { n: 0, hash: 'ab'.repeat(32), ts: '2026-01-31T08:59:59.999Z' }).entry.ts).toBe(
      draft.ts,
    );
  });

  test('does not change the draft', () => {
    const frozen = Object.freeze({ ...draft });
    seal(frozen, null);
    expect(frozen).toEqual(draft);
  });

  test('accepts an entry of exactly 65,535 bytes and throws on one byte more', () => {
    const room = 65_535 - Buffer.byteLength(seal({ ...draft, pad: '' }, null).text);
    expect(Buffer.byteLength(seal({ ...draft, pad: 'x'.repeat(room) }, null).text)).toBe(65_535);
    expect(() => seal({ ...draft, pad: 'x'.repeat(room + 1) }, null)).toThrow('65535 bytes');
    expect(() => seal({ ...draft, pad: 'é'.repeat(32_768) }, null)).toThrow('65535 bytes');
  });

  test.each<[string, Record<string, unknown>]>([
    ['without a chain', { chain: undefined }],
    ['with an empty chain', { chain: '' }],
    ['with a numeric chain', { chain: 3 }],
    ['without an actor', { actor: undefined }],
    ['with an actor that is an object', { actor: {} }],
    ['without a time', { ts: undefined }],
    ['with a time in another form', { ts: '2026-01-31T09:00:00Z' }],
    ['with a time in another zone', { ts: '2026-01-31T09:00:00.000+01:00' }],
    ['with a numeric time', { ts: 1 }],
    ['without a verb', { op: undefined }],
    ['with a numeric verb', { op: 1 }],
    ['with a fraction', { weight: 0.5 }],
    ['with a number beyond 2^53', { count: 2 ** 53 }],
    ['with a number below -2^53', { count: -(2 ** 53) }],
    ['with a fraction deep inside', { a: [{ b: [1, 1.5] }] }],
    ['with NaN', { count: Number.NaN }],
    ['with an undefined member', { note: undefined }],
    ['with an undefined member deep inside', { a: { b: undefined } }],
    ['with a lone surrogate', { note: '\ud800' }],
    ['with a lone surrogate in a key', { '\udfff': 1 }],
    ['with a date', { when: new Date(0) }],
    ['that brings its own n', { n: 0 }],
    ['that brings its own prev', { prev: 'genesis' }],
    ['that brings its own hash', { hash: 'ab' }],
    ['whose member would be lost by assigning it', JSON.parse('{"__proto__":"x"}') as Record<string, string>],
  ])('throws on a draft %s', (_title, change) => {
    expect(() => seal({ ...draft, ...change } as Draft, null)).toThrow(TypeError);
  });

  test('gives different hashes for different drafts', () => {
    const member = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const members = fc.dictionary(fc.stringMatching(/^x[a-z]{0,3}$/), member, { maxKeys: 4 });
    fc.assert(
      fc.property(members, members, (a, b) => {
        const [left, right] = [seal({ ...draft, ...a }, null), seal({ ...draft, ...b }, null)];
        expect(left.hash === right.hash).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });
});

describe('leafHash', () => {
  test('is SHA-256 of a zero byte and the text in UTF-8', () => {
    expect(hex(leafHash(''))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(hex(leafHash('é'))).toBe('7e8d20ac6fc3f5fff436df1f54b0ee0e0b387d4ed998b32231e796d689ceff3b');
  });
});

describe('commitment', () => {
  test.each(golden.commitments)('reproduces golden commitment %#', ({ salt, content, content_sha }) => {
    expect(commitment(unhex(salt), canonicalJson(content))).toBe(content_sha);
  });

  test('refuses a salt that is not 32 bytes', () => {
    expect(() => commitment(new Uint8Array(31), 'null')).toThrow('32 bytes');
  });
});
