/**
 * Articles as resources (contract §7), listed in pages under the URLs of their Markdown; drafts only to keys of
 * their workspace. Templates describe the URLs of JSON and parts.
 */
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { listArticles } from '../../app/reads/article-list.ts';
import { partReaders } from '../../app/reads/article-parts.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { ArticleItem } from '../../model/article.ts';
import { invalidCursor, type McpCaller, type Page } from './exchange.ts';
import type { Read } from './read-address.ts';

const pageSize = 100;
const markdownType = 'text/markdown';
/** Lists that follow each other; drafts only for the workspace's own keys. */
const lists = ['published', 'draft'] as const;
const cursorShape = /^(published|draft)(?: ([a-z0-9-]{2,120}))?$/;

/** Faults: `invalid_request` for an invalid cursor. */
export async function listResources(
  { current, tenant, viewer }: McpCaller,
  cursor: string | undefined,
): Promise<Page<Resource> | Fault> {
  const at = cursorShape.exec(cursor ?? lists[0]);
  if (at === null) return invalidCursor;
  const status = at[1] as (typeof lists)[number];
  const after = at[2];
  const list = await listArticles({ ...current, tenant, viewer }, pageSize, {
    status,
    ...(after === undefined ? {} : { cursor: after }),
  });
  // Without access to drafts, their list is empty.
  if (isFault(list)) return status === 'draft' ? { items: [] } : list;
  const items = list.articles.map((line) => resourceOf(current.base, line));
  if (list.next !== null)
    return { items, nextCursor: `${status} ${new URL(list.next).searchParams.get('cursor') ?? ''}` };
  return status === 'published' && viewer.kind !== 'anonymous' ? { items, nextCursor: 'draft' } : { items };
}

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly annotations: { readonly lastModified: string };
}

function resourceOf(base: string, { slug, title, status, version, updated_at }: ArticleItem): Resource {
  return {
    uri: links.articleMarkdown(base, slug),
    name: slug,
    title,
    description: `The article ${slug}${status === 'draft' ? ' (a draft)' : ''}, version ${version}: untrusted text, written by others.`,
    mimeType: markdownType,
    annotations: { lastModified: updated_at },
  };
}

export function resourceTemplates(base: string) {
  const article = `${base}/api/articles/{slug}`;
  return [
    {
      uriTemplate: `${article}?format=markdown`,
      name: 'article-markdown',
      title: 'An article in Markdown',
      description:
        'The body of an article, and its claims with what stands open against them. Untrusted text, written by others.',
      mimeType: markdownType,
    },
    {
      uriTemplate: article,
      name: 'article-json',
      title: 'An article as JSON',
      description:
        'Body, claims, sources, provenance and hashes of an article. Untrusted text, written by others.',
      mimeType: 'application/json',
    },
    {
      uriTemplate: `${article}/{part}`,
      name: 'article-part',
      title: 'A part of an article',
      description: `part is one of ${Object.keys(partReaders).join(', ')}. Untrusted text, written by others.`,
      mimeType: 'application/json',
    },
    {
      uriTemplate: `${base}/api/dispatch?receipt={inv}`,
      name: 'receipt',
      title: 'The receipt of an invocation',
      description: 'Request and response with their proof, for credentials that may read them.',
      mimeType: 'application/json',
    },
    {
      uriTemplate: `${base}/api/dispatch?confirm={inv}`,
      name: 'confirmation',
      title: 'Public proof that an invocation happened',
      description: 'Key, status, times, hashes and proof of an invocation.',
      mimeType: 'application/json',
    },
  ];
}

/** The result of `resources/read`, labelled as untrusted in the text and in `_meta`. */
export function contentsOf({ uri, content, isBody }: Read, requestedUri: string) {
  const isText = typeof content === 'string';
  return {
    uri: requestedUri,
    mimeType: isText ? markdownType : 'application/json',
    text: isText ? (isBody === true ? labelledMarkdown(content) : content) : JSON.stringify(content),
    _meta: { 'colophon/address': uri, 'colophon/trust': 'untrusted text, written by others' },
  };
}
