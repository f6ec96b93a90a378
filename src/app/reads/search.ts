/**
 * Search over everything the caller may read (contract §5). The index proposes documents; each is read in its current
 * state, authorized, and shown with the matching passage: in a flat list, or grouped by article.
 */
import { type ArticleAccess, authorizeArticle, maySeeDraft } from './article-access.ts';
import { bm25Score, type Corpus } from '../../domain/retrieval/bm25.ts';
import { snippetOf } from '../../domain/retrieval/snippet.ts';
import { readContests } from './contested.ts';
import { readLabels } from './labels.ts';
import { documentAt, headingPathOf, parseDocumentKey } from './search-documents.ts';
import { suggestQuery } from './search-suggestion.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { queryTerms } from '../../domain/retrieval/terms.ts';
import { candidatesMax, type Candidate, type Candidates } from '../../engine/search-index.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import {
  type SearchedArticle,
  type SearchKind,
  searchKinds,
  type SearchResult,
  type SearchTotals,
} from '../../model/graph.ts';
import type { CallerContext, SearchContext, Viewed } from '../read-context.ts';

interface SearchInput {
  readonly q: string;
  readonly kinds?: readonly SearchKind[] | undefined;
  /** Slug: results in this article only. */
  readonly article?: string | undefined;
  /** At most three results of each article; `limit` and `cursor` count articles. */
  readonly grouped?: boolean;
  readonly limit: number;
  /** Number of ranked documents, or articles, on earlier pages. */
  readonly cursor?: number | undefined;
}

export interface SearchAnswer {
  readonly count: number;
  readonly results: readonly SearchResult[];
  /** Of a grouped search: the articles of the results, in their order. */
  readonly articles?: readonly SearchedArticle[];
  readonly totals: SearchTotals;
  /** The words with a near one in place of each that nothing contains; null where none is needed or known. */
  readonly didYouMean: string | null;
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
/** Results of an article in a grouped search, beside its title. */
const groupMax = 3;

export async function search(
  context: SearchContext & Viewed,
  input: SearchInput,
): Promise<SearchAnswer | Fault> {
  const bad = checkQuery(input.q);
  if (bad !== undefined) return bad;
  const access = input.article === undefined ? undefined : await authorizeArticle(context, input.article);
  if (isFault(access)) return access;
  const terms = queryTerms(input.q);
  const proposed = await proposals(context, terms, input.kinds);
  if (isFault(proposed)) return proposed;
  const { all, ofKinds, behind } = proposed;
  const audience = await audienceOf(context);
  const isMeant = isSearched(audience, access);
  const ranked = rank(
    terms,
    ofKinds,
    ofKinds.found.filter(({ key }) => access === undefined || parseDocumentKey(key).aid === access.aid),
  );
  const page =
    input.grouped === true
      ? await groups(context, ranked, terms, input)
      : await flat(context, ranked, terms, input);
  const held = ofKinds.found.filter(isMeant);
  return {
    count: page.results.length,
    ...page,
    totals: totalsOf(all.found.filter(isMeant), audience.isWhole),
    didYouMean:
      (input.cursor ?? 0) > 0
        ? null
        : await suggestQuery(context, {
            q: input.q,
            terms: terms.filter(
              (_, i) =>
                (ofKinds.frequencies[i] as number) < candidatesMax &&
                !held.some(({ counts }) => (counts[i] as number) > 0),
            ),
            kinds: input.kinds,
            isMeant,
          }),
    behind,
  };
}

type Page = Pick<SearchAnswer, 'results' | 'articles' | 'next'>;

async function flat(
  context: CallerContext,
  ranked: readonly string[],
  terms: readonly string[],
  { cursor = 0, limit }: SearchInput,
): Promise<Page> {
  const results: SearchResult[] = [];
  let at = cursor;
  while (at < ranked.length && results.length < limit) {
    const page = ranked.slice(at, at + limit);
    const shown = await Promise.all(page.map((key) => resultAt(context, key, terms)));
    for (const result of shown) {
      if (results.length === limit) break;
      at++;
      if (result !== undefined) results.push(result);
    }
  }
  return { results, next: at < Math.min(ranked.length, depthMax) ? at : null };
}

/** Articles in the order of their best documents. */
async function groups(
  context: CallerContext,
  ranked: readonly string[],
  terms: readonly string[],
  { cursor = 0, limit }: SearchInput,
): Promise<Page> {
  const byArticle = [...Map.groupBy(ranked, (key) => parseDocumentKey(key).aid)];
  const results: SearchResult[] = [];
  const articles: SearchedArticle[] = [];
  let at = cursor;
  for (; at < byArticle.length && articles.length < limit; at++) {
    const [aid, keys] = byArticle[at] as (typeof byArticle)[number];
    const own = await resultsOf(context, keys, terms);
    const article = await context.read.row(articleTable, aid);
    if (own.length === 0 || article === undefined) continue;
    const { slug, title, status } = article;
    results.push(...own);
    articles.push({ slug, title, status, url: links.article(context.base, slug), hits: keys.length });
  }
  return { results, articles, next: at < byArticle.length ? at : null };
}

/** The title of an article, if it was found, and the first documents. */
async function resultsOf(
  context: CallerContext,
  keys: readonly string[],
  terms: readonly string[],
): Promise<readonly SearchResult[]> {
  const isTitle = (key: string): boolean => parseDocumentKey(key).kind === 'article';
  const others = keys.filter((key) => !isTitle(key));
  const chosen = [...keys.filter(isTitle), ...others.slice(0, groupMax)];
  const shown = await Promise.all(chosen.map((key) => resultAt(context, key, terms)));
  return shown.filter((result) => result !== undefined);
}

async function proposals(
  { search: index, tenant }: SearchContext & Viewed,
  terms: readonly string[],
  kinds: readonly SearchKind[] | undefined,
): Promise<{ readonly all: Candidates; readonly ofKinds: Candidates; readonly behind: number } | Fault> {
  try {
    const behind = await index.catchUp(catchUpMs);
    if (terms.length === 0) return { all: nothing, ofKinds: nothing, behind };
    const all = await index.find({ tenant, kinds: undefined, terms });
    if (kinds === undefined) return { all, ofKinds: all, behind };
    // Where the index proposed all that it has, those of some kinds are among them.
    const ofKinds =
      all.found.length < candidatesMax
        ? { ...all, found: all.found.filter(({ key }) => kinds.includes(parseDocumentKey(key).kind)) }
        : await index.find({ tenant, kinds, terms });
    return { all, ofKinds, behind };
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    return fault(
      'overloaded',
      'The search index does not answer right now.',
      'Wait a few seconds and ask again; everything else can be read meanwhile.',
    );
  }
}

const nothing: Candidates = { documents: 0, length: 0, frequencies: [], found: [] };

interface Audience {
  /** Whether the caller may read an article, from the list of the workspace; each result is authorized by itself. */
  sees(aid: string): boolean;
  /** The list has every article. */
  readonly isWhole: boolean;
}

async function audienceOf(context: CallerContext): Promise<Audience> {
  const { viewer, tenant } = context;
  if (viewer.kind === 'owner') return { sees: () => true, isWhole: true };
  const { published, drafts, isWhole } = await readLabels(context, tenant);
  return {
    isWhole,
    sees(aid) {
      const draft = drafts.get(aid);
      return published.has(aid) || (draft !== undefined && maySeeDraft(viewer, tenant, draft));
    },
  };
}

function isSearched(
  audience: Audience,
  access: ArticleAccess | undefined,
): (candidate: Candidate) => boolean {
  return ({ key }) => {
    const { aid } = parseDocumentKey(key);
    return access === undefined ? audience.sees(aid) : aid === access.aid;
  };
}

function totalsOf(found: readonly Candidate[], isWhole: boolean): SearchTotals {
  const names = found.map(({ key }) => parseDocumentKey(key));
  const of = (kind: SearchKind): number => names.filter((name) => name.kind === kind).length;
  return {
    all: names.length,
    article: of('article'),
    div: of('div'),
    claim: of('claim'),
    source: of('source'),
    discourse: of('discourse'),
    articles: new Set(names.map(({ aid }) => aid)).size,
    complete: isWhole && names.length < candidatesMax,
  };
}

/** All faults of the query; an absent `q` is not checked here. */
export function searchFaults({ q, kind }: Readonly<Record<string, string>>): readonly unknown[] {
  return [q === undefined ? undefined : checkQuery(q), readKinds(kind)];
}

function checkQuery(q: string): Fault | undefined {
  if (q.trim() === '')
    return invalidParameter('q', 'q is empty.', 'Say what to look for, such as q=receipt.');
  if (q.length > queryCharsMax)
    return invalidParameter(
      'q',
      `q has more than ${queryCharsMax} characters.`,
      'Ask with fewer words; the telling ones are enough.',
    );
  return undefined;
}

/** Document keys by relevance, then by key. */
function rank(
  terms: readonly string[],
  candidates: Candidates,
  found: readonly Candidate[],
): readonly string[] {
  const places = new Map(terms.map((term, i) => [term, i]));
  const corpus: Corpus = {
    documents: candidates.documents,
    length: candidates.length,
    frequency: (term) => candidates.frequencies[places.get(term) as number] as number,
  };
  return found
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
  context: CallerContext,
  key: string,
  terms: readonly string[],
): Promise<SearchResult | undefined> {
  const document = await documentAt(context.read, parseDocumentKey(key));
  if (document === undefined) return undefined;
  const access = await authorizeArticle(context, document.article.slug);
  if (isFault(access)) return undefined;
  const { text, marks } = snippetOf(document.text, terms);
  return {
    kind: document.kind,
    id: document.id,
    article: access.slug,
    url: document.url(context.base),
    title: document.title,
    heading_path: await headingPathOf(context, document),
    status: document.status,
    ...(document.kind === 'claim'
      ? { contested: (await readContests(context, access.aid)).claim(document.id) }
      : {}),
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
  return invalidParameter(
    'kind',
    `"${wrong.slice(0, 40)}" is no kind of result.`,
    `Use one or more of ${searchKinds.join(', ')}, separated by commas.`,
  );
}
