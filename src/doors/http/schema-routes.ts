/**
 * `/api/schemas`: the JSON Schemas (2020-12) that answers name in `_self.schema` (contract §2), and
 * `/api/openapi.json` (contract §7): every route of this server as it declares itself.
 */
import { links } from '../../domain/links.ts';
import { about, fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { readSchemas } from '../../model/index.ts';
import { body, stableJson } from './envelope.ts';
import { mediaReply, cachedBytes } from './replies.ts';
import { route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import type { FastifyInstance } from 'fastify';
import { openApiDocument, type Routed } from '../../represent/openapi/document.ts';
import { ByteCache } from './cached-bytes.ts';
import { statusOf } from './statuses.ts';

const described = { tag: 'discovery', caller: 'none', query: {}, etag: true } as const;

/** The URL of a read's schema; undefined if it has none. */
export function schemaLink(base: string, name: string): string | undefined {
  return Object.hasOwn(readSchemas, name) ? links.schema(base, name) : undefined;
}

export function schemaRoutes(server: RouteServer): void {
  const { base } = server.service;
  route(
    server,
    {
      ...described,
      get: '/api/schemas',
      id: 'listSchemas',
      summary: 'The JSON Schemas of reads.',
      answers: ['Schemas'],
    },
    () => {
      const named = Object.entries(readSchemas);
      const schemas = named.map(([name, { what }]) => ({ name, what, schema: links.schema(base, name) }));
      const templates = named.map(([name, { path }]) => ({ name, read: base + path }));
      const self = { kind: 'list', name: 'schemas', what: 'Schemas of reads.', read: `${base}/api/schemas` };
      return body(self, { count: schemas.length, schemas, templates });
    },
  );
  route(
    server,
    {
      ...described,
      get: '/api/schemas/:name',
      id: 'readSchema',
      summary: 'The JSON Schema (2020-12) of one read.',
      json: false,
      types: ['application/schema+json'],
    },
    ({ params: { name = '' } }) => {
      const found = Object.hasOwn(readSchemas, name) ? readSchemas[name] : undefined;
      if (found === undefined)
        return about(
          fault('not_found', `There is no schema ${name.slice(0, 60)}.`, 'List them under /api/schemas.'),
          { kind: 'schema', id: name },
        );
      const document = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: links.schema(base, name),
        title: name,
        description: found.what,
        ...(found.schema as JsonObject),
      };
      return mediaReply('application/schema+json; charset=utf-8', stableJson(document));
    },
  );
}

/** The document has a few hundred kilobytes and is cached with its compressed bytes. */
const cacheBytesMax = 8 * 1024 * 1024;

/** Collects every route that is added after this call; HEAD belongs to GET. */
export function routesOf(app: FastifyInstance): readonly Routed[] {
  const routes: Routed[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat())
      if (each !== 'HEAD') routes.push({ method: each, path: url, operations: config?.operations ?? [] });
  });
  return routes;
}

export function openApiRoutes(server: RouteServer, routes: readonly Routed[]): void {
  const { base, rows } = server.service;
  const cache = new ByteCache(cacheBytesMax);
  route(
    server,
    {
      get: '/api/openapi.json',
      id: 'readOpenApi',
      summary: 'This document.',
      tag: 'discovery',
      caller: 'none',
      limit: 'read',
      query: {},
      answers: ['OpenApi'],
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
