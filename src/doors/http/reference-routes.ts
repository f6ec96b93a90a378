/** References and the description of the protocol (spec §4.3), the same for everybody. */
import { readGrow } from '../../app/reads/grow.ts';
import { protocolTree } from '../../app/reads/protocol-map.ts';
import { readThreadState, targetFault } from '../../app/reads/thread-state.ts';
import { protocolName } from '../../model/vocabulary.ts';
import {
  constitution,
  llmManifest,
  ontology,
  referenceMarkdown,
  systemMap,
} from '../../represent/references.ts';
import { body, bodyOr } from './envelope.ts';
import { formatOf, limit as pageLimit, workspaceAndShare, shareOnly, stringParam } from './parameters.ts';
import { mediaReply } from './replies.ts';
import { operationId, route, type RouteServer } from './route.ts';
import { schemaLink } from './schema-routes.ts';

export function referenceRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;
  const references = {
    constitution: {
      what: 'The slots that an article fills, and the rules for its claims.',
      make: constitution,
    },
    ontology: { what: 'The words of the ledger and their allowed values.', make: ontology },
    'system-map': { what: 'The parts of the service.', make: () => systemMap(base) },
    'llm-manifest': {
      what: 'Where a language model starts and what it can rely on.',
      make: () => llmManifest(base),
    },
  } as const;
  for (const [name, { what, make }] of Object.entries(references))
    route(
      server,
      {
        get: `/api/articles/${name}`,
        id: operationId(`read-${name}`),
        summary: what,
        tag: 'discovery',
        caller: 'nobody',
        query: { format: formatOf('json', 'markdown') },
        answers: [name],
        types: ['text/markdown'],
        etag: true,
        cache: 'public, max-age=300',
      },
      ({ query }) => {
        if (query['format'] === 'markdown')
          return mediaReply('text/markdown; charset=utf-8', referenceMarkdown(name, make()));
        const read = `${base}/api/articles/${name}`;
        return body({ kind: 'reference', name, what, read, schema: schemaLink(base, name) }, make());
      },
    );

  route(
    server,
    {
      get: '/api/protocol',
      id: 'readProtocol',
      summary: 'The protocol as this service speaks it.',
      tag: 'discovery',
      caller: 'nobody',
      query: {},
      answers: ['protocol'],
      etag: true,
      cache: 'public, max-age=60',
    },
    () => {
      const self = {
        kind: 'protocol',
        name: protocolName,
        what: 'The protocol as this service speaks it.',
        schema: schemaLink(base, 'protocol'),
        next: [`${base}/api/dispatch?registry=1`],
      };
      return body(self, protocolTree(service));
    },
  );

  route(
    server,
    {
      get: '/api/protocol/thread-state',
      id: 'readThreadState',
      summary: 'Where the discourse of an article stands.',
      tag: 'articles',
      caller: 'anybody',
      limit: 'read',
      query: { target: stringParam('the slug of an article'), ...shareOnly },
      needed: ['target'],
      rules: ({ target }) => [targetFault(target)],
      answers: ['thread-state'],
      etag: true,
    },
    async ({ query: { target }, viewer }) => {
      const self = {
        kind: 'thread',
        name: target ?? '',
        what: 'Where the discourse of an article stands.',
        schema: schemaLink(base, 'thread-state'),
      };
      return bodyOr(self, await readThreadState(service, viewer, target));
    },
  );

  route(
    server,
    {
      get: '/api/protocol/grow',
      id: 'readGrow',
      summary: 'What the ledger needs next, with a payload for each.',
      tag: 'articles',
      caller: 'anybody',
      limit: 'read',
      tenant: true,
      query: { limit: pageLimit, ...workspaceAndShare },
      answers: ['grow'],
      etag: true,
      cache: 'public, max-age=60',
    },
    async ({ tenant, number }) => {
      const self = {
        kind: 'grow',
        name: 'grow',
        what: 'What the ledger needs next, with a payload for each; texts in them are untrusted.',
        read: `${base}/api/protocol/grow`,
        schema: schemaLink(base, 'grow'),
      };
      return bodyOr(self, await readGrow(service, tenant, number('limit')));
    },
  );
}
