/** The mirror of an article as it is read (spec §2.10, §4.3): contributions by claim and by what became of them. */
import { articleTable, slugPath, slugTable } from '../domain/articles/tables.ts';
import { links } from '../domain/links.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../domain/mirror/contribute.ts';
import type { Fault } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { noArticle } from './execute.ts';
import type { Service } from './service.ts';

/** The newest contributions to an article, newest first, proposed and accepted kept apart. */
export async function readMirror(
  service: Service,
  tenant: string,
  slug: string,
  limit: number,
): Promise<JsonObject | Fault> {
  const { read } = service.store;
  const found = await read.row(slugTable, slugPath(tenant, slug));
  const article = found === undefined ? undefined : await read.row(articleTable, found.aid);
  if (article === undefined || article.status === 'draft') return noArticle(slug);
  const rows = await read.list(contributionTable, article.aid, { limit, reverse: true });
  const contributions = rows.map((row) => contributionJson(service.base, slug, row));
  const byStatus: Record<string, string[]> = { proposed: [], accepted: [], rejected: [] };
  const byClaim: Record<string, Record<string, string[]>> = {};
  for (const row of rows) {
    (byStatus[row.status] ??= []).push(row.id);
    ((byClaim[row.claim_id] ??= { proposed: [], accepted: [], rejected: [] })[row.status] ??= []).push(
      row.id,
    );
  }
  return {
    slug,
    count: (await read.row(mirrorTable, article.aid))?.count ?? 0,
    by_status: byStatus,
    by_claim: byClaim,
    contributions,
  };
}

export function contributionJson(base: string, slug: string, row: ContributionRow): JsonObject {
  return {
    ...row.contribution,
    status: row.status,
    prev: row.prev,
    hash: row.hash,
    permalink: row.claim_id === '' ? links.article(base, slug) : links.claim(base, slug, row.claim_id),
  };
}
