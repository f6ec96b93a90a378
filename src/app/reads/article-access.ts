/** Authorizes reads of an article: whether the caller may see it, and whether drafts are included. */
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { reachesArticle } from '../../domain/capabilities/grants.ts';
import { reachesDraft } from '../../domain/capabilities/binding.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import type { ArticleStatus } from '../../model/vocabulary.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { tenantOf } from './workspaces.ts';

/** An article that the caller may see. */
export interface ArticleAccess {
  readonly aid: string;
  readonly tenant: string;
  readonly slug: string;
  readonly status: ArticleStatus;
  readonly version: number;
  /** The caller has a credential of the workspace and sees what was never published. */
  readonly seesDrafts: boolean;
}

export async function authorizeArticle(
  { read, tenant, viewer }: CallerContext,
  slug: string,
): Promise<ArticleAccess | Fault> {
  if (!slugShape.test(slug)) return noArticle(slug);
  const found = await read.row(slugTable, slugPath(tenant, slug));
  if (found === undefined) return noArticle(slug);
  const row = await read.row(articleTable, found.aid);
  if (row === undefined || (row.status === 'draft' && !maySeeDraft(viewer, tenant, slug)))
    return noArticle(slug);
  return {
    aid: found.aid,
    tenant,
    slug,
    status: row.status,
    version: row.version,
    seesDrafts: maySeeDraft(viewer, tenant, slug),
  };
}

/** An article by its slug, which implies the workspace; a credential looks in its own workspace only. */
export async function findArticle(
  context: ReadContext,
  slug: string,
  viewer: Credential,
): Promise<ArticleAccess | Fault> {
  const tenant = await tenantOf(context, viewer, { slug });
  return tenant === undefined ? noArticle(slug) : authorizeArticle({ ...context, tenant, viewer }, slug);
}

/** Other strings are not looked up: a database may reject them. */
const slugShape = /^[a-z0-9-]{2,120}$/;

/** Drafts are visible to the workspace's own shares; shares bound to an article or assignment see that one only. */
export function maySeeDraft(viewer: Credential, tenant: string, slug: string): boolean {
  if (viewer.kind === 'owner') return true;
  if (viewer.kind !== 'share') return false;
  const { binding } = viewer;
  if (binding !== undefined) return binding.assignment.tenant === tenant && reachesDraft(binding, slug);
  return viewer.chain.every(
    ({ record }) => record.tenant === tenant && record.origin === 'owner' && reachesArticle(record, slug),
  );
}

/** The same answer for an article that is absent, a draft, or in another workspace (contract §2). */
export function noArticle(slug: string): Fault {
  return about(
    fault(
      'not_found',
      `There is no article ${slug.slice(0, 120)}.`,
      'List the articles under /api/articles.',
    ),
    { kind: 'article', id: slug },
  );
}
