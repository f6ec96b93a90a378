/** The open mirror intake below an article (spec §4.3): a write that needs no key. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { Service } from '../../app/service.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { Taken } from '../../represent/openapi/operation.ts';
import type { Declared } from './declare.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import { idempotencyKeyOf, presentedBy, readObject, readQuery, stringMember } from './requests.ts';

/** Counted by client and article, then dispatched like everything else. */
export async function openIntake(
  service: Service,
  intake: Intake,
  taking: Declared<Taken>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { base } = service;
  const { slug } = request.params as { readonly slug: string };
  const row = taking.row as string;
  const object = readObject(request);
  if (isFault(object)) return sendProblem(reply, request, base, object);
  const query = readQuery(request, taking);
  const token = stringMember(object, 'key');
  const other = contradicted(object, { slug });
  if (isFault(query) || isFault(token) || other !== undefined)
    return sendProblem(reply, request, base, allWrong('/', query, token, other) as Fault);
  const { key: _token, ...args } = object;
  const presented = presentedBy(request, token);
  if (isFault(presented)) return sendProblem(reply, request, base, presented);
  const text = canonicalJson({ ...(row === 'MIRROR_APPEND' ? { claim_id: '' } : {}), ...args, slug });
  const answer = await dispatch(service, {
    key: row,
    body: text,
    presented,
    method: 'POST',
    idempotencyKey: idempotencyKeyOf(request),
    channel: 'http',
    client: intake.address(request),
    meter: intake.meter(request),
  });
  return sendProtocolAnswer(reply, request, service, answer, intake);
}

/** What the address says already may stand in the body only if it says the same there. */
export function contradicted(object: JsonObject, said: Readonly<Record<string, string>>): Fault | undefined {
  const others = Object.keys(said).filter(
    (each) => object[each] !== undefined && object[each] !== said[each],
  );
  return allWrong(
    '/',
    ...others.map((name) =>
      fault(
        'invalid_request',
        `The body's "${name}" is not the one of the address.`,
        `Leave "${name}" out: the address names it.`,
        { parameter: name },
      ),
    ),
  );
}
