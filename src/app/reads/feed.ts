/** The feed of a workspace (contract §7): published articles by last change, with the beginning of their text. */
import { bodyOf, claimsOf } from '../../domain/articles/state.ts';
import { articleRecentTable, recentPlace, type ArticleIndexRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { FeedEntry } from '../../represent/feed.ts';
import { articleStamp, loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';

export interface FeedPage {
  readonly rows: readonly ArticleIndexRow[];
  /** Cursor of the next page. */
  readonly next: string | null;
  /** A stamp of everything on the page. */
  readonly stamp: string;
}

const entriesOnPage = 50;
/** Rows per page, drafts and archived articles included. */
const linesMax = 2000;
const summaryCharsMax = 300;
const place = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z [a-z0-9-]{2,120}$/;

/** The fault of an invalid cursor. */
export function feedFault(cursor: string | undefined): Fault | undefined {
  if (cursor === undefined || place.test(cursor)) return undefined;
  return fault(
    'invalid_request',
    'The cursor is not one of ours.',
    'Follow the link to the next page as it stands.',
    { parameter: 'cursor' },
  );
}

/** Faults: `invalid_request` for an unknown cursor. */
export async function findFeedPage(
  context: ReadContext,
  tenant: string,
  cursor: string | undefined,
): Promise<FeedPage | Fault> {
  const wrong = feedFault(cursor);
  if (wrong !== undefined) return wrong;
  const found: ArticleIndexRow[] = [];
  let before = cursor;
  let more = true;
  for (let looked = 0; more && found.length <= entriesOnPage && looked < linesMax;) {
    const lines = await context.read.list(articleRecentTable, tenant, {
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
  return plain.length > summaryCharsMax ? `${plain.slice(0, summaryCharsMax).toWellFormed()}…` : plain;
}
