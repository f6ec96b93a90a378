/**
 * The articles of a workspace for those who work on them (contract §8, `/owner/articles`): drafts first, then by their
 * last change; only those that the caller may see.
 */
import { articleRecentTable, recentPlace, type ArticleIndexRow } from '../../domain/articles/tables.ts';
import type { ArticleStatus } from '../../model/vocabulary.ts';
import type { CallerContext } from '../read-context.ts';
import { maySeeDraft } from './article-access.ts';

export interface DeskArticles {
  /** At most `articlesMax`. */
  readonly articles: readonly ArticleIndexRow[];
  readonly counts: Readonly<Record<ArticleStatus, number>>;
  /** How many match. */
  readonly matching: number;
  /** The workspace has more articles than were looked at. */
  readonly isPartial: boolean;
}

/** Articles that are looked at, and how many of them are answered. */
const lookedMax = 20_000;
const articlesMax = 500;
const atOnce = 500;

const order: Readonly<Record<ArticleStatus, number>> = { draft: 0, published: 1, archived: 2 };

/** `q` is looked for in title, slug, tags and category. */
export async function deskArticles(
  { read, tenant, viewer }: CallerContext,
  { q = '', status }: { readonly q?: string | undefined; readonly status?: string | undefined },
): Promise<DeskArticles> {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const counts = { draft: 0, published: 0, archived: 0 };
  const found: ArticleIndexRow[] = [];
  let before: string | undefined;
  let looked = 0;
  for (;;) {
    const rows = await read.list(articleRecentTable, tenant, {
      limit: atOnce,
      reverse: true,
      ...(before === undefined ? {} : { before }),
    });
    for (const row of rows) {
      if (row.status === 'draft' && !maySeeDraft(viewer, tenant, row.slug)) continue;
      counts[row.status]++;
      const text = [row.title, row.slug, row.category ?? '', ...row.tags].join('\n').toLowerCase();
      if ((status === undefined || row.status === status) && words.every((word) => text.includes(word)))
        found.push(row);
    }
    looked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce || looked >= lookedMax) break;
    before = recentPlace(last);
  }
  found.sort((a, b) => order[a.status] - order[b.status]);
  return {
    articles: found.slice(0, articlesMax),
    counts,
    matching: found.length,
    isPartial: looked >= lookedMax,
  };
}
