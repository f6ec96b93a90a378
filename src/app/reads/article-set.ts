/** Sets of articles for graph, query and vault: `slugs=a,b`, or all published. */
import type { CallerContext } from '../read-context.ts';
import { articleIndexTable, type ArticleIndexRow } from '../../domain/articles/tables.ts';
import { type ArticleAccess, authorizeArticle } from './article-access.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { Vault } from '../../model/graph.ts';
import { vaultOf } from '../../represent/vault.ts';
import { defineRead } from './define-read.ts';
import { loadArticle } from './articles.ts';

const pageRows = 500;

/** The named articles that the viewer may see, without duplicates; a missing one is a `not_found`. */
export async function requestedArticles(
  context: CallerContext,
  slugs: string | undefined,
  most: number,
): Promise<readonly ArticleAccess[] | Fault> {
  if (slugs !== undefined) return namedArticles(context, 'slugs', slugs, most);
  return (
    (await publishedArticles(context, most)) ??
    invalidParameter('slugs', `There are more than ${most} articles.`, 'Name those that matter by slugs=.')
  );
}

/** The named articles that the viewer may see, each once; one that is absent is a `not_found`. */
export async function namedArticles(
  context: CallerContext,
  parameter: string,
  list: string,
  most: number,
): Promise<readonly ArticleAccess[] | Fault> {
  const wrong = slugsFault(parameter, list, most);
  if (wrong !== undefined) return wrong;
  const slugs = slugsIn(list);
  const access: ArticleAccess[] = [];
  for (const slug of slugs) {
    const one = await authorizeArticle(context, slug);
    if (isFault(one)) return one;
    access.push(one);
  }
  return access;
}

/** Refuses empty lists and lists longer than `most`. */
export function slugsFault(parameter: string, list: string | undefined, most: number): Fault | undefined {
  const count = list === undefined ? 1 : slugsIn(list).length;
  if (count > 0 && count <= most) return undefined;
  return invalidParameter(
    parameter,
    `"${parameter}" names ${count} articles.`,
    `Name 1 to ${most} articles, separated by commas.`,
  );
}

function slugsIn(list: string): readonly string[] {
  return [...new Set(list.split(',').map((slug) => slug.trim()))].filter((slug) => slug !== '');
}

/** Up to `limit` published articles after a slug, by slug. */
export async function publishedAfter(
  context: CallerContext,
  limit: number,
  slug: string,
): Promise<readonly ArticleIndexRow[]> {
  const found: ArticleIndexRow[] = [];
  for (let after = slug; ;) {
    const page = await context.read.list(articleIndexTable, context.tenant, { after, limit: pageRows });
    found.push(...page.filter(({ status }) => status === 'published'));
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows || found.length >= limit) return found.slice(0, limit);
    after = last.slug;
  }
}

/** The workspace's published articles by slug; undefined if there are more than `most`. */
export async function publishedArticles(
  context: CallerContext,
  most: number,
): Promise<readonly ArticleAccess[] | undefined> {
  const access: ArticleAccess[] = [];
  for (let after = ''; ;) {
    const page = await context.read.list(articleIndexTable, context.tenant, { after, limit: pageRows });
    for (const { aid, slug, status, version } of page)
      if (status === 'published')
        access.push({ aid, tenant: context.tenant, slug, status, version, seesDrafts: false });
    const last = page.at(-1);
    if (access.length > most) return undefined;
    if (last === undefined || page.length < pageRows) return access;
    after = last.slug;
  }
}

export const articlesMax = 50;
/** A vault is built in memory. */
const vaultBytesMax = 16 * 1024 * 1024;

export const readVault = defineRead(Vault, async (context: CallerContext, slugs: string | undefined) => {
  const articles = await requestedArticles(context, slugs, articlesMax);
  if (isFault(articles)) return articles;
  const states: ArticleState[] = [];
  for (const { aid } of articles) states.push(await loadArticle(context, aid));
  const files = vaultOf(states, context.base).map(({ path, content }) => ({
    path,
    bytes: Buffer.byteLength(content),
    sha256: sha256Hex(content),
    content,
  }));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > vaultBytesMax)
    return fault(
      'payload_ceiling',
      `The vault would have ${bytes} bytes; at most ${vaultBytesMax} are made.`,
      'Name fewer articles.',
    );
  const named = articles.map(({ slug }) => slug);
  return {
    vault_version: 1 as const,
    slugs: named,
    count: files.length,
    files,
    zip: `${context.base}/api/articles/obsidian-vault?slugs=${named.join(',')}&format=zip`,
  };
});
