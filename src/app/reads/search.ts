/**
 * Search over everything the caller may read (contract §5). The index proposes documents; each is read in its current
 * state, authorized, and shown with the matching passage.
 */
import { authorizeArticle } from './article-access.ts';
import { bm25Score, type Corpus } from '../../domain/retrieval/bm25.ts';
import { plainText, snippetOf } from '../../domain/retrieval/snippet.ts';
import { readContests } from './contested.ts';
import { queryTerms } from '../../domain/retrieval/terms.ts';
import type { Candidates } from '../../engine/search-index.ts';
import { type Reader, StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { type SearchKind, searchKinds, type SearchResult } from '../../model/graph.ts';
import type { CallerContext, SearchContext, Viewed } from '../read-context.ts';
import { parseArticleChain } from '../../domain/articles/chains.ts';
import type { Change } from '../../domain/articles/events.ts';
import {
  type ArticleRow,
  articleTable,
  claimTable,
  divTable,
  sourceTable,
} from '../../domain/articles/tables.ts';
import { postTable } from '../../domain/discourse/thread.ts';
import { links } from '../../domain/links.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import { contentOf } from '../../represent/stored-events.ts';

interface SearchInput {
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
  context: SearchContext & Viewed,
  input: SearchInput,
): Promise<SearchAnswer | Fault> {
  const bad = checkQuery(input.q);
  if (bad !== undefined) return bad;
  const terms = queryTerms(input.q);
  const proposed = await proposals(context, terms, input.kinds);
  if (isFault(proposed)) return proposed;
  const { ranked, behind } = proposed;
  const results: SearchResult[] = [];
  let at = input.cursor ?? 0;
  while (at < ranked.length && results.length < input.limit) {
    const page = ranked.slice(at, at + input.limit);
    const shown = await Promise.all(page.map((key) => resultAt(context, key, terms)));
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
  { search: index, tenant }: SearchContext & Viewed,
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

/*
 * Search documents (contract §5): article titles, DIVs, claims, sources, discourse. Index and answers use the same
 * definition, so that neither shows what the other would not.
 */

/** The key of a document: `art_…/claim/c1`. */
export interface DocumentName {
  readonly aid: string;
  readonly kind: SearchKind;
  readonly ref: string;
}

interface SearchDocument {
  readonly kind: SearchKind;
  readonly id: string;
  readonly article: ArticleRow;
  readonly title: string;
  /** Markdown or plain text. */
  readonly text: string;
  /** `retracted` for a retracted claim. */
  readonly status: string;
  url(base: string): string;
}

export function documentKey({ aid, kind, ref }: DocumentName): string {
  return `${aid}/${kind}/${ref}`;
}

export function parseDocumentKey(key: string): DocumentName {
  const [aid = '', kind = '', ref = ''] = key.split('/');
  return { aid, kind: kind as SearchKind, ref };
}

/** The document in committed state; undefined if it was removed. */
export async function documentAt(
  read: Pick<Reader, 'row'>,
  { aid, kind, ref }: DocumentName,
): Promise<SearchDocument | undefined> {
  const article = await read.row(articleTable, aid);
  if (article === undefined) return undefined;
  const { slug, title, meta } = article;
  const of = (id: string, shown: Pick<SearchDocument, 'title' | 'text' | 'status' | 'url'>) => ({
    kind,
    id,
    article,
    ...shown,
  });
  switch (kind) {
    case 'article':
      return of(slug, {
        title,
        text: [title, meta.category ?? '', ...meta.tags].join(' ').trim(),
        status: article.status,
        url: (base) => links.article(base, slug),
      });
    case 'div': {
      const div = await read.row(divTable, aid, ref);
      if (div === undefined || div.status !== 'current') return undefined;
      const url = (base: string): string => links.div(base, slug, ref);
      return of(ref, { title, text: div.text, status: 'current', url });
    }
    case 'claim': {
      const claim = (await read.row(claimTable, aid, ref))?.claim;
      if (claim === undefined) return undefined;
      const url = (base: string): string => links.claim(base, slug, ref);
      return of(ref, { title, text: claim.text, status: claim.status, url });
    }
    case 'source': {
      const source = (await read.row(sourceTable, aid, ref))?.source;
      if (source === undefined) return undefined;
      const url = (base: string): string => `${links.article(base, slug)}#${ref}`;
      const text = [source.title, source.quote, source.summary].filter((part) => part !== '').join(' – ');
      return of(ref, { title, text, status: 'appended', url });
    }
    case 'discourse': {
      const post = (await read.row(postTable, aid, Number(ref)))?.post;
      if (post === undefined || post.body === '') return undefined;
      const url = (base: string): string => `${links.article(base, slug)}#${post.id}`;
      return of(post.id, { title, text: post.body, status: post.stance, url });
    }
  }
}

/** The indexed words, without markup. */
export function wordsOf(document: SearchDocument): string {
  return document.kind === 'div' || document.kind === 'discourse' ? plainText(document.text) : document.text;
}

/** The documents that an entry may have changed. */
export function touchedBy(event: Pick<StoredEvent, 'text' | 'contents'>): readonly DocumentName[] {
  // Most entries are invocations and need not be parsed.
  if (!event.text.includes('"chain":"art_')) return [];
  const entry = JSON.parse(event.text) as Entry;
  const chain = parseArticleChain(entry.chain);
  if (chain === undefined) return [];
  const { aid } = chain;
  if (chain.of === 'div') return [{ aid, kind: 'div', ref: chain.div }];
  if (chain.of === 'thread') return [{ aid, kind: 'discourse', ref: String(entry.n) }];
  const content = contentOf(event, 'content_sha') as
    { readonly id?: unknown; readonly change?: Change | null } | undefined;
  if (chain.of === 'sources')
    return [
      { aid, kind: 'source', ref: typeof content?.id === 'string' ? content.id : `s${String(entry.n + 1)}` },
    ];
  if (chain.of !== 'provenance') return [];
  const claims = content?.change?.claims ?? [];
  return [
    { aid, kind: 'article', ref: '' },
    ...claims.map(({ claim }) => ({ aid, kind: 'claim' as const, ref: claim.id })),
  ];
}
