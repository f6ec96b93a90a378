import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type JsonValue } from '../../../src/kernel/json.ts';
import { vectorBytes, vectorText } from '../ledger/support.ts';

const names = ['arrays', 'french', 'structures', 'unicode', 'values', 'weird'];

describe('canonicalJson', () => {
  test.each(names)('writes the RFC 8785 vector "%s" to the byte', (name) => {
    const value = JSON.parse(vectorText(`jcs/input/${name}.json`)) as JsonValue;
    const expected = vectorText(`jcs/outhex/${name}.txt`).replaceAll(/\s/g, '');
    expect(Buffer.from(canonicalJson(value)).toString('hex')).toBe(expected);
    expect(Buffer.from(canonicalJson(value)).equals(vectorBytes(`jcs/output/${name}.json`))).toBe(true);
  });

  test.each<[string, JsonValue, string]>([
    [
      'sorts by UTF-16 units, not by code points',
      { '\u{1f602}': 1, '\ufb33': 2 },
      '{"\u{1f602}":1,"\ufb33":2}',
    ],
    [
      'sorts numeric keys as text',
      { '9': 1, '10': 2, a: { '2': 0, '1': 0 } },
      '{"10":2,"9":1,"a":{"1":0,"2":0}}',
    ],
    [
      'sorts more keys than an insertion sort is good for',
      Object.fromEntries([...'zyxwvutsrqponmlkjihgfedcba'].map((k) => [k, 0])),
      '{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0,"q":0,"r":0,"s":0,"t":0,"u":0,"v":0,"w":0,"x":0,"y":0,"z":0}',
    ],
    ['keeps the order of arrays', [3, '1', null, [true, []], {}], '[3,"1",null,[true,[]],{}]'],
    [
      'writes numbers as ECMAScript does',
      [-0, 1e21, 1e-7, 0.1, 9007199254740991],
      '[0,1e+21,1e-7,0.1,9007199254740991]',
    ],
    [
      'escapes what it must and nothing else',
      '\u0000\b\t\n\f\r"\\/\u007f\u2028é',
      '"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\u007f\u2028é"',
    ],
    [
      'treats __proto__ as a key like any other',
      JSON.parse('{"b":1,"__proto__":{"a":2}}') as JsonValue,
      '{"__proto__":{"a":2},"b":1}',
    ],
    ['leaves undefined members out', { b: undefined, a: 1, '1': undefined }, '{"a":1}'],
    [
      'puts in order what stands below an object that is in order itself',
      { a: 1, b: undefined, c: [{}, { e: 1, d: 2 }, 3], f: { h: 1, g: [2, 1] }, i: 4 },
      '{"a":1,"c":[{},{"d":2,"e":1},3],"f":{"g":[2,1],"h":1},"i":4}',
    ],
    ['writes bare scalars', null, 'null'],
  ])('%s', (_title, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test('does not reorder or change what it is given', () => {
    const value = Object.freeze({ b: 1, a: Object.freeze([2, 1]) });
    expect(canonicalJson(value)).toBe('{"a":[2,1],"b":1}');
    expect(Object.keys(value)).toEqual(['b', 'a']);
  });

  test.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', { a: [Infinity] }],
    ['a bigint', { a: 1n }],
    ['undefined in an array', [undefined]],
    ['a hole in an array', [1, , 2]], // eslint-disable-line no-sparse-arrays
    ['a function', { a: () => 1 }],
    ['a lone surrogate', { a: 'x\ud800' }],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a lone surrogate beside numeric keys', { '1': '\ud800' }],
    ['a date', { at: new Date(0) }],
    ['a map', new Map([['a', 1]])],
    ['bytes', { salt: new Uint8Array(2) }],
  ])('throws on %s, which JSON cannot represent', (_title, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError);
  });

  test('agrees with an independent implementation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        expect(canonicalJson(value as JsonValue)).toBe(canonicalize(value));
      }),
      { numRuns: 1000 },
    );
  });

  test('gives one text whatever the order of the keys', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1, maxKeys: 40 }),
        (object) => {
          const reversed = Object.fromEntries(Object.entries(object).toReversed());
          expect(canonicalJson(reversed as JsonValue)).toBe(canonicalJson(object as JsonValue));
        },
      ),
    );
  });
});
