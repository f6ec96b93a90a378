/**
 * Reading the mirror (spec §2.10, contract §5): every contribution to an article with what became of it,
 * proposed, accepted and rejected kept apart.
 */
import {
  articleTable,
  claimTable,
  slugPath,
  slugTable,
  type ArticleRow,
} from '../../domain/articles/tables.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../../domain/mirror/tables.ts';
import { contributionJson, resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Store } from '../../engine/store.ts';
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
  const claims = await read.rows(claimTable, aid);
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
    contributions: rows.map((row) => contributionJson(base, slug, row, resolutions.get(row.id), claims)),
  };
}

/** Accepted contributions by the claim that they are shown on, oldest first. */
export async function acceptedByClaim(
  service: Service,
  aid: string,
  slug: string,
): Promise<Map<string, JsonObject[]>> {
  const resolutions = await service.store.read.rows(resolutionTable, aid);
  const claims = await service.store.read.rows(claimTable, aid);
  const shown = new Map<string, JsonObject[]>();
  for (const row of await acceptedContributions(service, aid)) {
    if (row.claim_id === '') continue;
    const { id, kind, actor, body, status, effect, receipt } = contributionJson(
      service.base,
      slug,
      row,
      resolutions.get(row.id),
      claims,
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
): Promise<readonly ContributionRow[]> {
  const shown = new Set(newest.map(({ id }) => id));
  return (await acceptedContributions(service, aid)).filter(({ id }) => !shown.has(id)).toReversed();
}

interface Accepted {
  readonly stamp: number;
  readonly rows: readonly ContributionRow[];
}

const acceptedOf = new WeakMap<Store, Map<string, Accepted>>();
const articlesKeptMax = 64;
const rowsKeptMax = 64;

/**
 * Every accepted contribution to an article, oldest first. The chain is walked for them once for each decision, whatever
 * else is proposed meanwhile.
 */
async function acceptedContributions(service: Service, aid: string): Promise<readonly ContributionRow[]> {
  const { store } = service;
  const stamp = await store.read.stamp(resolutionTable.aggregate as string, aid);
  let kept = acceptedOf.get(store);
  if (kept === undefined) acceptedOf.set(store, (kept = new Map<string, Accepted>()));
  const known = kept.get(aid);
  if (known?.stamp === stamp) return known.rows;
  const rows = await walkAccepted(service, aid);
  // What was read while somebody decided may be of two moments.
  if ((await store.read.stamp(resolutionTable.aggregate as string, aid)) !== stamp) return rows;
  if (kept.size >= articlesKeptMax) kept.clear();
  if (rows.length <= rowsKeptMax) kept.set(aid, { stamp, rows });
  return rows;
}

async function walkAccepted(service: Service, aid: string): Promise<readonly ContributionRow[]> {
  const missing = new Set<Sub>();
  for (const [id, { status }] of await service.store.read.rows(resolutionTable, aid))
    if (status === 'accepted') missing.add(id);
  const rows: ContributionRow[] = [];
  if (missing.size === 0) return rows;
  for await (const row of contributions(service, aid)) {
    if (!missing.delete(row.id)) continue;
    rows.push(row);
    if (missing.size === 0) break;
  }
  return rows;
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
