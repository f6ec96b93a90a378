/** What runtimes of models read first (spec §4.1, contract §7): lane guidance and the action definition. */
import { publicKeys } from '../../domain/workspaces/roles.ts';
import { actionsDocument } from '../../represent/actions.ts';
import { modelLane } from '../../represent/model-lane.ts';
import { body } from './envelope.ts';
import { route, type Door } from './route.ts';

const described = { tag: 'discovery', caller: 'nobody', query: {}, cache: 'public, max-age=300' } as const;

export function discoveryRoutes(door: Door): void {
  const { base } = door.service;
  route(
    door,
    {
      ...described,
      get: '/api/model-lane',
      id: 'readModelLane',
      summary: 'What a web-model runtime of each kind can do here.',
    },
    () => {
      const self = {
        kind: 'guidance',
        name: 'model-lane',
        what: 'What a web-model runtime of each kind can do here.',
        read: `${base}/api/model-lane`,
        next: [`${base}/api/openai/actions.json`, `${base}/api/dispatch?map=1`],
      };
      return body(self, modelLane(base, publicKeys));
    },
  );
  // A foreign format: no envelope around it (contract §2).
  route(
    door,
    {
      ...described,
      get: '/api/openai/actions.json',
      id: 'readActions',
      summary: 'The action definition for web-model runtimes (OpenAPI 3.1, at most 30 operations).',
      json: false,
      types: ['application/json'],
    },
    () => actionsDocument(base),
  );
}
