/** `/api/articles` (spec §4.3, contract §5): lists, articles and their parts, with one operation for each part. */
import { listArticles, listFaults, type listParameters } from '../../app/reads/article-list.ts';
import { parametersOf, parseAsOfPart, partFaults, partReaders } from '../../app/reads/article-parts.ts';
import { articleStamp, articleStampNow, newestIndexOf } from '../../app/reads/articles.ts';
import { outdatedBy } from '../../app/reads/proof.ts';
import { readArticle, readMarkdown, readMarkdownWithClaims } from '../../app/reads/whole-article.ts';
import { isRangedPart, rangeCharsMax, rangeFromMax } from '../../app/reads/part-ranges.ts';
import { parseAsOf, withAsOf } from '../../app/reads/historical-read.ts';
import { publishedStamp, publishedStampNow } from '../../app/reads/linked-data.ts';
import { about, fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { rangeOfText, type TextRange } from '../../represent/text-range.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { links } from '../../domain/links.ts';
import { articleAsOf, selfOfArticle, selfOfPart } from './article-envelope.ts';
import type { ByteCache, Chunks, WarmReads } from './cached-bytes.ts';
import { body, bodyOr, privateCache, publicCache, stableJsonInSlices } from './envelope.ts';
import {
  choice,
  formatOf,
  paging,
  share,
  shareOnly,
  stringParam,
  wholeNumberUpTo,
  workspace,
} from './parameters.ts';
import { cachedBytes, mediaReply, type Reply } from './replies.ts';
import type { Query } from './requests.ts';
import { anyQuery, listUrl, operationId, route } from './route.ts';
import type { RouteContext, RouteServer } from './route-declaration.ts';
import { schemaLink } from './schema-routes.ts';
import type { TSchema } from 'typebox';
import { articleStatuses } from '../../model/vocabulary.ts';
import type { Operation, Taken } from '../../represent/openapi/operation.ts';
import { readSchemas } from '../../model/index.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';

const jsonType = 'application/json; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

const described = { tag: 'articles', caller: 'optional', limit: 'read', etag: true } as const;

export function articleRoutes(server: RouteServer, warm: ArticleCache): void {
  const { service } = server;
  const { base } = service;

  route(
    server,
    {
      ...described,
      get: '/api/articles',
      id: 'listArticles',
      summary: 'Articles, a page at a time.',
      query: { ...articleFilters, ...paging, share },
      rules: listFaults,
      answers: ['articles'],
      tenant: true,
    },
    async ({ query, reading, number }) => {
      const self = {
        kind: 'list',
        name: 'articles',
        what: 'Articles, a page at a time.',
        read: listUrl(`${base}/api/articles`, query),
        schema: schemaLink(base, 'articles'),
      };
      return bodyOr(self, await listArticles(reading, number('limit'), query));
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/articles/:slug',
      id: 'readArticle',
      summary: 'An article whole: body, claims, sources and hashes. Its text is data written by others.',
      query: articleQuery,
      rules: (query) => [parseAsOf(query), rangeFault(query)],
      answers: ['article'],
      types: ['text/markdown'],
      article: true,
    },
    async (context) => {
      const { query, access } = context;
      const asOf = parseAsOf(query);
      if (isFault(asOf)) return asOf;
      const markdown = query['format'] === 'markdown';
      const isRaw = query['raw'] === '1';
      const range = markdown ? rangeOf(query, context.number) : undefined;
      const name = markdown
        ? isRaw
          ? 'raw markdown'
          : `markdown${range === undefined ? '' : ` ${range.from} ${range.chars}`}`
        : 'json';
      const as = {
        name: asOf === undefined ? name : `${name} ${JSON.stringify(asOf)}`,
        type: markdown ? markdownType : jsonType,
        called: !markdown,
      };
      return cachedArticle(service, warm, context, as, async () => {
        const then = await articleAsOf(service, access, asOf);
        if (isFault(then)) return then;
        if (markdown) {
          if (isRaw) return readMarkdown(then.context, access);
          const whole = labelledMarkdown(await readMarkdownWithClaims(then.context, access));
          if (range === undefined) return whole;
          return rangeOfText(whole, range, (from) => {
            const rest = `${links.articleMarkdown(base, access.slug)}&from=${from}&chars=${range.chars}`;
            return asOf === undefined ? rest : withAsOf(rest, asOf);
          });
        }
        const self = then.self(selfOfArticle(service, access));
        return stableJsonInSlices(body(self, await readArticle(then.context, then.access)));
      });
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/articles/:slug/:part',
      operations: [...partReads.values()],
      // An unknown part may be the path of a write, such as the webhook.
      config: { answersPath: (path) => partReads.has(path.slice(path.lastIndexOf('/') + 1)) },
      // An unknown part has no parameters to validate.
      validate: ({ part = '' }) => partReads.get(part) ?? anyQuery,
      article: true,
    },
    async (context) => {
      const { query, access, params } = context;
      const { part = '' } = params;
      const reader = Object.hasOwn(partReaders, part) ? partReaders[part] : undefined;
      if (reader === undefined)
        return about(
          fault(
            'not_found',
            `Articles have no part "${part.slice(0, 60)}".`,
            `Use one of ${Object.keys(partReaders).join(', ')}.`,
          ),
          { kind: 'part', id: part, slug: access.slug },
        );
      const known = parametersOf(part) ?? [];
      const asOf = parseAsOfPart(part, query);
      if (isFault(asOf)) return asOf;
      const make = async (): Promise<JsonObject | string | Fault> => {
        const then = await articleAsOf(service, access, asOf);
        if (isFault(then)) return then;
        const read = await reader({ context: then.context, access: then.access, query });
        if (isFault(read) || typeof read === 'string') return read;
        return body(then.self(selfOfPart(service, access, part, query)), then.paged(read));
      };
      const type = part === 'skill' || query['format'] === 'markdown' ? markdownType : jsonType;
      // A page whose next URL contains a share is private; what links here changes with other articles.
      if (part === 'links' || (known.includes('cursor') && query['share'] !== undefined)) {
        const made = await make();
        return typeof made === 'string' ? mediaReply(type, made) : made;
      }
      const given = known.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
      const as = {
        name: [part, ...given].join(' '),
        type,
        called: part === 'invocations',
        needsLog: part === 'ledger' || part === 'bundle',
      };
      return cachedArticle(service, warm, context, as, async () => {
        const made = await make();
        return isFault(made) || typeof made === 'string' ? made : stableJsonInSlices(made);
      });
    },
  );
}

const articleFilters: Readonly<Record<(typeof listParameters)[number], TSchema>> = {
  workspace,
  tag: stringParam('a tag that they bear'),
  category: stringParam('their category'),
  status: choice(articleStatuses, 'published without it; drafts are listed to keys of their workspace'),
  register: stringParam('their register'),
  kind: stringParam('their kind'),
  updated_since: stringParam('ISO 8601: changed at that time or later'),
  home: choice(['1', '0', 'true', 'false'], 'whether they stand on the first page'),
  sort: choice(['slug', 'updated'], 'slug without it; updated: what changed last comes first'),
};

/** The largest number that a URL can name. */
const revisionsMax = 999_999_999;
const rev = wholeNumberUpTo(revisionsMax, 'a revision: the article as that one left it');
export const articleMoment = {
  rev,
  at: stringParam('a place in the log or an ISO 8601 time: the article as it stood then'),
};

/** A range of the Markdown, as `from` and `chars` ask for it. */
function rangeOf(query: Query, number: (name: 'from' | 'chars') => number): TextRange | undefined {
  if (query['from'] === undefined && query['chars'] === undefined) return undefined;
  return {
    from: query['from'] === undefined ? 0 : number('from'),
    chars: query['chars'] === undefined ? rangeCharsMax : number('chars'),
  };
}

function rangeFault({ from, chars, format, raw }: Query): Fault | undefined {
  if ((from === undefined && chars === undefined) || (format === 'markdown' && raw === undefined))
    return undefined;
  return invalidParameter(
    raw === undefined ? 'format' : 'raw',
    'A range is one of the labelled Markdown.',
    'Send from and chars with format=markdown and without raw.',
  );
}

const articleQuery = {
  format: formatOf('json', 'markdown'),
  raw: choice(['1'], '1: Markdown byte for byte, without the notice that it is data'),
  from: wholeNumberUpTo(rangeFromMax, 'format=markdown: how many characters come before'),
  chars: wholeNumberUpTo(
    rangeCharsMax,
    'format=markdown: how many characters at most; the answer names the rest',
  ),
  ...articleMoment,
  ...shareOnly,
};

/** Schemas of parameters; `part.name` overrides `name` for one part. */
const { from: _from, chars: _chars, ...partQuery } = articleQuery;
const parameterSchemas: Taken = {
  ...partQuery,
  ...paging,
  rev,
  'revisions.rev': wholeNumberUpTo(revisionsMax, 'the revision to show whole'),
  'compare.from': wholeNumberUpTo(revisionsMax, 'a revision; the one before the newest without it'),
  'compare.to': wholeNumberUpTo(revisionsMax, 'a revision; the newest without it'),
  include_inactive: choice(['1', '0', 'true', 'false'], '1 or true: consolidated and burned DIVs too'),
  question: stringParam('what the slice is about'),
  status: choice(['success', 'failure'], 'both without it'),
  'bundle.format': formatOf('json', 'slim', 'markdown'),
  'ledger.cursor': wholeNumberUpTo(999_999_999, 'how many come before: follow next as it stands'),
};
/** Of parts that come whole without them. */
const rangedParameters: Taken = {
  from: wholeNumberUpTo(rangeFromMax, 'how many items come before: follow next as it stands'),
  chars: wholeNumberUpTo(
    rangeCharsMax,
    'characters of the answer at most; the part comes whole without both',
  ),
};
/** Schemas of parts with two shapes. */
const schemasByPart: Readonly<Record<string, readonly string[]>> = {
  bundle: ['bundle', 'bundle-slim'],
  revisions: ['revisions', 'revision'],
};
const markdownParts: Readonly<Record<string, Partial<Operation>>> = {
  skill: { json: false, types: ['text/markdown'] },
  bundle: { types: ['text/markdown'] },
};

/** One operation per part. Throws for a parameter without a schema. */
const partReads: ReadonlyMap<string, Operation> = new Map(
  Object.keys(partReaders).map((part) => [part, partRead(part)]),
);

function partRead(part: string): Operation {
  const taken = (parametersOf(part) ?? []).map((name): [string, TSchema] => {
    const schema =
      parameterSchemas[`${part}.${name}`] ??
      (isRangedPart(part) ? rangedParameters[name] : undefined) ??
      parameterSchemas[name];
    if (schema === undefined) throw new Error(`${name} of the part ${part} is not described`);
    return [name, schema];
  });
  return {
    id: operationId(`read-${part}`),
    summary: readSchemas[part]?.what ?? 'The article as a skill for a model.',
    tag: 'articles',
    at: `/api/articles/{slug}/${part}`,
    caller: 'optional',
    query: { ...Object.fromEntries(taken), ...shareOnly },
    rules: (query) => partFaults(part, query),
    answers: schemasByPart[part] ?? [part],
    ...markdownParts[part],
  };
}

interface CachedAs {
  readonly name: string;
  readonly type: string;
  /** The read depends on invocations. */
  readonly called?: boolean;
  /** The read names the publisher, which is the title of the workspace. */
  readonly published?: boolean;
  /** The read depends on log indexes, and is not cached before every entry has one. */
  readonly needsLog?: boolean;
}

/** How often a read is repeated because the article changed meanwhile. */
const readsMax = 4;

/** Where reads of articles are cached. */
export interface ArticleCache {
  readonly cache: ByteCache;
  readonly reads: WarmReads;
}

/** Drafts are never cached by others. */
export async function cachedArticle(
  service: Service,
  { cache, reads }: ArticleCache,
  { request, viewer, access }: RouteContext<{ readonly get: string; readonly article: true }>,
  as: CachedAs,
  make: () => Promise<string | Chunks | Fault>,
): Promise<Reply | Fault> {
  // Who sees drafts reads revisions that others do not.
  const key = `${access.aid}${access.seesDrafts ? ' drafts' : ''} ${as.name}`;
  const { aid } = access;
  const stampOf = as.published === true ? publishedStamp : articleStamp;
  const stampNow = as.published === true ? publishedStampNow : articleStampNow;
  let stamp = await stampOf(service, aid, as.called);
  let entry = cache.get(key, stamp);
  for (let tries = 1; entry === undefined; tries++) {
    const at = stamp;
    const made = await cache.once(`${at} ${key}`, async () => {
      const index = as.needsLog === true ? await newestIndexOf(service, access.aid) : undefined;
      const text = await make();
      if (isFault(text)) return text;
      const after = await stampOf(service, aid, as.called);
      const bytes = await cache.set(key, at, text, as.type);
      if (index === null || after !== at) cache.delete(key);
      // Made again once witnesses have cosigned it.
      else if (index !== undefined) bytes.isOutdated = outdatedBy(service, index);
      return { after, bytes };
    });
    if (isFault(made)) return made;
    // A read during a write may mix two states, so it is repeated.
    stamp = made.after;
    entry = stamp === at || tries >= readsMax ? made.bytes : cache.get(key, stamp);
  }
  const cacheControl = access.status === 'draft' ? privateCache : publicCache;
  // Articles of other workspaces are not remembered: closing a workspace does not change their stamps.
  if (viewer.kind === 'anonymous' && access.tenant === mainTenant) {
    reads.remember(request.url, {
      cache,
      name: key,
      cacheControl,
      stamp: () => stampNow(service, aid, as.called),
    });
  }
  return cachedBytes(cache, entry, cacheControl);
}
