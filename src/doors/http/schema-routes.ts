/** `/api/schemas`: the JSON Schemas (2020-12) of reads, as their answers name them in `_self.schema` (contract §2). */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { readSchemas } from '../../model/index.ts';
import { body, sendProblem, sendTagged } from './envelope.ts';
import { declare, readable } from './declare.ts';
import { readQuery } from './requests.ts';

const list = declare({
  id: 'listSchemas',
  summary: 'The JSON Schemas of reads.',
  tag: 'discovery',
  caller: 'nobody',
  query: {},
});
const one = declare({
  id: 'readSchema',
  summary: 'The JSON Schema (2020-12) of one read.',
  tag: 'discovery',
  caller: 'nobody',
  query: {},
  json: false,
  types: ['application/schema+json'],
});

/** Where the schema of a read is, or nothing for a read that has none. */
export function schemaLink(base: string, name: string): string | undefined {
  return Object.hasOwn(readSchemas, name) ? links.schema(base, name) : undefined;
}

export function schemaRoutes(app: FastifyInstance, { base }: Service): void {
  app.get('/api/schemas', readable(list), async (request, reply) => {
    const query = readQuery(request, list);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const named = Object.entries(readSchemas);
    const schemas = named.map(([name, { what }]) => ({ name, what, schema: links.schema(base, name) }));
    const templates = named.map(([name, { path }]) => ({ name, read: base + path }));
    const self = { kind: 'list', name: 'schemas', what: 'Schemas of reads.', read: `${base}/api/schemas` };
    return sendTagged(request, reply, body(self, { count: schemas.length, schemas, templates }));
  });

  app.get('/api/schemas/:name', readable(one), async (request, reply) => {
    const query = readQuery(request, one);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const { name } = request.params as { readonly name: string };
    const found = Object.hasOwn(readSchemas, name) ? readSchemas[name] : undefined;
    if (found === undefined)
      return sendProblem(
        reply,
        request,
        base,
        fault('not_found', `There is no schema ${name.slice(0, 60)}.`, 'List them under /api/schemas.'),
      );
    const document = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: links.schema(base, name),
      title: name,
      description: found.what,
      ...(found.schema as unknown as JsonObject),
    };
    return sendTagged(request, reply, document, 'application/schema+json; charset=utf-8');
  });
}
