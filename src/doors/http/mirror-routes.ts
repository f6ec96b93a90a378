/** The owner decides what the mirror holds (spec §2.10, contract §5): the row's own act, under the contribution's URL. */
import type { FastifyInstance } from 'fastify';
import { dispatch } from '../../app/calls/dispatch.ts';
import type { Service } from '../../app/service.ts';
import { allWrong } from '../../domain/violations.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { declare, declared } from './declare.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { contradicted } from './open-intake.ts';
import { shared } from './parameters.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import {
  idempotencyKeyOf,
  isCredentialed,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
} from './requests.ts';

const resolution = declare({
  id: 'resolveContribution',
  summary: 'The owner decides about a contribution.',
  tag: 'protocol',
  row: 'MIRROR_RESOLVE',
  fixed: ['slug', 'contribution_id'],
  query: shared,
});

interface Params {
  readonly slug: string;
  readonly id: string;
}

export function mirrorRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;
  app.post('/api/articles/:slug/mirror/:id/resolve', declared(resolution), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const query = readQuery(request, resolution);
    const token = stringMember(object, 'key');
    const { slug, id } = request.params as Params;
    const other = contradicted(object, { slug, contribution_id: id });
    if (isFault(query) || isFault(token) || other !== undefined)
      return sendProblem(reply, request, base, allWrong('/', query, token, other) as Fault);
    const presented = presentedBy(request, token);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const limited = isCredentialed(presented) ? undefined : intake.open(request, undefined);
    if (limited !== undefined) return sendProblem(reply, request, base, limited);
    const { key: _token, ...args } = object;
    const answer = await dispatch(service, {
      key: 'MIRROR_RESOLVE',
      body: canonicalJson({ ...args, slug, contribution_id: id }),
      presented,
      method: 'POST',
      idempotencyKey: idempotencyKeyOf(request),
      channel: 'http',
      client: intake.address(request),
    });
    return sendProtocolAnswer(reply, request, service, answer, intake);
  });
}
