/**
 * Reads over MCP (contract §7): an article, a part of it or a receipt, with the same answers and permissions as
 * over HTTP. Contributed text is labelled as untrusted.
 */
import { parametersOf, parseAsOfPart, partReaders } from '../../app/reads/article-parts.ts';
import { type ArticleAccess, findArticle } from '../../app/reads/article-access.ts';
import { readArticle, readMarkdownWithClaims } from '../../app/reads/whole-article.ts';
import { confirmationOf, receiptOf } from '../../app/reads/receipts.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { articleAsOf, selfOfArticle, selfOfPart } from '../http/article-envelope.ts';
import { body } from '../http/envelope.ts';
import type { McpCaller } from './exchange.ts';

export interface Read {
  /** The URL of the same answer over HTTP. */
  readonly uri: string;
  /** A string is Markdown; everything else is JSON. */
  readonly content: string | JsonObject;
  /** The content is an article with its claims, without a notice. */
  readonly isBody?: true;
}

/** Faults: `not_found` for what is absent or invisible to the caller; `invalid_request` for bad parameters. */
export async function readAddress({ current, viewer }: McpCaller, address: Address): Promise<Read | Fault> {
  const { base } = current;
  if (address.at === 'article') {
    const access = await findArticle(current, address.slug, viewer);
    return isFault(access) ? access : readOf(current, access, address);
  }
  const { inv } = address;
  const isReceipt = address.at === 'receipt';
  const found = isReceipt ? await receiptOf(current, viewer, inv) : await confirmationOf(current, inv);
  if (isFault(found)) return found;
  const what = isReceipt
    ? 'The recorded request and response of one invocation, with its proof.'
    : 'Public proof that an invocation happened.';
  return {
    uri: isReceipt ? links.receiptJson(base, inv) : links.confirm(base, inv),
    content: body({ kind: address.at, name: inv, what, next: [links.confirm(base, inv)] }, found),
  };
}

async function readOf(
  service: Service,
  access: ArticleAccess,
  { part, item, markdown, query }: Extract<Address, { at: 'article' }>,
): Promise<Read | Fault> {
  const { base } = service;
  const { slug } = access;
  if (part === undefined)
    return markdown
      ? {
          uri: links.articleMarkdown(base, slug),
          content: await readMarkdownWithClaims(service, access),
          isBody: true,
        }
      : {
          uri: links.articleJson(base, slug),
          content: body(selfOfArticle(service, access), await readArticle(service, access)),
        };
  const reader = Object.hasOwn(partReaders, part) ? partReaders[part] : undefined;
  if (reader === undefined)
    return fault(
      'not_found',
      `Articles have no part "${part.slice(0, 60)}".`,
      `Use one of ${Object.keys(partReaders).join(', ')}.`,
    );
  const known = parametersOf(part) ?? [];
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined)
    return fault(
      'invalid_request',
      `"${unknown.slice(0, 60)}" is no parameter of ${part}.`,
      known.length === 0 ? 'Leave parameters out.' : `Use only: ${known.join(', ')}.`,
      { parameter: unknown.slice(0, 60) },
    );
  const asOf = parseAsOfPart(part, query);
  const source = isFault(asOf) ? asOf : await articleAsOf(service, access, asOf);
  if (isFault(source)) return source;
  const found = await reader({ context: source.context, access: source.access, query });
  if (isFault(found)) return found;
  const queryText = new URLSearchParams(query).toString();
  const uri = `${links.articlePart(base, slug, part)}${queryText === '' ? '' : `?${queryText}`}`;
  if (typeof found === 'string') return { uri, content: found };
  return item === undefined
    ? { uri, content: body(source.self(selfOfPart(service, access, part, query)), source.paged(found)) }
    : itemOf(service, access, part, item, found);
}

/** The list of a part, and its id member, for permalinks. */
const lists: Readonly<Record<string, readonly [list: string, id: string]>> = {
  voxels: ['divs', 'div_id'],
  claims: ['claims', 'id'],
  sources: ['sources', 'id'],
  discourse: ['entries', 'id'],
};

function itemOf(
  service: Service,
  access: ArticleAccess,
  part: string,
  item: string,
  read: JsonObject,
): Read | Fault {
  const [list, id] = lists[part] as readonly [string, string];
  const found = (read[list] as readonly JsonObject[]).find((each) => each[id] === item);
  const page = links.article(service.base, access.slug);
  if (found === undefined)
    return fault('not_found', `${access.slug} has no ${item}.`, `Read its ${part} for what there is.`);
  const self = {
    kind: part,
    name: item,
    what: `${item} of ${access.slug}.`,
    read: links.articlePart(service.base, access.slug, part),
    next: [links.articleJson(service.base, access.slug)],
  };
  return {
    uri: part === 'sources' || part === 'discourse' ? `${page}#${item}` : `${page}/${item}`,
    content: body(self, found),
  };
}

/*
 * What a reader over MCP can name (contract §7): a slug, an invocation id, or a URL of this service. Resources use
 * the same URLs as HTTP, so that receipts, pages and search results name them alike.
 */

type Address =
  | { readonly at: 'receipt' | 'confirmation'; readonly inv: string }
  | {
      readonly at: 'article';
      readonly slug: string;
      /** Undefined for the article itself. */
      readonly part?: string | undefined;
      /** One DIV, claim, source or entry of that part. */
      readonly item?: string | undefined;
      readonly markdown: boolean;
      readonly query: Readonly<Record<string, string>>;
    };

const invShape = /^inv_[a-z2-7]{16}$/;
const slugShape = /^[a-z0-9-]{2,120}$/;

/** Faults: `invalid_request` for a name of nothing. */
export function addressOf(base: string, named: string): Address | Fault {
  if (invShape.test(named)) return { at: 'receipt', inv: named };
  if (slugShape.test(named)) return { at: 'article', slug: named, markdown: true, query: {} };
  const url = named.startsWith(`${base}/`) ? URL.parse(named) : null;
  const found = url === null ? undefined : within(url, url.pathname.slice(new URL(base).pathname.length));
  return (
    found ??
    invalidParameter(
      'target',
      'That names nothing that can be read here.',
      `Name a slug, an inv_ id, or an address of an article, a part of one or a receipt, as it stood below ${base}.`,
    )
  );
}

function within(url: URL, path: string): Address | undefined {
  const query = Object.fromEntries(url.searchParams);
  const segments = path.replace(/^\//, '').split('/');
  const [first, second = '', third] = segments;
  if (first === 'receipt' && segments.length === 2 && invShape.test(second))
    return { at: 'receipt', inv: second };
  if (path.endsWith('api/dispatch')) return ofDispatch(query);
  if (first === 'a' && slugShape.test(second) && segments.length <= 3)
    return ofPage(second, third ?? url.hash.slice(1));
  if (first !== 'api' || second !== 'articles' || third === undefined || !slugShape.test(third))
    return undefined;
  if (segments.length > 4) return undefined;
  const { format, ...rest } = query;
  if (segments[3] !== undefined)
    return { at: 'article', slug: third, part: segments[3], markdown: false, query };
  if (format !== undefined && format !== 'markdown' && format !== 'json') return undefined;
  if (Object.keys(rest).length > 0) return undefined;
  return { at: 'article', slug: third, markdown: format === 'markdown', query: {} };
}

function ofDispatch({ receipt, confirm, ...rest }: Readonly<Record<string, string>>): Address | undefined {
  if (Object.keys(rest).length > 0) return undefined;
  if (receipt !== undefined && invShape.test(receipt)) return { at: 'receipt', inv: receipt };
  return confirm !== undefined && invShape.test(confirm) ? { at: 'confirmation', inv: confirm } : undefined;
}

/** A page names the article; a permalink names one item of it. */
function ofPage(slug: string, item: string): Address | undefined {
  if (item === '') return { at: 'article', slug, markdown: true, query: {} };
  const part = /^d\d+$/.test(item)
    ? 'voxels'
    : /^c\d+$/.test(item)
      ? 'claims'
      : /^s\d+$/.test(item)
        ? 'sources'
        : 'discourse';
  // Permalinks also name removed DIVs.
  const query: Record<string, string> = part === 'voxels' ? { include_inactive: '1' } : {};
  return /^[a-z0-9_-]{1,40}$/.test(item)
    ? { at: 'article', slug, part, item, markdown: false, query }
    : undefined;
}
