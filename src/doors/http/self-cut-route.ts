/** `GET /api/dispatch?self_scope=1` (spec §4.1, contract §4): a share that anybody cuts, or one cut from a share. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { selfCut } from '../../app/credentials/self-cut.ts';
import type { Service } from '../../app/service.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { sendAnswer } from './dispatch-answer.ts';
import { named, readSaid } from './dispatch-said.ts';
import { body, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { countCredential, isPrefetch, type Query } from './requests.ts';
import { isOpenTo } from '../../app/reads/workspaces.ts';
import { directoryOf } from './directory-routes.ts';

const closedToSelfCuts = fault(
  'scope_denied',
  'In a closed workspace nobody makes a share without a key.',
  'Cut a narrower one from yours with narrow=1, or ask the owner for an invitation.',
);

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
  const said = readSaid(query, '?');
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
    const place = await directoryOf(service, query, presented);
    if (isFault(place)) return sendProblem(reply, request, base, countCredential(place, request, intake));
    const { tenant } = place;
    if (!(await isOpenTo(service, { kind: 'anonymous' }, tenant)))
      return sendProblem(reply, request, base, closedToSelfCuts);
    const cut = await selfCut(service, {
      keys,
      purpose: said.purpose ?? '',
      actor: named(said.actor) ?? null,
      tenant,
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
    workspace: query['workspace'],
    method: 'GET',
    n: query['n'],
    channel: 'http',
    client: intake.address(request),
    // Cuts are counted above, by a limit of their own.
    meter: undefined,
  });
  return sendAnswer(reply, request, service, answer, intake);
}
