/** Tokens of ours in every form that contract §5 names, alone, inside another form and in any surroundings. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeApiKey } from '../../../src/domain/capabilities/api-key-codec.ts';
import { encodeShare, fingerprintOf } from '../../../src/domain/capabilities/share-codec.ts';
import { mayHideToken } from '../../../src/guard/disguised-token.ts';
import { findTokens } from '../../../src/guard/token-finder.ts';
import { ruleRedactor } from '../../../src/guard/redactors.ts';
import { scrubJson, scrubText } from '../../../src/guard/secrets.ts';
import { breaks, disguises, encodings, type Disguise } from '../../support/disguises.ts';

const key = { id: 1, secret: Buffer.alloc(32, 7) };
const newShare = (): string => encodeShare(key, 1_900_000_000, randomBytes(10)).token;
const newKey = (): string => encodeApiKey(randomBytes(32)).token;
const newTerminalKey = (): string => `tk_${randomBytes(32).toString('base64url')}`;
const newTokens = { share: newShare, 'API key': newKey, 'terminal key': newTerminalKey };
const names = Object.keys(disguises);
/** Of this process since `from`, whatever else the machine does. */
const cpuMs = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

function asked(text: string): { readonly value: string; readonly tokens: readonly string[] } {
  const tokens: string[] = [];
  const { value } = scrubText(text, (token) => {
    tokens.push(token);
    return fingerprintOf(token);
  });
  return { value, tokens: [...new Set(tokens)] };
}

describe('an obfuscated token of this service', () => {
  it.each(names)('is redacted in a text that contains it as %s, without changes to other words', (name) => {
    for (const [kind, make] of Object.entries(newTokens)) {
      const token = make();
      const { value, tokens } = asked(`Before it. ${(disguises[name] as Disguise)(token)} ... after it.`);
      expect([kind, tokens]).toEqual([kind, expect.arrayContaining([token])]);
      expect(value).toContain(fingerprintOf(token));
      expect([value.startsWith('Before it. '), value.endsWith(' ... after it.')]).toEqual([true, true]);
    }
  });

  it('is found in every encoding within every other, and broken within and around each', () => {
    for (const [outer, write] of Object.entries(disguises))
      for (const [inner, first] of Object.entries(encodings)) {
        // The letters of a tag count as base64, and of escapes broken at every place none is left whole.
        if (/ (tags|comments|links)/.test(outer)) continue;
        if (outer.endsWith('every place') && /percent|entities|escapes/.test(inner)) continue;
        // Marks and numbers of a list stand between the digits of codes like codes of their own.
        if (/list|numbered/.test(outer) && /hex|bytes|base64/.test(inner)) continue;
        const token = newShare();
        expect([inner, outer, asked(`It is ${write(first(token))}!`).tokens]).toEqual([
          inner,
          outer,
          [token],
        ]);
      }
    for (const inner of ['broken over lines', 'broken over lines of a quotation', 'broken by spaces'])
      for (const [outer, write] of Object.entries(encodings)) {
        const token = newKey();
        const text = `It is ${write((breaks[inner] as Disguise)(token))}!`;
        expect([inner, outer, asked(text).tokens]).toEqual([inner, outer, [token]]);
      }
  });

  it('is found in any surrounding text', () => {
    const around = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(newTokens)),
        around,
        around,
        fc.constantFrom(...names),
        (make, before, after, name) => {
          const token = make();
          const held = (disguises[name] as Disguise)(token);
          const { value, tokens } = asked(`${before} ${held} ${after}`);
          expect(tokens).toContain(token);
          expect(value).not.toContain(held);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is found glued to letters, behind Markdown escapes and where another secret covers it', () => {
    for (const write of [
      (token: string) => `x${token}y`,
      (token: string) => token.replace(/[._-]/g, '\\$&'),
      (token: string) => `https://user:abc${token}@example.org/`,
      (token: string) => `_${token}_`,
      (token: string) => token.replace(/^(.)(.)/, '$1<wbr>$2'),
    ] as Disguise[]) {
      const token = newKey();
      expect([write('T'), asked(`Look: ${write(token)} there.`).tokens]).toEqual([
        write('T'),
        expect.arrayContaining([token]),
      ]);
    }
  });

  it('is found in a member and in a name of a JSON value', () => {
    const [one, two] = [newShare(), newShare()];
    const { finds } = scrubJson({
      a: [{ b: Buffer.from(one).toString('base64') }],
      [Buffer.from(two).toString('hex')]: 1,
    });
    expect(finds).toEqual([
      { path: '/a/0/b', kind: 'share-token', count: 1 },
      { path: '/[redacted:secret]', kind: 'share-token', count: 1 },
    ]);
  });
});

describe('stored content', () => {
  it.each(names)('is found by the rules if it contains a token as %s', (name) => {
    const redactor = ruleRedactor(fingerprintOf);
    const token = newShare();
    const text = `It is ${(disguises[name] as Disguise)(token)} there.`;
    expect(redactor.mayContain(JSON.stringify(text))).toBe(true);
    expect(redactor.redact(text).finds).toEqual([{ path: '', kind: 'share-token', count: 1 }]);
  });
});

describe('content that resembles a token', () => {
  it('is kept: images, digests, identifiers and words', () => {
    const image = randomBytes(40_000).toString('base64');
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>'.repeat(50),
    );
    const digests = Array.from({ length: 50 }, () => randomBytes(32).toString('hex'));
    for (const text of [
      `![a](data:image/png;base64,${image})`,
      image.replace(/.{76}/g, '$&\r\n'),
      `data:image/svg+xml;base64,${drawing.toString('base64')}`,
      digests.join('\n'),
      digests.join(''),
      Buffer.from(digests.join(' ')).toString('base64'),
      Array.from({ length: 200 }, (_, i) => `lock_${i} = stack_trace_${i}`).join('\n'),
      'tk_Window Handles The Main Loop\nAnd Nothing Else Of Any Interest To Readers Of This Page',
      'We wash. A quick English. A fish. A cash. A bush. A wish. A dish. A rush. A push. A lash. A mesh.',
      `sh.${'A'.repeat(24)}\n${'A'.repeat(24)}`,
      Buffer.from(`sh.AQE${'b'.repeat(45)}`).toString('base64'),
      encodeURIComponent('https://example.org/?a=b c&d=é%20'.repeat(100)),
    ])
      expect(scrubText(text)).toEqual({ value: text, finds: [] });
  });
});

describe('texts crafted to be slow', () => {
  const size = 1_000_000;
  const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  it.each([
    ['prefixes', 'ck_ '],
    ['prefixes broken by hyphens', 'ck_-\n'],
    ['prefixes of shares', 'sh.A '],
    ['percent signs', '%25'],
    ['entities of entities', '&amp;'],
    ['base64 of itself', 'QUFB'],
    ['hex of itself', '33'],
    ['backslashes', '\\'],
    ['spaces', ' '],
    ['letters far apart', `A${' '.repeat(63)}`],
    ['tags that do not close', '<'],
    ['dots', 'h.'],
  ])('take time in proportion to their length: %s', (_name, unit) => {
    const from = process.cpuUsage();
    scrubText(fill(unit));
    expect(cpuMs(from)).toBeLessThan(4000);
  });

  it.each([
    '>.',
    ';.',
    '>_',
    ';_',
    'sh.<',
    'c2gu',
    '%25',
    '<!--',
    '<a="',
    '<a="<a=""',
    '](',
    '&#00',
    'sh.<b>',
  ])('take time in proportion to their length, also where nothing opens what ends: %s', (unit) => {
    const text = unit.repeat(Math.ceil(262_144 / unit.length));
    const from = process.cpuUsage();
    mayHideToken(text);
    findTokens(text);
    scrubText(text);
    expect(cpuMs(from)).toBeLessThan(3000);
  });
});
