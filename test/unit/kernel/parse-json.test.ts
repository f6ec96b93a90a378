import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFault } from '../../../src/kernel/fault.ts';
import { textProblem, canonicalJson, parseJson, type JsonValue } from '../../../src/kernel/json.ts';

function refusal(input: string | Uint8Array): string | undefined {
  const result = parseJson(input);
  if (!isFault(result)) return undefined;
  expect(result.fault).toBe('invalid_json');
  return result.message;
}

describe('parseJson', () => {
  test.each<[string, string, string]>([
    ['a key twice', '{"a":1,"a":2}', 'the same key twice'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}', 'the same key twice'],
    ['a key twice deep inside', '[{"x":[{"k":{},"k":{}}]}]', 'the same key twice'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'the same key twice'],
    ['a numeric key twice', '{"1":1,"1":1}', 'the same key twice'],
    ['an escaped lone surrogate', '{"a":"\\ud800"}', 'lone surrogate'],
    ['an escaped low surrogate alone', '"\\udc00"', 'lone surrogate'],
    ['surrogates the wrong way round', '["\\udc00\\ud800"]', 'lone surrogate'],
    ['an escaped lone surrogate in a key', '{"\\uD834":1}', 'lone surrogate'],
    ['a raw lone surrogate', '"\ud800"', 'lone surrogate'],
    ['an escaped NUL', '{"a":"x\\u0000"}', 'NUL'],
    ['an escaped NUL in a key', '{"\\u0000":1}', 'NUL'],
    ['a raw NUL', '"\0"', ''],
    ['a number beyond what can be held', '{"a":1e400}', 'too large'],
    ['a negative number beyond what can be held', '[-1e999]', 'too large'],
    ['nesting beyond 64', '['.repeat(65) + ']'.repeat(65), 'nested more than 64'],
    ['an endless opening', '['.repeat(1_000_000), 'nested more than 64'],
    ['objects nested beyond 64', '{"a":'.repeat(65) + '1' + '}'.repeat(65), 'nested more than 64'],
    ['a byte order mark', '\ufeff{}', ''],
    ['nothing', '', ''],
    ['two values', '{} {}', ''],
    ['a trailing comma', '[1,]', ''],
    ['a comment', '{/**/}', ''],
    ['single quotes', "{'a':1}", ''],
    ['a bare colon', ':', ''],
    ['an unfinished string', '"abc', ''],
    ['closing before opening', ']]]][[[[', ''],
  ])('refuses %s', (_title, text, why) => {
    expect(refusal(text)).toContain(why);
    if (text.isWellFormed()) expect(refusal(Buffer.from(text))).toContain(why);
  });

  test.each<[string, number[]]>([
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate encoded as UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x22, 0x00]],
  ])('refuses %s', (_title, bytes) => {
    expect(refusal(Uint8Array.from(bytes))).toContain('not valid UTF-8');
  });

  test.each<[string, string, JsonValue]>([
    [
      'the same key in different objects',
      '{"a":{"a":[{"a":1},{"a":1}]}}',
      { a: { a: [{ a: 1 }, { a: 1 }] } },
    ],
    ['colons and braces inside strings', '{"a:b":"}:{\\":\\"[","c":"\\\\"}', { 'a:b': '}:{":"[', c: '\\' }],
    ['an escaped pair of surrogates', '"\\ud83d\\ude02"', '\u{1f602}'],
    ['64 levels', '['.repeat(64) + ']'.repeat(64), JSON.parse('['.repeat(64) + ']'.repeat(64)) as JsonValue],
    ['white space and scalars', ' \t\r\n-0.5e-3 ', -0.0005],
  ])('reads %s', (_title, text, expected) => {
    expect(parseJson(text)).toEqual({ value: expected });
    expect(parseJson(Buffer.from(text))).toEqual({ value: expected });
  });

  test('gives __proto__ as a member and touches no prototype', () => {
    const result = parseJson('{"__proto__":{"polluted":true},"constructor":1}');
    if (isFault(result)) throw new Error(result.message);
    expect(Object.keys(result.value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(canonicalJson(result.value)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  test('never reports malformed JSON of a caller as an internal error', () => {
    const forged = '{"fault":"owner_only","message":"m","fix":"f"}';
    const result = parseJson(forged);
    expect(isFault(result)).toBe(false);
    expect(result).toEqual({ value: { fault: 'owner_only', message: 'm', fix: 'f' } });
  });

  test('reads a view into a larger buffer, not the buffer', () => {
    expect(parseJson(Buffer.from('xx[1]yy').subarray(2, 5))).toEqual({ value: [1] });
  });

  test('reads back every canonical text without NUL', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 }), (value) => {
        const text = canonicalJson(value);
        fc.pre(!text.includes('\\u0000'));
        const result = parseJson(text);
        if (isFault(result)) throw new Error(result.message);
        expect(canonicalJson(result.value)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('accepts only what JSON.parse accepts, and then as the same value', () => {
    const noise = fc.array(
      fc.constantFrom(...'{}[]:,"\\a1-.eE0tn \u0000', 'true', '"a":', '\\u00', '\\ud83d'),
      { maxLength: 24 },
    );
    fc.assert(
      fc.property(noise, (parts) => {
        const result = parseJson(parts.join(''));
        if (!isFault(result)) expect(result.value).toEqual(JSON.parse(parts.join('')));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('textProblem', () => {
  test('names NUL and lone surrogates and passes everything else', () => {
    expect(textProblem('a\0')).toBe('a string holds a NUL character');
    expect(textProblem('\udfff')).toBe('a string holds a lone surrogate');
    expect(textProblem('\u0001\ufeff\u{10ffff}')).toBeUndefined();
  });
});
