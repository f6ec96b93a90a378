/**
 * Reading the mirror (spec §2.10, contract §5): every contribution to an article with what became of it,
 * proposed, accepted and rejected kept apart.
 */
import { articleTable, slugPath, slugTable, type ArticleRow } from '../../domain/articles/tables.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../../domain/mirror/tables.ts';
import { contributionJson, resolutionTable, type ResolutionRow } from '../../domain/mirror/resolution.ts';
import type { Sub } from '../../engine/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { noArticle } from './no-article.ts';
import type { Service } from '../service.ts';

/** The newest contributions to an article, newest first. */
export async function readMirror(
  service: Service,
  tenant: string,
  slug: string,
  limit: number,
): Promise<JsonObject | Fault> {
  const article = await publishedArticle(service, tenant, slug);
  return isFault(article) ? article : feedOf(service, article.aid, slug, limit);
}

/** The article of a name, where anybody may see it. */
export async function publishedArticle(
  { store: { read } }: Service,
  tenant: string,
  slug: string,
): Promise<ArticleRow | Fault> {
  const found = await read.row(slugTable, slugPath(tenant, slug));
  const article = found === undefined ? undefined : await read.row(articleTable, found.aid);
  return article === undefined || article.status === 'draft' ? noArticle(slug) : article;
}

/** What `readMirror` answers of an article that may be seen. */
export async function feedOf(
  { store: { read }, base }: Service,
  aid: string,
  slug: string,
  limit: number,
): Promise<JsonObject> {
  const [rows, resolutions, mirror] = await Promise.all([
    read.list(contributionTable, aid, { limit, reverse: true }),
    read.rows(resolutionTable, aid),
    read.row(mirrorTable, aid),
  ]);
  const byStatus: Record<string, string[]> = { proposed: [], accepted: [], rejected: [] };
  const byClaim: Record<string, Record<string, string[]>> = {};
  for (const { id, claim_id: claimId } of rows) {
    const status = resolutions.get(id)?.status ?? 'proposed';
    byStatus[status]?.push(id);
    (byClaim[claimId] ??= { proposed: [], accepted: [], rejected: [] })[status]?.push(id);
  }
  return {
    slug,
    count: mirror?.count ?? 0,
    by_status: byStatus,
    by_claim: byClaim,
    contributions: rows.map((row) => contributionJson(base, slug, row, resolutions.get(row.id))),
  };
}

/** Accepted contributions by the claim that they are shown on, oldest first. */
export async function acceptedByClaim(
  service: Service,
  aid: string,
  slug: string,
): Promise<Map<string, JsonObject[]>> {
  const { read } = service.store;
  const resolutions = await read.rows(resolutionTable, aid);
  const shown = new Map<string, JsonObject[]>();
  if (resolutions.size === 0) return shown;
  for await (const row of contributions(service, aid)) {
    const resolution = resolutions.get(row.id);
    if (resolution?.status !== 'accepted' || row.claim_id === '') continue;
    const { id, kind, actor, body, status, effect, receipt } = contributionJson(
      service.base,
      slug,
      row,
      resolution,
    );
    const item = { id, kind, actor, body, status, effect, receipt } as JsonObject;
    shown.set(row.claim_id, [...(shown.get(row.claim_id) ?? []), item]);
  }
  return shown;
}

/** Accepted contributions that are not among the newest, newest first: no flood of proposals hides what was accepted. */
export async function olderAccepted(
  service: Service,
  aid: string,
  newest: readonly ContributionRow[],
  resolutions: ReadonlyMap<Sub, ResolutionRow>,
): Promise<readonly ContributionRow[]> {
  const shown = new Set(newest.map(({ id }) => id));
  const missing = new Set<string>();
  for (const { id, status } of resolutions.values())
    if (status === 'accepted' && !shown.has(id)) missing.add(id);
  const found: ContributionRow[] = [];
  if (missing.size === 0) return found;
  for await (const row of contributions(service, aid)) {
    if (!missing.delete(row.id)) continue;
    found.push(row);
    if (missing.size === 0) break;
  }
  return found.toReversed();
}

const pageRows = 500;

/** Every contribution to an article in the order of its chain, a page at a time. */
async function* contributions(service: Service, aid: string): AsyncIterable<ContributionRow> {
  for (let after = -1; ;) {
    const page = await service.store.read.list(contributionTable, aid, { after, limit: pageRows });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = last.n;
  }
}

/** A contribution by its id. Its chain is walked: deciding is rare, and an index would cost every intake. */
export async function findContribution(
  service: Service,
  tenant: string,
  slug: string,
  id: string,
): Promise<ContributionRow | undefined> {
  const found = await service.store.read.row(slugTable, slugPath(tenant, slug));
  if (found === undefined) return undefined;
  for await (const row of contributions(service, found.aid)) if (row.id === id) return row;
  return undefined;
}
