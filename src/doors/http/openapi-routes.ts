/** `/api/openapi.json` (contract §7): every route of this server as it declares itself, written when somebody first asks. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { isFault } from '../../kernel/fault.ts';
import { openApiDocument, type Routed } from '../../represent/openapi/document.ts';
import { ByteCache, sendBytes } from './cached-bytes.ts';
import { declare, readable } from './declare.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { readQuery } from './requests.ts';
import { statusOf } from './statuses.ts';

const description = declare({
  id: 'readOpenApi',
  summary: 'This document.',
  tag: 'discovery',
  caller: 'nobody',
  query: {},
  json: false,
  types: ['application/json'],
});

/** The document is a few hundred kilobytes, and kept once with its compressed bytes. */
const cacheBytesMax = 8 * 1024 * 1024;

/** Every route that is added from here on, as it declares itself; HEAD goes with GET. */
export function routesOf(app: FastifyInstance): readonly Routed[] {
  const routes: Routed[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat())
      if (each !== 'HEAD') routes.push({ method: each, path: url, operations: config?.operations ?? [] });
  });
  return routes;
}

export function openApiRoutes(
  app: FastifyInstance,
  service: Service,
  intake: Intake,
  routes: readonly Routed[],
): void {
  const { base, rows } = service;
  const cache = new ByteCache(cacheBytesMax);
  app.get('/api/openapi.json', readable(description), async (request, reply) => {
    const query = readQuery(request, description);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const limited = intake.read(request);
    if (limited !== undefined) return sendProblem(reply, request, base, limited);
    const kept =
      cache.get('openapi', '') ??
      (await cache.set(
        'openapi',
        '',
        JSON.stringify(openApiDocument({ base, routes, rows, statusOf })),
        'application/json; charset=utf-8',
      ));
    void reply.header('cache-control', 'public, max-age=300');
    return sendBytes(request, reply, cache, kept);
  });
}
