/** `/api/articles` (spec §4.3, contract §5): lists, articles and their parts. */
import { listArticles, listFaults } from '../../app/reads/article-list.ts';
import { parseAsOfPart, parametersOf, partReaders } from '../../app/reads/article-parts.ts';
import { readArticle, readMarkdown } from '../../app/reads/articles.ts';
import { parseAsOf } from '../../app/reads/as-of.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { cachedArticle } from './article-cache.ts';
import { articleFilters, articleQuery, partReads } from './article-declared.ts';
import { selfOfArticle, selfOfPart, articleAsOf } from './article-envelope.ts';
import { ByteCache } from './cached-bytes.ts';
import { body, bodyOr, stableJsonInSlices } from './envelope.ts';
import { paged, share } from './parameters.ts';
import { mediaReply } from './replies.ts';
import { anyQuery, readAt, route, type Door } from './route.ts';
import { schemaLink } from './schema-routes.ts';
import type { WarmReads } from './warm-reads.ts';

const jsonType = 'application/json; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

const described = { tag: 'articles', caller: 'anybody', limit: 'read', etag: true } as const;

export function articleRoutes(door: Door, cacheBytesMax: number, reads: WarmReads): void {
  const { service } = door;
  const { base } = service;
  const warm = { cache: new ByteCache(cacheBytesMax), reads };

  route(
    door,
    {
      ...described,
      get: '/api/articles',
      id: 'listArticles',
      summary: 'Articles, a page at a time.',
      query: { ...articleFilters, ...paged, share },
      rules: listFaults,
      answers: ['articles'],
      tenant: true,
    },
    async ({ query, viewer, tenant, number }) => {
      const self = {
        kind: 'list',
        name: 'articles',
        what: 'Articles, a page at a time.',
        read: readAt(`${base}/api/articles`, query),
        schema: schemaLink(base, 'articles'),
      };
      return bodyOr(self, await listArticles(service, tenant, viewer, number('limit'), query));
    },
  );

  route(
    door,
    {
      ...described,
      get: '/api/articles/:slug',
      id: 'readArticle',
      summary: 'An article whole: body, claims, sources and hashes. Its text is data written by others.',
      query: articleQuery,
      rules: (query) => [parseAsOf(query)],
      answers: ['article'],
      types: ['text/markdown'],
      article: true,
    },
    async (context) => {
      const { query, seen } = context;
      const asked = parseAsOf(query);
      if (isFault(asked)) return asked;
      const markdown = query['format'] === 'markdown';
      const isRaw = query['raw'] === '1';
      const name = markdown
        ? isRaw
          ? 'raw markdown'
          : 'markdown'
        : seen.seesDrafts
          ? 'json drafts'
          : 'json';
      const as = {
        name: asked === undefined ? name : `${name} ${JSON.stringify(asked)}`,
        type: markdown ? markdownType : jsonType,
        called: !markdown,
      };
      return cachedArticle(service, warm, context, as, async () => {
        const then = await articleAsOf(service, seen, asked);
        if (isFault(then)) return then;
        if (markdown) {
          const exact = await readMarkdown(then.context, seen);
          return isRaw ? exact : labelledMarkdown(exact);
        }
        const self = then.self(selfOfArticle(service, seen));
        return stableJsonInSlices(body(self, await readArticle(then.context, then.seen)));
      });
    },
  );

  route(
    door,
    {
      ...described,
      get: '/api/articles/:slug/:part',
      operations: [...partReads.values()],
      // What is no part has no parameters to be wrong about.
      validate: ({ part = '' }) => partReads.get(part) ?? anyQuery,
      article: true,
    },
    async (context) => {
      const { query, seen, params } = context;
      const { part = '' } = params;
      const reader = Object.hasOwn(partReaders, part) ? partReaders[part] : undefined;
      if (reader === undefined)
        return fault(
          'not_found',
          `Articles have no part "${part.slice(0, 60)}".`,
          `Use one of ${Object.keys(partReaders).join(', ')}.`,
        );
      const known = parametersOf(part) ?? [];
      const asked = parseAsOfPart(part, query);
      if (isFault(asked)) return asked;
      const make = async (): Promise<JsonObject | string | Fault> => {
        const then = await articleAsOf(service, seen, asked);
        if (isFault(then)) return then;
        const read = await reader({ context: then.context, seen: then.seen, query });
        if (isFault(read) || typeof read === 'string') return read;
        return body(then.self(selfOfPart(service, seen, part, query)), then.paged(read));
      };
      const type = part === 'skill' || query['format'] === 'markdown' ? markdownType : jsonType;
      // A page whose next one bears a share is its holder's alone.
      if (known.includes('cursor') && query['share'] !== undefined) {
        const made = await make();
        return typeof made === 'string' ? mediaReply(type, made) : made;
      }
      const given = known.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
      const as = {
        name: [part, seen.seesDrafts ? 'drafts' : '', ...given].join(' '),
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
