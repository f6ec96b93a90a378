/**
 * The Atom feed (RFC 4287, paged as RFC 5005 §3 says): what changed last, first. Titles and summaries are data written
 * by others; they leave as text, never as markup.
 */

export interface FeedEntry {
  /** Names the entry for ever: the opaque id of an article, or the hash of an entry of the ledger. */
  readonly aid: string;
  /** Stands in for an empty title. */
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly published: string;
  readonly updated: string;
  readonly page: string;
  readonly json: string | null;
  /** Who acted. */
  readonly author?: string;
}

interface Feed {
  readonly title: string;
  /** Who names the entries: a host, as RFC 4151 has it. Ids stay when the service moves to another address. */
  readonly authority: string;
  readonly home: string;
  readonly first: string;
  readonly self: string;
  readonly next: string | null;
  readonly entries: readonly FeedEntry[];
}

export function atomFeed(feed: Feed): string {
  const { title, home, first, self, next, entries } = feed;
  const [newest] = entries;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xmlText(first)}</id>`,
    `<title>${xmlText(title)}</title>`,
    `<updated>${newest?.updated ?? '1970-01-01T00:00:00.000Z'}</updated>`,
    '<author><name>Colophon</name></author>',
    link('self', self, 'application/atom+xml'),
    link('first', first, 'application/atom+xml'),
    ...(next === null ? [] : [link('next', next, 'application/atom+xml')]),
    link('alternate', home, 'text/html'),
    ...entries.map((entry) => entryXml(feed.authority, entry)),
    '</feed>\n',
  ].join('\n');
}

function entryXml(authority: string, entry: FeedEntry): string {
  const { aid, slug, title, summary, tags, published, updated, page, json, author } = entry;
  return [
    '<entry>',
    `<id>${xmlText(`tag:${authority},${published.slice(0, 10)}:${aid}`)}</id>`,
    // A title that is nothing but blanks would leave a reader nothing to click.
    `<title>${xmlText(title.trim() === '' ? slug : title)}</title>`,
    `<published>${published}</published>`,
    `<updated>${updated}</updated>`,
    ...tags.map((tag) => `<category term="${xmlText(tag)}"/>`),
    link('alternate', page, 'text/html'),
    ...(json === null ? [] : [link('alternate', json, 'application/json')]),
    ...(author === undefined ? [] : [`<author><name>${xmlText(author)}</name></author>`]),
    `<summary>${xmlText(summary)}</summary>`,
    '</entry>',
  ].join('\n');
}

export function link(rel: string, href: string, type: string): string {
  return `<link rel="${rel}" type="${type}" href="${xmlText(href)}"/>`;
}

export interface Mapped {
  readonly address: string;
  /** ISO 8601; absent where it is not known. */
  readonly changed?: string;
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
      `<${item}><loc>${xmlText(address)}</loc>${changed === undefined ? '' : `<lastmod>${changed}</lastmod>`}</${item}>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${schema}">\n${items.join('')}</${root}>\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
};

export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"'\r]/g, (character) => entities[character] as string);
}
