/**
 * Reads over MCP (contract §7): an article, a part of it or a receipt, with the same answers and permissions as
 * over HTTP. Contributed text is labelled as untrusted.
 */
import { parseAsOfPart, parametersOf, partReaders } from '../../app/reads/article-parts.ts';
import { type ArticleAccess, findArticle } from '../../app/reads/article-access.ts';
import { readArticle, readMarkdown } from '../../app/reads/articles.ts';
import { confirmationOf, receiptOf } from '../../app/reads/receipts.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { selfOfArticle, selfOfPart, articleAsOf } from '../http/article-envelope.ts';
import { body } from '../http/envelope.ts';
import type { Address } from './addresses.ts';
import type { McpCaller } from './exchange.ts';

export interface Read {
  /** The URL of the same answer over HTTP. */
  readonly uri: string;
  /** A string is Markdown; everything else is JSON. */
  readonly content: string | JsonObject;
  /** The content is the body of an article byte for byte, without a notice. */
  readonly isBody?: true;
}

/** Faults: `not_found` for what is absent or invisible to the caller; `invalid_request` for bad parameters. */
export async function readAddress({ current, viewer }: McpCaller, address: Address): Promise<Read | Fault> {
  const { base } = current;
  if (address.at === 'article') {
    const seen = await findArticle(current, address.slug, viewer);
    return isFault(seen) ? seen : readOf(current, seen, address);
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
  seen: ArticleAccess,
  { part, item, markdown, query }: Extract<Address, { at: 'article' }>,
): Promise<Read | Fault> {
  const { base } = service;
  const { slug } = seen;
  if (part === undefined)
    return markdown
      ? { uri: links.articleMarkdown(base, slug), content: await readMarkdown(service, seen), isBody: true }
      : {
          uri: links.articleJson(base, slug),
          content: body(selfOfArticle(service, seen), await readArticle(service, seen)),
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
  const past = parseAsOfPart(part, query);
  const source = isFault(past) ? past : await articleAsOf(service, seen, past);
  if (isFault(source)) return source;
  const found = await reader({ context: source.context, seen: source.seen, query });
  if (isFault(found)) return found;
  const asked = new URLSearchParams(query).toString();
  const uri = `${links.articlePart(base, slug, part)}${asked === '' ? '' : `?${asked}`}`;
  if (typeof found === 'string') return { uri, content: found };
  return item === undefined
    ? { uri, content: body(source.self(selfOfPart(service, seen, part, query)), source.paged(found)) }
    : itemOf(service, seen, part, item, found);
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
  seen: ArticleAccess,
  part: string,
  item: string,
  read: JsonObject,
): Read | Fault {
  const [list, id] = lists[part] as readonly [string, string];
  const found = (read[list] as readonly JsonObject[]).find((each) => each[id] === item);
  const page = links.article(service.base, seen.slug);
  if (found === undefined)
    return fault('not_found', `${seen.slug} has no ${item}.`, `Read its ${part} for what there is.`);
  const self = {
    kind: part,
    name: item,
    what: `${item} of ${seen.slug}.`,
    read: links.articlePart(service.base, seen.slug, part),
    next: [links.articleJson(service.base, seen.slug)],
  };
  return {
    uri: part === 'sources' || part === 'discourse' ? `${page}#${item}` : `${page}/${item}`,
    content: body(self, found),
  };
}
