import { describe, expect, it } from 'vitest';
import { corpusOf, bm25Score, TermCounts } from '../../../src/domain/retrieval/bm25.ts';

const texts = ['log log proof', 'log of every act', 'a proof', 'nothing of the kind at all'];
const documents = texts.map((text) => new TermCounts(text.split(' ')));

function scores(...terms: string[]): number[] {
  const corpus = corpusOf(documents, terms);
  return documents.map((document) => Number(bm25Score(terms, document, corpus).toFixed(4)));
}

describe('relevance', () => {
  it('counts repetition, rarity and length as BM25 does', () => {
    // By hand: idf = ln(1 + 2.5/2.5), average length 3.75, k1 = 1.2, b = 0.75.
    expect(scores('log')).toEqual([1.0099, 0.6747, 0, 0]);
  });

  it('is the sum over the terms, and zero for a document without them', () => {
    const [first, second, third, fourth] = scores('log', 'proof') as [number, number, number, number];
    expect(first).toBeGreaterThan(third);
    expect(third).toBeGreaterThan(second);
    expect(fourth).toBe(0);
  });

  it('is never negative, even if every document contains the term', () => {
    const same = [new TermCounts(['x']), new TermCounts(['x', 'y'])];
    const corpus = corpusOf(same, ['x']);
    expect(same.every((document) => bm25Score(['x'], document, corpus) > 0)).toBe(true);
  });
});
