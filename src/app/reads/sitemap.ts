/**
 * The site map of the published articles of main (contract §7), in parts that begin behind a slug: a part is the same
 * whatever the index said. However many articles there are, other requests go between two looks.
 */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { articleIndexTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { sitemap, sitemapIndex, type Mapped } from '../../represent/sitemap.ts';
import type { ReadContext } from '../read-context.ts';

/** The format allows 50,000; a smaller part is made in less time and kept in less memory. */
const pagesOfPart = 5000;
/** Read in one go while requests wait: a few milliseconds. */
const linesAtOnce = 200;

/** Comes before every slug, which has at least two characters: the part that begins with the first. */
const beginning = '0';

/** One map where all pages fit into it, else the index of the parts. */
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

/** The pages behind a slug, as many as a part has. */
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

/** The published articles behind a slug, some at a time: a step of a generator for each would cost more than the line. */
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
