/**
 * Plain-language look-up of rows (contract §3 `ask`): BM25 over key, contract and example. Words of a key weigh
 * three times, since keys are what callers half remember. A question that shares too little with every row has
 * no best row: a wrong capability is worse than none.
 */
import { bm25Score, corpusOf, inverseDocumentFrequency, type CountedDocument } from '../retrieval/bm25.ts';
import { argsText, type Row } from './row.ts';

export interface Match {
  readonly row: Row;
  /** BM25; only its order means anything. */
  readonly score: number;
  /** Share of the question's weight that the row has words for, 0 to 1. */
  readonly covered: number;
}

const keyWeight = 3;
export const matchesMax = 8;
const coveredMin = 0.5;
const questionCharsMax = 500;

const stopWords = new Set(
  `a an and any are as at be been by can could do does did for from get give had has have how i if in into is it its me my of
  on or our should so some than that the their them there these they this those to us was we were what when where which
  who whom whose why will with would you your please want need like about`.split(/\s+/),
);

interface Document extends CountedDocument {
  readonly row: Row;
}

/** Up to eight rows, best first; `best` is nothing where no row fits. */
export function askRows(
  question: string,
  rows: Iterable<Row>,
): { readonly best: Match | undefined; readonly matches: readonly Match[] } {
  const terms = [...new Set(termsOf(question.slice(0, questionCharsMax)))];
  const documents = [...rows].map(documentOf);
  const corpus = corpusOf(documents, terms);
  const weightOf = (some: readonly string[]): number =>
    some.reduce((sum, term) => sum + inverseDocumentFrequency(term, corpus), 0);
  const total = weightOf(terms);
  const matches = documents
    .map((document): Match => {
      const held = terms.filter((term) => document.count(term) > 0);
      const score = bm25Score(terms, document, corpus);
      return { row: document.row, score, covered: total === 0 ? 0 : weightOf(held) / total };
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.row.key < right.row.key ? -1 : 1))
    .slice(0, matchesMax);
  const [first] = matches;
  return { best: first !== undefined && first.covered >= coveredMin ? first : undefined, matches };
}

function documentOf(row: Row): Document {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  add(row.key, keyWeight);
  add(row.contract.what, 1);
  add(row.contract.when, 1);
  add(argsText(row), 0.5);
  add(row.contract.example, 0.25);
  return {
    row,
    length: [...counts.values()].reduce((sum, count) => sum + count, 0),
    count: (term) => counts.get(term) ?? 0,
  };
}

/** Words without their commonest endings, so that "objecting" finds an objection. */
function termsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map(stem);
}

function stem(word: string): string {
  for (const ending of [
    'ations',
    'ation',
    'ings',
    'ions',
    'ing',
    'ion',
    'ers',
    'ies',
    'ed',
    'es',
    'er',
    'y',
    's',
    'e',
  ]) {
    if (word.endsWith(ending) && word.length - ending.length >= 4) return word.slice(0, -ending.length);
  }
  return word;
}
