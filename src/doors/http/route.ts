/**
 * The one way to add an HTTP route: a declaration and a handler. `route` validates the query and the body, reads the
 * credential, applies limits, resolves the tenant and the article, and sends what the handler returns: a JSON value, a
 * `Fault` or a `Reply`. `/api/openapi.json` is written from the same declaration (contract §7).
 */
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { scrubText } from '../../guard/secrets.ts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { type ArticleAccess, findArticle } from '../../app/reads/article-access.ts';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { tenantOrMain } from '../../app/reads/workspaces.ts';
import { tracingRequest } from '../../app/tracing.ts';
import type { Viewed } from '../../app/read-context.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';
import { sessionOf, type Session } from '../../app/credentials/sessions.ts';
import { textProblem } from '../../kernel/json.ts';
import { ownFormOf, readForms, sessionTokenOf, type Form } from './browser-forms.ts';
import { privateCache } from './envelope.ts';
import { readUploads } from './uploads.ts';
import type { GivenQuery } from './open-reads.ts';
import { leadOn } from '../../app/refusals/lead-on.ts';
import type { RefusedRequest } from '../../app/refusals/refused-request.ts';
import { Reply, sendJson, sendProblem, sendTagged, type SendFault } from './replies.ts';
import { validateQuery, type QueryDeclaration } from './validate-query.ts';
import type { WholeNumber } from './parameters.ts';
import {
  countFailedCredential,
  isCredentialed,
  isPrefetch,
  presentedBy,
  presentedLeniently,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
  type Query,
} from './requests.ts';
import { tracedRequest } from './request-ids.ts';
import {
  addressOf,
  type CommonContext,
  type Method,
  type Misspelt,
  operationsOf,
  type Params,
  type Route,
  type RouteAnswer,
  type RouteContext,
  type RouteServer,
} from './route-declaration.ts';
import { isObject } from '../../kernel/json-value.ts';

/** Adds a route to the server. */
export function route<const R extends Route>(
  server: RouteServer,
  declaration: R & Misspelt<R>,
  handler: (context: RouteContext<R>) => RouteAnswer | Promise<RouteAnswer>,
): void {
  const { app, service } = server;
  const { head = 'get', bodyLimit, config, face, fires, referrer } = declaration;
  const [method, url] = addressOf(declaration);
  const prepare = preparation(server, declaration, method);
  const send: SendFault =
    face?.send ?? ((reply, request, refusal) => sendProblem(reply, request, service.base, refusal));
  const lead = (request: FastifyRequest, refusal: Fault): Promise<Fault> =>
    leadOn(service, refusedRequest(request, declaration, method, refusal), refusal);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === 'HEAD' && fires?.(request.query as GivenQuery) === true)
      return reply.code(204).header('cache-control', privateCache).send();
    const context = await prepare(request, reply);
    const answered =
      isFault(context) || context instanceof Reply ? context : await handler(context as RouteContext<R>);
    return sendAnswer(send, lead, request, reply, answered, declaration);
  };
  const { faultOf } = face ?? {};
  const isForm = 'form' in declaration && declaration.form === true;
  const options: RouteOptions = {
    method: method.toUpperCase(),
    url,
    exposeHeadRoute: method === 'get' && head === 'get',
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(referrer === undefined ? {} : { onRequest: withReferrer(referrer) }),
    ...(faultOf === undefined
      ? {}
      : {
          errorHandler: (error, request, reply) => {
            void send(reply, request, faultOf(error, request));
          },
        }),
    config: {
      ...config,
      ...(isForm ? { isForm } : {}),
      ...(fires === undefined ? {} : { fires }),
      operations: operationsOf(declaration),
    },
    handler: (request, reply) => tracingRequest(tracedRequest(server, request), () => answer(request, reply)),
  };
  if (isForm)
    // In a scope of its own: other routes do not read forms.
    void app.register(async (scope) => {
      readForms(scope, bodyLimit);
      if (config?.isUpload === true) readUploads(scope);
      scope.route(options);
    });
  else app.route(options);
}

function withReferrer(referrer: string): onRequestHookHandler {
  return (_request, reply, done) => {
    void reply.header('referrer-policy', referrer);
    done();
  };
}

async function sendAnswer(
  sendFault: SendFault,
  lead: (request: FastifyRequest, refusal: Fault) => Promise<Fault>,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: RouteAnswer,
  declaration: Route,
): Promise<FastifyReply> {
  if (isFault(answered)) return sendFault(reply, request, await lead(request, answered));
  const { cache, etag } = declaration;
  if (cache !== undefined && !reply.hasHeader('cache-control')) void reply.header('cache-control', cache);
  if (answered instanceof Reply) {
    const sent = await answered.send(request, reply, declaration);
    return isFault(sent) ? sendFault(reply, request, await lead(request, sent)) : sent;
  }
  return etag === true ? sendTagged(request, reply, answered) : sendJson(reply, answered);
}

/** What leads on from a refusal is found by its request, as far as that can be read. */
function refusedRequest(
  request: FastifyRequest,
  declaration: Route,
  method: Method,
  refusal: Fault,
): RefusedRequest {
  const params = request.params as Params;
  const query = (request.query ?? {}) as Readonly<Record<string, unknown>>;
  const declared = declaration.validate?.(params) ?? ('operations' in declaration ? undefined : declaration);
  const row = (declared as Operation | undefined)?.row;
  const { workspace } = query;
  const isPage = declaration.face !== undefined;
  return {
    // Pages are rendered for an anonymous reader.
    presented: isPage ? {} : presentedLeniently(request),
    workspace: typeof workspace === 'string' ? workspace : undefined,
    key: [row, query['invoke']].find((key) => typeof key === 'string'),
    args: { ...(isObject(request.body) ? request.body : {}), ...params },
    path: request.url.split('?', 1)[0],
    address: method === 'get' && !isPage ? mendedAddress(request, declaration, declared, refusal) : undefined,
  };
}

/** Parameters with which a GET does something; an address with one is not handed out. */
const acting = ['invoke', 'replay', 'repairs', 'self_scope', 'next'];

/** The same read without the parameters that were refused; undefined if it would be refused too, or may write. */
function mendedAddress(
  request: FastifyRequest,
  { prefetch }: Route,
  declared: QueryDeclaration | undefined,
  { details }: Fault,
): string | undefined {
  const refused = (details?.['parameters'] ?? [details?.['parameter'] ?? []].flat()) as readonly string[];
  const query = request.query as Readonly<Record<string, string>>;
  if (refused.length === 0 || prefetch !== undefined || acting.some((name) => query[name] !== undefined))
    return undefined;
  const kept = Object.entries(query).filter(([name]) => name !== 'share' && !refused.includes(name));
  const rest = Object.fromEntries(kept);
  if (declared !== undefined && validateQuery(rest, declared) !== undefined) return undefined;
  const text = new URLSearchParams(rest).toString();
  return `${request.url.split('?', 1)[0]}${text === '' ? '' : `?${text}`}`;
}

type Prepared = CommonContext & {
  readonly viewer: Credential;
  readonly presented: Presented;
  readonly tenant: string;
  readonly reading: Service & Viewed;
  readonly access: ArticleAccess | undefined;
  readonly args: JsonObject;
  readonly session: Session | undefined;
  readonly form: Form | undefined;
};

const anonymous: Credential = { kind: 'anonymous' };

/** The steps before a handler, in order; the first fault ends them. */
function preparation(
  { service, requestLimits }: RouteServer,
  declaration: Route,
  method: Method,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Prepared | Fault | Reply> {
  const {
    auth = 'reader',
    limit,
    tenant: slugs,
    article,
    prefetch,
    validate,
    unvalidated,
    onInvalid,
    noSession,
    foreignForm,
  } = declaration;
  const operation: Operation | undefined = 'operations' in declaration ? undefined : declaration;
  const isRead = method === 'get';
  const isForm = operation?.form === true;
  if (isForm !== (foreignForm !== undefined)) throw new Error('a form declares its foreignForm');
  const isLenient = operation?.lenient === true;
  const ignoresCredential =
    isForm ||
    noSession !== undefined ||
    unvalidated === true ||
    (isRead && operationsOf(declaration).every(({ caller }) => caller === 'none'));
  const queryParameters = operation?.query ?? {};
  return async (request, reply) => {
    const params = request.params as Params;
    const declared = validate?.(params) ?? operation;
    // Pages ignore shares. A share that is sent anyway must not leak to caches or other pages.
    if (isLenient && 'share' in (request.query as object)) {
      void reply.header('cache-control', privateCache);
      if (!reply.hasHeader('referrer-policy')) void reply.header('referrer-policy', 'no-referrer');
    }
    const read = isLenient
      ? { query: lenientQuery(request, declared), args: {} }
      : isRead
        ? queryOf(request, declared)
        : bodyOf(request, declaration, declared ?? anyQuery, params);
    if (isFault(read)) return onInvalid?.(request, read) ?? read;
    const { query, args, token }: Read = read;
    if (prefetch !== undefined && isPrefetch(request)) return prefetch;
    const limited = limit === undefined ? undefined : requestLimits[limit](request);
    if (limited !== undefined) return limited;
    const session = noSession === undefined ? undefined : await sessionOf(service, sessionTokenOf(request));
    if (noSession !== undefined && session === undefined) return noSession(request);
    const form = isForm ? ownFormOf(request, service.base, session?.formToken) : undefined;
    if (foreignForm !== undefined && form === undefined) return foreignForm();
    const presented = ignoresCredential ? {} : presentedBy(request, token);
    if (isFault(presented)) return presented;
    let viewer: Credential | Fault = anonymous;
    if (isCredentialed(presented)) {
      void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
      if (isRead && auth === 'reader') viewer = await authenticateReader(service, presented);
      if (isFault(viewer)) return countFailedCredential(viewer, request, requestLimits);
    }
    const tenant =
      slugs === undefined
        ? ''
        : await resolveTenant(service, viewer, query, slugs === true ? undefined : query[slugs]);
    if (isFault(tenant)) return tenant;
    const access = article === true ? await findArticle(service, params['slug'] ?? '', viewer) : undefined;
    if (isFault(access)) return access;
    const number = (name: string): number => {
      const value = wholeNumber(query, name, queryParameters[name] as WholeNumber);
      if (isFault(value)) throw new Error(`${name} was not validated`);
      return value;
    };
    const reading = { ...service, tenant, viewer };
    return {
      request,
      params,
      query,
      number,
      args,
      presented,
      viewer,
      tenant,
      reading,
      access,
      session,
      form,
    };
  };
}

/** For a path that serves several operations when none is selected: any parameter, each once. */
export const anyQuery: QueryDeclaration = { query: undefined };
interface Read {
  readonly query: Query;
  readonly args: JsonObject;
  readonly token?: string | undefined;
}

/** Stands in a lenient query for a parameter that is repeated or malformed; it names nothing. */
export const unreadable = '\uFFFD';

/** The declared parameters of a query that is never refused. */
function lenientQuery(request: FastifyRequest, declared: QueryDeclaration | undefined): Query {
  const given = request.query as Readonly<Record<string, unknown>>;
  const query: Record<string, string> = {};
  for (const name of Object.keys(declared?.query ?? {})) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    query[name] = typeof value === 'string' && textProblem(value) === undefined ? value : unreadable;
  }
  return query;
}

/** Without `query`, a declaration ignores the query. */
function queryOf(request: FastifyRequest, declared: QueryDeclaration | undefined): Read | Fault {
  if (declared?.query === undefined && declared !== anyQuery) return { query: {}, args: {} };
  const query = readQuery(request, declared);
  return isFault(query) ? query : { query, args: {} };
}

/** The arguments of a write: the body without the credential in its `key`, unless `key` is an argument of the row. */
function bodyOf(
  request: FastifyRequest,
  declaration: Route,
  declared: QueryDeclaration,
  params: Params,
): Read | Fault {
  const { pathArguments, bodyRules, unvalidated } = declaration;
  if (unvalidated === true) return { query: request.query as Query, args: {} };
  const object = readObject(request);
  if (isFault(object)) return object;
  const hasToken = !('fixed' in declaration) || declaration.fixed?.includes('key') !== true;
  const query = readQuery(request, declared);
  const token = hasToken ? stringMember(object, 'key') : undefined;
  const named = pathArguments?.(params) ?? {};
  const wrong = mergeRefusals(
    '/',
    query,
    token,
    contradictions(object, named),
    ...(bodyRules?.(object) ?? []),
  );
  if (wrong !== undefined || isFault(query) || isFault(token)) return wrong as Fault;
  if (!hasToken) return { query, args: { ...object, ...named } };
  const { key: _token, ...args } = object;
  return { query, token, args: { ...args, ...named } };
}

function contradictions(object: JsonObject, named: Readonly<Record<string, string>>): Fault | undefined {
  const others = Object.keys(named).filter(
    (each) => object[each] !== undefined && object[each] !== named[each],
  );
  return mergeRefusals(
    '/',
    ...others.map((name) =>
      invalidParameter(
        name,
        `The body's "${name}" is not the one of the address.`,
        `Leave "${name}" out: the address names it.`,
      ),
    ),
  );
}

/** The tenant of a list: the credential's, the named workspace, or that of the first of `slugs`. */
export function resolveTenant(
  service: Service,
  viewer: Credential,
  query: Query,
  slugs?: string,
): Promise<string | Fault> {
  return tenantOrMain(service, viewer, { workspace: query['workspace'], slug: slugs?.split(',')[0]?.trim() });
}

/** The URL of a read with these of its parameters, as far as they were given. Tokens in them are scrubbed. */
export function listUrl(url: string, query: Query, names: readonly string[] = ['workspace']): string {
  const given = names.flatMap((name) => {
    const value = query[name];
    return value === undefined
      ? []
      : [`${name}=${encodeURIComponent(scrubText(value, fingerprintOf).value)}`];
  });
  return given.length === 0 ? url : `${url}?${given.join('&')}`;
}

/** The operationId for a name: `read-thread-state` becomes `readThreadState`, VOXEL_EDIT `voxelEdit`. */
export function operationId(name: string): string {
  return name.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}
