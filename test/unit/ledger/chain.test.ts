import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyChain, type Link } from '../../../src/ledger/chain.ts';
import { headOf, leafHash, seal, type Head } from '../../../src/ledger/entry.ts';
import { canonicalJson, type JsonObject } from '../../../src/kernel/json.ts';
import { hex, vectorJson } from './support.ts';

interface ServedLink {
  entry: JsonObject;
  hash: string;
}

const golden = vectorJson<{
  valid: { links: ServedLink[]; head: string };
  broken: { name: string; links: ServedLink[]; broken_at: number; reason: string }[];
}>('ledger/chains.json');

function chainOf(length: number, members: (n: number) => JsonObject = () => ({})): ServedLink[] {
  const links: ServedLink[] = [];
  let head: Head | null = null;
  for (let n = 0; n < length; n++) {
    const sealed = seal(
      { chain: 'inv_x', ts: '2026-01-01T00:00:00.000Z', actor: 'owner', action: 'a', ...members(n) },
      head,
    );
    head = headOf(sealed);
    links.push({ entry: sealed.entry, hash: sealed.hash });
  }
  return links;
}

describe('verifyChain', () => {
  test('accepts the golden chain as objects, as texts, and as entries that contain their hash', () => {
    const { links, head } = golden.valid;
    const verdict = { valid: true, entries: 3, head };
    expect(verifyChain(links)).toEqual(verdict);
    expect(verifyChain(links.map(({ entry, hash }) => ({ entry: canonicalJson(entry), hash })))).toEqual(
      verdict,
    );
    expect(verifyChain(links.map(({ entry, hash }) => ({ ...entry, hash })))).toEqual(verdict);
  });

  test.each(golden.broken)('names the break in $name', ({ links, broken_at, reason }) => {
    expect(verifyChain(links)).toEqual({ valid: false, broken_at, reason });
  });

  test('accepts an empty chain with genesis as its head', () => {
    expect(verifyChain([])).toEqual({ valid: true, entries: 0, head: 'genesis' });
  });

  test('rejects a chain with another id than requested', () => {
    const { links } = golden.valid;
    expect(verifyChain(links, { chain: 'inv_aaaaaaaaaaaaaaaa' }).valid).toBe(true);
    expect(verifyChain(links, { chain: 'inv_other' })).toEqual({
      valid: false,
      broken_at: 0,
      reason: 'chain is "inv_aaaaaaaaaaaaaaaa", not inv_other',
    });
  });

  test('rejects a chain that ends at another head than the known one', () => {
    const { links, head } = golden.valid;
    expect(verifyChain(links, { head: { n: 2, hash: head } }).valid).toBe(true);
    expect(verifyChain(links.slice(0, 2), { head: { n: 2, hash: head } })).toEqual({
      valid: false,
      broken_at: 2,
      reason: 'the chain ends before entry 2',
    });
    expect(verifyChain(links, { head: { n: 2, hash: 'ab'.repeat(32) } })).toEqual({
      valid: false,
      broken_at: 2,
      reason: `entry 2 is not the head ${'ab'.repeat(32)}`,
    });
  });

  const text =
    '{"action":"a","actor":"owner","chain":"c","n":0,"prev":"genesis","ts":"2026-01-01T00:00:00.000Z"}';
  test.each<[string, Link | JsonObject, string]>([
    ['text that is not JSON', { entry: '{', hash: '' }, 'the entry is not a JSON object'],
    ['text that is a list', { entry: '[]', hash: '' }, 'the entry is not a JSON object'],
    [
      'text with white space',
      { entry: `${text} `, hash: hex(leafHash(`${text} `)) },
      'the entry is not in canonical form',
    ],
    [
      'text with a key twice',
      { entry: text.replace('{', '{"n":7,'), hash: hex(leafHash(text)) },
      'the entry is not in canonical form',
    ],
    [
      'an entry with a lone surrogate',
      { entry: { n: 0, x: '\ud800' }, hash: '' },
      'the entry has no canonical text: canonical JSON refuses lone surrogates',
    ],
    [
      'an entry that holds a hash',
      { entry: { hash: 'x', n: 0 }, hash: '' },
      'the entry holds a hash of itself',
    ],
    ['an entry without a chain', { entry: { n: 0 }, hash: '' }, 'chain is undefined, not an id'],
    ['an entry without a hash', JSON.parse(text) as JsonObject, 'hash does not match the entry'],
  ])('refuses %s', (_title, link, reason) => {
    expect(verifyChain([link])).toEqual({ valid: false, broken_at: 0, reason });
  });

  test('accepts every prefix of a chain', () => {
    const links = chainOf(40, (n) => ({ mark: n * 7 }));
    for (let length = 0; length <= links.length; length++) {
      expect(verifyChain(links.slice(0, length))).toEqual({
        valid: true,
        entries: length,
        head: links[length - 1]?.hash ?? 'genesis',
      });
    }
  });

  test('reports any flipped bit of an entry or hash at that entry', () => {
    const links = chainOf(6, (n) => ({ text_sha: hex(leafHash(String(n))), at: n })).map(
      ({ entry, hash }) => ({ entry: canonicalJson(entry), hash }),
    );
    fc.assert(
      fc.property(fc.nat(5), fc.boolean(), fc.nat(), fc.nat(7), (at, inHash, position, bit) => {
        const { entry, hash } = links[at] as { entry: string; hash: string };
        const target = Buffer.from(inHash ? hash : entry);
        const i = position % target.length;
        target[i] = (target[i] as number) ^ (1 << bit);
        const flipped = target.toString('utf8');
        const verdict = verifyChain(
          links.with(at, inHash ? { entry, hash: flipped } : { entry: flipped, hash }),
        );
        expect(verdict).toMatchObject({ valid: false, broken_at: at });
      }),
      { numRuns: 2000 },
    );
  });

  test('rejects removed, duplicated or exchanged entries', () => {
    const links = chainOf(8);
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), (a, b) => {
        fc.pre(a !== b);
        expect(verifyChain(links.with(a, links[b] as ServedLink).with(b, links[a] as ServedLink)).valid).toBe(
          false,
        );
        expect(verifyChain(links.toSpliced(a, 0, links[b] as ServedLink)).valid).toBe(false);
        if (a < 7) expect(verifyChain(links.toSpliced(a, 1))).toMatchObject({ valid: false, broken_at: a });
      }),
    );
  });
});
