/**
 * What a dry run tells of a write to one article (contract §3 `shape`, §5 "Claim"): decisions are pure, so the write is
 * decided over the article as it stands now, and what comes of it is thrown away. Asked only where the gates let the
 * call through, because a refusal may quote what it is refused for.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { loadArticle } from '../reads/articles.ts';
import { noArticle } from '../reads/no-article.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';
import { contextOf } from './perform.ts';

export interface Rehearsed {
  /** Why the write would be refused as things stand. */
  readonly refusal?: Fault;
  /** What would be found doubtful in it. */
  readonly warnings?: readonly JsonObject[];
}

/** Says nothing where the write would land without a word, or is no write to one article. */
export async function rehearse(service: Service, call: PreparedCall): Promise<Rehearsed> {
  const { plan, tenant } = call;
  if (isFault(plan) || plan.do !== 'write-article') return {};
  const found = await service.store.read.row(slugTable, slugPath(tenant, plan.slug));
  if (found === undefined) return { refusal: noArticle(plan.slug) };
  const decided = plan.decide(
    await loadArticle(service, found.aid),
    contextOf(service, call, call.credential),
  );
  if (isFault(decided)) return { refusal: decided };
  const { warnings = [] } = decided;
  return warnings.length === 0 ? {} : { warnings };
}
