/** The site map (sitemaps.org): addresses of pages for crawlers, and the index form where they are more than fit into one. */
import { xmlText } from './xml.ts';

export interface Mapped {
  readonly address: string;
  /** ISO 8601. */
  readonly changed: string;
}

const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export function sitemap(pages: readonly Mapped[]): string {
  return documentOf('urlset', 'url', pages);
}

export function sitemapIndex(maps: readonly Mapped[]): string {
  return documentOf('sitemapindex', 'sitemap', maps);
}

function documentOf(root: string, item: string, mapped: readonly Mapped[]): string {
  const items = mapped.map(
    ({ address, changed }) =>
      `<${item}><loc>${xmlText(address)}</loc><lastmod>${changed}</lastmod></${item}>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${schema}">\n${items.join('')}</${root}>\n`;
}
