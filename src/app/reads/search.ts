/**
 * Search over everything the caller may read (contract §5). The index proposes documents; each is read in its current
 * state, authorized, and shown with the matching passage.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { authorizeArticle } from './article-access.ts';
import { bm25Score, type Corpus } from '../../domain/retrieval/bm25.ts';
import { snippetOf } from '../../domain/retrieval/snippet.ts';
import { queryTerms } from '../../domain/retrieval/terms.ts';
import type { Candidates } from '../../engine/search-index.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { searchKinds, type SearchKind, type SearchResult } from '../../model/graph.ts';
import { documentAt, parseDocumentKey } from './search-documents.ts';
import type { ReadContext, SearchContext } from '../read-context.ts';

export interface SearchInput {
  readonly q: string;
  readonly kinds?: readonly SearchKind[] | undefined;
  readonly limit: number;
  /** Number of ranked documents on earlier pages. */
  readonly cursor?: number | undefined;
}

export interface SearchAnswer {
  readonly count: number;
  readonly results: readonly SearchResult[];
  /** Cursor of the next page; null at the end. */
  readonly next: number | null;
  /** Number of log entries that the index has not reached. */
  readonly behind: number;
}

export const queryCharsMax = 400;
/** Maximum depth of a ranking. */
const depthMax = 1000;
/** Maximum wait for the index. */
const catchUpMs = 250;

export async function search(
  context: SearchContext,
  tenant: string,
  viewer: Credential,
  input: SearchInput,
): Promise<SearchAnswer | Fault> {
  const bad = checkQuery(input.q);
  if (bad !== undefined) return bad;
  const terms = queryTerms(input.q);
  const proposed = await proposals(context, tenant, terms, input.kinds);
  if (isFault(proposed)) return proposed;
  const { ranked, behind } = proposed;
  const results: SearchResult[] = [];
  let at = input.cursor ?? 0;
  while (at < ranked.length && results.length < input.limit) {
    const page = ranked.slice(at, at + input.limit);
    const shown = await Promise.all(page.map((key) => resultAt(context, tenant, viewer, key, terms)));
    for (const result of shown) {
      if (results.length === input.limit) break;
      at++;
      if (result !== undefined) results.push(result);
    }
  }
  const next = at < Math.min(ranked.length, depthMax) ? at : null;
  return { count: results.length, results, next, behind };
}

async function proposals(
  { search: index }: SearchContext,
  tenant: string,
  terms: readonly string[],
  kinds: readonly SearchKind[] | undefined,
): Promise<{ readonly ranked: readonly string[]; readonly behind: number } | Fault> {
  try {
    const behind = await index.catchUp(catchUpMs);
    if (terms.length === 0) return { ranked: [], behind };
    return { ranked: rank(terms, await index.find({ tenant, kinds, terms })), behind };
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    return fault(
      'overloaded',
      'The search index does not answer right now.',
      'Wait a few seconds and ask again; everything else can be read meanwhile.',
    );
  }
}

/** All faults of the query; an absent `q` is not checked here. */
export function searchFaults({ q, kind }: Readonly<Record<string, string>>): readonly unknown[] {
  return [q === undefined ? undefined : checkQuery(q), readKinds(kind)];
}

function checkQuery(q: string): Fault | undefined {
  if (q.trim() === '')
    return fault('invalid_request', 'q is empty.', 'Say what to look for, such as q=receipt.', {
      parameter: 'q',
    });
  if (q.length > queryCharsMax)
    return fault(
      'invalid_request',
      `q has more than ${queryCharsMax} characters.`,
      'Ask with fewer words; the telling ones are enough.',
      { parameter: 'q' },
    );
  return undefined;
}

/** Document keys by relevance, then by key. */
function rank(terms: readonly string[], candidates: Candidates): readonly string[] {
  const places = new Map(terms.map((term, i) => [term, i]));
  const corpus: Corpus = {
    documents: candidates.documents,
    length: candidates.length,
    frequency: (term) => candidates.frequencies[places.get(term) as number] as number,
  };
  return candidates.found
    .map((document) => ({
      key: document.key,
      score: bm25Score(
        terms,
        { length: document.length, count: (term) => document.counts[places.get(term) as number] as number },
        corpus,
      ),
    }))
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
    .slice(0, depthMax)
    .map(({ key }) => key);
}

async function resultAt(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  key: string,
  terms: readonly string[],
): Promise<SearchResult | undefined> {
  const document = await documentAt(context.read, parseDocumentKey(key));
  if (document === undefined || document.article.tenant !== tenant) return undefined;
  const seen = await authorizeArticle(context, tenant, document.article.slug, viewer);
  if (isFault(seen)) return undefined;
  const { text, marks } = snippetOf(document.text, terms);
  return {
    kind: document.kind,
    id: document.id,
    article: seen.slug,
    url: document.url(context.base),
    title: document.title,
    status: document.status,
    snippet: text,
    marks,
  };
}

/** Parses `claim,div`; the fault names an unknown kind. */
export function readKinds(given: string | undefined): readonly SearchKind[] | undefined | Fault {
  if (given === undefined) return undefined;
  const kinds = [...new Set(given.split(','))];
  const wrong = kinds.find((kind) => !(searchKinds as readonly string[]).includes(kind));
  if (wrong === undefined) return kinds as SearchKind[];
  return fault(
    'invalid_request',
    `"${wrong.slice(0, 40)}" is no kind of result.`,
    `Use one or more of ${searchKinds.join(', ')}, separated by commas.`,
    { parameter: 'kind' },
  );
}
