/**
 * What a dry run tells of a write to one article (contract §3 `shape`, §5 "Claim"): decisions are pure, so the write is
 * decided over the article as it stands now, and what comes of it is thrown away. Asked only where the gates let the
 * call through, because a refusal may quote what it is refused for.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { loadArticle } from '../reads/articles.ts';
import { noArticle } from '../reads/no-article.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';
import { contextOf } from './perform.ts';

/** Why the write would be refused as things stand; nothing where it would land, or is no write to one article. */
export async function refusedAsThingsStand(service: Service, call: PreparedCall): Promise<Fault | undefined> {
  const { plan, tenant } = call;
  if (isFault(plan) || plan.do !== 'write-article') return undefined;
  const found = await service.store.read.row(slugTable, slugPath(tenant, plan.slug));
  if (found === undefined) return noArticle(plan.slug);
  const decided = plan.decide(
    await loadArticle(service, found.aid),
    contextOf(service, call, call.credential),
  );
  return isFault(decided) ? decided : undefined;
}
