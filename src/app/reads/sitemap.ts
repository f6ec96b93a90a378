/**
 * The site map of published articles in main (contract §7), in parts that begin after a slug, so that a part does not
 * depend on the index. Large maps yield to other requests.
 */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { articleIndexTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { sitemap, sitemapIndex, type Mapped } from '../../represent/sitemap.ts';
import type { ReadContext } from '../read-context.ts';

/** The format allows 50,000; smaller parts take less time and memory. */
const pagesOfPart = 5000;
/** Rows per step: a few milliseconds. */
const linesAtOnce = 200;

/** Sorts before every slug. */
const beginning = '0';

/** One map if all pages fit, else the index of parts. */
export async function wholeSitemap(context: ReadContext, partSize = pagesOfPart): Promise<string> {
  const parts: Mapped[] = [];
  let pages: Mapped[] = [];
  let behind = beginning;
  let last = beginning;
  const close = (): void => {
    const changed = pages.reduce((newest, page) => (page.changed > newest ? page.changed : newest), '');
    parts.push({ address: `${context.base}/sitemap.xml?after=${behind}`, changed });
  };
  for await (const lines of published(context, beginning))
    for (const [slug, page] of lines) {
      if (pages.length === partSize) {
        close();
        pages = [];
        behind = last;
      }
      pages.push(page);
      last = slug;
    }
  if (parts.length === 0) return sitemap(pages);
  close();
  return sitemapIndex(parts);
}

/** The pages of the part after a slug. */
export async function sitemapPart(
  context: ReadContext,
  after: string,
  partSize = pagesOfPart,
): Promise<string> {
  const pages: Mapped[] = [];
  for await (const lines of published(context, after)) {
    for (const [, page] of lines) if (pages.length < partSize) pages.push(page);
    if (pages.length === partSize) break;
  }
  return sitemap(pages);
}

type Line = readonly [slug: string, Mapped];

/** The published articles after a slug, several per step, since one generator step each would be slower. */
async function* published(context: ReadContext, after: string): AsyncGenerator<readonly Line[]> {
  for (let at = after, more = true; more;) {
    const rows = await context.read.list(articleIndexTable, mainTenant, {
      limit: linesAtOnce,
      after: at,
    });
    yield rows
      .filter(({ status }) => status === 'published')
      .map(({ slug, updated_at: changed }): Line => [
        slug,
        { address: links.article(context.base, slug), changed },
      ]);
    more = rows.length === linesAtOnce;
    at = rows.at(-1)?.slug ?? at;
    if (more) await new Promise((resolve) => setImmediate(resolve));
  }
}
