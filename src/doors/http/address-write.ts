/**
 * A write under an address of its own (contract §3): the call of its row by the request's own credential, with what
 * the address says among the arguments.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { Service } from '../../app/service.ts';
import { allWrong } from '../../domain/violations.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import type { Taking } from './misread.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import { idempotencyKeyOf, presentedBy, readObject, readQuery, stringMember } from './requests.ts';

export interface AddressWrite {
  /** What the route declares. */
  readonly taking: Taking;
  readonly row: string;
  /** Arguments that the address says. */
  readonly fixed: JsonObject;
  /** Whether the body says otherwise, where that is refused. */
  contradicted?(object: JsonObject): Fault | undefined;
}

export async function writeAtAddress(
  service: Service,
  intake: Intake,
  request: FastifyRequest,
  reply: FastifyReply,
  { taking, row, fixed, contradicted }: AddressWrite,
): Promise<FastifyReply> {
  const { base } = service;
  const object = readObject(request);
  if (isFault(object)) return sendProblem(reply, request, base, object);
  const query = readQuery(request, taking);
  const token = stringMember(object, 'key');
  const other = contradicted?.(object);
  if (isFault(query) || isFault(token) || other !== undefined)
    return sendProblem(reply, request, base, allWrong('/', query, token, other) as Fault);
  const presented = presentedBy(request, token);
  if (isFault(presented)) return sendProblem(reply, request, base, presented);
  const { key: _token, ...args } = object;
  const answer = await dispatch(service, {
    key: row,
    body: canonicalJson({ ...args, ...fixed }),
    presented,
    method: 'POST',
    idempotencyKey: idempotencyKeyOf(request),
    channel: 'http',
    client: intake.address(request),
    meter: intake.meter(request),
  });
  return sendProtocolAnswer(reply, request, service, answer, intake);
}
