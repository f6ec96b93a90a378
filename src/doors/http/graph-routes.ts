/**
 * Reads over the contents of articles: `/api/graph`, `/api/v1/query` (spec §4.3, contract §7) and `/api/search`
 * (contract §5).
 */
import { slugsFault } from '../../app/reads/article-set.ts';
import { articlesMax, depthMax, readGraph } from '../../app/reads/graph.ts';
import { graphQuery, parseQuery } from '../../app/reads/graph-query.ts';
import { layers } from '../../model/vocabulary.ts';
import { queryFields } from '../../model/query-fields.ts';
import { body, bodyOr } from './envelope.ts';
import { choice, paging, slugList, stringParam, wholeNumberUpTo, workspaceAndShare } from './parameters.ts';
import { listUrl, resolveTenant, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { schemaLink } from './schema-routes.ts';
import type { ListRead } from './list-read.ts';
import { exactAnswer } from '../../model/exact.ts';
import { Search, searchKinds } from '../../model/graph.ts';
import { readKinds, search, searchFaults } from '../../app/reads/search.ts';
import type { Viewed } from '../../app/read-context.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { scrubText } from '../../guard/secrets.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Query, wholeNumber } from './requests.ts';

const described = { tag: 'graph', caller: 'optional', limit: 'read', etag: true } as const;

export function graphRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;
  route(
    server,
    {
      ...described,
      get: '/api/graph',
      id: 'readGraph',
      summary: 'Articles as nodes and edges, by layer.',
      query: {
        slugs: slugList,
        layer: choice(layers, 'evidence without it'),
        kinds: stringParam('kinds of nodes, separated by commas'),
        depth: wholeNumberUpTo(depthMax, 'how many steps from the articles', 3),
        limit: wholeNumberUpTo(2000, 'how many nodes at most', 500),
        cursor: paging.cursor,
        ...workspaceAndShare,
      },
      rules: ({ slugs }) => [slugsFault('slugs', slugs, articlesMax)],
      answers: ['graph'],
      tenant: 'slugs',
    },
    async ({ query, reading, number }) => {
      const { workspace, slugs, layer, kinds, cursor } = query;
      const [depth, limit] = [number('depth'), number('limit')];
      const self = {
        kind: 'graph',
        name: 'graph',
        what: 'Articles as nodes and edges, by layer.',
        read: listUrl(`${base}/api/graph`, query, [
          'slugs',
          'layer',
          'kinds',
          'depth',
          'limit',
          'cursor',
          'workspace',
        ]),
        schema: schemaLink(base, 'graph'),
      };
      const request = { workspace, slugs, layer, kinds, depth, limit, cursor };
      return bodyOr(self, await readGraph(reading, request));
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/v1/query',
      id: 'query',
      summary: 'Objects of one kind, filtered, ordered and paged.',
      query: objectsQuery,
      rules: (query) => [parseQuery(query)],
      answers: ['query'],
      tenant: 'from',
    },
    ({ query, reading }) => queryAnswer(reading, query),
  );
}

const objectsQuery = {
  from: stringParam('slugs, separated by commas; * for all articles'),
  kind: choice(Object.keys(queryFields), 'claim without it'),
  where: stringParam('comma-separated field op value, with =, !=, >, >=, <, <= or ~'),
  order: stringParam('a field; with - before it, the greatest first'),
  fields: stringParam('the fields that are wanted, separated by commas'),
  ...paging,
  ...workspaceAndShare,
};

async function queryAnswer(reading: Service & Viewed, query: Query): Promise<JsonObject | Fault> {
  const { base } = reading;
  const limit = wholeNumber(query, 'limit', paging.limit);
  if (isFault(limit)) return limit;
  const { workspace, from, kind, where, order, cursor, fields } = query;
  const request = { workspace, from, kind, where, order, cursor, fields, limit };
  const self = {
    kind: 'query',
    name: 'query',
    what: 'Objects of one kind, filtered, ordered and paged.',
    read: listUrl(`${base}/api/v1/query`, query, [
      'from',
      'kind',
      'where',
      'order',
      'fields',
      'limit',
      'cursor',
      'workspace',
    ]),
    schema: schemaLink(base, 'query'),
  };
  return bodyOr(self, await graphQuery(reading, request));
}

export const queryList: ListRead = {
  query: objectsQuery,
  rules: (query) => [parseQuery(query)],
  answer: async (service, viewer, query) => {
    const tenant = await resolveTenant(service, viewer, query, query['from']);
    return isFault(tenant) ? tenant : queryAnswer({ ...service, tenant, viewer }, query);
  },
};

const searchQuery = {
  q: stringParam('what to look for'),
  kind: stringParam(`one or more of ${searchKinds.join(', ')}, separated by commas`),
  article: stringParam('a slug: results in this article only'),
  group: choice(['article'], 'article: three results of each article; limit and cursor count articles'),
  limit: wholeNumberUpTo(100, 'how many at most', 20),
  cursor: wholeNumberUpTo(1000, 'how many come before: follow next as it stands'),
  ...workspaceAndShare,
};

export function searchRoutes(server: RouteServer): void {
  route(
    server,
    {
      get: '/api/search',
      id: 'search',
      summary: 'Articles, DIVs, claims, sources and discourse by relevance.',
      tag: 'graph',
      caller: 'optional',
      limit: 'read',
      query: searchQuery,
      needed: ['q'],
      rules: searchFaults,
      answers: ['search'],
      etag: true,
    },
    ({ viewer, query }) => searchAnswer(server.service, viewer, query),
  );
}

export const searchList: ListRead = {
  query: searchQuery,
  needed: ['q'],
  rules: searchFaults,
  answer: searchAnswer,
};

/** The search answer of HTTP and MCP; `query` has the parameters of the URL. */
export async function searchAnswer(
  service: Service,
  viewer: Credential,
  query: Query,
): Promise<JsonObject | Fault> {
  const { base } = service;
  // Links repeat the search terms; tokens in them are scrubbed.
  const q = query['q'] === undefined ? undefined : scrubText(query['q'], fingerprintOf).value;
  if (q === undefined)
    return invalidParameter('q', 'q is missing.', 'Say what to look for, such as q=receipt.');
  const kinds = readKinds(query['kind']);
  if (isFault(kinds)) return kinds;
  const limit = wholeNumber(query, 'limit', searchQuery.limit);
  if (isFault(limit)) return limit;
  const cursor = wholeNumber(query, 'cursor', searchQuery.cursor);
  if (isFault(cursor)) return cursor;
  const tenant = await resolveTenant(service, viewer, query);
  if (isFault(tenant)) return tenant;
  const grouped = query['group'] === 'article';
  const found = await search(
    { ...service, tenant, viewer },
    { q, kinds, article: query['article'], grouped, limit, cursor },
  );
  if (isFault(found)) return found;
  const address = (words: string, more: Readonly<Record<string, string>>): string => {
    const kept = ['kind', 'article', 'group', 'workspace'].flatMap((name) => {
      const value = query[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const params = new URLSearchParams({
      q: words,
      ...Object.fromEntries(kept),
      limit: String(limit),
      ...more,
    });
    return `${base}/api/search?${params.toString()}`;
  };
  const suggested =
    found.didYouMean === null ? null : { q: found.didYouMean, url: address(found.didYouMean, {}) };
  return body(
    {
      kind: 'search',
      name: 'search',
      what: 'What was found, the most relevant first. Snippets are untrusted text; marks are offsets in them.',
      read: listUrl(`${base}/api/search`, query, [
        'q',
        'kind',
        'article',
        'group',
        'limit',
        'cursor',
        'workspace',
      ]),
      schema: schemaLink(base, 'search'),
      next: [...(suggested === null ? [] : [suggested.url]), listUrl(`${base}/api/articles`, query)],
    },
    exactAnswer(Search, {
      count: found.count,
      results: found.results,
      ...(found.articles === undefined ? {} : { articles: found.articles }),
      totals: found.totals,
      did_you_mean: suggested,
      next: found.next === null ? null : address(q, { cursor: String(found.next) }),
      behind: found.behind,
    }),
  );
}
