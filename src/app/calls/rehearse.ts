/**
 * What a dry run tells of a call about one article (contract §3 `shape`, §5 "Claim"): decisions are pure, so the write is
 * decided over the article as it stands now, and what comes of it is thrown away. Asked only where the gates let the
 * call through, because a refusal may quote what it is refused for.
 */
import type { ArticleState } from '../../domain/articles/state.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import { isReceiptId } from '../../domain/certificates/certify.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { loadArticle, seesDraft } from '../reads/articles.ts';
import { noArticle } from '../reads/no-article.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';
import { mayWrite } from './execute.ts';
import { contextOf } from './perform.ts';

export interface Rehearsed {
  /** Why the write would be refused as things stand. */
  readonly refusal?: Fault;
  /** What would be found doubtful in it. */
  readonly warnings?: readonly JsonObject[];
}

/** Says nothing where the call would land without a word, or is about no one article. */
export async function rehearse(service: Service, call: PreparedCall): Promise<Rehearsed> {
  const { plan, tenant, credential } = call;
  const slug = isFault(plan) ? undefined : slugOfPlan(plan);
  if (isFault(plan) || slug === undefined) return {};
  const found = await service.store.read.row(slugTable, slugPath(tenant, slug));
  // A document makes its article, and so does the work on an assignment.
  const begins =
    plan.do === 'write-document' || (plan.do === 'write-article' && call.assignment !== undefined);
  if (found === undefined) return begins ? {} : { refusal: noArticle(slug) };
  const article = await loadArticle(service, found.aid);
  if (!isThere(plan, article, credential)) return { refusal: noArticle(slug) };
  if (plan.do !== 'write-article') return {};
  const decided = plan.decide(article, contextOf(service, call, credential));
  if (isFault(decided)) return { refusal: decided };
  const { warnings = [] } = decided;
  return warnings.length === 0 ? {} : { warnings };
}

/** The one article that a plan is about. */
function slugOfPlan(plan: Plan): string | undefined {
  switch (plan.do) {
    case 'write-article':
    case 'say':
    case 'thread-update':
    case 'inquire':
    case 'rotate-webhook':
      return plan.slug;
    case 'contribute':
    case 'resolve-contribution':
    case 'write-document':
      return plan.input.slug;
    case 'certify':
      return isReceiptId(plan.input.target) ? undefined : plan.input.target;
    case 'ask':
      return 'slug' in plan.question ? plan.question.slug : undefined;
    default:
      return undefined;
  }
}

/** Plans that say something of an article in public. */
const saying: ReadonlySet<Plan['do']> = new Set(['say', 'thread-update', 'contribute', 'certify']);

/** As the act judges it: a draft is read and written by who may see it, and nothing is said of it in public. */
function isThere(plan: Plan, article: ArticleState, credential: Credential): boolean {
  if (plan.do === 'ask')
    return article.row.status !== 'draft' || seesDraft(credential, article.row.tenant, article.row.slug);
  return saying.has(plan.do) ? article.row.status !== 'draft' : mayWrite(article, credential);
}
