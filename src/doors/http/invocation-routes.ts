/** `GET /api/invocations` (spec §4.1): the calls of a row, newest first; bodies only for who may read the receipts. */
import type { FastifyInstance } from 'fastify';
import { withRows } from '../../app/reads/current-rows.ts';
import { invocationFaults, listInvocations } from '../../app/reads/directory.ts';
import type { Service } from '../../app/service.ts';
import { isFault } from '../../kernel/fault.ts';
import { body, goingOn, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { declare, readable } from './declare.ts';
import { paged, place, words } from './parameters.ts';
import { readQuery, wholeNumber } from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { placeOf, readerOf } from './viewer.ts';

const calls = declare({
  id: 'listInvocations',
  summary: 'Invocations of a row, newest first; bodies only for who may read the receipts.',
  tag: 'capabilities',
  caller: 'anybody',
  query: {
    object_id: words('the key of a row'),
    status: words('success, failure, or one status of a receipt'),
    ...paged,
    ...place,
  },
  needed: ['object_id'],
  answers: ['calls'],
  rules: ({ status, cursor }) => invocationFaults({ status, cursor }),
});

export function invocationRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.get('/api/invocations', readable(calls), async (request, reply) => {
    const query = readQuery(request, calls);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const credential = await readerOf(service, request, intake);
    if (isFault(credential)) return sendProblem(reply, request, base, credential);
    const limit = wholeNumber(query, 'limit', calls.query.limit);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    const tenant = await placeOf(service, credential, query);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const list = await listInvocations(await withRows(service, tenant), tenant, credential, {
      workspace: query['workspace'],
      key: query['object_id'],
      status: query['status'],
      limit,
      cursor: query['cursor'],
    });
    if (isFault(list)) return sendProblem(reply, request, base, list);
    void reply.header('cache-control', privateCache);
    return sendJson(
      reply,
      goingOn(
        request,
        body(
          {
            kind: 'list',
            name: 'invocations',
            what: 'Invocations of a row, newest first.',
            schema: schemaLink(base, 'calls'),
          },
          list,
        ),
      ),
    );
  });
}
