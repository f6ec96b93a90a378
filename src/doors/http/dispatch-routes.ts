/** `/api/dispatch` (spec §4.1, contract §3): a POST calls a row; a GET calls one, cuts a share or reads. */
import type { Call } from '../../app/plans/call.ts';
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { callOf } from './call-row.ts';
import { directoryOf } from './directory-routes.ts';
import { callAnswer } from './dispatch-answer.ts';
import { asked, called } from './dispatch-declared.ts';
import { actions, manifest, readAction } from './dispatch-reads.ts';
import { privateCache } from './envelope.ts';
import {
  nonEmpty,
  queryMembers,
  readMembers,
  readMetadata,
  readReplay,
  readRowAndBody,
} from './parse-dispatch.ts';
import { bodyText } from './request-bodies.ts';
import {
  countCredential,
  idempotencyKeyOf,
  isPrefetch,
  presentedBy,
  readObject,
  readQuery,
} from './requests.ts';
import { mediaReply } from './replies.ts';
import { route, type RouteAnswer, type RouteContext, type Door } from './route.ts';
import { cutShare } from './self-cut.ts';
import { validateArguments } from './validate-arguments.ts';
import { unknownNames } from './validate-query.ts';

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

export function dispatchRoutes(door: Door): void {
  const { service, intake } = door;

  route(
    door,
    // Faults of the envelope, the query and the arguments are told in one refusal.
    { ...called, post: '/api/dispatch', unvalidated: true, cache: privateCache },
    async ({ request }) => {
      const object = readObject(request);
      if (isFault(object)) return object;
      const unknown = unknownMembers(object);
      const again = readReplay(object);
      const target = readRowAndBody(object, again);
      const query = readQuery(request, called);
      const members = readMembers(object);
      if (unknown !== undefined || isFault(again) || isFault(target) || isFault(query) || isFault(members)) {
        const wrong = allWrong('/', unknown, again, target, query, members) as Fault;
        const { key, body, share, workspace } = object;
        const unread = { key, body, share, workspace, place: '/body' } as const;
        return again === undefined ? validateArguments(service, intake, request, wrong, unread) : wrong;
      }
      const presented = presentedBy(request, members.share);
      if (isFault(presented)) return presented;
      const call: Call = {
        key: target.key,
        body: bodyText(service, request, presented, target.key, target.body),
        presented,
        workspace: members.workspace,
        method: 'POST',
        idempotencyKey: nonEmpty(members.idem ?? idempotencyKeyOf(request)),
        shape: members.shape,
        actorName: nonEmpty(members.actor),
        purpose: nonEmpty(members.purpose),
        channel: 'http',
        client: intake.address(request),
        meter: intake.meter(request),
      };
      const answer = await (again === undefined
        ? dispatch(service, call)
        : dispatchReplay(service, call, again));
      return callAnswer(door, request, answer);
    },
  );

  route(
    door,
    {
      ...asked,
      get: '/api/dispatch',
      auth: 'handler',
      // A HEAD asks about a resource; it never fires one.
      head: 'empty',
      cache: privateCache,
      onInvalid: async (request, refusal) => {
        const { invoke: key, body, workspace } = request.query as Readonly<Record<string, unknown>>;
        return validateArguments(service, intake, request, refusal, { key, body, workspace, place: '?body' });
      },
    },
    async (context) => {
      const { request, query, presented } = context;
      const action = actions.find((each) => query[each] !== undefined);
      if (action === undefined) {
        if (Object.entries(query).some(([name, value]) => !saysNoAction(name, value)))
          return fault(
            'invalid_request',
            'The parameters name no action.',
            `Add one of ${actions.join(', ')}.`,
            { known: actions },
          );
        const directory = await directoryOf(service, query, presented);
        return isFault(directory) ? countCredential(directory, request, intake) : manifest(directory.current);
      }
      if (action === 'invoke' || action === 'replay' || action === 'repairs')
        return callByAddress(door, context);
      if (action === 'self_scope') return cutShare(door, context);
      const read = await readAction(service, action, query, presented);
      if (isFault(read)) return countCredential(read, request, intake);
      return typeof read === 'string' ? mediaReply('text/markdown; charset=utf-8', read) : read;
    },
  );
}

/** A call that is one address (contract §3 "A URL fires once"): invoked, replayed or repaired, as a POST does it. */
async function callByAddress(
  door: Door,
  context: Pick<RouteContext<{ readonly post: string }>, 'request' | 'query' | 'presented'>,
): Promise<RouteAnswer> {
  const { service } = door;
  const { request, query } = context;
  const members = queryMembers(query);
  const metadata = readMetadata(query, '?');
  const again = readReplay(members);
  const target = readRowAndBody(members, again);
  if (isFault(metadata) || isFault(again) || isFault(target))
    return allWrong('?', metadata, again, target) as Fault;
  const call: Call = {
    ...callOf(door, context),
    key: target.key,
    body: String(target.body),
    method: 'GET',
    n: query['n'],
    idempotencyKey: undefined,
    shape: metadata.shape || isPrefetch(request),
    actorName: nonEmpty(metadata.actor),
    purpose: nonEmpty(metadata.purpose),
  };
  const answer = await (again === undefined ? dispatch(service, call) : dispatchReplay(service, call, again));
  return callAnswer(door, request, answer);
}
