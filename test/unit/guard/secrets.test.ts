import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { everyFamily } from '../../../src/guard/secret-families.ts';
import { suspectedFamilies } from '../../../src/guard/secret-prefilter.ts';
import { findSecrets } from '../../../src/guard/secret-rules.ts';
import { scrubJson, scrubText } from '../../../src/guard/secrets.ts';
import { presetRuleNames, reportedByPreset } from './preset-oracle.ts';
import { body, pem, samples, type Sample } from './secret-samples.ts';

const marker = '[redacted:secret]';

function redacted(sample: Sample): string {
  return sample.text.replace(sample.secret, marker);
}

describe('the corpus of samples', () => {
  it('holds at least three samples for every rule of the preset but the one that switches rules off', () => {
    const counts = presetRuleNames
      .filter((name) => name !== 'filter-comments')
      .map((name) => [name, samples.filter((sample) => sample.rule === name).length] as const);
    expect(counts.filter(([, count]) => count < 3)).toEqual([]);
    expect(counts).toHaveLength(27);
  });

  it.each(samples.filter(({ rule }) => rule !== 'own' && rule !== 'gcp'))(
    'the preset alone knows its $rule sample',
    ({ rule, text }) => {
      expect(reportedByPreset(text).map((reported) => reported.rule)).toContain(rule);
    },
  );
});

describe('scrubbing a text', () => {
  it.each(samples)('replaces exactly the secret of a $kind sample', (sample) => {
    const { value, finds } = scrubText(sample.text);
    expect(value).toBe(redacted(sample));
    expect(finds).toHaveLength(1);
    expect(finds[0]).toMatchObject({ path: '', count: 1 });
    expect(finds.map((find) => find.kind)).toEqual([sample.kind]);
  });

  it('gives clean text back as it is', () => {
    const text =
      'Bread keeps longer in a sk-ip freezer: see https://example.org/a@b, `npm_config`, IRI and 12:30.';
    expect(scrubText(text)).toEqual({ value: text, finds: [] });
  });

  it('counts each kind once, with how often it was found', () => {
    const key = `${'AKI'}A${'ABCDEFGH'}${'23456723'}`;
    const text = `${key} and ${key}, then https://alice:${'Tr0ub4dor'}@example.org`;
    expect(scrubText(text)).toEqual({
      value: `${marker} and ${marker}, then https://alice:${marker}@example.org`,
      finds: [
        { path: '', kind: 'aws', count: 2 },
        { path: '', kind: 'basicauth', count: 1 },
      ],
    });
  });

  it('does not obey a comment that switches secretlint off', () => {
    const token = `gh${'p'}_${body(36)}`;
    expect(scrubText(`<!-- secretlint-disable -->\n${token}\n`).value).toBe(
      `<!-- secretlint-disable -->\n${marker}\n`,
    );
  });

  it('takes a private key out of a quotation, out of a JSON string, and without its end', () => {
    const key = pem('PRIVATE' + ' KEY', `MI${body(254)}`);
    const quoted = key.replaceAll('\n', '\n> ');
    const cut = key.slice(0, key.lastIndexOf('-----END')).trimEnd();
    expect(scrubText(`> ${quoted}\n\nafter`).value).toBe(`> ${marker}\n\nafter`);
    expect(scrubText(JSON.stringify({ key })).value).toBe(`{"key":"${marker}"}`);
    expect(scrubText(`${cut}\n\nThat was it, in short.`).value).toBe(`${marker}\n\nThat was it, in short.`);
  });

  it.each([
    `-----${'BEGIN'} PRIVATE${' KEY'}-----\n...\n-----END PRIVATE${' KEY'}-----`,
    `-----${'BEGIN'} PUBLIC KEY-----\n${body(200)}\n-----END PUBLIC KEY-----`,
    'Authorization: Bearer <token>',
    'Authorization: Bearer YOUR_ACCESS_TOKEN_1',
    'Authorization: Bearer my-access-token',
    'bearer authentication-and-authorization is common',
    'postgres://user:password@localhost:5432/db',
    'https://user:${PASSWORD}@example.org',
    'https://example.org:8080/@scope/name',
    'redis://:{password}@host',
    '_authToken=${NPM_TOKEN}',
    `AKIA${'IOSFODNN7'}EXAMPLE`,
    'ck_button_primary_large_and_round_corner',
    'push.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ])('leaves the placeholder %j alone', (text) => {
    expect(scrubText(text)).toEqual({ value: text, finds: [] });
  });

  it('takes the whole password of a URL, an @ in it included', () => {
    expect(scrubText(`postgres://u:a@${'b'}c:1?d@db.internal/x`).value).toBe(
      `postgres://u:${marker}@db.internal/x`,
    );
  });

  it('finds nothing in what it has scrubbed', () => {
    for (const sample of samples) {
      const { value } = scrubText(`${sample.text}\n${sample.text}`);
      expect(scrubText(value)).toEqual({ value, finds: [] });
    }
  });
});

describe('tokens of ours', () => {
  const share = `s${'h'}.${body(48)}`;
  const apiKey = `c${'k'}_${body(48)}`;
  const fingerprints = new Map([
    [share, 'cap_0011223344556677'],
    [apiKey, 'cap_8899aabbccddeeff'],
  ]);
  const fingerprintOf = (token: string): string | undefined => fingerprints.get(token);

  it('become their fingerprints', () => {
    expect(scrubText(`?share=${share}&n=1, key ${apiKey}.`, fingerprintOf)).toEqual({
      value: '?share=cap_0011223344556677&n=1, key cap_8899aabbccddeeff.',
      finds: [
        { path: '', kind: 'share-token', count: 1 },
        { path: '', kind: 'api-key', count: 1 },
      ],
    });
  });

  it('become their fingerprints behind an authorization header and inside emphasis', () => {
    expect(scrubText(`Authorization: Bearer ${share}`, fingerprintOf).value).toBe(
      'Authorization: Bearer cap_0011223344556677',
    );
    expect(scrubText(`_${share}_ _${apiKey}_`, fingerprintOf).value).toBe(
      '_cap_0011223344556677_ _cap_8899aabbccddeeff',
    );
  });

  it('become the marker when they only look like ours', () => {
    expect(scrubText(`s${'h'}.${body(48)}`, fingerprintOf).value).toBe(marker);
  });
});

describe('scrubbing JSON', () => {
  const token = `gl${'pat'}-${body(20)}`;

  it('gives the same object back when it holds no secret', () => {
    const value = {
      slug: 'on-bread',
      list: [1, null, { text: 'Rye_bread keeps: longer.' }],
      authorization: 'none',
    };
    expect(scrubJson(value).value).toBe(value);
    expect(scrubJson(value).finds).toEqual([]);
  });

  it('names each find by JSON Pointer and leaves what is clean as it was', () => {
    const clean = { text: 'clean' };
    const value = { 'a/b~c': [clean, `x ${token}`], clean };
    const { value: scrubbed, finds } = scrubJson(value);
    expect(scrubbed).toEqual({ 'a/b~c': [{ text: 'clean' }, `x ${marker}`], clean: { text: 'clean' } });
    expect(finds).toEqual([{ path: '/a~1b~0c/1', kind: 'gitlab', count: 1 }]);
    expect((scrubbed as typeof value).clean).toBe(clean);
  });

  it('scrubs keys, keeps every member, and never shows a secret in a path', () => {
    const value = { [token]: 1, [`gl${'pat'}-${body(20)}`]: token };
    const { value: scrubbed, finds } = scrubJson(value);
    expect(scrubbed).toEqual({ [marker]: 1, [`${marker}~`]: marker });
    expect(finds).toEqual([
      { path: `/${marker}`, kind: 'gitlab', count: 1 },
      { path: `/${marker}~0`, kind: 'gitlab', count: 2 },
    ]);
  });

  it('reads a value with the key that makes a secret of it', () => {
    const value = {
      headers: { Authorization: `Basic ${'QWxhZGRpbjpvcGVu'}c2VzYW1l` },
      aws: { secretAccessKey: body(40), region: 'eu-central-1' },
      npmrc: { '//registry.example.org/:_authToken': `${body(20)}7` },
    };
    expect(scrubJson(value).value).toEqual({
      headers: { Authorization: `Basic ${marker}` },
      aws: { secretAccessKey: marker, region: 'eu-central-1' },
      npmrc: { '//registry.example.org/:_authToken': marker },
    });
  });

  it('keeps a member called __proto__ a member', () => {
    const value = JSON.parse(`{"__proto__":{"a":1},"t":"${token}"}`) as JsonValue;
    const { value: scrubbed } = scrubJson(value);
    expect(JSON.stringify(scrubbed)).toBe(`{"__proto__":{"a":1},"t":"${marker}"}`);
  });
});

function expectNothingMissed(text: string): void {
  const { value } = scrubText(text);
  for (const [secret, reports] of Map.groupBy(reportedByPreset(text), (reported) => reported.secret)) {
    const removed = text.split(secret).length - value.split(secret).length;
    if (removed < reports.length) expect(`${JSON.stringify(text)} keeps`).toBe(secret);
  }
}

describe('the prefilter', () => {
  const around = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.lorem({ maxCount: 12 }),
    fc.constantFrom('', '`', '"', '| ', '\r\n\r\n- ', '(', '> ', '　', '，', '=', ': '),
  );
  // A secret is known by where it ends, so that what is glued to it must not look like more of it.
  const edge = fc.constantFrom(' ', '\n', '\r\n', '"', '`', '(', ')', ', ', ' | ', '\t', '>', '。');
  const embedded = fc.tuple(around, edge, fc.constantFrom(...samples), edge, around);

  test('misses no sample in random text', () => {
    fc.assert(
      fc.property(embedded, ([before, left, sample, right, after]) => {
        const text = before + left + sample.text + right + after;
        expect(scrubText(text).value).not.toContain(sample.secret);
        expectNothingMissed(text);
      }),
      { numRuns: 1_500 },
    );
  });

  test('misses no sample in Markdown with CRLF lines', () => {
    fc.assert(
      fc.property(fc.array(embedded, { minLength: 1, maxLength: 4 }), (parts) => {
        const lines = parts.map(
          ([before, left, { text }, right, after]) => `* ${before}${left}${text}${right}${after}`,
        );
        const document = lines.join('\n\n').replaceAll(/\r?\n/g, '\r\n');
        const { value } = scrubText(document);
        for (const [, , { secret }] of parts)
          expect(value).not.toContain(secret.replaceAll(/\r?\n/g, '\r\n'));
        expectNothingMissed(document);
      }),
      { numRuns: 300 },
    );
  });

  test('misses no sample in JSON, as a value or spelled out in a string', () => {
    fc.assert(
      fc.property(embedded, fc.boolean(), ([before, left, sample, right, after], spelledOut) => {
        const text = before + left + sample.text + right + after;
        const value = spelledOut ? JSON.stringify({ text }) : text;
        const { value: scrubbed } = scrubJson({ list: [{ deep: value }] });
        const secret = spelledOut ? JSON.stringify(sample.secret).slice(1, -1) : sample.secret;
        expect(JSON.stringify(scrubbed)).not.toContain(JSON.stringify(secret).slice(1, -1));
        expectNothingMissed(value);
      }),
      { numRuns: 1_000 },
    );
  });

  test('misses nothing that the full set finds in texts made of pieces of secrets', () => {
    const pieces = samples.flatMap(({ text }) => [
      text,
      text.slice(0, 12),
      text.slice(-40),
      text.slice(0, -1),
    ]);
    const piece = fc.oneof(
      fc.constantFrom(...pieces),
      fc.constantFrom(
        '_',
        '-',
        '.',
        ':',
        '=',
        '@',
        '/',
        '://',
        ' ',
        '\n',
        'a',
        '0',
        'key',
        'access_',
        'Secret',
        '"',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expectNothingMissed(text);
        expect(findSecrets(text, suspectedFamilies(text))).toEqual(findSecrets(text, everyFamily));
        const once = scrubText(text).value;
        expect(scrubText(once).value).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  it('changes no document that holds no secret', () => {
    const folder = new URL('../../data/markdown/', import.meta.url);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      expect(reportedByPreset(text)).toEqual([]);
      expect(scrubText(text)).toEqual({ value: text, finds: [] });
    }
  });
});

describe('texts made to be slow', () => {
  it('removes a flood of marks as a whole', () => {
    const flood = `fig${'d_'}`.repeat(20_000);
    expect(scrubText(`before ${flood} after`)).toEqual({
      value: `before ${marker} after`,
      finds: [{ path: '', kind: 'token-flood', count: 1 }],
    });
  });

  it('finds the shortest floods wherever they stand, two in a row too, and leaves what is one mark shorter', () => {
    const flood = 'hf_'.repeat(65);
    for (let offset = 0; offset < 400; offset++) {
      const before = '('.repeat(offset);
      expect(scrubText(`${before}${flood},${flood}`)).toEqual({
        value: `${before}${marker},${marker}`,
        finds: [{ path: '', kind: 'token-flood', count: 2 }],
      });
      const short = `${before}${flood.slice(3)}`;
      expect(scrubText(short)).toEqual({ value: short, finds: [] });
    }
  });

  it('reads texts of many megabytes, and finds what lies at the edge of its windows', () => {
    const token = `gh${'p'}_${body(36)}`;
    const filler = 'plain words. ';
    for (const offset of [229_370, 262_120, 262_144, 491_500, 1_000_000]) {
      const before = filler.repeat(Math.ceil(offset / filler.length)).slice(0, offset);
      const text = `${before} ${token} ${filler.repeat(40_000)}`;
      expect(scrubText(text).value).toBe(`${before} ${marker} ${filler.repeat(40_000)}`);
    }
  });

  it.each([
    ['an endless Slack token', `xox${'b'}-${'a-'.repeat(2_000_000)}`],
    ['an endless gap before a colon', `secret_access_key${' '.repeat(8_000_000)}: x`],
    ['an endless key', `-----${'BEGIN'} PRIVATE${' KEY'}-----${'AAAAAAAAAAAAAAAA\n'.repeat(200_000)}`],
    ['endless headers', `-----${'BEGIN'} PRIVATE${' KEY'}-----\n`.repeat(40_000)],
  ])('does not give up on %s', (_name, text) => {
    expect(() => scrubText(text)).not.toThrow();
  });
});
