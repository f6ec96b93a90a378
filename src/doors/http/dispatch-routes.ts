/** `/api/dispatch` (spec §4.1, contract §3): a POST calls a row; a GET calls one, cuts a share or reads. */
import type { Call } from '../../app/plans/call.ts';
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { callOf } from './call-row.ts';
import { directoryOf } from './directory-routes.ts';
import { callAnswer } from './dispatch-answer.ts';
import { dispatchGet, dispatchPost } from './dispatch-operations.ts';
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
  countFailedCredential,
  idempotencyKeyOf,
  isPrefetch,
  presentedBy,
  readObject,
  readQuery,
} from './requests.ts';
import { mediaReply } from './replies.ts';
import { route, type RouteAnswer, type RouteContext, type RouteServer } from './route.ts';
import { cutShare } from './self-cut.ts';
import { validateArguments } from './validate-arguments.ts';
import { unknownNamesFault } from './validate-query.ts';

const postMembers = new Set(Object.keys(dispatchPost.body));

function unknownMembers(object: JsonObject): Fault | undefined {
  const unknown = Object.keys(object).filter((name) => !postMembers.has(name));
  const what = ['is no member of a dispatch call', 'are no members of a dispatch call'] as const;
  return unknown.length === 0 ? undefined : unknownNamesFault('/', unknown, what, [...postMembers]);
}

/** Parameters that do not select anything of the manifest. */
function isManifestParameter(name: string, value: string): boolean {
  return ['soft', 'self', 'workspace'].includes(name) || (name === 'format' && value === 'json');
}

export function dispatchRoutes(server: RouteServer): void {
  const { service, requestLimits } = server;

  route(
    server,
    // Faults of the envelope, the query and the arguments are reported in one refusal.
    { ...dispatchPost, post: '/api/dispatch', unvalidated: true, cache: privateCache },
    async ({ request }) => {
      const object = readObject(request);
      if (isFault(object)) return object;
      const unknown = unknownMembers(object);
      const replay = readReplay(object);
      const target = readRowAndBody(object, replay);
      const query = readQuery(request, dispatchPost);
      const members = readMembers(object);
      if (unknown !== undefined || isFault(replay) || isFault(target) || isFault(query) || isFault(members)) {
        const wrong = mergeRefusals('/', unknown, replay, target, query, members) as Fault;
        const { key, body, share, workspace } = object;
        const unread = { key, body, share, workspace, place: '/body' } as const;
        return replay === undefined
          ? validateArguments(service, requestLimits, request, wrong, unread)
          : wrong;
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
        client: requestLimits.address(request),
        meter: requestLimits.meter(request),
      };
      const answer = await (replay === undefined
        ? dispatch(service, call)
        : dispatchReplay(service, call, replay));
      return callAnswer(server, request, answer);
    },
  );

  route(
    server,
    {
      ...dispatchGet,
      get: '/api/dispatch',
      auth: 'handler',
      // HEAD never fires.
      head: 'empty',
      cache: privateCache,
      onInvalid: async (request, refusal) => {
        const { invoke: key, body, workspace } = request.query as Readonly<Record<string, unknown>>;
        return validateArguments(service, requestLimits, request, refusal, {
          key,
          body,
          workspace,
          place: '?body',
        });
      },
    },
    async (context) => {
      const { request, query, presented } = context;
      const action = actions.find((each) => query[each] !== undefined);
      if (action === undefined) {
        if (Object.entries(query).some(([name, value]) => !isManifestParameter(name, value)))
          return fault(
            'invalid_request',
            'The parameters name no action.',
            `Add one of ${actions.join(', ')}.`,
            { known: actions },
          );
        const directory = await directoryOf(service, query, presented);
        return isFault(directory)
          ? countFailedCredential(directory, request, requestLimits)
          : manifest(directory.current);
      }
      if (action === 'invoke' || action === 'replay' || action === 'repairs')
        return callByAddress(server, context);
      if (action === 'self_scope') return cutShare(server, context);
      const read = await readAction(service, action, query, presented);
      if (isFault(read)) return countFailedCredential(read, request, requestLimits);
      return typeof read === 'string' ? mediaReply('text/markdown; charset=utf-8', read) : read;
    },
  );
}

/** A call by URL (contract §3 "A URL fires once"): invokes, replays or repairs, as a POST does. */
async function callByAddress(
  server: RouteServer,
  context: Pick<RouteContext<{ readonly post: string }>, 'request' | 'query' | 'presented'>,
): Promise<RouteAnswer> {
  const { service } = server;
  const { request, query } = context;
  const members = queryMembers(query);
  const metadata = readMetadata(query, '?');
  const replay = readReplay(members);
  const target = readRowAndBody(members, replay);
  if (isFault(metadata) || isFault(replay) || isFault(target))
    return mergeRefusals('?', metadata, replay, target) as Fault;
  const call: Call = {
    ...callOf(server, context),
    key: target.key,
    body: String(target.body),
    method: 'GET',
    n: query['n'],
    idempotencyKey: undefined,
    shape: metadata.shape || isPrefetch(request),
    actorName: nonEmpty(metadata.actor),
    purpose: nonEmpty(metadata.purpose),
  };
  const answer = await (replay === undefined
    ? dispatch(service, call)
    : dispatchReplay(service, call, replay));
  return callAnswer(server, request, answer);
}
