/**
 * “Did you mean” (contract §5): for words that nothing contains, the nearest words of documents that the caller may read.
 * Terms of drafts are looked up with the others; a word is suggested only if a document that the caller may read has it,
 * and whether one is looked for depends on these documents alone.
 */
import { authorizeArticle } from './article-access.ts';
import { documentAt, parseDocumentKey, wordsOf } from './search-documents.ts';
import { editDistance } from './unknown-row.ts';
import { termsOf } from '../../domain/retrieval/terms.ts';
import type { Candidate } from '../../engine/search-index.ts';
import { isFault } from '../../kernel/fault.ts';
import type { SearchKind } from '../../model/graph.ts';
import type { SearchContext, Viewed } from '../read-context.ts';

interface Unheld {
  readonly q: string;
  /** Terms of the query that no document has that the caller may read. */
  readonly terms: readonly string[];
  readonly kinds: readonly SearchKind[] | undefined;
  /** Whether a candidate is among the documents that are searched. */
  isMeant(candidate: Candidate): boolean;
}

/** Shorter terms are near to too many. */
const termCharsMin = 4;
/** Longer terms may differ by two letters. */
const longTerm = 6;
const termsMax = 4;
const nearMax = 32;
/** Documents that are read for the word as it is written. */
const readMax = 4;

/** The query with each unknown word replaced by a similar one of the index; null if no similar word exists. */
export async function suggestQuery(context: SearchContext & Viewed, unheld: Unheld): Promise<string | null> {
  const words = new Map<string, string>();
  for (const term of unheld.terms.slice(0, termsMax)) {
    const word = await nearWord(context, term, unheld);
    if (word !== undefined) words.set(term, word);
  }
  if (words.size === 0) return null;
  let suggested = '';
  let at = 0;
  for (const { term, start, end } of termsOf(unheld.q)) {
    const word = words.get(term);
    if (word === undefined) continue;
    suggested += unheld.q.slice(at, start) + word;
    at = end;
  }
  return suggested + unheld.q.slice(at);
}

async function nearWord(
  context: SearchContext & Viewed,
  term: string,
  { q, kinds, isMeant }: Unheld,
): Promise<string | undefined> {
  const { search: index, tenant } = context;
  if ([...term].length < termCharsMin || /^\p{N}+$/u.test(term)) return undefined;
  // The first letter is taken to be right, or to be the second; the others may be wrong.
  const [first = '', second = '', third = ''] = term;
  const known = (
    await Promise.all(
      [...new Set([first, first + second, first + third, second + first])].map((beginning) =>
        index.termsBeginning({ tenant, beginning }),
      ),
    )
  ).flat();
  const near = [...new Set(known)]
    .map((each) => ({ term: each, typos: typosBetween(term, each) }))
    .filter(({ typos }) => typos <= (term.length < longTerm ? 1 : 2))
    .sort((a, b) => a.typos - b.typos)
    .slice(0, nearMax);
  if (near.length === 0) return undefined;
  const { found } = await index.find({ tenant, kinds, terms: near.map((each) => each.term) });
  const visible = found.filter(isMeant);
  const held = near
    .map((each, i) => ({ ...each, holders: visible.filter(({ counts }) => (counts[i] as number) > 0) }))
    .filter(({ holders }) => holders.length > 0)
    .sort((a, b) => a.typos - b.typos || b.holders.length - a.holders.length || (a.term < b.term ? -1 : 1));
  const isLower = q === q.toLowerCase();
  for (const { term: each, holders } of held) {
    const word = await wordOf(context, each, holders);
    if (word !== undefined) return isLower ? word.toLowerCase() : word;
  }
  return undefined;
}

/** A term as a document that the caller may read writes it. */
async function wordOf(
  context: SearchContext & Viewed,
  term: string,
  holders: readonly Candidate[],
): Promise<string | undefined> {
  for (const { key } of holders.slice(0, readMax)) {
    const document = await documentAt(context.read, parseDocumentKey(key));
    if (document === undefined || isFault(await authorizeArticle(context, document.article.slug))) continue;
    const text = wordsOf(document);
    const at = termsOf(text).find((each) => each.term === term);
    if (at !== undefined) return text.slice(at.start, at.end);
  }
  return undefined;
}

/** Edits between two words; two neighbouring letters in the wrong order are one. */
function typosBetween(a: string, b: string): number {
  const distance = editDistance(a, b, 2);
  return distance === 2 && a.length === b.length && isSwapped(a, b) ? 1 : distance;
}

function isSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
