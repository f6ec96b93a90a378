/** `/api/schemas`: the JSON Schemas (2020-12) of reads, as their answers name them in `_self.schema` (contract §2). */
import { links } from '../../domain/links.ts';
import { fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { readSchemas } from '../../model/index.ts';
import { body, stableJson } from './envelope.ts';
import { mediaReply } from './replies.ts';
import { route, type Door } from './route.ts';

const described = { tag: 'discovery', caller: 'nobody', query: {}, etag: true } as const;

/** Where the schema of a read is, or nothing for a read that has none. */
export function schemaLink(base: string, name: string): string | undefined {
  return Object.hasOwn(readSchemas, name) ? links.schema(base, name) : undefined;
}

export function schemaRoutes(door: Door): void {
  const { base } = door.service;
  route(
    door,
    { ...described, get: '/api/schemas', id: 'listSchemas', summary: 'The JSON Schemas of reads.' },
    () => {
      const named = Object.entries(readSchemas);
      const schemas = named.map(([name, { what }]) => ({ name, what, schema: links.schema(base, name) }));
      const templates = named.map(([name, { path }]) => ({ name, read: base + path }));
      const self = { kind: 'list', name: 'schemas', what: 'Schemas of reads.', read: `${base}/api/schemas` };
      return body(self, { count: schemas.length, schemas, templates });
    },
  );
  route(
    door,
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
        return fault(
          'not_found',
          `There is no schema ${name.slice(0, 60)}.`,
          'List them under /api/schemas.',
        );
      const document = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: links.schema(base, name),
        title: name,
        description: found.what,
        ...(found.schema as unknown as JsonObject),
      };
      return mediaReply('application/schema+json; charset=utf-8', stableJson(document));
    },
  );
}
