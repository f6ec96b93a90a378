/** `/api/graph` and `/api/v1/query` (spec §4.3, contract §7): free reads over what articles hold. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { depthMax, readGraph } from '../../app/reads/graph.ts';
import { graphQuery } from '../../app/reads/graph-query.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { body, sendProblem, sendTagged, type Self } from './envelope.ts';
import type { Intake } from './intake.ts';
import { readable, readQuery, wholeNumber, type Query } from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { placeOf, placeParameters, readAt, viewerOf } from './viewer.ts';

type Reader = (query: Query, viewer: Credential, tenant: string) => Promise<JsonObject | Fault>;

export function graphRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const read = (path: string, known: readonly string[], self: Omit<Self, 'read'>, reader: Reader): void => {
    app.get(path, readable, async (request, reply) => {
      const found = await answer(service, intake, request, reply, known, reader);
      if (isFault(found)) return sendProblem(reply, request, service.base, found);
      const schema = schemaLink(service.base, self.name);
      const address = readAt(`${service.base}${path}`, request.query as Query);
      return sendTagged(request, reply, body({ ...self, read: address, schema }, found));
    });
  };

  read(
    '/api/graph',
    ['slugs', 'layer', 'kinds', 'depth', 'limit', 'cursor'],
    { kind: 'graph', name: 'graph', what: 'Articles as nodes and edges, by layer.' },
    async (query, viewer, tenant) => {
      const depth = wholeNumber(query, 'depth', 3, depthMax);
      if (isFault(depth)) return depth;
      const limit = wholeNumber(query, 'limit', 500, 2000);
      if (isFault(limit)) return limit;
      const { workspace, slugs, layer, kinds, cursor } = query;
      return readGraph(service, tenant, viewer, { workspace, slugs, layer, kinds, depth, limit, cursor });
    },
  );

  read(
    '/api/v1/query',
    ['from', 'kind', 'where', 'order', 'limit', 'cursor', 'fields'],
    { kind: 'query', name: 'query', what: 'Objects of one kind, filtered, ordered and paged.' },
    async (query, viewer, tenant) => {
      const limit = wholeNumber(query, 'limit', 50, 500);
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
  known: readonly string[],
  reader: Reader,
): Promise<JsonObject | Fault> {
  const query = readQuery(request, [...known, ...placeParameters]);
  if (isFault(query)) return query;
  const viewer = await viewerOf(service, request, reply, intake);
  if (isFault(viewer)) return viewer;
  const tenant = await placeOf(service, viewer, query, query['slugs'] ?? query['from']);
  return isFault(tenant) ? tenant : reader(query, viewer, tenant);
}
