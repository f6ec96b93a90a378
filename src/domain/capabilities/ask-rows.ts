/**
 * Plain-language look-up of rows and reads (contract §3 `ask`): BM25 over key, contract, example and declared wishes, and
 * a share of the score for the wish that the question comes nearest to. Words of a key weigh three times, since keys are
 * what callers half remember. A question that shares too little with everything has no best match: a wrong capability
 * is worse than none.
 */
import { bm25Score, corpusOf, inverseDocumentFrequency, type CountedDocument } from '../retrieval/bm25.ts';
import { argsText, type Row } from './row.ts';

/** What a question can find: a row, or a read that needs no row. */
export type Found =
  | { readonly kind: 'row'; readonly row: Row }
  | {
      readonly kind: 'read';
      readonly name: string;
      readonly what: string;
      readonly wishes: readonly string[];
    };

export interface Match {
  readonly found: Found;
  /** Only its order means anything. */
  readonly score: number;
  /** The question says enough of what the match is for. */
  readonly fits: boolean;
}

const keyWeight = 3;
const wishWeight = 0.5;
/** Score of a question that is a wish word for word; the best BM25 scores are as high. */
const wishScore = 8;
export const matchesMax = 8;
const coveredMin = 0.5;
const wishNearMin = 0.6;
const questionCharsMax = 500;
/** Ids say what a wish is about, not what it is. */
const idOfPart = /\b[cds]\d{1,7}\b/g;

const stopWords = new Set(
  `a an and any are as at be been being by can could did do does for from get has have how i if in into is it its me my of
  on or our should so some than that the their them there these they this those to us was we were what when where which
  whom whose why will with would you your please want need like about`.split(/\s+/),
);

interface Document extends CountedDocument {
  readonly found: Found;
  readonly wishes: readonly (readonly string[])[];
}

/**
 * Up to eight matches, best first; `best` is nothing where none fits. A row that only the owner may call stands below
 * the rows that this asker can call, where both fit.
 */
export function askRows(
  question: string,
  candidates: Iterable<Found>,
  canInvoke: (row: Row) => boolean,
): { readonly best: Match | undefined; readonly matches: readonly Match[] } {
  const terms = [...new Set(termsOf(question.slice(0, questionCharsMax).replaceAll(idOfPart, ' ')))];
  const documents = [...candidates].map(documentOf);
  const corpus = corpusOf(documents, [...terms, ...documents.flatMap(({ wishes }) => wishes.flat())]);
  const weigh = (some: readonly string[]): number =>
    some.reduce((sum, term) => sum + inverseDocumentFrequency(term, corpus), 0);
  const total = weigh(terms);
  const matches = documents
    .map((document): Match => {
      const held = terms.filter((term) => document.count(term) > 0);
      const near = Math.max(0, ...document.wishes.map((wish) => nearness(terms, wish, weigh)));
      const covered = total === 0 ? 0 : weigh(held) / total;
      return {
        found: document.found,
        score: bm25Score(terms, document, corpus) + wishScore * near,
        fits: covered >= coveredMin || near >= wishNearMin,
      };
    })
    .filter(({ score }) => score > 0)
    .sort(byScore);
  const ranked = belowInvocable(matches, canInvoke).slice(0, matchesMax);
  const [first] = ranked;
  return { best: first?.fits === true ? first : undefined, matches: ranked };
}

/** How near a question is to a wish, 0 to 1. A wish that the question has whole may go on: “find an article about …”. */
function nearness(
  terms: readonly string[],
  wish: readonly string[],
  weigh: (some: readonly string[]) => number,
): number {
  const shared = weigh(wish.filter((term) => terms.includes(term)));
  if (shared === 0) return 0;
  const recall = shared / weigh(wish);
  const precision = shared / weigh(terms);
  const harmonic = (2 * recall * precision) / (recall + precision);
  return recall === 1 && wish.length > 1 ? Math.max(harmonic, wishNearMin) : harmonic;
}

function byScore(left: Match, right: Match): number {
  return right.score - left.score || (nameOf(left.found) < nameOf(right.found) ? -1 : 1);
}

export function nameOf(found: Found): string {
  return found.kind === 'row' ? found.row.key : found.name;
}

/** A fitting row whose score is further from the best one is about something else. */
const comparable = 0.75;

/** Moves owner-only rows that the asker cannot call behind the last fitting row that it can. */
function belowInvocable(matches: readonly Match[], canInvoke: (row: Row) => boolean): readonly Match[] {
  const isOwners = ({ found }: Match): boolean =>
    found.kind === 'row' && found.row.auth === 'owner' && !canInvoke(found.row);
  const last = matches.findLastIndex(
    ({ found, fits, score }) =>
      fits && found.kind === 'row' && canInvoke(found.row) && score >= comparable * (matches[0]?.score ?? 0),
  );
  const above = matches.slice(0, last + 1);
  return [
    ...above.filter((match) => !isOwners(match)),
    ...above.filter(isOwners),
    ...matches.slice(last + 1),
  ];
}

function documentOf(found: Found): Document {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  add(nameOf(found), keyWeight);
  if (found.kind === 'row') {
    const { row } = found;
    add(row.contract.what, 1);
    add(row.contract.when, 1);
    add(argsText(row), 0.5);
    add(row.contract.example, 0.25);
  } else add(found.what, 1);
  const wishes = found.kind === 'row' ? found.row.wishes : found.wishes;
  for (const wish of wishes) add(wish, wishWeight);
  return {
    found,
    wishes: wishes.map((wish) => [...new Set(termsOf(wish))]),
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
