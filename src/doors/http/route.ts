/**
 * The one way to add an HTTP route: a declaration and a handler. `route` validates the query and the body, reads the
 * credential, applies limits, resolves the tenant and the article, and sends what the handler returns: a JSON value, a
 * `Fault` or a `Reply`. `/api/openapi.json` is written from the same declaration (contract §7).
 */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { findArticle } from '../../app/reads/articles.ts';
import { tenantOrMain } from '../../app/reads/workspaces.ts';
import type { Seen } from '../../app/seen.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';
import { sendBytes, type ByteCache, type CachedBytes } from './cached-bytes.ts';
import { privateCache, sendJson, sendJsonText, sendProblem, sendTagged } from './envelope.ts';
import type { Intake } from './intake.ts';
import type { QueryDeclaration } from './validate-query.ts';
import type { WholeNumber } from './parameters.ts';
import {
  countCredential,
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

/** What every route needs: the server it is added to, the service it asks, and the limits of callers. */
export interface Door {
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly intake: Intake;
}

type Method = 'get' | 'post' | 'put' | 'patch';
type Params = Readonly<Record<string, string>>;

/** How a route is reached and what `route` does before and after its handler. */
interface Handling {
  /**
   * `reader`: the credential is authenticated; the default for a GET that is not for `nobody`. `handler`: what was
   * presented is handed on, and dispatch judges it; the default for writes.
   */
  readonly auth?: 'reader' | 'handler';
  /** The rate limit that each request is counted against. Writes are counted by dispatch. */
  readonly limit?: 'read' | 'start';
  /** Resolves the tenant of a list; a name is that of the parameter whose first slug decides. */
  readonly tenant?: true | string;
  /** Finds the article that `:slug` names, as the reader may see it. */
  readonly article?: true;
  /** The refusal of prefetches, where answering one would mint or fire something. */
  readonly prefetch?: Fault;
  /** `Cache-Control` of answers to anonymous readers; answers to a credential are always private. */
  readonly cache?: string;
  /** Answers carry a strong ETag over their bytes and are revalidated. */
  readonly etag?: true;
  /** HEAD: as GET without the body (default), not taken, or 204 because a GET may fire something. */
  readonly head?: 'get' | 'none' | 'empty';
  /** The parameters of a path that serves several operations. */
  readonly validate?: (params: Params) => QueryDeclaration;
  /** Arguments that the address names: the body may repeat them and not contradict them. */
  readonly fromAddress?: (params: Params) => Readonly<Record<string, string>>;
  /** Faults of the body beside those of the row's arguments. */
  readonly bodyRules?: (object: JsonObject) => readonly unknown[];
  /** The handler of a write reads query, body and credential itself. */
  readonly unvalidated?: true;
  /** Adds to the refusal of a query what is wrong inside its parameters. */
  readonly onInvalid?: (request: FastifyRequest, refusal: Fault) => Promise<Fault>;
  /** Bytes of a body, where they may be more than usual. */
  readonly bodyLimit?: number;
  readonly config?: FastifyContextConfig;
}

type Described = Operation | { readonly operations: readonly Operation[] };
type Addressed = {
  readonly [M in Method]: { readonly [K in M]: string } & { readonly [K in Exclude<Method, M>]?: never };
}[Method];
export type Route = Described & Addressed & Handling;

/** What every handler gets. */
interface CommonContext {
  readonly request: FastifyRequest;
  readonly params: Params;
  /** Validated against the declaration: its parameters alone, each a single text. */
  readonly query: Query;
  /** A whole number within its declared bounds; its default, or 0, where it is absent. */
  number(name: string): number;
}
type Reads<R> = R extends { readonly get: string }
  ? R extends { readonly caller: 'nobody' } | { readonly auth: 'handler' }
    ? false
    : true
  : false;
type Hands<R> = R extends { readonly get: string; readonly caller: 'nobody' } ? false : true;

/** What the handler of a declaration gets: only what the declaration asks for. */
export type RouteContext<R = unknown> = CommonContext &
  (Reads<R> extends true ? { readonly viewer: Credential } : unknown) &
  (Hands<R> extends true ? { readonly presented: Presented } : unknown) &
  (R extends { readonly tenant: true | string } ? { readonly tenant: string } : unknown) &
  (R extends { readonly article: true } ? { readonly seen: Seen } : unknown) &
  (R extends { readonly get: string } ? unknown : { readonly args: JsonObject });

/** An answer that is not plain JSON. Handlers make one with the functions below; only `route` sends it. */
export class Reply {
  readonly send: SendReply;

  constructor(send: SendReply) {
    this.send = send;
  }
}
type SendReply = (
  request: FastifyRequest,
  reply: FastifyReply,
  route: Handling,
) => FastifyReply | Fault | Promise<FastifyReply | Fault>;

export type RouteAnswer = JsonObject | Fault | Reply;

/** JSON for its caller alone, such as the answer of a call. */
export function privateJson(text: string, status: number): Reply {
  return new Reply((_request, reply) =>
    sendJsonText(reply.header('cache-control', privateCache), text, status),
  );
}

/** JSON that shows a credential once: no cache keeps it, and no page reached from it learns its address. */
export function secretJson(value: JsonObject): Reply {
  return new Reply((_request, reply) =>
    sendJson(reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer'), value),
  );
}

/** Text or bytes of a media type. */
export function mediaReply(
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return new Reply((request, reply, { etag }) =>
    etag === true && typeof body === 'string'
      ? sendTagged(request, reply, body, type)
      : reply.headers(headers).header('content-type', type).send(body),
  );
}

/** Bytes that are kept by the stamp of what they were made from. */
export function cachedBytes(cache: ByteCache, entry: CachedBytes, cacheControl?: string): Reply {
  return new Reply((request, reply) => {
    if (cacheControl !== undefined && !reply.hasHeader('cache-control'))
      void reply.header('cache-control', cacheControl);
    return sendBytes(request, reply, cache, entry);
  });
}

/** A refusal with members beside the problem, such as the receipt of the call that failed. */
export function refused(refusal: Fault, base: string, more: JsonObject): Reply {
  return new Reply((request, reply) => sendProblem(reply, request, base, refusal, more));
}

/** Adds a route to the server. */
export function route<const R extends Route>(
  door: Door,
  declaration: R,
  handler: (context: RouteContext<R>) => RouteAnswer | Promise<RouteAnswer>,
): void {
  const { app, service } = door;
  const { head = 'get', bodyLimit, config } = declaration;
  const [method, url] = addressOf(declaration);
  const prepare = preparation(door, declaration, method);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = await prepare(request, reply);
    const answered = isFault(context) ? context : await handler(context as unknown as RouteContext<R>);
    return sendAnswer(service.base, request, reply, answered, declaration);
  };
  app.route({
    method: method.toUpperCase(),
    url,
    exposeHeadRoute: method === 'get' && head === 'get',
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    config: { ...config, operations: operationsOf(declaration) },
    handler: answer,
  });
  if (head === 'empty')
    app.head(url, async (_request, reply) => reply.code(204).header('cache-control', privateCache).send());
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
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: RouteAnswer,
  declaration: Route,
): Promise<FastifyReply> {
  if (isFault(answered)) return sendProblem(reply, request, base, answered);
  const { cache, etag } = declaration;
  if (cache !== undefined && !reply.hasHeader('cache-control')) void reply.header('cache-control', cache);
  if (answered instanceof Reply) {
    const sent = await answered.send(request, reply, declaration);
    return isFault(sent) ? sendProblem(reply, request, base, sent) : sent;
  }
  return etag === true ? sendTagged(request, reply, answered) : sendJson(reply, answered);
}

type Prepared = CommonContext & {
  readonly viewer: Credential;
  readonly presented: Presented;
  readonly tenant: string;
  readonly seen: Seen | undefined;
  readonly args: JsonObject;
};

const anonymous: Credential = { kind: 'anonymous' };

/** The steps before a handler, in their order; the first fault ends them. */
function preparation(
  { service, intake }: Door,
  declaration: Route,
  method: Method,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Prepared | Fault> {
  const {
    auth = 'reader',
    limit,
    tenant: slugs,
    article,
    prefetch,
    validate,
    unvalidated,
    onInvalid,
  } = declaration;
  const operation: Operation | undefined = 'operations' in declaration ? undefined : declaration;
  const isRead = method === 'get';
  const isForNobody = isRead && operationsOf(declaration).every(({ caller }) => caller === 'nobody');
  const taken = operation?.query ?? {};
  return async (request, reply) => {
    const params = request.params as Params;
    const taking = validate?.(params) ?? operation;
    const read = isRead ? queryOf(request, taking) : bodyOf(request, declaration, taking ?? anyQuery, params);
    if (isFault(read)) return onInvalid?.(request, read) ?? read;
    const { query, args, token } = read;
    if (prefetch !== undefined && isPrefetch(request)) return prefetch;
    const limited = limit === undefined ? undefined : intake[limit](request);
    if (limited !== undefined) return limited;
    const presented = isForNobody || unvalidated === true ? {} : presentedBy(request, token);
    if (isFault(presented)) return presented;
    let viewer: Credential | Fault = anonymous;
    if (isCredentialed(presented)) {
      void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
      if (isRead && auth === 'reader') viewer = await authenticateReader(service, presented);
      if (isFault(viewer)) return countCredential(viewer, request, intake);
    }
    const tenant =
      slugs === undefined
        ? ''
        : await resolveTenant(service, viewer, query, slugs === true ? undefined : query[slugs]);
    if (isFault(tenant)) return tenant;
    const seen = article === true ? await findArticle(service, params['slug'] ?? '', viewer) : undefined;
    if (isFault(seen)) return seen;
    const number = (name: string): number => {
      const value = wholeNumber(query, name, taken[name] as WholeNumber);
      if (isFault(value)) throw new Error(`${name} was not validated`);
      return value;
    };
    return { request, params, query, number, args, presented, viewer, tenant, seen };
  };
}

/** For a path that serves several operations and was asked for none of them: any parameter, each once. */
export const anyQuery: QueryDeclaration = { query: undefined };
interface Read {
  readonly query: Query;
  readonly args: JsonObject;
  readonly token?: string | undefined;
}

/** A declaration without `query` ignores the query. */
function queryOf(request: FastifyRequest, taking: QueryDeclaration | undefined): Read | Fault {
  if (taking?.query === undefined && taking !== anyQuery) return { query: {}, args: {} };
  const query = readQuery(request, taking);
  return isFault(query) ? query : { query, args: {} };
}

/** The arguments of a write: the body without the credential in its `key`, unless `key` is an argument of the row. */
function bodyOf(
  request: FastifyRequest,
  declaration: Route,
  taking: QueryDeclaration,
  params: Params,
): Read | Fault {
  const { fromAddress, bodyRules, unvalidated } = declaration;
  if (unvalidated === true) return { query: request.query as Query, args: {} };
  const object = readObject(request);
  if (isFault(object)) return object;
  const hasToken = !('fixed' in declaration) || declaration.fixed?.includes('key') !== true;
  const query = readQuery(request, taking);
  const token = hasToken ? stringMember(object, 'key') : undefined;
  const named = fromAddress?.(params) ?? {};
  const wrong = allWrong('/', query, token, contradicted(object, named), ...(bodyRules?.(object) ?? []));
  if (wrong !== undefined || isFault(query) || isFault(token)) return wrong as Fault;
  if (!hasToken) return { query, args: { ...object, ...named } };
  const { key: _token, ...args } = object;
  return { query, token, args: { ...args, ...named } };
}

function contradicted(object: JsonObject, named: Readonly<Record<string, string>>): Fault | undefined {
  const others = Object.keys(named).filter(
    (each) => object[each] !== undefined && object[each] !== named[each],
  );
  return allWrong(
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

/** The address of a list as it was asked for: one of a named workspace is read there. */
export function readAt(url: string, { workspace }: Query): string {
  return workspace === undefined ? url : `${url}?workspace=${encodeURIComponent(workspace)}`;
}

/** An operationId out of what a route is called by: `read-thread-state` is `readThreadState`, VOXEL_EDIT `voxelEdit`. */
export function operationId(name: string): string {
  return name.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Options of a GET that answers by itself, such as a page: HEAD is answered as GET is, without the body. */
export function readable(...operations: readonly Operation[]) {
  return { exposeHeadRoute: true, config: { operations } } as const;
}

/** Options of any other route that answers by itself. */
export function declared(...operations: readonly Operation[]) {
  return { config: { operations } } as const;
}
