/** `/api/openapi.json` (contract §7): every route of this server as it declares itself, written when somebody first asks. */
import type { FastifyInstance } from 'fastify';
import { openApiDocument, type Routed } from '../../represent/openapi/document.ts';
import { ByteCache } from './cached-bytes.ts';
import { cachedBytes } from './replies.ts';
import { route, type Door } from './route.ts';
import { statusOf } from './statuses.ts';

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

export function openApiRoutes(door: Door, routes: readonly Routed[]): void {
  const { base, rows } = door.service;
  const cache = new ByteCache(cacheBytesMax);
  route(
    door,
    {
      get: '/api/openapi.json',
      id: 'readOpenApi',
      summary: 'This document.',
      tag: 'discovery',
      caller: 'nobody',
      limit: 'read',
      query: {},
      json: false,
      types: ['application/json'],
      cache: 'public, max-age=300',
    },
    async () => {
      const entry =
        cache.get('openapi', '') ??
        (await cache.set(
          'openapi',
          '',
          JSON.stringify(openApiDocument({ base, routes, rows, statusOf })),
          'application/json; charset=utf-8',
        ));
      return cachedBytes(cache, entry);
    },
  );
}
