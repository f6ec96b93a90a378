/**
 * An answer from the ledger alone (contract §5 "Ask"): the standing claims and DIVs of an article that say most
 * about a question, quoted, with what they leave open. No model takes part, and the answer says so. Whoever puts
 * a model in its place gives it the same slice and takes over `citations`, `confidence` and `gaps` as they are.
 */
import { activeDivs, claimsOf, type ArticleState } from '../articles/state.ts';
import type { ClaimRow, DivRow } from '../articles/tables.ts';
import { corpusOf, inverseDocumentFrequency, bm25Score, TermCounts, type Corpus } from '../retrieval/bm25.ts';
import { plainText, snippetOf } from '../retrieval/snippet.ts';
import { queryTerms, termList, termsOf } from '../retrieval/terms.ts';
import type { Citation, Gap } from '../../model/question.ts';
import type { Claim } from '../../model/claim.ts';

export interface Extract {
  readonly citations: readonly Citation[];
  readonly confidence: number;
  readonly gaps: readonly Gap[];
  readonly answer: string;
}

/** From here on the ledger counts as answering. */
export const answeredScoreMin = 0.4;

const citationsMax = 6;
const passageChars = 320;
/** What is relevant less than this part of the best is not cited. */
const tail = 0.3;
/** A DIV that only structures the text answers nothing by itself. */
const mute: ReadonlySet<string> = new Set(['heading', 'rule', 'definition', 'front_matter']);

interface Unit {
  readonly counts: TermCounts;
  readonly claim?: Claim;
  readonly div?: DivRow;
}

const counted = new WeakMap<ClaimRow | DivRow, TermCounts>();

/** Rows never change once they are there, so their words are counted once. */
function countsOf(row: ClaimRow | DivRow, text: () => string): TermCounts {
  let counts = counted.get(row);
  if (counts === undefined) counted.set(row, (counts = new TermCounts(termList(text()))));
  return counts;
}

export function extractAnswer(article: ArticleState, question: string): Extract {
  const terms = queryTerms(question);
  const units = unitsOf(article);
  const corpus = corpusOf(
    units.map(({ counts }) => counts),
    terms,
  );
  const ranked = units
    .map((unit) => ({ unit, score: scoreOf(unit, terms, corpus) }))
    .filter(({ score }) => score > 0)
    // The order of the units, claims first, decides between equals.
    .sort((a, b) => b.score - a.score);
  const cited = ranked
    .slice(0, citationsMax)
    .filter(({ score }) => score >= tail * (ranked[0] as { readonly score: number }).score);
  const citations = cited.map(({ unit, score }) => citationOf(unit, score, terms));
  const coverage = coverageOf(
    cited.map(({ unit }) => unit),
    terms,
    corpus,
  );
  return {
    citations,
    confidence: Math.round(coverage.share * strengthOf(cited.map(({ unit }) => unit)) * 100) / 100,
    gaps: gapsOf(question, citations, coverage.missing),
    answer: answerText(article, citations),
  };
}

function unitsOf(article: ArticleState): Unit[] {
  const claims = [...article.claims.values()]
    .filter(({ claim }) => claim.status === 'active')
    .sort((a, b) => a.n - b.n)
    .map((row) => ({ counts: countsOf(row, () => row.claim.text), claim: row.claim }));
  const divs = activeDivs(article)
    .filter(({ kind }) => !mute.has(kind))
    .map((div) => ({ counts: countsOf(div, () => plainText(div.text)), div }));
  return [...claims, ...divs];
}

/** Of two that say as much, the claim before the text, and the better supported claim first. */
function scoreOf({ counts, claim }: Unit, terms: readonly string[], corpus: Corpus): number {
  return bm25Score(terms, counts, corpus) * (claim === undefined ? 1 : 1.1 + 0.5 * claim.weight);
}

/**
 * How much of the question is covered, where a word that nothing holds counts twice as much as one that stands
 * everywhere: half of it by the best unit alone, since words that stand far apart may not speak of one thing.
 */
function coverageOf(
  cited: readonly Unit[],
  terms: readonly string[],
  corpus: Corpus,
): { readonly share: number; readonly missing: readonly string[] } {
  const absent = Math.log(1 + (corpus.documents + 0.5) / 0.5);
  const weights = new Map(terms.map((term) => [term, 1 + inverseDocumentFrequency(term, corpus) / absent]));
  const sum = (some: readonly string[]): number =>
    some.reduce((total, term) => total + (weights.get(term) as number), 0);
  const whole = sum(terms);
  const heldBy = (unit: Unit): string[] => terms.filter((term) => unit.counts.count(term) > 0);
  const together = terms.filter((term) => cited.some((unit) => unit.counts.count(term) > 0));
  const best = Math.max(0, ...cited.map((unit) => sum(heldBy(unit))));
  return {
    share: whole === 0 ? 0 : (best + sum(together)) / (2 * whole),
    missing: terms.filter((term) => !together.includes(term)),
  };
}

/** A sourced claim by its tier; running text and what cites nothing carry half. */
function strengthOf(cited: readonly Unit[]): number {
  return Math.max(
    0,
    ...cited.map(({ claim }) =>
      claim === undefined || claim.source_status !== 'sourced' ? 0.5 : Math.min(1, 0.6 + 0.5 * claim.weight),
    ),
  );
}

function citationOf({ claim, div }: Unit, score: number, terms: readonly string[]): Citation {
  const rounded = Math.round(score * 1000) / 1000;
  if (claim !== undefined) {
    const { id, text, hash, tier, weight, source_ids } = claim;
    return { kind: 'claim', id, text, hash, tier, weight, source_ids, score: rounded };
  }
  const { div_id: id, text, vx_hash: hash } = div as DivRow;
  return {
    kind: 'div',
    id,
    text: snippetOf(text, terms, passageChars).text,
    hash,
    tier: null,
    weight: null,
    source_ids: [],
    score: rounded,
  };
}

function gapsOf(question: string, citations: readonly Citation[], missing: readonly string[]): Gap[] {
  if (citations.length === 0) {
    return [
      {
        code: 'nothing_found',
        detail: 'No standing claim or DIV of the article holds a word of the question.',
        of: wordsOf(question, missing),
      },
    ];
  }
  const gaps: Gap[] = [];
  const claims = citations.filter(({ kind }) => kind === 'claim');
  const unsourced = claims.filter(({ source_ids: ids }) => ids.length === 0).map(({ id }) => id);
  if (missing.length > 0)
    gaps.push({
      code: 'words_not_found',
      detail: 'Nothing that is cited speaks of these words of the question.',
      of: wordsOf(question, missing),
    });
  if (claims.length === 0)
    gaps.push({
      code: 'prose_only',
      detail: 'Running text speaks of it, but no claim asserts it.',
      of: citations.map(({ id }) => id),
    });
  if (unsourced.length > 0)
    gaps.push({ code: 'unsourced', detail: 'These claims cite no source.', of: unsourced });
  if (claims.length > 0 && claims.every(({ weight }) => (weight ?? 0) < 0.3))
    gaps.push({
      code: 'weak_evidence',
      detail: 'No cited claim rests on more than speculation.',
      of: claims.map(({ id }) => id),
    });
  return gaps;
}

/** The words of a question that terms stand for, as they were written. */
export function wordsOf(question: string, terms: readonly string[]): string[] {
  const wanted = new Set(terms);
  return [
    ...new Set(
      termsOf(question)
        .filter(({ term }) => wanted.has(term))
        .map(({ start, end }) => question.slice(start, end)),
    ),
  ];
}

function answerText(article: ArticleState, citations: readonly Citation[]): string {
  if (citations.length === 0) return `The ledger of ${article.row.slug} does not speak of this.`;
  return citations
    .map(({ kind, id, text, tier, weight, source_ids: sources }) =>
      kind === 'claim'
        ? `Claim ${id} (${tier}, weight ${weight}, ${sources.length === 0 ? 'no source' : `sources ${sources.join(', ')}`}): ${text}`
        : `DIV ${id}: ${text}`,
    )
    .join('\n');
}

/** Sources that cited claims rest on, in the order of the article. */
export function citedSources(article: ArticleState, citations: readonly Citation[]): string[] {
  const cited = new Set(citations.flatMap(({ source_ids: ids }) => ids));
  return [...article.sources.values()]
    .sort((a, b) => a.n - b.n)
    .map((row) => row.source_id)
    .filter((id) => cited.has(id));
}

/** Active claims, for a slice. */
export function activeClaims(article: ArticleState): readonly Claim[] {
  return claimsOf(article).filter(({ status }) => status === 'active');
}
