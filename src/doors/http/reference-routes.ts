/** Global references and the description of the protocol (spec §4.3): the same for everybody, cached for a while. */
import type { FastifyInstance } from 'fastify';
import { readThreadState } from '../../app/thread-state.ts';
import { protocolTree } from '../../app/questions.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import {
  constitution,
  llmManifest,
  ontology,
  referenceMarkdown,
  systemMap,
} from '../../represent/references.ts';
import { body, sendJson, sendProblem } from './envelope.ts';
import { readable, readQuery } from './requests.ts';

export function referenceRoutes(app: FastifyInstance, service: Service): void {
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
    app.get(`/api/articles/${name}`, readable, async (request, reply) => {
      const query = readQuery(request, ['format']);
      if (isFault(query)) return sendProblem(reply, request, base, query);
      void reply.header('cache-control', 'public, max-age=300');
      if (query['format'] === 'markdown')
        return reply
          .header('content-type', 'text/markdown; charset=utf-8')
          .send(referenceMarkdown(name, make()));
      if (query['format'] !== undefined && query['format'] !== 'json') {
        return sendProblem(
          reply,
          request,
          base,
          fault(
            'invalid_request',
            `"${query['format'].slice(0, 40)}" is no format.`,
            'Use json or markdown.',
            { parameter: 'format' },
          ),
        );
      }
      return sendJson(
        reply,
        body({ kind: 'reference', name, what, read: `${base}/api/articles/${name}` }, make()),
      );
    });
  }

  app.get('/api/protocol', readable, async (request, reply) => {
    const query = readQuery(request, []);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    void reply.header('cache-control', 'public, max-age=60');
    return sendJson(
      reply,
      body(
        {
          kind: 'protocol',
          name: 'OIP',
          what: 'The protocol as this service speaks it.',
          next: [`${base}/api/dispatch?registry=1`],
        },
        protocolTree(service),
      ),
    );
  });

  app.get('/api/protocol/thread-state', readable, async (request, reply) => {
    const query = readQuery(request, ['target']);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const state = await readThreadState(service, mainTenant, query['target']);
    if (isFault(state)) return sendProblem(reply, request, base, state);
    void reply.header('cache-control', 'public, max-age=0, must-revalidate');
    return sendJson(
      reply,
      body(
        { kind: 'thread', name: query['target'] ?? '', what: 'Where the discourse of an article stands.' },
        state,
      ),
    );
  });
}
