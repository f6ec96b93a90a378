/**
 * What crawlers and feed readers follow (contract §7): the feed of a workspace by last change, and the site map of
 * `main` in parts that begin after a slug. Both yield to other requests.
 */
import { bodyOf, claimsOf } from '../../domain/articles/state.ts';
import {
  type ArticleIndexRow,
  articleIndexTable,
  articleRecentTable,
  recentPlace,
} from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { type Fault, invalidParameter } from '../../kernel/fault.ts';
import { type FeedEntry, type Mapped, sitemap, sitemapIndex } from '../../represent/syndication.ts';
import { articleStamp, loadArticle } from './articles.ts';
import { readLabels } from './labels.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { excerptOf } from '../../kernel/text.ts';

interface FeedPage {
  readonly rows: readonly ArticleIndexRow[];
  /** Cursor of the next page. */
  readonly next: string | null;
  /** A stamp of everything on the page. */
  readonly stamp: string;
}

const entriesOnPage = 50;
/** Rows per page, drafts and archived articles included. */
const feedLinesMax = 2000;
const summaryCharsMax = 300;
const place = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z [a-z0-9-]{2,120}$/;

/** The fault of an invalid cursor. */
export function feedFault(cursor: string | undefined): Fault | undefined {
  if (cursor === undefined || place.test(cursor)) return undefined;
  return invalidParameter(
    'cursor',
    'The cursor is not one of ours.',
    'Follow the link to the next page as it stands.',
  );
}

/** Faults: `invalid_request` for an unknown cursor. */
export async function findFeedPage(
  context: CallerContext,
  cursor: string | undefined,
): Promise<FeedPage | Fault> {
  const wrong = feedFault(cursor);
  if (wrong !== undefined) return wrong;
  const found: ArticleIndexRow[] = [];
  let before = cursor;
  let more = true;
  for (let looked = 0; more && found.length <= entriesOnPage && looked < feedLinesMax;) {
    const lines = await context.read.list(articleRecentTable, context.tenant, {
      limit: entriesOnPage + 1,
      reverse: true,
      ...(before === undefined ? {} : { before }),
    });
    looked += lines.length;
    more = lines.length > entriesOnPage;
    const last = lines.at(-1);
    if (last !== undefined) before = recentPlace(last);
    found.push(...lines.filter(({ status }) => status === 'published'));
  }
  const rows = found.slice(0, entriesOnPage);
  const last = rows.at(-1);
  if (found.length > entriesOnPage && last !== undefined) before = recentPlace(last);
  const next = found.length > entriesOnPage || more ? (before ?? null) : null;
  const stamps = await Promise.all(rows.map(({ aid }) => articleStamp(context, aid)));
  return { rows, next, stamp: `${rows.map(({ aid }, i) => `${aid} ${stamps[i]}`).join(' ')} ${next}` };
}

export async function feedEntries(
  context: ReadContext,
  rows: readonly ArticleIndexRow[],
): Promise<FeedEntry[]> {
  const { base } = context;
  const entries: FeedEntry[] = [];
  for (const {
    aid,
    slug,
    title,
    tags,
    created_at: created,
    posted_at: posted,
    updated_at: updated,
  } of rows) {
    const state = await loadArticle(context, aid);
    const first = claimsOf(state).find((claim) => claim.status === 'active')?.text ?? opening(bodyOf(state));
    entries.push({
      aid,
      slug,
      title,
      summary: first,
      tags,
      published: posted ?? created,
      updated,
      page: links.article(base, slug),
      json: links.articleJson(base, slug),
    });
    // Yields to requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return entries;
}

/** The beginning of the text without its heading, as source, not markup. */
function opening(body: string): string {
  const plain = body
    .slice(0, summaryCharsMax * 4)
    .replace(/^#+\s+.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  return excerptOf(plain, summaryCharsMax);
}

/** The format allows 50,000; smaller parts take less time and memory. */
const pagesOfPart = 5000;
/** Rows per step: a few milliseconds. */
const linesAtOnce = 200;

/** Sorts before every slug. */
const beginning = '0';

/**
 * Pages that are no article: those that list articles, by tag and series too, and those about the service. Discussions
 * are left out: they are linked from their articles, anyone may write in them without an account, and a search engine
 * should lead to what the article says first. Histories, comparisons, receipts and results of searches tell crawlers
 * themselves not to list them.
 */
async function listPages(context: ReadContext): Promise<Mapped[]> {
  const { base } = context;
  const { tags, series } = await readLabels(context, mainTenant);
  const newest = (rows: Iterable<ArticleIndexRow>): Pick<Mapped, 'changed'> => {
    const [last] = [...rows]
      .map(({ updated_at: at }) => at)
      .toSorted()
      .toReversed();
    return last === undefined ? {} : { changed: last };
  };
  const [recent] = await context.read.list(articleRecentTable, mainTenant, { limit: 1, reverse: true });
  const changed = recent === undefined ? {} : { changed: recent.updated_at };
  return [
    ...['/', '/recent', '/tags', '/series'].map((path) => ({ address: base + path, ...changed })),
    ...servicePages.map((path) => ({ address: base + path })),
    ...[...tags].map(([tag, rows]) => ({ address: links.tagPage(base, tag), ...newest(rows) })),
    ...[...series].map(([name, rows]) => ({ address: links.seriesPage(base, name), ...newest(rows) })),
  ].slice(0, listPagesMax);
}

const servicePages = ['/start/help', '/docs', '/protocol', '/directory', '/log', '/verify'];
/** The format allows 50,000 addresses in a map. */
const listPagesMax = 20_000;
/** Names the part with these pages, where the map is an index; no slug has an underscore. */
export const listsPart = '_lists';

/** One map if all pages fit, else the index of parts. */
export async function wholeSitemap(context: ReadContext, partSize = pagesOfPart): Promise<string> {
  const partAt = (after: string): string => `${context.base}/sitemap.xml?after=${after}`;
  const parts: Mapped[] = [];
  let pages: Mapped[] = [];
  let behind = beginning;
  let last = beginning;
  const close = (): void => {
    const changed = pages.reduce((newest, page) => maxOf(newest, page.changed), '');
    parts.push({ address: partAt(behind), changed });
  };
  for await (const lines of published(context, beginning))
    for (const [slug, page] of lines) {
      if (pages.length === partSize) {
        close();
        pages = [];
        behind = last;
      }
      pages.push(page);
      last = slug;
    }
  if (parts.length === 0) return sitemap([...(await listPages(context)), ...pages]);
  close();
  return sitemapIndex([{ address: partAt(listsPart) }, ...parts]);
}

function maxOf(a: string, b = ''): string {
  return a > b ? a : b;
}

/** The pages of the part after a slug. */
export async function sitemapPart(
  context: ReadContext,
  after: string,
  partSize = pagesOfPart,
): Promise<string> {
  if (after === listsPart) return sitemap(await listPages(context));
  const pages: Mapped[] = [];
  for await (const lines of published(context, after)) {
    for (const [, page] of lines) if (pages.length < partSize) pages.push(page);
    if (pages.length === partSize) break;
  }
  return sitemap(pages);
}

type Line = readonly [slug: string, Mapped];

/** The published articles after a slug, several per step, since one generator step each would be slower. */
async function* published(context: ReadContext, after: string): AsyncGenerator<readonly Line[]> {
  for (let at = after, more = true; more;) {
    const rows = await context.read.list(articleIndexTable, mainTenant, {
      limit: linesAtOnce,
      after: at,
    });
    yield rows
      .filter(({ status }) => status === 'published')
      .map(({ slug, updated_at: changed }): Line => [
        slug,
        { address: links.article(context.base, slug), changed },
      ]);
    more = rows.length === linesAtOnce;
    at = rows.at(-1)?.slug ?? at;
    if (more) await new Promise((resolve) => setImmediate(resolve));
  }
}
