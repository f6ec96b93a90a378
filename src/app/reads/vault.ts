/** The vault of named articles, or of all that are published (spec §4.3). */
import type { ArticleState } from '../../domain/articles/state.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { vaultOf, type VaultFile } from '../../represent/vault.ts';
import { askedArticles } from './article-set.ts';
import { loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';

export const articlesMax = 50;
/** A vault is made in one piece. */
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
  const articles = await askedArticles(context, tenant, viewer, slugs, articlesMax);
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
