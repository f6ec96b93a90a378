import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, parse, parseDocument, verifyBundle, type Json } from '../../../verify/index.ts';
import { vectorBytes, vectorText } from '../ledger/support.ts';

describe("the verifier's own JSON", () => {
  test.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])(
    'writes the RFC 8785 vector "%s" byte for byte',
    (name) => {
      const written = canonical(parse(vectorText(`jcs/input/${name}.json`)));
      expect(Buffer.from(written).equals(vectorBytes(`jcs/output/${name}.json`))).toBe(true);
    },
  );

  test('agrees with an independent implementation in writing and reading', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const text = canonicalize(value) as string;
        expect(canonical(value as Json)).toBe(text);
        expect(canonical(parse(JSON.stringify(value, null, indent)))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, Json]>([
    ['[1,[],{},"",null,true,false,-0.5e+2]', [1, [], {}, '', null, true, false, -50]],
    ['{"a":{"a":1},"":[{"a":2}]}', { a: { a: 1 }, '': [{ a: 2 }] }],
    [' "\\ud83d\\ude02\\u0041\\n" ', '\u{1f602}A\n'],
  ])('reads %s', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test('reads __proto__ as a member', () => {
    expect(Object.entries(parse('{"__proto__":{"x":1}}') as object)).toEqual([['__proto__', { x: 1 }]]);
  });

  test.each([
    ['a key twice', '{"a":1,"\\u0061":2}', 'the key "a" stands twice'],
    ['a lone surrogate', '"\\ud800"', 'a string holds a lone surrogate'],
    ['a number without a value', '[1e999]', 'a number is too large'],
    ['endless nesting', '['.repeat(100_000), 'nested more than 256 deep'],
    ['a leading zero', '01', '01 is not JSON'],
    ['a leading plus', '+1', 'a value is missing'],
    ['two numbers', '1-2', '1-2 is not JSON'],
    ['a raw control character', '"\u0001"', 'is not JSON'],
    ['an unknown escape', '"\\x"', 'is not JSON'],
    ['a string without an end', '"abc', 'a string does not end'],
    ['two values', '1 2', 'more than one value'],
    ['nothing', '', 'a value is missing'],
    ['a trailing comma', '[1,]', 'a value is missing'],
    ['a trailing comma in an object', '{"a":1,}', 'a key is missing'],
    ['a missing colon', '{"a" 1}', 'a colon is missing'],
    ['a missing bracket', '[1', 'a bracket is missing'],
    ['a missing brace', '{"a":1', 'a brace is missing'],
    ['a form feed as white space', '\f1', 'a value is missing'],
    ['a word in capitals', 'True', 'a value is missing'],
  ])('refuses %s', (_title, text, why) => {
    expect(() => parse(text)).toThrow(why);
  });

  test.each([
    '14.00000000000000000001',
    '9007199254740993',
    '0.1000000000000000055511151231257827',
    '1e-400',
  ])('rejects the number %s in a document, because its digits exceed double precision', async (number) => {
    const { ok, checks } = await verifyBundle(`{"version":${number}}`);
    expect([ok, checks[0]?.detail]).toEqual([
      false,
      expect.stringContaining(`the number ${number} has more digits than are kept`),
    ]);
  });

  test.each(['4.50', '1E30', '-0', '1e-07', '0.000001', '100', '2.5E+3', '1e300'])(
    'accepts the number %s in a document',
    (number) => expect(parseDocument(number)).toBe(Number(number)),
  );

  test('accepts no text that JSON.parse refuses', () => {
    const noise = fc.array(fc.constantFrom(...'{}[]:,"\\a1-.eE0tn \u0000', 'true', '"a":', '\\u00'), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(noise, (parts) => {
        const text = parts.join('');
        let value: Json;
        try {
          value = parse(text);
        } catch {
          return;
        }
        expect(value).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, unknown]>([
    ['undefined', { a: undefined }],
    ['NaN', [Number.NaN]],
    ['a lone surrogate', '\ud800'],
    ['a hole', Array(1)],
    ['a bigint', 1n],
  ])(
    // eslint-disable-line no-sparse-arrays
    'has no canonical text for %s',
    (_title, value) => {
      expect(() => canonical(value as Json)).toThrow(TypeError);
    },
  );

  test('reads long strings with many escapes', () => {
    const long = '\\"'.repeat(4_000_000);
    expect((parse(JSON.stringify({ long })) as { long: string }).long.length).toBe(8_000_000);
    expect(parse(String.raw`["\\\\","\"",""]`)).toEqual(['\\\\', '"', '']);
    expect(() => parse(String.raw`"\\\"`)).toThrow('a string does not end (at character 0)');
    expect(() => parse(`"${'x'.repeat(8_000_000)}`)).toThrow('a string does not end (at character 0)');
  });
});
