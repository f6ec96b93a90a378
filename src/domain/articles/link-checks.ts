/**
 * What a look at a source's page found (contract §1.5: statuses are entries of the provenance chain): whether
 * the link still answers and whether the exact quote still stands there. It says nothing about truth, changes
 * no claim and makes no revision; a later look appends.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { integer, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import { articleChain, parseArticleChain } from './chains.ts';
import { nothingSpent, type Change, type ProvenanceContent } from './events.ts';
import type { ArticleState } from './state.ts';
import type { LinkStatus } from '../../model/vocabulary.ts';
import type { LinkCheck } from '../../model/source.ts';

/** The newest look at each source. */
export const linkTable = table('link_check', {
  key: { aid: text(), source_id: text() },
  columns: {
    link_status: text<LinkStatus>(),
    http_status: nullable(integer()),
    final_url: nullable(text()),
    quote_found: nullable(integer()),
    checked_at: text(),
  },
  aggregate: 'article',
});
export type LinkRow = RowOf<typeof linkTable>;

export const linkCheckAction = 'link_check';

/** ok 2xx and 3xx; missing 404 and 410; closed any other 4xx; failing 5xx. */
export function linkStatusOf(httpStatus: number): LinkStatus {
  if (httpStatus === 404 || httpStatus === 410) return 'missing';
  if (httpStatus >= 500) return 'failing';
  return httpStatus >= 400 ? 'closed' : 'ok';
}

/** Whether a page's text holds the quote, whatever its line breaks, blanks, capitals and kinds of quotation marks. */
export function holdsQuote(page: string, quote: string): boolean {
  const wanted = folded(quote);
  return wanted !== '' && folded(page).includes(wanted);
}

function folded(words: string): string {
  return words
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\u2018-\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033«»]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Nothing if every source is gone or was checked by another process meanwhile. */
export function linkCheckEvent(
  article: ArticleState,
  known: ReadonlyMap<string | number, LinkRow>,
  found: readonly LinkCheck[],
  now: string,
): EventDraft | undefined {
  const news = found.filter(
    ({ source_id: id, checked_at: at }) => article.sources.has(id) && (known.get(id)?.checked_at ?? '') < at,
  );
  if (news.length === 0) return undefined;
  const change: Change = { links: news, of: news.map((check) => check.source_id) };
  return {
    draft: {
      chain: articleChain(article.row.aid, 'provenance'),
      ts: now,
      actor: 'system',
      action: linkCheckAction,
    },
    head: article.row.heads.provenance,
    contents: [{ field: 'content_sha', value: { ...nothingSpent, change } }],
  };
}

export function projectLinkChecks(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const chain = parseArticleChain(entry.chain);
  if (chain?.of !== 'provenance' || entry['action'] !== linkCheckAction) return;
  const content = event.contents['content_sha'] as ProvenanceContent | undefined;
  for (const check of content?.change?.links ?? [])
    to.put(linkTable, {
      aid: chain.aid,
      ...check,
      quote_found: check.quote_found === null ? null : Number(check.quote_found),
    });
}
