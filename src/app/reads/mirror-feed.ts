/** Reads of the mirror (spec §2.10, contract §5): contributions with their status. */
import {
  articleTable,
  claimTable,
  slugPath,
  slugTable,
  type ArticleRow,
} from '../../domain/articles/tables.ts';
import { noArticle } from './article-access.ts';
import { unlimited } from './articles.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../../domain/mirror/tables.ts';
import { contributionJson, resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Sub } from '../../engine/tables.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { ByStatus, ContributionFeed, ContributionView } from '../../model/contribution.ts';
import type { ReadContext } from '../read-context.ts';

/** The article of a slug, if published. */
export async function publishedArticle(
  { read }: ReadContext,
  tenant: string,
  slug: string,
): Promise<ArticleRow | Fault> {
  const found = await read.row(slugTable, slugPath(tenant, slug));
  const article = found === undefined ? undefined : await read.row(articleTable, found.aid);
  return article === undefined || article.status === 'draft' ? noArticle(slug) : article;
}

/** The feed of a visible article. */
export async function feedOf(
  { read, base }: ReadContext,
  aid: string,
  slug: string,
  limit: number,
): Promise<ContributionFeed> {
  const [rows, resolutions, mirror] = await Promise.all([
    read.list(contributionTable, aid, { limit, reverse: true }),
    read.rows(resolutionTable, aid),
    read.row(mirrorTable, aid),
  ]);
  const claims = await read.rows(claimTable, aid);
  const byStatus = noneByStatus();
  const byClaim: Record<string, ReturnType<typeof noneByStatus>> = {};
  for (const { id, claim_id: claimId } of rows) {
    const status = resolutions.get(id)?.status ?? 'proposed';
    byStatus[status].push(id);
    (byClaim[claimId] ??= noneByStatus())[status].push(id);
  }
  return {
    slug,
    count: rows.length,
    total: mirror?.count ?? 0,
    by_status: byStatus,
    by_claim: byClaim,
    contributions: rows.map((row) => contributionJson(base, slug, row, resolutions.get(row.id), claims)),
  };
}

function noneByStatus(): Record<keyof ByStatus, string[]> {
  return { proposed: [], accepted: [], rejected: [] };
}

/** All contributions as everybody reads them, oldest first. */
export async function contributionViews(
  { read, base }: ReadContext,
  aid: string,
  slug: string,
): Promise<ContributionView[]> {
  const [rows, resolutions, claims] = await Promise.all([
    read.list(contributionTable, aid, { limit: unlimited }),
    read.rows(resolutionTable, aid),
    read.rows(claimTable, aid),
  ]);
  return rows.map((row) => contributionJson(base, slug, row, resolutions.get(row.id), claims));
}

/** Accepted contributions older than the newest ones, newest first, so that proposals do not hide them. */
export async function olderAccepted(
  context: ReadContext,
  aid: string,
  newest: readonly ContributionRow[],
): Promise<readonly ContributionRow[]> {
  const shown = new Set(newest.map(({ id }) => id));
  return (await acceptedContributions(context, aid)).filter(({ id }) => !shown.has(id)).toReversed();
}

/** All accepted contributions, oldest first. */
async function acceptedContributions(context: ReadContext, aid: string): Promise<readonly ContributionRow[]> {
  const missing = new Set<Sub>();
  for (const [id, { status }] of await context.read.rows(resolutionTable, aid))
    if (status === 'accepted') missing.add(id);
  const rows: ContributionRow[] = [];
  if (missing.size === 0) return rows;
  for await (const row of contributions(context, aid)) {
    if (!missing.delete(row.id)) continue;
    rows.push(row);
    if (missing.size === 0) break;
  }
  return rows;
}

const pageRows = 500;

/** All contributions in chain order, paged. */
async function* contributions(context: ReadContext, aid: string): AsyncIterable<ContributionRow> {
  for (let after = -1; ;) {
    const page = await context.read.list(contributionTable, aid, { after, limit: pageRows });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = last.n;
  }
}

/** A contribution by id. Walks the chain: decisions are rare, and an index would cost every intake. */
export async function findContribution(
  context: ReadContext,
  tenant: string,
  slug: string,
  id: string,
): Promise<ContributionRow | undefined> {
  const found = await context.read.row(slugTable, slugPath(tenant, slug));
  if (found === undefined) return undefined;
  for await (const row of contributions(context, found.aid)) if (row.id === id) return row;
  return undefined;
}
