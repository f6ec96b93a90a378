/**
 * A call that is one address (spec §4.1, contract §3 "A URL fires once"): invoked, made again from a receipt, or
 * repaired, as a POST does it with the same words. Whoever can only open addresses closes lineage by this.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../app/plans/call.ts';
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import { allWrong } from '../../domain/violations.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { sendAnswer } from './dispatch-answer.ts';
import { againOf, meantBy, membersIn, named, readSaid } from './dispatch-said.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { isPrefetch, type Query } from './requests.ts';

export async function callByAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  intake: Intake,
  query: Query,
  presented: Presented,
): Promise<FastifyReply> {
  const { base } = service;
  const members = membersIn(query);
  const said = readSaid(query, '?');
  const again = againOf(members);
  const meant = meantBy(members, again);
  if (isFault(said) || isFault(again) || isFault(meant))
    return sendProblem(reply, request, base, allWrong('?', said, again, meant) as Fault);
  const { workspace, n } = query;
  const placed = { key: meant.key, body: String(meant.body), workspace };
  const call: Call = {
    ...placed,
    presented,
    method: 'GET',
    n,
    shape: said.shape || isPrefetch(request),
    actorName: named(said.actor),
    purpose: named(said.purpose),
    channel: 'http',
    client: intake.address(request),
    meter: intake.meter(request),
  };
  const answer = await (again === undefined ? dispatch(service, call) : dispatchReplay(service, call, again));
  return sendAnswer(reply, request, service, answer, intake);
}
