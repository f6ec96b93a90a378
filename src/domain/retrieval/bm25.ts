/**
 * Okapi BM25 with the inverse document frequency of Lucene, which is never negative (Robertson and Zaragoza,
 * "The Probabilistic Relevance Framework", 2009). Search over all articles, answers from one article and look-ups of rows
 * rank by it.
 */

/** What is known of all documents together. */
export interface Corpus {
  readonly documents: number;
  /** Terms of all documents together. */
  readonly length: number;
  /** How many documents hold a term. */
  frequency(term: string): number;
}

export interface CountedDocument {
  /** Terms of the document, repeated ones included. */
  readonly length: number;
  /** How often the document holds a term. */
  count(term: string): number;
}

/** How soon repetition stops to matter, and how much long documents are held back. */
const saturation = 1.2;
const lengthWeight = 0.75;

/** Inverse document frequency: high for rare terms, near zero for terms in every document. */
export function inverseDocumentFrequency(term: string, corpus: Corpus): number {
  const frequency = corpus.frequency(term);
  return Math.log(1 + (corpus.documents - frequency + 0.5) / (frequency + 0.5));
}

/** 0 for a document that holds none of the terms. */
export function bm25Score(terms: readonly string[], document: CountedDocument, corpus: Corpus): number {
  const average = corpus.documents === 0 ? 1 : corpus.length / corpus.documents;
  const held = saturation * (1 - lengthWeight + (lengthWeight * document.length) / Math.max(average, 1));
  let sum = 0;
  for (const term of terms) {
    const count = document.count(term);
    if (count > 0)
      sum += (inverseDocumentFrequency(term, corpus) * count * (saturation + 1)) / (count + held);
  }
  return sum;
}

/** Terms of one text, counted. */
export class TermCounts implements CountedDocument {
  readonly length: number;
  readonly #counts = new Map<string, number>();

  constructor(terms: readonly string[]) {
    this.length = terms.length;
    for (const term of terms) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
  }

  count(term: string): number {
    return this.#counts.get(term) ?? 0;
  }
}

/** The corpus that a list of documents is, for those terms that are asked about. */
export function corpusOf(documents: readonly CountedDocument[], terms: readonly string[]): Corpus {
  const frequencies = new Map(
    terms.map((term) => [term, documents.filter((each) => each.count(term) > 0).length]),
  );
  return {
    documents: documents.length,
    length: documents.reduce((sum, { length }) => sum + length, 0),
    frequency: (term) => frequencies.get(term) ?? 0,
  };
}
