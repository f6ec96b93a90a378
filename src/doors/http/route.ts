/**
 * The one way to add an HTTP route: a declaration and a handler. `route` validates the query and the body, reads the
 * credential, applies limits, resolves the tenant and the article, and sends what the handler returns: a JSON value, a
 * `Fault` or a `Reply`. `/api/openapi.json` is written from the same declaration (contract §7).
 */
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify';
import { type ArticleAccess, findArticle } from '../../app/reads/article-access.ts';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { tenantOrMain } from '../../app/reads/workspaces.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';
import { sessionOf, type Session } from '../../app/credentials/sessions.ts';
import { textProblem } from '../../kernel/json.ts';
import { ownFormOf, readForms, sessionTokenOf, type Form } from './browser-forms.ts';
import { privateCache } from './envelope.ts';
import { Reply, sendJson, sendProblem, sendTagged, type SendFault } from './replies.ts';
import type { RequestLimits } from './request-limits.ts';
import type { QueryDeclaration } from './validate-query.ts';
import type { WholeNumber } from './parameters.ts';
import {
  countFailedCredential,
  isCredentialed,
  isPrefetch,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
  type Query,
} from './requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operations?: readonly Operation[];
  }
}

/** What every route needs: the HTTP server, the service, and the limits of callers. */
export interface RouteServer {
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly requestLimits: RequestLimits;
}

/** Sends refusals of a route in another form than problem details. */
export interface Face {
  readonly send: SendFault;
  /** The fault for an error in the handler or while reading the body; default: that of the server. */
  readonly faultOf?: (error: unknown, request: FastifyRequest) => Fault;
}

type Method = 'get' | 'post' | 'put' | 'patch';
type Params = Readonly<Record<string, string>>;

/** How a route is reached, and what `route` does before and after its handler. */
interface RouteBehaviour {
  /**
   * `reader`: the credential is authenticated; the default for a GET whose caller is not `nobody`. `handler`: the
   * credential is passed on and dispatch authenticates it; the default for writes.
   */
  readonly auth?: 'reader' | 'handler';
  /** The rate limit that counts each request. Writes are counted by dispatch. */
  readonly limit?: 'read' | 'start';
  /** Resolves the tenant of a list; a string is the parameter whose first slug decides. */
  readonly tenant?: true | string;
  /** Finds the article of `:slug`, as far as the reader may see it. */
  readonly article?: true;
  /** Refuses prefetches where the answer would mint or fire something. */
  readonly prefetch?: Fault;
  /** `Cache-Control` of answers to anonymous readers; answers to a credential are always private. */
  readonly cache?: string;
  /** Answers carry a strong ETag over their bytes and are revalidated. */
  readonly etag?: true;
  /** HEAD: as GET without the body (default), unsupported, or 204 because a GET may fire something. */
  readonly head?: 'get' | 'none' | 'empty';
  /** The parameters of a path that serves several operations, by its path parameters. */
  readonly validate?: (params: Params) => QueryDeclaration;
  /** Arguments that the path names: the body may repeat but not contradict them. */
  readonly pathArguments?: (params: Params) => Readonly<Record<string, string>>;
  /** Faults of the body in addition to those of the row's arguments. */
  readonly bodyRules?: (object: JsonObject) => readonly unknown[];
  /** The handler of a write reads query, body and credential itself. */
  readonly unvalidated?: true;
  /** Requires a login to the owner's console, and answers where there is none. */
  readonly noSession?: () => Fault | Reply;
  /** Answers a form that no page of this host sent, or that lacks the form token of the session. */
  readonly foreignForm?: () => Fault | Reply;
  /** Sends refusals that are not problem details. */
  readonly face?: Face;
  /** `Referrer-Policy`, if stricter than the default. */
  readonly referrer?: string;
  /** Adds faults inside a parameter to the refusal of a query. */
  readonly onInvalid?: (request: FastifyRequest, refusal: Fault) => Promise<Fault>;
  /** The limit of a body in bytes, if larger than the default. */
  readonly bodyLimit?: number;
  readonly config?: FastifyContextConfig;
}

type DescribedRoute = Operation | { readonly operations: readonly Operation[] };
type AddressedRoute = {
  readonly [M in Method]: { readonly [K in M]: string } & { readonly [K in Exclude<Method, M>]?: never };
}[Method];
type DeclarationKey = keyof Operation | 'operations' | Method | keyof RouteBehaviour;
/** Rejects unknown members at compile time: a misspelt one would be ignored. */
type Misspelt<R> = { readonly [K in Exclude<keyof R, DeclarationKey>]: never };
export type Route = DescribedRoute & AddressedRoute & RouteBehaviour;

/** What every handler gets. */
interface CommonContext {
  readonly request: FastifyRequest;
  readonly params: Params;
  /** Validated against the declaration: only declared parameters, each a single string. */
  readonly query: Query;
  /** An integer within its declared bounds; its default, or 0, if absent. */
  number(name: string): number;
}
type HasViewer<R> = R extends { readonly get: string }
  ? R extends { readonly caller: 'nobody' | 'console' } | { readonly auth: 'handler' }
    ? false
    : true
  : false;
type HasPresented<R> = R extends
  { readonly get: string; readonly caller: 'nobody' | 'console' } | { readonly form: true }
  ? false
  : true;

/** The context of a handler: only what its declaration asks for. */
export type RouteContext<R = unknown> = CommonContext &
  (HasViewer<R> extends true ? { readonly viewer: Credential } : unknown) &
  (HasPresented<R> extends true ? { readonly presented: Presented } : unknown) &
  (R extends { readonly tenant: true | string } ? { readonly tenant: string } : unknown) &
  (R extends { readonly article: true } ? { readonly seen: ArticleAccess } : unknown) &
  (R extends { readonly noSession: () => RouteAnswer } ? { readonly session: Session } : unknown) &
  (R extends { readonly form: true } ? { readonly form: Form } : unknown) &
  (R extends { readonly get: string } | { readonly form: true } ? unknown : { readonly args: JsonObject });

export type RouteAnswer = JsonObject | Fault | Reply;

/** Adds a route to the server. */
export function route<const R extends Route>(
  server: RouteServer,
  declaration: R & Misspelt<R>,
  handler: (context: RouteContext<R>) => RouteAnswer | Promise<RouteAnswer>,
): void {
  const { app, service } = server;
  const { head = 'get', bodyLimit, config, face, referrer } = declaration;
  const [method, url] = addressOf(declaration);
  const prepare = preparation(server, declaration, method);
  const send: SendFault =
    face?.send ?? ((reply, request, refusal) => sendProblem(reply, request, service.base, refusal));
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = await prepare(request, reply);
    const answered =
      isFault(context) || context instanceof Reply
        ? context
        : await handler(context as unknown as RouteContext<R>);
    return sendAnswer(send, request, reply, answered, declaration);
  };
  const { faultOf } = face ?? {};
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
    config: { ...config, operations: operationsOf(declaration) },
    handler: answer,
  };
  if ('form' in declaration && declaration.form === true)
    // In a scope of its own: other routes do not read forms.
    void app.register(async (scope) => {
      readForms(scope);
      scope.route(options);
    });
  else app.route(options);
  if (head === 'empty')
    app.head(url, async (_request, reply) => reply.code(204).header('cache-control', privateCache).send());
}

function withReferrer(referrer: string): onRequestHookHandler {
  return (_request, reply, done) => {
    void reply.header('referrer-policy', referrer);
    done();
  };
}

function operationsOf(declaration: Route): readonly Operation[] {
  return 'operations' in declaration ? declaration.operations : [declaration];
}

function addressOf(declaration: Route): readonly [Method, string] {
  for (const method of ['get', 'post', 'put', 'patch'] as const) {
    const url = (declaration as Readonly<Partial<Record<Method, string>>>)[method];
    if (url !== undefined) return [method, url];
  }
  throw new Error('a route without an address');
}

async function sendAnswer(
  sendFault: SendFault,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: RouteAnswer,
  declaration: Route,
): Promise<FastifyReply> {
  if (isFault(answered)) return sendFault(reply, request, answered);
  const { cache, etag } = declaration;
  if (cache !== undefined && !reply.hasHeader('cache-control')) void reply.header('cache-control', cache);
  if (answered instanceof Reply) {
    const sent = await answered.send(request, reply, declaration);
    return isFault(sent) ? sendFault(reply, request, sent) : sent;
  }
  return etag === true ? sendTagged(request, reply, answered) : sendJson(reply, answered);
}

type Prepared = CommonContext & {
  readonly viewer: Credential;
  readonly presented: Presented;
  readonly tenant: string;
  readonly seen: ArticleAccess | undefined;
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
    (isRead && operationsOf(declaration).every(({ caller }) => caller === 'nobody'));
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
    if (noSession !== undefined && session === undefined) return noSession();
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
    const seen = article === true ? await findArticle(service, params['slug'] ?? '', viewer) : undefined;
    if (isFault(seen)) return seen;
    const number = (name: string): number => {
      const value = wholeNumber(query, name, queryParameters[name] as WholeNumber);
      if (isFault(value)) throw new Error(`${name} was not validated`);
      return value;
    };
    return { request, params, query, number, args, presented, viewer, tenant, seen, session, form };
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
      fault(
        'invalid_request',
        `The body's "${name}" is not the one of the address.`,
        `Leave "${name}" out: the address names it.`,
        { parameter: name },
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

/** The URL of a list, with its workspace if one was named. */
export function listUrl(url: string, { workspace }: Query): string {
  return workspace === undefined ? url : `${url}?workspace=${encodeURIComponent(workspace)}`;
}

/** The operationId for a name: `read-thread-state` becomes `readThreadState`, VOXEL_EDIT `voxelEdit`. */
export function operationId(name: string): string {
  return name.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}
