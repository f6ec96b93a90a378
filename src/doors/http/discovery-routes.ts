/** What runtimes of models read first (spec §4.1, contract §7): lane guidance and the action definition. */
import type { FastifyInstance } from 'fastify';
import { publicKeys } from '../../domain/workspaces/roles.ts';
import type { Service } from '../../app/service.ts';
import { isFault } from '../../kernel/fault.ts';
import { actionsDocument } from '../../represent/actions.ts';
import { modelLane } from '../../represent/model-lane.ts';
import { body, sendJson, sendProblem } from './envelope.ts';
import { declare, readable } from './declare.ts';
import { readQuery } from './requests.ts';

const described = { tag: 'discovery', caller: 'nobody', query: {} } as const;
const lane = declare({
  ...described,
  id: 'readModelLane',
  summary: 'What a web-model runtime of each kind can do here.',
});
const definition = declare({
  ...described,
  id: 'readActions',
  summary: 'The action definition for web-model runtimes (OpenAPI 3.1, at most 30 operations).',
  json: false,
  types: ['application/json'],
});

const cacheControl = 'public, max-age=300';

export function discoveryRoutes(app: FastifyInstance, { base }: Service): void {
  app.get('/api/model-lane', readable(lane), async (request, reply) => {
    const query = readQuery(request, lane);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    void reply.header('cache-control', cacheControl);
    const self = {
      kind: 'guidance',
      name: 'model-lane',
      what: 'What a web-model runtime of each kind can do here.',
      read: `${base}/api/model-lane`,
      next: [`${base}/api/openai/actions.json`, `${base}/api/dispatch?map=1`],
    };
    return sendJson(reply, body(self, modelLane(base, publicKeys)));
  });
  // A foreign format: no envelope around it (contract §2).
  app.get('/api/openai/actions.json', readable(definition), async (request, reply) => {
    const query = readQuery(request, definition);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    void reply.header('cache-control', cacheControl);
    return sendJson(reply, actionsDocument(base));
  });
}
