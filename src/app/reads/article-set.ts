/** Sets of articles for graph, query and vault: `slugs=a,b`, or all published. */
import { articleIndexTable, type ArticleIndexRow } from '../../domain/articles/tables.ts';
import { type ArticleAccess, authorizeArticle } from './article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import { vaultOf, type VaultFile } from '../../represent/vault.ts';
import { loadArticle } from './articles.ts';

const pageRows = 500;

/** The named articles that the viewer may see, without duplicates; a missing one is a `not_found`. */
export async function requestedArticles(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  slugs: string | undefined,
  most: number,
): Promise<readonly ArticleAccess[] | Fault> {
  if (slugs !== undefined) return namedArticles(context, tenant, viewer, 'slugs', slugs, most);
  return (
    (await publishedArticles(context, tenant, most)) ??
    fault('invalid_request', `There are more than ${most} articles.`, 'Name those that matter by slugs=.', {
      parameter: 'slugs',
    })
  );
}

/** The named articles that the viewer may see, each once; one that is absent is a `not_found`. */
export async function namedArticles(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  parameter: string,
  list: string,
  most: number,
): Promise<readonly ArticleAccess[] | Fault> {
  const wrong = slugsFault(parameter, list, most);
  if (wrong !== undefined) return wrong;
  const slugs = slugsIn(list);
  const seen: ArticleAccess[] = [];
  for (const slug of slugs) {
    const one = await authorizeArticle(context, tenant, slug, viewer);
    if (isFault(one)) return one;
    seen.push(one);
  }
  return seen;
}

/** Refuses empty lists and lists longer than `most`. */
export function slugsFault(parameter: string, list: string | undefined, most: number): Fault | undefined {
  const count = list === undefined ? 1 : slugsIn(list).length;
  if (count > 0 && count <= most) return undefined;
  return fault(
    'invalid_request',
    `"${parameter}" names ${count} articles.`,
    `Name 1 to ${most} articles, separated by commas.`,
    { parameter },
  );
}

function slugsIn(list: string): readonly string[] {
  return [...new Set(list.split(',').map((slug) => slug.trim()))].filter((slug) => slug !== '');
}

/** Up to `limit` published articles after a slug, by slug. */
export async function publishedAfter(
  context: ReadContext,
  tenant: string,
  limit: number,
  slug: string,
): Promise<readonly ArticleIndexRow[]> {
  const found: ArticleIndexRow[] = [];
  for (let after = slug; ;) {
    const page = await context.read.list(articleIndexTable, tenant, { after, limit: pageRows });
    found.push(...page.filter(({ status }) => status === 'published'));
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows || found.length >= limit) return found.slice(0, limit);
    after = last.slug;
  }
}

/** The workspace's published articles by slug; undefined if there are more than `most`. */
export async function publishedArticles(
  context: ReadContext,
  tenant: string,
  most: number,
): Promise<readonly ArticleAccess[] | undefined> {
  const seen: ArticleAccess[] = [];
  for (let after = ''; ;) {
    const page = await context.read.list(articleIndexTable, tenant, { after, limit: pageRows });
    for (const { aid, slug, status, version } of page)
      if (status === 'published') seen.push({ aid, tenant, slug, status, version, seesDrafts: false });
    const last = page.at(-1);
    if (seen.length > most) return undefined;
    if (last === undefined || page.length < pageRows) return seen;
    after = last.slug;
  }
}

export const articlesMax = 50;
/** A vault is built in memory. */
const vaultBytesMax = 16 * 1024 * 1024;

export interface Vault {
  readonly slugs: readonly string[];
  readonly files: readonly VaultFile[];
}

export async function readVault(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  slugs: string | undefined,
): Promise<Vault | Fault> {
  const articles = await requestedArticles(context, tenant, viewer, slugs, articlesMax);
  if (isFault(articles)) return articles;
  const states: ArticleState[] = [];
  for (const { aid } of articles) states.push(await loadArticle(context, aid));
  const files = vaultOf(states, context.base);
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (bytes > vaultBytesMax)
    return fault(
      'payload_ceiling',
      `The vault would have ${bytes} bytes; at most ${vaultBytesMax} are made.`,
      'Name fewer articles.',
    );
  return { slugs: articles.map(({ slug }) => slug), files };
}
