import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryTerms, indexedTerms, termList, termsOf } from '../../../src/domain/retrieval/terms.ts';

describe('the terms of a text', () => {
  it.each([
    ['Receipts, receipt and RECEIPT', ['receipt', 'receipt', 'and', 'receipt']],
    ['VOXEL_EDIT edits', ['voxel', 'edit', 'edit']],
    ['Café and cafe', ['caf', 'and', 'caf']],
    ['ＷＩＤＥ width', ['wid', 'width']],
    ['Straße STRASSE', ['strass', 'strass']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['公开日志', ['公开', '开日', '日志']],
    ['链', ['链']],
    ['rfc6962 in 2013', ['rfc6962', 'in', '2013']],
    ['— … !', []],
  ])('%j is %j', (text, terms) => {
    expect(termList(text)).toEqual(terms);
  });

  it('say where they stood', () => {
    expect(termsOf('The Ｌogs.')).toEqual([
      { term: 'the', start: 0, end: 3 },
      { term: 'log', start: 4, end: 8 },
    ]);
  });

  it('hold nothing that an index would take for a boundary, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const { term, start, end } of termsOf(text)) {
          expect(term).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(term.length).toBeLessThanOrEqual(128);
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are the same for a text in either normal form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        expect(termList(text.normalize('NFD'))).toEqual(termList(text.normalize('NFC')));
      }),
    );
  });
});

describe('what is indexed of a text', () => {
  it('is no term longer than 64 characters, or twice that for a pair', () => {
    expect(indexedTerms('x'.repeat(3000))).toEqual(['x'.repeat(64)]);
    const [pair] = indexedTerms(`ก${'\u0e48'.repeat(3000)}ข`);
    expect(pair).toBe(`ก${'\u0e48'.repeat(63)}ข`);
  });

  it('is cut where a text has more distinct terms than an index stores', () => {
    expect(indexedTerms('again '.repeat(200_000))).toHaveLength(200_000);
    const words = Array.from({ length: 20_000 }, (_, i) => `${String(i).padStart(5, '0')}${'7'.repeat(59)}`);
    expect(indexedTerms(words.join(' '))).toHaveLength(8192);
    const short = Array.from({ length: 200_000 }, (_, i) => (36 ** 3 + i).toString(36));
    expect(indexedTerms(short.join(' '))).toHaveLength(83_333);
  });
});

describe('a question', () => {
  it('uses its distinctive words, each once', () => {
    expect(queryTerms('How does the log prove that a log is whole?')).toEqual(['log', 'prov', 'whol']);
  });

  it('uses its common words when it has no others', () => {
    expect(queryTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });
});
