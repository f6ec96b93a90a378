/** `/api/dispatch` (spec §4.1, contract §3): a POST calls a row; a GET calls one, cuts a share or reads. */
import type { FastifyInstance } from 'fastify';
import type { Call } from '../../app/plans/call.ts';
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import type { Service } from '../../app/service.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { besideEnvelope } from './beside-envelope.ts';
import { callByAddress } from './call-by-address.ts';
import { directoryOf } from './directory-routes.ts';
import { sendAnswer } from './dispatch-answer.ts';
import { actions, manifest, readAction } from './dispatch-reads.ts';
import { againOf, meantBy, named, readMembers } from './dispatch-said.ts';
import { privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { unknownNames } from './misread.ts';
import {
  countCredential,
  idempotencyKeyOf,
  isCredentialed,
  presentedBy,
  readObject,
  readQuery,
} from './requests.ts';
import { called, asked } from './dispatch-declared.ts';
import { declared } from './declare.ts';
import { bodyText } from './request-bodies.ts';
import { cutShare } from './self-cut-route.ts';

const postMembers = new Set(Object.keys(called.body));

function unknownMembers(object: JsonObject): Fault | undefined {
  const unknown = Object.keys(object).filter((name) => !postMembers.has(name));
  const what = ['is no member of a dispatch call', 'are no members of a dispatch call'] as const;
  return unknown.length === 0 ? undefined : unknownNames('/', unknown, what, [...postMembers]);
}

/** The manifest is JSON; whoever asks for anything of it has not said of what. */
function saysNoAction(name: string, value: string): boolean {
  return ['soft', 'self', 'workspace'].includes(name) || (name === 'format' && value === 'json');
}

export function dispatchRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.post('/api/dispatch', declared(called), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const unknown = unknownMembers(object);
    const again = againOf(object);
    const meant = meantBy(object, again);
    const query = readQuery(request, called);
    const members = readMembers(object);
    if (unknown !== undefined || isFault(again) || isFault(meant) || isFault(query) || isFault(members)) {
      const wrong = allWrong('/', unknown, again, meant, query, members) as Fault;
      const { key, body, share, workspace } = object;
      const unread = { key, body, share, workspace, place: '/body' } as const;
      const refusal =
        again === undefined ? await besideEnvelope(service, intake, request, wrong, unread) : wrong;
      return sendProblem(reply, request, base, refusal);
    }
    const presented = presentedBy(request, members.share);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const { key, body: given } = meant;
    const text = bodyText(service, request, presented, key, given);
    const { workspace } = members;
    const call: Call = {
      key,
      body: text,
      presented,
      workspace,
      method: 'POST',
      idempotencyKey: named(members.idem ?? idempotencyKeyOf(request)),
      shape: members.shape,
      actorName: named(members.actor),
      purpose: named(members.purpose),
      channel: 'http',
      client: intake.address(request),
      meter: intake.meter(request),
    };
    const answer = await (again === undefined
      ? dispatch(service, call)
      : dispatchReplay(service, call, again));
    return sendAnswer(reply, request, service, answer, intake);
  });

  app.get('/api/dispatch', declared(asked), async (request, reply) => {
    const query = readQuery(request, asked);
    if (isFault(query)) {
      const { invoke: key, body, workspace } = request.query as Readonly<Record<string, unknown>>;
      const unread = { key, body, workspace, place: '?body' } as const;
      return sendProblem(reply, request, base, await besideEnvelope(service, intake, request, query, unread));
    }
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    if (isCredentialed(presented)) void reply.header('referrer-policy', 'no-referrer');
    void reply.header('cache-control', privateCache);
    const action = actions.find((each) => query[each] !== undefined);
    if (action === undefined) {
      if (Object.entries(query).some(([name, value]) => !saysNoAction(name, value))) {
        return sendProblem(
          reply,
          request,
          base,
          fault('invalid_request', 'The parameters name no action.', `Add one of ${actions.join(', ')}.`, {
            known: actions,
          }),
        );
      }
      const place = await directoryOf(service, query, presented);
      return isFault(place)
        ? sendProblem(reply, request, base, countCredential(place, request, intake))
        : sendJson(reply, manifest(place.current));
    }
    if (action === 'invoke' || action === 'replay' || action === 'repairs')
      return callByAddress(request, reply, service, intake, query, presented);
    if (action === 'self_scope') return cutShare(request, reply, service, intake, query, presented);
    const read = await readAction(service, action, query, presented);
    if (isFault(read)) return sendProblem(reply, request, base, countCredential(read, request, intake));
    if (typeof read === 'string')
      return reply.header('content-type', 'text/markdown; charset=utf-8').send(read);
    return sendJson(reply, read);
  });

  // A HEAD asks about a resource; it never fires one.
  app.head('/api/dispatch', async (_request, reply) =>
    reply.code(204).header('cache-control', privateCache).send(),
  );
}
