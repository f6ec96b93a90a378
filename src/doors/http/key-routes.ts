/** `GET /api/keys`: the owner's API keys by fingerprint (contract §4). Minting and revoking are rows. */
import { listKeys } from '../../app/credentials/shares.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { body, privateCache } from './envelope.ts';
import { workspace } from './parameters.ts';
import { resolveTenant, route, type Door } from './route.ts';

export function keyRoutes(door: Door): void {
  const { service } = door;
  const { base } = service;
  route(
    door,
    {
      get: '/api/keys',
      id: 'listKeys',
      summary: 'API keys by fingerprint.',
      tag: 'capabilities',
      caller: 'owner',
      query: { workspace },
      head: 'none',
      cache: privateCache,
    },
    async ({ viewer, query }) => {
      if (viewer.kind !== 'owner')
        return fault('owner_only', "The list of keys is the owner's.", 'Send the x-terminal-key header.');
      const tenant = await resolveTenant(service, viewer, query);
      if (isFault(tenant)) return tenant;
      const self = {
        kind: 'list',
        name: 'keys',
        what: 'API keys by fingerprint.',
        next: [links.contract(base, 'KEY_MINT')],
      };
      return body(self, await listKeys(service, tenant));
    },
  );
}
