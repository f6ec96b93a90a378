/** src/ledger/entry-members.ts must read the same members as a JSON parser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntryMembers } from '../../../src/ledger/entry-members.ts';
import { canonicalJson, type JsonObject } from '../../../src/kernel/json.ts';

const sha = 'e050964b3d7b3feac888a519425a24eaf296e77d00378b089c492493b6f020eb';
const divided = `{"actor":"owner","chain":"art_a.d66","inv":"inv_b","n":0,"op":"divide","prev":"genesis","text_sha":"${sha}","ts":"2026-11-21T05:46:05.038Z"}`;
const called = `{"action":"success","actor":"owner","article":"art_a","chain":"inv_b","contract":"6c","key":"VOXEL_BATCH","material_sha":"m","ms":12,"n":3,"prev":"${sha}","request_sha":"r","response_sha":"s","said_sha":"t","tenant":"main","told_sha":"u","ts":"2026-11-21T05:46:04.898Z"}`;

/** What an audit looks at, as a parser reads it. */
function asParsed(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof value === 'object' && value !== null ? looked(value as Record<string, unknown>) : undefined;
}

function looked(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of Object.keys(entry).sort()) {
    const isLookedAt = ['chain', 'n', 'prev', 'op'].includes(name) || name.endsWith('_sha');
    if (isLookedAt && entry[name] !== undefined) out[name] = entry[name];
  }
  return out;
}

function read(text: string): Record<string, unknown> | undefined {
  const members = readEntryMembers(text);
  return members === undefined ? undefined : looked(members);
}

describe('readEntryMembers', () => {
  it('reads the members that an audit checks', () => {
    expect(read(divided)).toEqual({
      chain: 'art_a.d66',
      n: 0,
      op: 'divide',
      prev: 'genesis',
      text_sha: sha,
    });
    expect(read(called)).toEqual({
      chain: 'inv_b',
      material_sha: 'm',
      n: 3,
      prev: sha,
      request_sha: 'r',
      response_sha: 's',
      said_sha: 't',
      told_sha: 'u',
    });
    expect(read('{"actor":"a","chain":"c","job_sha":"j","n":1,"prev":"p","ts":"t"}')).toEqual({
      chain: 'c',
      job_sha: 'j',
      n: 1,
      prev: 'p',
    });
  });

  it.each([
    ['a duplicate member', divided.replace('"n":0', '"chain":"art_z.d1","n":0'), 'art_z.d1'],
    ['a duplicate member at the end', divided.replace('"ts":', '"chain":"art_z.d1","ts":'), 'art_z.d1'],
    ['an escaped letter in a value', divided.replace('art_a.d66', String.raw`art_\u0062.d66`), 'art_b.d66'],
    [
      'escaped quotes inside a string',
      divided.replace('"owner"', String.raw`"o\",\"chain\":\"art_z.d1"`),
      'art_a.d66',
    ],
    [
      'a nested object with a member of the same name',
      divided.replace('"inv":"inv_b"', '"inv":{"chain":"art_z.d1"}'),
      'art_a.d66',
    ],
    ['spaces between members', divided.replace(',"op"', ' , "op"'), 'art_a.d66'],
    ['unknown members', divided.replace('"ts"', '"trailing":null,"ts"'), 'art_a.d66'],
    ['an array before the members', divided.replace('"chain"', '"cap":["chain"],"chain"'), 'art_a.d66'],
  ])('agrees with a JSON parser on %s', (_what, text, chain) => {
    expect(read(text)?.['chain']).toBe(chain);
    expect(read(text)).toEqual(asParsed(text));
  });

  it.each([
    ['text after the object', `${divided}x`],
    ['a line break after an unclosed object', `${divided.slice(0, -1)}\n`],
    ['a raw control character', divided.replace('owner', 'ow\u0001ner')],
    ['a number with a leading zero', divided.replace('"n":0', '"n":00')],
    ['a member without a value', divided.replace('"n":0', '"n":')],
    ['an unterminated string', divided.replace('"prev":"genesis"', '"prev":"genesis')],
    ['empty text', ''],
    ['a JSON string', '"chain"'],
    ['null', 'null'],
  ])('returns undefined for %s', (_what, text) => {
    expect(readEntryMembers(text)).toBeUndefined();
  });

  it('agrees with a JSON parser on any entry, unchanged or with one character changed', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('genesis', sha, 'art_a.d1', '"', '\\'),
    );
    const value = fc.oneof(
      word,
      fc.nat(),
      fc.constantFrom<JsonObject[string]>(true, null, -1, 1.5, ['x'], {}),
    );
    const entry = fc.record(
      {
        actor: word,
        chain: word,
        n: fc.oneof(fc.nat(), value),
        prev: fc.oneof(word, value),
        ts: word,
        action: value,
        article: value,
        content_sha: value,
        error: value,
        inv: value,
        key: value,
        op: value,
        rev: value,
        root: value,
        said_sha: value,
        told_sha: value,
        text_sha: value,
        zebra: value,
      },
      { requiredKeys: ['actor', 'chain', 'n', 'prev', 'ts'] },
    );
    fc.assert(
      fc.property(
        entry,
        fc.nat(),
        fc.constantFrom('', '"', '\\', ',', '{', '}', ':', '0', 'n'),
        (made, at, put) => {
          const text = canonicalJson(made);
          expect(read(text)).toEqual(asParsed(text));
          const where = at % text.length;
          const changed = text.slice(0, where) + put + text.slice(where + 1);
          expect(read(changed)).toEqual(asParsed(changed));
        },
      ),
      { numRuns: 3000 },
    );
  });
});
