/** `GET /api/keys`: the owner's API keys by fingerprint (contract §4). Minting and revoking are rows. */
import type { FastifyInstance } from 'fastify';
import { listKeys } from '../../app/credentials/keys.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { body, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { placeOf, readerOf } from './viewer.ts';
import { declare, declared } from './declare.ts';
import { workspace } from './parameters.ts';
import { readQuery } from './requests.ts';

const list = declare({
  id: 'listKeys',
  summary: 'API keys by fingerprint.',
  tag: 'capabilities',
  caller: 'owner',
  query: { workspace },
});

export function keyRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;
  app.get('/api/keys', declared(list), async (request, reply) => {
    const query = readQuery(request, list);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const credential = await readerOf(service, request, intake);
    if (isFault(credential)) return sendProblem(reply, request, base, credential);
    if (credential.kind !== 'owner') {
      const refusal = fault(
        'owner_only',
        "The list of keys is the owner's.",
        'Send the x-terminal-key header.',
      );
      return sendProblem(reply, request, base, refusal);
    }
    void reply.header('cache-control', privateCache);
    const self = {
      kind: 'list',
      name: 'keys',
      what: 'API keys by fingerprint.',
      next: [links.contract(base, 'KEY_MINT')],
    };
    const tenant = await placeOf(service, credential, query);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    return sendJson(reply, body(self, await listKeys(service, tenant)));
  });
}
