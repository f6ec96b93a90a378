/** `/api/graph` and `/api/v1/query` (spec §4.3, contract §7): reads over the contents of articles. */
import { slugsFault } from '../../app/reads/article-set.ts';
import { articlesMax, depthMax, readGraph } from '../../app/reads/graph.ts';
import { graphQuery } from '../../app/reads/graph-query.ts';
import { parseQuery } from '../../app/reads/query-request.ts';
import { layers } from '../../model/vocabulary.ts';
import { queryFields } from '../../model/query-fields.ts';
import { bodyOr } from './envelope.ts';
import { choice, paging, workspaceAndShare, slugList, stringParam, wholeNumberUpTo } from './parameters.ts';
import { listUrl, route, type RouteServer } from './route.ts';
import { schemaLink } from './schema-routes.ts';

const described = { tag: 'graph', caller: 'anybody', limit: 'read', etag: true } as const;

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
    async ({ query, viewer, tenant, number }) => {
      const { workspace, slugs, layer, kinds, cursor } = query;
      const [depth, limit] = [number('depth'), number('limit')];
      const self = {
        kind: 'graph',
        name: 'graph',
        what: 'Articles as nodes and edges, by layer.',
        read: listUrl(`${base}/api/graph`, query),
        schema: schemaLink(base, 'graph'),
      };
      const asked = { workspace, slugs, layer, kinds, depth, limit, cursor };
      return bodyOr(self, await readGraph(service, tenant, viewer, asked));
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/v1/query',
      id: 'query',
      summary: 'Objects of one kind, filtered, ordered and paged.',
      query: {
        from: stringParam('slugs, separated by commas; * for all articles'),
        kind: choice(Object.keys(queryFields), 'claim without it'),
        where: stringParam('comma-separated field op value, with =, !=, >, >=, <, <= or ~'),
        order: stringParam('a field; with - before it, the greatest first'),
        fields: stringParam('the fields that are wanted, separated by commas'),
        ...paging,
        ...workspaceAndShare,
      },
      rules: (query) => [parseQuery(query)],
      answers: ['query'],
      tenant: 'from',
    },
    async ({ query, viewer, tenant, number }) => {
      const { workspace, from, kind, where, order, cursor, fields } = query;
      const asked = { workspace, from, kind, where, order, cursor, fields, limit: number('limit') };
      const self = {
        kind: 'query',
        name: 'query',
        what: 'Objects of one kind, filtered, ordered and paged.',
        read: listUrl(`${base}/api/v1/query`, query),
        schema: schemaLink(base, 'query'),
      };
      return bodyOr(self, await graphQuery(service, tenant, viewer, asked));
    },
  );
}
