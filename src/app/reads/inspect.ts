/** ARTICLE_INSPECT (contract §3): one part of an article, as the free reads give it, with a receipt of the reading. */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { partReaders } from './article-parts.ts';
import { seeArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';

const parts = ['masthead', 'claims', 'sources', 'voxels', 'discourse', 'health'];

export async function inspect(
  context: ReadContext,
  viewer: { readonly tenant: string; readonly credential: Credential },
  slug: string,
  part: string,
): Promise<Result | Fault> {
  const reader = parts.includes(part) ? partReaders[part] : undefined;
  if (reader === undefined) {
    return fault(
      'body_mismatch',
      `"${part.slice(0, 40)}" is no part that can be inspected.`,
      `Name one of ${parts.join(', ')}; masthead when left out.`,
      { parts },
    );
  }
  const seen = await seeArticle(context, viewer.tenant, slug, viewer.credential);
  if (isFault(seen)) return seen;
  const read = await reader({ context, seen, query: {} });
  if (isFault(read)) return read;
  if (typeof read === 'string') throw new Error(`${part} is a text`);
  return {
    result: { slug, part, [part]: read },
    text: `The ${part} of ${slug}.`,
    material: [{ kind: 'article', id: slug, url: links.articlePart(context.base, slug, part) }],
  };
}
