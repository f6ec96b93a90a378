/** Shared by plans about one article: keys, access, and appending decided events. */
import type { JsonObject } from '../../kernel/json.ts';
import { articleAt, articleOf, type ArticleState } from '../../domain/articles/state.ts';
import { noArticle } from '../reads/article-access.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Outcome, Result } from '../../domain/context.ts';
import type { FindPublished } from '../../domain/discourse/vote.ts';
import { reachesDraft } from '../../domain/capabilities/binding.ts';
import { reads, writes, type Key, type Tx } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { loadArticle } from '../reads/articles.ts';
import type { PreparedCall } from './call.ts';
import type { DryRun, Planned } from './plan.ts';

/** The keys of a call about the article: its slug, its call counts, and those that `more` adds by its id. */
export async function articleKeys(
  { service, call }: Planned,
  slug: string,
  more: (aid: string) => readonly Key[],
): Promise<readonly Key[]> {
  const path = slugPath(call.tenant, slug);
  const found = await service.store.read.row(slugTable, path);
  if (found === undefined) return [reads('slug', path)];
  return [reads('slug', path), writes(conformanceTable.name, found.aid), ...more(found.aid)];
}

/** Access of a call to an article. */
type Access = (article: ArticleState, credential: Credential) => boolean;

/**
 * Drafts are visible to credentials of their workspace, which may write once the gates let them through. The share of
 * a lease reaches the draft of its own work only.
 */
export const mayWrite: Access = (article, credential) => {
  if (article.row.status !== 'draft' || credential.kind === 'owner') return true;
  if (credential.kind === 'share' && credential.binding !== undefined)
    return reachesDraft(credential.binding, article.row.slug);
  return credential.kind === 'share' && credential.chain.every(({ record }) => record.origin === 'owner');
};

/** Drafts have no public thread. */
export const isPublic: Access = ({ row }) => row.status !== 'draft';

/** The article in the transaction's state, or a refusal that does not tell whether it exists. */
export function articleFor(
  tx: Tx,
  { tenant }: PreparedCall,
  slug: string,
  credential: Credential,
  may: Access,
): ArticleState | Fault {
  const article = articleAt(tx, tenant, slug);
  return article === undefined || !may(article, credential) ? noArticle(slug) : article;
}

/** FindPublished articles of the workspace, for decisions that name other articles. */
export function publishedIn(tx: Tx, { tenant }: PreparedCall): FindPublished {
  return (slug) => {
    const article = articleAt(tx, tenant, slug);
    return article?.row.status === 'published' ? article : undefined;
  };
}

/** Appends the decided events and returns the article after them. */
export function applyOutcome<R extends JsonObject>(
  tx: Tx,
  outcome: Outcome<ArticleState, R> | Fault,
  aid: string,
): Result<R> | Fault {
  if (isFault(outcome)) return outcome;
  const appended = outcome.events.map((event) => tx.append(event));
  return outcome.conclude(appended, articleOf(tx, aid) as ArticleState);
}

/**
 * The dry run of a call about one article (contract §3 `shape`, §5 "Claim"): runs the pure decision over the current
 * state. `opens`: the call creates a missing article.
 */
export async function dryRunOn(
  { service, call }: Planned,
  slug: string | undefined,
  may: Access,
  { opens = false, decide }: { opens?: boolean; decide?: (article: ArticleState) => DryRun } = {},
): Promise<DryRun> {
  if (slug === undefined) return {};
  const found = await service.store.read.row(slugTable, slugPath(call.tenant, slug));
  if (found === undefined) return opens ? {} : { refusal: noArticle(slug) };
  const article = await loadArticle(service, found.aid);
  if (!may(article, call.credential)) return { refusal: noArticle(slug) };
  return decide?.(article) ?? {};
}
