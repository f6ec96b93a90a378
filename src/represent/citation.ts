/**
 * How an article is cited: CSL-JSON, BibTeX, and the metadata in the head of its page (Highwire, Open Graph). A citation
 * names one revision, and its address shows that revision. The author is the publisher: a workspace by its title, or
 * the host. Titles are untrusted text and escaped for each format.
 */
import type { ArticleRow } from '../domain/articles/tables.ts';
import { links } from '../domain/links.ts';
import type { CslItems, OEmbed } from '../model/linked-data.ts';

export interface Cited {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly publisher: string;
  /** ISO 8601: when this revision was made. */
  readonly issued: string;
  /** The address of this revision. */
  readonly url: string;
}

export function citedArticle(row: ArticleRow, publisher: string, base: string): Cited {
  const { slug, version } = row;
  return {
    slug,
    title: titleOf(row),
    version,
    publisher,
    issued: row.updated_at,
    url: `${links.article(base, slug)}?rev=${version}`,
  };
}

/** On one line; the slug where the title is blank. */
export function titleOf({ title, slug }: Pick<ArticleRow, 'title' | 'slug'>): string {
  const line = oneLine(title);
  return line === '' ? slug : line;
}

/** Without control characters, and with single spaces. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** One item in a list, as CSL processors read it. */
export function cslJson(cited: Cited): CslItems {
  const { slug, title, version, publisher, issued, url } = cited;
  return [
    {
      id: slug,
      type: 'webpage',
      title,
      author: [{ literal: publisher }],
      publisher,
      issued: { 'date-parts': [dateParts(issued)] },
      version: String(version),
      URL: url,
    },
  ];
}

export function bibtex(cited: Cited): string {
  const { slug, title, version, publisher, issued, url } = cited;
  const [year, month, day] = dateParts(issued);
  const fields = {
    // The second pair of braces keeps the case of a title, and a publisher with "and" in one name.
    title: `{${bibtexText(title)}}`,
    author: `{${bibtexText(publisher)}}`,
    publisher: bibtexText(publisher),
    year: String(year),
    month: String(month),
    day: String(day),
    // Base addresses and slugs have no braces.
    url,
    note: `Version ${version}`,
  };
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`);
  return `@misc{${slug},\n${lines.join('')}}\n`;
}

export function dateParts(iso: string): [year: number, month: number, day: number] {
  return [Number(iso.slice(0, 4)), Number(iso.slice(5, 7)), Number(iso.slice(8, 10))];
}

/** BibTeX counts braces before it reads commands, so that a brace is written as a command too. */
const bibtexCommands: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '%': '\\%',
  '&': '\\&',
  $: '\\$',
  '#': '\\#',
  _: '\\_',
};

export function bibtexText(text: string): string {
  return oneLine(text).replace(/[\\{}~^%&$#_]/g, (character) => bibtexCommands[character] as string);
}

/** A `meta` element; components escape its values. */
export interface MetaTag {
  readonly key: 'name' | 'property';
  readonly name: string;
  readonly content: string;
}

/** Highwire tags, which reference managers and search engines read, and Open Graph for previews. */
export function headMetadata(
  row: ArticleRow,
  publisher: string,
  base: string,
  description: string,
): readonly MetaTag[] {
  const page = links.article(base, row.slug);
  const published = row.posted_at ?? row.created_at;
  const citation = {
    citation_title: titleOf(row),
    citation_author: publisher,
    citation_publisher: publisher,
    citation_publication_date: slashedDate(published),
    citation_online_date: slashedDate(row.updated_at),
    citation_public_url: page,
    citation_fulltext_html_url: page,
  };
  const preview = {
    'og:type': 'article',
    'og:title': titleOf(row),
    'og:url': page,
    'og:site_name': publisher,
    'og:description': description,
    'article:published_time': published,
    'article:modified_time': row.updated_at,
  };
  return [
    ...Object.entries(citation).map(([name, content]) => ({ key: 'name' as const, name, content })),
    ...Object.entries(preview).map(([name, content]) => ({ key: 'property' as const, name, content })),
  ];
}

function slashedDate(iso: string): string {
  return iso.slice(0, 10).replaceAll('-', '/');
}

/** What oEmbed answers of a page (oembed.com, type `link`). */
export function oEmbedLink(title: string, publisher: string, base: string): OEmbed {
  return {
    version: '1.0',
    type: 'link',
    title,
    author_name: publisher,
    provider_name: publisher,
    provider_url: `${base}/`,
    cache_age: 3600,
  };
}
