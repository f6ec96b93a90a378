/** `/api/dispatch` (spec §4.1, contract §3): a POST calls a row; a GET calls one, cuts a share or reads. */
import type { Call } from '../../app/plans/call.ts';
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { callOf } from './call-row.ts';
import { directoryOf } from './directory-routes.ts';
import { callAnswer } from './dispatch-answer.ts';
import { dispatchGet, dispatchPost } from './dispatch-operations.ts';
import { actions, manifest, readAction } from './dispatch-reads.ts';
import { body, privateCache } from './envelope.ts';
import {
  namedTexts,
  nonEmpty,
  queryMembers,
  readMembers,
  readMetadata,
  readReplay,
  readRowAndBody,
  validateArguments,
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
import { route } from './route.ts';
import type { RouteAnswer, RouteContext, RouteServer } from './route-declaration.ts';
import { unknownNamesFault } from './validate-query.ts';
import { selfCut } from '../../app/credentials/self-cut.ts';
import { isOpenTo } from '../../app/reads/workspaces.ts';

/** Actions of a GET that mint or invoke. */
const firing = [
  'invoke',
  'replay',
  'repairs',
  'self_scope',
] as const satisfies readonly (typeof actions)[number][];

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
        const { key, share, workspace } = object;
        const unread = { key, body: object['body'], share, workspace, place: '/body' } as const;
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
      fires: (query) => firing.some((each) => query[each] !== undefined),
      cache: privateCache,
      onInvalid: async (request, refusal) => {
        const { invoke: key, body: sent, workspace } = request.query as Readonly<Record<string, unknown>>;
        return validateArguments(service, requestLimits, request, refusal, {
          key,
          body: sent,
          texts: namedTexts(request.query as Readonly<Record<string, unknown>>),
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
    body: typeof target.body === 'string' ? target.body : '',
    texts: namedTexts(query),
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

const closedWorkspace = fault(
  'scope_denied',
  'A closed workspace hands out no shares without a key.',
  'Cut a narrower one from yours with narrow=1, or ask the owner for an invitation.',
);

/** `self_scope=1`: a share for open rows without a key; with `narrow=1`, one cut from the share that is sent. */
async function cutShare(
  server: RouteServer,
  context: Pick<RouteContext<{ readonly post: string }>, 'request' | 'query' | 'presented'>,
): Promise<RouteAnswer> {
  const { service, requestLimits } = server;
  const { request, query, presented } = context;
  const metadata = readMetadata(query, '?');
  if (isFault(metadata)) return metadata;
  const limited = requestLimits.start(request);
  if (limited !== undefined) return limited;
  if (query['self_scope'] !== '1' || isPrefetch(request))
    return invalidParameter('self_scope', 'self_scope says nothing but 1.', 'Send self_scope=1.');
  const keys = query['keys']
    ?.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (query['narrow'] === undefined || query['narrow'] === '0') {
    const directory = await directoryOf(service, query, presented);
    if (isFault(directory)) return countFailedCredential(directory, request, requestLimits);
    const { tenant } = directory;
    if (!(await isOpenTo(service, { kind: 'anonymous' }, tenant))) return closedWorkspace;
    const cut = await selfCut(service, {
      keys,
      purpose: metadata.purpose ?? '',
      actor: nonEmpty(metadata.actor) ?? null,
      tenant,
    });
    if (isFault(cut)) return cut;
    const self = {
      kind: 'capability',
      name: cut.fingerprint,
      what: 'A self-cut share for open rows, shown once; it enters the ledger with its first use.',
      read: cut.explain_url,
      next: cut.next,
    };
    return body(self, cut);
  }
  if (presented.share === undefined)
    return fault('credential_required', 'There is no share to cut from.', 'Add share=<TOKEN>.');
  const answer = await dispatch(service, {
    ...callOf(server, context),
    key: 'CAP_MINT',
    body: canonicalJson({
      ...(keys === undefined ? {} : { scope: 'rows', keys }),
      ...(metadata.purpose === undefined ? {} : { purpose: metadata.purpose }),
      ...(metadata.actor === undefined ? {} : { actor: metadata.actor }),
    }),
    method: 'GET',
    n: query['n'],
    idempotencyKey: undefined,
    // Counted above, by the limit of self-cut shares.
    meter: undefined,
  });
  return callAnswer(server, request, answer);
}
