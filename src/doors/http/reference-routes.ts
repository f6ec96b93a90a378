/** Global references and the description of the protocol (spec §4.3): the same for everybody, cached for a while. */
import { protocolName } from '../../model/protocol.ts';
import type { FastifyInstance } from 'fastify';
import { readGrow } from '../../app/reads/grow.ts';
import { protocolTree } from '../../app/reads/protocol-map.ts';
import { readThreadState, targetFault } from '../../app/reads/thread-state.ts';
import type { Service } from '../../app/service.ts';
import { isFault } from '../../kernel/fault.ts';
import {
  constitution,
  llmManifest,
  ontology,
  referenceMarkdown,
  systemMap,
} from '../../represent/references.ts';
import { body, sendProblem, sendTagged } from './envelope.ts';
import type { Intake } from './intake.ts';
import { placeOf, viewerOf } from './viewer.ts';
import { declare, operationId, readable } from './declare.ts';
import { formatOf, limit as pageLimit, place, shared, words } from './parameters.ts';
import { readQuery, wholeNumber } from './requests.ts';
import { schemaLink } from './schema-routes.ts';

const protocol = declare({
  id: 'readProtocol',
  summary: 'The protocol as this service speaks it.',
  tag: 'discovery',
  caller: 'nobody',
  query: {},
  answers: ['protocol'],
});
const threadState = declare({
  id: 'readThreadState',
  summary: 'Where the discourse of an article stands.',
  tag: 'articles',
  caller: 'anybody',
  query: { target: words('the slug of an article'), ...shared },
  needed: ['target'],
  rules: ({ target }) => [targetFault(target)],
  answers: ['thread-state'],
});
const growth = declare({
  id: 'readGrow',
  summary: 'What the ledger needs next, with a payload for each.',
  tag: 'articles',
  caller: 'anybody',
  query: { limit: pageLimit, ...place },
  answers: ['grow'],
});

export function referenceRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
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
  for (const [name, { what, make }] of Object.entries(references)) {
    const reference = declare({
      id: operationId(`read-${name}`),
      summary: what,
      tag: 'discovery',
      caller: 'nobody',
      query: { format: formatOf('json', 'markdown') },
      answers: [name],
      types: ['text/markdown'],
    });
    app.get(`/api/articles/${name}`, readable(reference), async (request, reply) => {
      const query = readQuery(request, reference);
      if (isFault(query)) return sendProblem(reply, request, base, query);
      void reply.header('cache-control', 'public, max-age=300');
      if (query['format'] === 'markdown')
        return sendTagged(request, reply, referenceMarkdown(name, make()), 'text/markdown; charset=utf-8');
      const self = {
        kind: 'reference',
        name,
        what,
        read: `${base}/api/articles/${name}`,
        schema: schemaLink(base, name),
      };
      return sendTagged(request, reply, body(self, make()));
    });
  }

  app.get('/api/protocol', readable(protocol), async (request, reply) => {
    const query = readQuery(request, protocol);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    void reply.header('cache-control', 'public, max-age=60');
    const self = {
      kind: 'protocol',
      name: protocolName,
      what: 'The protocol as this service speaks it.',
      schema: schemaLink(base, 'protocol'),
      next: [`${base}/api/dispatch?registry=1`],
    };
    return sendTagged(request, reply, body(self, protocolTree(service)));
  });

  app.get('/api/protocol/thread-state', readable(threadState), async (request, reply) => {
    const query = readQuery(request, threadState);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const state = await readThreadState(service, viewer, query['target']);
    if (isFault(state)) return sendProblem(reply, request, base, state);
    const self = {
      kind: 'thread',
      name: query['target'] ?? '',
      what: 'Where the discourse of an article stands.',
      schema: schemaLink(base, 'thread-state'),
    };
    return sendTagged(request, reply, body(self, state));
  });

  app.get('/api/protocol/grow', readable(growth), async (request, reply) => {
    const query = readQuery(request, growth);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const tenant = await placeOf(service, viewer, query);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const limit = wholeNumber(query, 'limit', growth.query.limit);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    const grow = await readGrow(service, tenant, limit);
    if (isFault(grow)) return sendProblem(reply, request, base, grow);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'public, max-age=60');
    const self = {
      kind: 'grow',
      name: 'grow',
      what: 'What the ledger needs next, with a payload for each; texts in them are untrusted.',
      read: `${base}/api/protocol/grow`,
      schema: schemaLink(base, 'grow'),
    };
    return sendTagged(request, reply, body(self, grow));
  });
}
