/** What a host writes a secret in that it was sent (contract §5 "Secrets"), each form made by the test itself. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactDisguised } from '../../../src/guard/disguised-secret.ts';

type Write = (text: string) => string;

const hexOf = (text: string): string[] =>
  Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, '0'));
const each = (text: string, write: (code: number) => string): string =>
  Array.from(text, (letter) => write(letter.charCodeAt(0))).join('');

const forms: Readonly<Record<string, Write>> = {
  'as it is': (text) => text,
  'base64 of it': (text) => Buffer.from(text).toString('base64'),
  'base64 one byte on': (text) => Buffer.from(`a${text}z`).toString('base64'),
  'base64 two bytes on': (text) => Buffer.from(`ab${text}z`).toString('base64'),
  'base64 of addresses': (text) => Buffer.from(`ab~~${text}??`).toString('base64url'),
  'base64 in lines': (text) =>
    Buffer.from('-'.repeat(50) + text)
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
  'base64 behind a word': (text) => `id/${Buffer.from(text).toString('base64')}`,
  'decimal entities': (text) => each(text, (code) => `&#${code};`),
  'decimal entities without their end': (text) => each(text, (code) => `&#${String(code).padStart(7, '0')}`),
  'hexadecimal entities': (text) => each(text, (code) => `&#X${code.toString(16)};`),
  'named entities': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('-', '&hyphen;').replaceAll('_', '&lowbar;'),
  'percent signs': (text) => each(text, (code) => `%${code.toString(16).padStart(2, '0')}`),
  'percent signs here and there': (text) =>
    text.replace(/[^a-m]/g, (letter) => `%${(hexOf(letter)[0] as string).toUpperCase()}`),
  'the escapes of JSON': (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'other escapes': (text) =>
    each(text, (code) =>
      code % 2 === 0 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`,
    ),
  'octal escapes': (text) => each(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
  'a text of JSON': (text) => JSON.stringify({ text }),
  hex: (text) => hexOf(text).join(''),
  'capital hex with colons': (text) => hexOf(text).join(':').toUpperCase(),
  'bytes of a program': (text) =>
    hexOf(text)
      .map((byte) => `0x${byte}`)
      .join(', '),
};
const names = Object.keys(forms);
const marker = '[redacted:secret]';
const secret = 'sk-Live_9f2c/77+Q== x&y';

describe('an obfuscated secret', () => {
  it.each(names)('is redacted in a text that contains it as %s, without changes to other words', (name) => {
    const held = (forms[name] as Write)(secret);
    const clean = redactDisguised(`He said: ${held} ... and went.`, [secret]);
    expect(clean).toContain(marker);
    expect(clean.startsWith('He said: ')).toBe(true);
    expect(clean.endsWith(' ... and went.')).toBe(true);
  });

  it('is found in every encoding within every other encoding', () => {
    for (const [outer, write] of Object.entries(forms))
      for (const [inner, first] of Object.entries(forms)) {
        const clean = redactDisguised(`<p>${write(first(secret))}</p>`, [secret]);
        expect([inner, outer, clean.includes(marker)]).toEqual([inner, outer, true]);
      }
  });

  it('of any characters is found in any encoding', () => {
    const letters = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      minLength: 8,
      maxLength: 60,
    });
    const around = fc.string({ maxLength: 30 });
    fc.assert(
      fc.property(letters, around, around, fc.constantFrom(...names), (made, before, after, name) => {
        fc.pre(!marker.includes(made));
        const held = (forms[name] as Write)(made);
        const clean = redactDisguised(`${before} ${held} ${after}`, [made]);
        expect(clean.includes(held)).toBe(false);
      }),
    );
  });

  it('is found if the next characters make its last digit look like a byte prefix', () => {
    for (const made of ['!!!!!!!P', '!!!!!!!`'])
      for (const name of ['hex', 'capital hex with colons', 'bytes of a program'])
        for (const after of ['x', ' X', '\n x7'])
          expect([made, name, after, redactDisguised((forms[name] as Write)(made) + after, [made])]).toEqual([
            made,
            name,
            after,
            expect.stringContaining(marker),
          ]);
  });

  it('is redacted in names and values, and a value without it is returned unchanged', () => {
    const told = { a: [1, { [secret]: true, b: `x${secret}y` }], c: null };
    expect(redactDisguised(told, [secret])).toEqual({
      a: [1, { [marker]: true, b: `x${marker}y` }],
      c: null,
    });
    const clean = { a: ['The dial % is &amp; \\u0041 YWJjZGVmZ2hpamtsbW5vcA==', { b: 7 }] };
    expect(redactDisguised(clean, [secret])).toBe(clean);
  });

  it('is not matched by a prefix or suffix, which would let an author guess it letter by letter', () => {
    for (const part of [secret.slice(0, -1), secret.slice(1), `…${secret.slice(4)}`])
      for (const write of [forms['as it is'], forms['base64 of it'], forms['hex']] as Write[])
        expect(redactDisguised(`You sent ${write(part)}`, [secret])).toBe(`You sent ${write(part)}`);
  });

  it('is searched in linear time in crafted texts', () => {
    const size = 262_144;
    const noise = Buffer.from(Array.from({ length: size }, (_, i) => (i * i * 31 + (i >> 3)) % 256));
    for (const text of [
      'A'.repeat(size),
      '%25'.repeat(size / 3),
      '&#38;'.repeat(size / 5),
      '\\\\'.repeat(size / 2),
      noise.toString('latin1'),
      noise.toString('base64').slice(0, size),
      Buffer.from(noise.toString('base64')).toString('base64').slice(0, size),
    ]) {
      const from = performance.now();
      redactDisguised(text, [secret, 'a%b&c\\d-12345']);
      expect(performance.now() - from).toBeLessThan(3000);
    }
  });
});
