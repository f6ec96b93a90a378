/**
 * Writes with their own paths (spec §4.4, contract §3): each calls one row with the request's credential and
 * answers with the row's result at top level.
 */
import type { Answer } from '../../app/plans/call.ts';
import type { Call } from '../../app/plans/call.ts';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { yieldJson } from '../../domain/yield.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { scrubbedMember } from './dispatch-answer.ts';
import { body } from './envelope.ts';
import { countFailedCredential, idempotencyKeyOf } from './requests.ts';
import { privateJson, refused } from './replies.ts';
import type { RouteAnswer, RouteContext, RouteServer } from './route-declaration.ts';

type Caller = Pick<RouteContext<{ readonly post: string }>, 'request' | 'query' | 'presented'>;

/** Calls a row with these arguments and answers with its result. */
export async function callRow(
  server: RouteServer,
  context: Caller,
  key: string,
  args: JsonObject,
  more: Partial<Call> = {},
): Promise<RouteAnswer> {
  const call = { ...callOf(server, context), key, body: canonicalJson(args), ...more };
  return rowAnswer(server, context, await dispatch(server.service, call));
}

/** The parts of a call that come from the request, without row and arguments. */
export function callOf(
  { requestLimits }: RouteServer,
  { request, query, presented }: Caller,
): Omit<Call, 'key' | 'body'> {
  return {
    presented,
    workspace: query['workspace'],
    method: 'POST',
    idempotencyKey: idempotencyKeyOf(request),
    channel: 'http',
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  };
}

export function rowAnswer(
  { service: { base }, requestLimits }: RouteServer,
  { request }: Caller,
  answer: Answer | Fault,
): RouteAnswer {
  if (isFault(answer)) return countFailedCredential(answer, request, requestLimits);
  if (answer.kind === 'shape') throw new Error('only /api/dispatch has a dry run');
  const { inv, key, status, proof, result, scrubbed } = answer;
  const receipt = { id: inv, url: proof.receipt, confirm: proof.confirm };
  const invocation = { id: inv, key, status, url: links.receipt(base, inv) };
  const more = { ...scrubbedMember(scrubbed), ...(answer.repeated ? { idempotent_replay: true } : {}) };
  if (answer.refusal !== undefined)
    return refused(answer.refusal, base, {
      charged: answer.charged,
      invocation,
      receipt,
      proof,
      ...more,
    });
  const self = {
    kind: 'write',
    name: key,
    what: result?.text ?? '',
    read: proof.receipt,
    next: [proof.confirm],
  };
  const members = {
    ...result?.result,
    ...result?.reveal,
    receipt,
    invocation,
    yield: yieldJson(answer.yielded),
    proof,
    ...more,
  };
  const isPending = status === 'proposed' || status === 'running';
  return privateJson(JSON.stringify(body(self, members)), isPending ? 202 : 200);
}
