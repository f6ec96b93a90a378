/** `GET /api/invocations` (spec §4.1): the calls of a row, newest first; bodies only for who may read the receipts. */
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { invocationFaults, listInvocations } from '../../app/reads/directory.ts';
import { isFault } from '../../kernel/fault.ts';
import { body, goingOn, privateCache } from './envelope.ts';
import { paged, place, words } from './parameters.ts';
import { route, type Door } from './route.ts';
import { schemaLink } from './schema-routes.ts';

export function invocationRoutes(door: Door): void {
  const { service } = door;
  route(
    door,
    {
      get: '/api/invocations',
      id: 'listInvocations',
      summary: 'Invocations of a row, newest first; bodies only for who may read the receipts.',
      tag: 'capabilities',
      caller: 'anybody',
      tenant: true,
      query: {
        object_id: words('the key of a row'),
        status: words('success, failure, or one status of a receipt'),
        ...paged,
        ...place,
      },
      needed: ['object_id'],
      answers: ['calls'],
      rules: ({ status, cursor }) => invocationFaults({ status, cursor }),
      cache: privateCache,
    },
    async ({ request, query, viewer, tenant, number }) => {
      const { workspace, object_id: key, status, cursor } = query;
      const asked = { workspace, key, status, limit: number('limit'), cursor };
      const list = await listInvocations(await withWorkspaceRows(service, tenant), tenant, viewer, asked);
      if (isFault(list)) return list;
      const self = {
        kind: 'list',
        name: 'invocations',
        what: 'Invocations of a row, newest first.',
        schema: schemaLink(service.base, 'calls'),
      };
      return goingOn(request, body(self, list));
    },
  );
}
