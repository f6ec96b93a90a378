/**
 * Reads over MCP (contract §7): an article, a part of it, a receipt, a capability, a workspace or a row, with the same
 * answers and permissions as over HTTP. Contributed text is labelled as untrusted.
 */
import { explainNamed } from '../../app/credentials/explain.ts';
import { precedence, workspaceRecord } from '../../app/reads/entry.ts';
import { readAssignment, readCohort } from '../../app/reads/landscape.ts';
import { nameOfTenant, noWorkspace, tenantOf, workspaceOf } from '../../app/reads/workspaces.ts';
import { contractOf } from '../http/directory-routes.ts';
import { parametersOf, parseAsOfPart, partReaders } from '../../app/reads/article-parts.ts';
import { type ArticleAccess, findArticle } from '../../app/reads/article-access.ts';
import { readArticle, readMarkdownWithClaims } from '../../app/reads/whole-article.ts';
import { confirmationOf, isConfirmedTo, receiptOf } from '../../app/reads/receipts.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { about, fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { articleAsOf, selfOfArticle, selfOfPart } from '../http/article-envelope.ts';
import { body } from '../http/envelope.ts';
import { queryList, searchList } from '../http/graph-routes.ts';
import type { ListRead } from '../http/list-read.ts';
import { validateQuery } from '../http/validate-query.ts';
import { recentList, seriesList, tagsList } from '../web/list-routes.ts';
import { waitingList } from '../web/owner/waiting/queue-route.ts';
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
export async function readAddress(caller: McpCaller, address: Address): Promise<Read | Fault> {
  const { current, viewer, tenant } = caller;
  switch (address.at) {
    case 'article': {
      const access = await findArticle(current, address.slug, viewer);
      return isFault(access) ? access : readOf(current, access, address);
    }
    case 'receipt':
    case 'confirmation':
      return readInvocation(caller, address);
    case 'row': {
      const contract = await contractOf(current, tenant, address.name, undefined);
      if (isFault(contract) || typeof contract === 'string') return contract as Fault;
      return { uri: links.row(current.base, address.name), content: contract };
    }
    case 'capability': {
      const explained = await explainNamed(current, viewer, address.name);
      if (isFault(explained)) return explained;
      const what = 'What this capability may do, and its trail.';
      const uri = links.explain(current.base, address.name);
      return { uri, content: body({ kind: 'capability', name: address.name, what }, explained) };
    }
    case 'workspace':
      return readWorkspace(caller, address.name);
    case 'assignment': {
      const found = await readAssignment(current, viewer, undefined, address.name);
      if (isFault(found)) return found;
      const what = 'An assignment: what it is about, its snapshot, and what it led to.';
      const uri = links.assignment(current.base, address.name);
      return { uri, content: body({ kind: 'assignment', name: address.name, what, read: uri }, found) };
    }
    case 'list':
      return readList(caller, address);
    case 'cohort': {
      const found = await readCohort({ ...current, viewer, tenant }, address.name, cohortPage, 0);
      if (isFault(found)) return found;
      const what = 'A cohort: its lanes, and where each item stands.';
      const uri = links.landscapeJson(current.base, address.name);
      return { uri, content: body({ kind: 'cohort', name: address.name, what, read: uri }, found) };
    }
  }
}

/** Lists by the path of their answer over HTTP. */
const listsByPath: Readonly<Record<string, ListRead>> = {
  'api/waiting': waitingList,
  'api/recent': recentList,
  'api/tags': tagsList,
  'api/series': seriesList,
  'api/search': searchList,
  'api/v1/query': queryList,
};

/** Pages that show one of them. */
const pagesOfLists: Readonly<Record<string, string>> = {
  'owner/waiting': 'api/waiting',
  recent: 'api/recent',
  tags: 'api/tags',
  series: 'api/series',
  search: 'api/search',
};

async function readList(
  { current, viewer, tenant }: McpCaller,
  { path, query: given }: Extract<Address, { at: 'list' }>,
): Promise<Read | Fault> {
  const list = listsByPath[path] as ListRead;
  const elsewhere = tenant !== mainTenant && given['workspace'] === undefined;
  const query = elsewhere ? { ...given, workspace: await nameOfTenant(current, tenant) } : given;
  const found = validateQuery(query, list) ?? (await list.answer(current, viewer, query));
  const text = new URLSearchParams(query).toString();
  return isFault(found)
    ? found
    : { uri: `${current.base}/${path}${text === '' ? '' : `?${text}`}`, content: found };
}

async function readWorkspace({ current, viewer }: McpCaller, name: string): Promise<Read | Fault> {
  const tenant = await tenantOf(current, viewer, { workspace: name });
  if (tenant === undefined) return noWorkspace(name);
  const workspace = workspaceRecord(current, await workspaceOf(current, tenant));
  const uri = links.workspace(current.base, name);
  const what = 'What this workspace is, and how to enter it.';
  return { uri, content: body({ kind: 'workspace', name, what, read: uri }, { workspace, precedence }) };
}

/** A receipt; for callers that may not open it, the public confirmation of the same invocation. */
async function readInvocation(
  { current, viewer }: McpCaller,
  { at, inv }: Extract<Address, { at: 'receipt' | 'confirmation' }>,
): Promise<Read | Fault> {
  const { base } = current;
  const next = [links.confirm(base, inv)];
  const receipt = at === 'receipt' ? await receiptOf(current, viewer, inv) : undefined;
  if (receipt !== undefined && !isFault(receipt)) {
    const what = 'The recorded request and response of one invocation, with its proof.';
    return { uri: links.receiptJson(base, inv), content: body({ kind: at, name: inv, what, next }, receipt) };
  }
  if (isFault(receipt) && !(await isConfirmedTo(current, viewer, inv))) return receipt;
  const confirmation = await confirmationOf(current, inv);
  if (isFault(confirmation)) return confirmation;
  const what =
    receipt === undefined
      ? 'Public proof that an invocation happened.'
      : 'Public proof that an invocation happened. Its receipt opens for the owner, the credential that made the call, and shares with read access.';
  return {
    uri: links.confirm(base, inv),
    content: body({ kind: 'confirmation', name: inv, what, next }, confirmation),
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
    return about(
      fault(
        'not_found',
        `Articles have no part "${part.slice(0, 60)}".`,
        `Use one of ${Object.keys(partReaders).join(', ')}.`,
      ),
      { kind: 'part', id: part, slug },
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

/** Items of a cohort in one answer, as over HTTP. */
const cohortPage = 50;

/** The list of a part, and its id member, for permalinks. */
const lists: Readonly<Record<string, readonly [list: string, id: string]>> = {
  voxels: ['divs', 'div_id'],
  claims: ['claims', 'id'],
  sources: ['sources', 'id'],
  discourse: ['entries', 'id'],
  mirror: ['contributions', 'id'],
  votes: ['votes', 'vote_id'],
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
    uri: part === 'voxels' || part === 'claims' ? `${page}/${item}` : `${page}#${item}`,
    content: body(self, found),
  };
}

/*
 * What a reader over MCP can name (contract §7): a slug, a part of an article (`slug/c2`, `slug/claim:c2`, or `c2` with
 * its slug), an id, a path or a URL of this service. Resources use the same URLs as HTTP, so that receipts, pages and
 * search results name them alike.
 */

type Address =
  | { readonly at: 'receipt' | 'confirmation'; readonly inv: string }
  | {
      readonly at: 'capability' | 'workspace' | 'row' | 'assignment' | 'cohort';
      readonly name: string;
    }
  | {
      readonly at: 'list';
      readonly path: string;
      readonly query: Readonly<Record<string, string>>;
    }
  | {
      readonly at: 'article';
      readonly slug: string;
      /** Undefined for the article itself. */
      readonly part?: string | undefined;
      /** One DIV, claim, source, entry, contribution or vote of that part. */
      readonly item?: string | undefined;
      readonly markdown: boolean;
      readonly query: Readonly<Record<string, string>>;
    };

const invShape = /^inv_[a-z2-7]{16}$/;
const normShape = /^norm_[a-z2-7]{16}$/;
const capShape = /^cap_[0-9a-f]{16}$/;
const slugShape = /^[a-z0-9-]{2,120}$/;
const keyShape = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Faults: `invalid_request` for a name of nothing. `slug` is the article of an id such as c1. */
export function addressOf(base: string, named: string, slug = ''): Address | Fault {
  const found = slug === '' ? addressIn(base, named) : slugShape.test(slug) ? ofPage(slug, named) : undefined;
  return (
    found ??
    invalidParameter(
      'target',
      'That names nothing that can be read here.',
      `Name a slug, a part of an article such as slug/c1 or slug/d3, an inv_, cap_ or norm_ id, the key of a row, an address of these below ${base}, or ${Object.keys(
        listsByPath,
      )
        .map((path) => `/${path}`)
        .join(', ')}. search finds slugs.`,
    )
  );
}

function addressIn(base: string, named: string): Address | undefined {
  if (invShape.test(named)) return { at: 'receipt', inv: named };
  if (capShape.test(named)) return { at: 'capability', name: named };
  if (normShape.test(named)) return { at: 'assignment', name: named };
  if (slugShape.test(named)) return { at: 'article', slug: named, markdown: true, query: {} };
  if (keyShape.test(named)) return { at: 'row', name: named };
  const url = named.startsWith(`${base}/`)
    ? URL.parse(named)
    : named.startsWith('/')
      ? URL.parse(base + named)
      : null;
  if (url !== null) return within(url, url.pathname.slice(new URL(base).pathname.length));
  const [slug = '', item, ...more] = named.split(/[/#]/);
  return item !== undefined && more.length === 0 && slugShape.test(slug) ? ofPage(slug, item) : undefined;
}

/** Pages and JSON addresses below a fixed first segment, by the id that follows it. */
const named: Readonly<Record<string, readonly [shape: RegExp, address: (name: string) => Address]>> = {
  receipt: [invShape, (inv) => ({ at: 'receipt', inv })],
  cap: [capShape, (name) => ({ at: 'capability', name })],
  workspace: [slugShape, (name) => ({ at: 'workspace', name })],
  directory: [keyShape, (name) => ({ at: 'row', name })],
  landscape: [slugShape, (name) => ({ at: 'cohort', name })],
};

function within(url: URL, path: string): Address | undefined {
  const query = Object.fromEntries(url.searchParams);
  const segments = path.replace(/^\/|\/$/g, '').split('/');
  const [first = '', second = '', third] = segments;
  const list = listAt(segments.join('/'));
  // A credential counts in a header only.
  if (list !== undefined) return 'share' in query ? undefined : { at: 'list', path: list, query };
  if (path.endsWith('api/dispatch')) return ofDispatch(query);
  if (path.endsWith('api/normandy') || path.endsWith('api/build-landscape')) return ofLandscape(query);
  const [place, name] = first === 'api' ? [second, third ?? ''] : [first, second];
  const [shape, address] = (Object.hasOwn(named, place) ? named[place] : undefined) ?? [];
  if (shape?.test(name) === true && segments.at(-1) === name) return address?.(name);
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

/** The path of the list that an address or a page names. */
function listAt(path: string): string | undefined {
  const list = Object.hasOwn(pagesOfLists, path) ? (pagesOfLists[path] as string) : path;
  return Object.hasOwn(listsByPath, list) ? list : undefined;
}

function ofLandscape({ assignment, cohort, ...rest }: Readonly<Record<string, string>>): Address | undefined {
  if (Object.keys(rest).length > 0) return undefined;
  if (assignment !== undefined && normShape.test(assignment)) return { at: 'assignment', name: assignment };
  return cohort !== undefined && slugShape.test(cohort) ? { at: 'cohort', name: cohort } : undefined;
}

function ofDispatch(query: Readonly<Record<string, string>>): Address | undefined {
  const { receipt, confirm, key, explain, share, ...rest } = query;
  if (Object.keys(rest).length > 0) return undefined;
  if (receipt !== undefined && invShape.test(receipt)) return { at: 'receipt', inv: receipt };
  if (confirm !== undefined && invShape.test(confirm)) return { at: 'confirmation', inv: confirm };
  if (key !== undefined && keyShape.test(key)) return { at: 'row', name: key };
  return explain !== undefined && share !== undefined && capShape.test(share)
    ? { at: 'capability', name: share }
    : undefined;
}

/** The part of an article that holds an item of its page, by the form of the id; entries of the discourse have others. */
const partsById: readonly (readonly [RegExp, string])[] = [
  [/^d\d+$/, 'voxels'],
  [/^c\d+$/, 'claims'],
  [/^s\d+$/, 'sources'],
  [/^mc_/, 'mirror'],
  [/^vote_/, 'votes'],
];
/** Pages below that of an article, and sections of it, that show one of its parts. */
const pagesOfParts: Readonly<Record<string, string>> = {
  history: 'revisions',
  sources: 'sources',
  discuss: 'discourse',
  propose: 'mirror',
};

/** A page names the article; a permalink names one item of it. `claim:c1` is how claims call themselves. */
function ofPage(slug: string, name: string): Address | undefined {
  if (name === '') return { at: 'article', slug, markdown: true, query: {} };
  const page = Object.hasOwn(pagesOfParts, name) ? pagesOfParts[name] : undefined;
  if (page !== undefined) return { at: 'article', slug, part: page, markdown: false, query: {} };
  const item = name.replace(/^claim:/, '');
  const part = partsById.find(([shape]) => shape.test(item))?.[1] ?? 'discourse';
  // Permalinks also name removed DIVs.
  const query: Record<string, string> = part === 'voxels' ? { include_inactive: '1' } : {};
  return /^[a-z0-9_-]{1,40}$/.test(item)
    ? { at: 'article', slug, part, item, markdown: false, query }
    : undefined;
}
