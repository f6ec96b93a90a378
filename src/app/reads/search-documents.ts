/**
 * Search documents (contract §5): article titles, DIVs, claims, sources, discourse. Index and answers use the same
 * definition, so that neither shows what the other would not.
 */
import { parseArticleChain } from '../../domain/articles/chains.ts';
import { headingPaths } from '../../domain/articles/divide.ts';
import { activeDivs } from '../../domain/articles/state.ts';
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
import { plainText } from '../../domain/retrieval/snippet.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Reader } from '../../engine/store.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { SearchKind } from '../../model/graph.ts';
import type { ReadContext } from '../read-context.ts';
import { contentOf } from '../../represent/stored-events.ts';

/** The key of a document: `art_…/claim/c1`. */
export interface DocumentName {
  readonly aid: string;
  readonly kind: SearchKind;
  readonly ref: string;
}

export interface SearchDocument {
  readonly kind: SearchKind;
  readonly id: string;
  readonly article: ArticleRow;
  readonly title: string;
  /** Markdown or plain text. */
  readonly text: string;
  /** The block or claim whose place is the document's; '' for the article as a whole. */
  readonly place: string;
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
  const of = (id: string, shown: Pick<SearchDocument, 'title' | 'text' | 'status' | 'url'>, place = '') => ({
    kind,
    id,
    article,
    place,
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
      return of(ref, { title, text: div.text, status: 'current', url }, ref);
    }
    case 'claim': {
      const claim = (await read.row(claimTable, aid, ref))?.claim;
      if (claim === undefined) return undefined;
      const url = (base: string): string => links.claim(base, slug, ref);
      return of(ref, { title, text: claim.text, status: claim.status, url }, ref);
    }
    case 'source': {
      const source = (await read.row(sourceTable, aid, ref))?.source;
      if (source === undefined) return undefined;
      const url = (base: string): string => links.source(base, slug, ref);
      const text = [source.title, source.quote, source.summary].filter((part) => part !== '').join(' – ');
      return of(ref, { title, text, status: 'appended', url });
    }
    case 'discourse': {
      const post = (await read.row(postTable, aid, Number(ref)))?.post;
      if (post === undefined || post.body === '') return undefined;
      const url = (base: string): string => `${links.article(base, slug)}#${post.id}`;
      return of(post.id, { title, text: post.body, status: post.stance, url }, post.target);
    }
  }
}

/** Titles of the headings that a document stands under, outermost first; of a claim the section that it names. */
export async function headingPathOf(
  { read }: Pick<ReadContext, 'read'>,
  { article: { aid }, place }: Pick<SearchDocument, 'article' | 'place'>,
): Promise<readonly string[]> {
  if (place.startsWith('c')) {
    const section = (await read.row(claimTable, aid, place))?.claim.section ?? null;
    return section === null ? [] : [section];
  }
  if (!place.startsWith('d')) return [];
  const divs = activeDivs({ divs: await read.rows(divTable, aid) });
  const paths = headingPaths(divs.map((div) => ({ ...div, kind: div.kind as never })));
  return paths[divs.findIndex(({ div_id: id }) => id === place)] ?? [];
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
