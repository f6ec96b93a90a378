/** `GET /api/dispatch?self_scope=1` (spec §4.1, contract §4): a share that anybody cuts, or one cut from a share. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/calls/dispatch.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { selfCut } from '../../app/credentials/self-cut.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { sendAnswer } from './dispatch-answer.ts';
import { named, readSaid } from './dispatch-said.ts';
import { body, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { isPrefetch, type Query } from './requests.ts';

/** `self_scope=1`: a share for the open rows without any key; with `narrow=1`, one cut from the share that is sent. */
export async function cutShare(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  intake: Intake,
  query: Query,
  presented: Presented,
): Promise<FastifyReply> {
  const { base } = service;
  const said = readSaid(query);
  if (isFault(said)) return sendProblem(reply, request, base, said);
  const limited = intake.start(request);
  if (limited !== undefined) return sendProblem(reply, request, base, limited);
  if (query['self_scope'] !== '1' || isPrefetch(request)) {
    const wrong = fault('invalid_request', 'self_scope says nothing but 1.', 'Send self_scope=1.', {
      parameter: 'self_scope',
    });
    return sendProblem(reply, request, base, wrong);
  }
  const keys = query['keys']
    ?.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (query['narrow'] === undefined || query['narrow'] === '0') {
    const cut = await selfCut(service, {
      keys,
      purpose: said.purpose ?? '',
      actor: named(said.actor) ?? null,
      tenant: mainTenant,
    });
    if (isFault(cut)) return sendProblem(reply, request, base, cut);
    const self = {
      kind: 'capability',
      name: String(cut['fingerprint']),
      what: 'A self-cut share for open rows, shown once; it enters the ledger with its first use.',
      read: String(cut['explain_url']),
      next: cut['next'] as string[],
    };
    return sendJson(reply, body(self, cut));
  }
  if (presented.share === undefined) {
    const missing = fault('credential_required', 'There is no share to cut from.', 'Add share=<TOKEN>.');
    return sendProblem(reply, request, base, missing);
  }
  const answer = await dispatch(service, {
    key: 'CAP_MINT',
    body: canonicalJson({
      ...(keys === undefined ? {} : { scope: 'rows', keys }),
      ...(said.purpose === undefined ? {} : { purpose: said.purpose }),
      ...(said.actor === undefined ? {} : { actor: said.actor }),
    }),
    presented,
    tenant: mainTenant,
    method: 'GET',
    n: query['n'],
    channel: 'http',
    client: intake.address(request),
  });
  return sendAnswer(reply, request, service, answer, intake);
}
