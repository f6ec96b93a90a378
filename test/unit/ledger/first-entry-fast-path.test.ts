/** An entry that the fast path accepts must also pass the full audit (src/ledger/first-entry-fast-path.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirstEntryFastPath } from '../../../src/ledger/first-entry-fast-path.ts';
import { auditEntry, type StoredForAudit } from '../../../src/ledger/audit.ts';

/** SHA-256 of `one` and of `two`. */
const one = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';
const two = '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3';
const first = entry('art_a.d1', one, 'one');
const second = entry('art_a.d2', two, 'two');

function entry(chain: string, sha: string, body: string): StoredForAudit {
  const text = `{"actor":"owner","chain":"${chain}","inv":"inv_b","n":0,"op":"divide","prev":"genesis","text_sha":"${sha}","ts":"2026-11-21T05:46:05.038Z"}`;
  return { seq: 7, chain, n: 0, text, contents: [{ field: 'text_sha', saltBytes: null, hashed: body }] };
}

function after(remembered: StoredForAudit): FirstEntryFastPath {
  const alike = new FirstEntryFastPath();
  alike.remember(remembered);
  return alike;
}

describe('the fast path for an entry that resembles its predecessor', () => {
  it('matches an entry that differs only in its chain and the hash of its text', () => {
    expect(auditEntry(second, () => undefined)).toEqual([]);
    expect(after(first).matches(second)).toBe(true);
    expect(new FirstEntryFastPath().matches(second)).toBe(false);
  });

  it.each<[string, Partial<StoredForAudit>]>([
    [
      'a text that differs from its commitment',
      { contents: [{ field: 'text_sha', saltBytes: null, hashed: 'too' }] },
    ],
    ['no text', { contents: [] }],
    ['a scrubbed text', { contents: [{ field: 'text_sha', saltBytes: null, hashed: null }] }],
    ['a salt', { contents: [{ field: 'text_sha', saltBytes: 1, hashed: 'two' }] }],
    ['its text under another name', { contents: [{ field: 'said_sha', saltBytes: null, hashed: 'two' }] }],
    ['another chain in its row', { chain: 'art_a.d3' }],
    ['another number in its row', { n: 1 }],
    ['another time', { text: second.text.replace('05:46', '05:47') }],
    ['an additional commitment', { text: second.text.replace('"prev"', '"job_sha":"x","prev"') }],
  ])('does not match an entry with %s', (_what, change) => {
    expect(after(first).matches({ ...second, ...change })).toBe(false);
  });

  it('does not match after an entry whose `chain` member may be at another offset', () => {
    const nested = entry('art_a.d1', one, 'one').text.replace('"owner"', '{"chain":"art_a.d1"}');
    expect(after({ ...first, text: nested }).matches({ ...second, text: nested })).toBe(false);
    const escaped = first.text.replace('"owner"', String.raw`"\""`);
    expect(after({ ...first, text: escaped }).matches(second)).toBe(false);
  });

  it('matches only entries that pass the full audit, for any remembered and changed text', () => {
    const piece = fc.constantFrom('', '"', '\\', ',', '{', '}', ':', '0', 'a', '"chain":"', '"n":1,');
    const place = fc.nat({ max: first.text.length });
    const changed = (of: StoredForAudit, at: number, put: string, cut: number): StoredForAudit => ({
      ...of,
      text: of.text.slice(0, at) + put + of.text.slice(at + cut),
    });
    let known = 0;
    fc.assert(
      fc.property(place, piece, place, piece, fc.nat({ max: 2 }), (at, put, where, putToo, cut) => {
        const remembered = changed(first, at, put, cut);
        // Only what was found sound is remembered.
        if (auditEntry(remembered, () => undefined).length > 0) return;
        for (const next of [changed(second, at, put, cut), changed(second, where, putToo, cut), second]) {
          if (!after(remembered).matches(next)) continue;
          known++;
          expect(auditEntry(next, () => undefined)).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(known).toBeGreaterThan(20);
  });
});
