/** `/api/graph` and `/api/v1/query` (spec §4.3, contract §7): free reads over what articles hold. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { slugsFault } from '../../app/reads/article-set.ts';
import { articlesMax, depthMax, readGraph } from '../../app/reads/graph.ts';
import { graphQuery } from '../../app/reads/graph-query.ts';
import { parseQuery } from '../../app/reads/query-request.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { body, sendProblem, sendTagged, type Self } from './envelope.ts';
import type { Intake } from './intake.ts';
import { declare, readable, type Declared } from './declare.ts';
import { choice, paged, place, slugList, words, wholeNumberUpTo } from './parameters.ts';
import { readQuery, wholeNumber, type Query } from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { placeOf, readAt, viewerOf } from './viewer.ts';
import type { Taken } from '../../represent/openapi/operation.ts';
import { queryFields } from '../../model/query-fields.ts';
import { layers } from '../../model/vocabulary.ts';

const graphRead = declare({
  id: 'readGraph',
  summary: 'Articles as nodes and edges, by layer.',
  tag: 'graph',
  caller: 'anybody',
  query: {
    slugs: slugList,
    layer: choice(layers, 'evidence without it'),
    kinds: words('kinds of nodes, separated by commas'),
    depth: wholeNumberUpTo(depthMax, 'how many steps from the articles', 3),
    limit: wholeNumberUpTo(2000, 'how many nodes at most', 500),
    cursor: paged.cursor,
    ...place,
  },
  rules: ({ slugs }) => [slugsFault('slugs', slugs, articlesMax)],
  answers: ['graph'],
});
const queried = declare({
  id: 'query',
  summary: 'Objects of one kind, filtered, ordered and paged.',
  tag: 'graph',
  caller: 'anybody',
  query: {
    from: words('slugs, separated by commas; * for all articles'),
    kind: choice(Object.keys(queryFields), 'claim without it'),
    where: words('comma-separated field op value, with =, !=, >, >=, <, <= or ~'),
    order: words('a field; with - before it, the greatest first'),
    fields: words('the fields that are wanted, separated by commas'),
    ...paged,
    ...place,
  },
  rules: (query) => [parseQuery(query)],
  answers: ['query'],
});

type Reader = (query: Query, viewer: Credential, tenant: string) => Promise<JsonObject | Fault>;

export function graphRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const read = (path: string, known: Declared<Taken>, self: Omit<Self, 'read'>, reader: Reader): void => {
    app.get(path, readable(known), async (request, reply) => {
      const found = await answer(service, intake, request, reply, known, reader);
      if (isFault(found)) return sendProblem(reply, request, service.base, found);
      const schema = schemaLink(service.base, self.name);
      const address = readAt(`${service.base}${path}`, request.query as Query);
      return sendTagged(request, reply, body({ ...self, read: address, schema }, found));
    });
  };

  read(
    '/api/graph',
    graphRead,
    { kind: 'graph', name: 'graph', what: 'Articles as nodes and edges, by layer.' },
    async (query, viewer, tenant) => {
      const depth = wholeNumber(query, 'depth', graphRead.query.depth);
      if (isFault(depth)) return depth;
      const limit = wholeNumber(query, 'limit', graphRead.query.limit);
      if (isFault(limit)) return limit;
      const { workspace, slugs, layer, kinds, cursor } = query;
      return readGraph(service, tenant, viewer, { workspace, slugs, layer, kinds, depth, limit, cursor });
    },
  );

  read(
    '/api/v1/query',
    queried,
    { kind: 'query', name: 'query', what: 'Objects of one kind, filtered, ordered and paged.' },
    async (query, viewer, tenant) => {
      const limit = wholeNumber(query, 'limit', queried.query.limit);
      if (isFault(limit)) return limit;
      const { workspace, from, kind, where, order, cursor, fields } = query;
      return graphQuery(service, tenant, viewer, {
        workspace,
        from,
        kind,
        where,
        order,
        cursor,
        fields,
        limit,
      });
    },
  );
}

async function answer(
  service: Service,
  intake: Intake,
  request: FastifyRequest,
  reply: FastifyReply,
  known: Declared<Taken>,
  reader: Reader,
): Promise<JsonObject | Fault> {
  const query = readQuery(request, known);
  if (isFault(query)) return query;
  const viewer = await viewerOf(service, request, reply, intake);
  if (isFault(viewer)) return viewer;
  const tenant = await placeOf(service, viewer, query, query['slugs'] ?? query['from']);
  return isFault(tenant) ? tenant : reader(query, viewer, tenant);
}
