/** How a route is declared: its address, what `route` does before and after its handler, and what the handler gets. */
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { type ArticleAccess } from '../../app/reads/article-access.ts';
import { type Presented } from '../../app/credentials/authenticate.ts';
import type { Viewed } from '../../app/read-context.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';
import { type Session } from '../../app/credentials/sessions.ts';
import { type Form } from './browser-forms.ts';
import type { GivenQuery } from './open-reads.ts';
import { Reply, type SendFault } from './replies.ts';
import type { RequestLimits } from './request-limits.ts';
import type { QueryDeclaration } from './validate-query.ts';
import { type Query } from './requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operations?: readonly Operation[];
    /** Whether a GET with this query mints or invokes something, or answers by where it comes from. */
    readonly fires?: (query: GivenQuery) => boolean;
    /** Which paths of its pattern the route answers; default: all. */
    readonly answersPath?: (path: string) => boolean;
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

export type Method = 'get' | 'post' | 'put' | 'patch';
export type Params = Readonly<Record<string, string>>;

/** How a route is reached, and what `route` does before and after its handler. */
interface RouteBehaviour {
  /**
   * `reader`: the credential is authenticated; the default for a GET whose caller is not `none`. `handler`: the
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
  /** HEAD: as GET without the body (default), or unsupported. */
  readonly head?: 'get' | 'none';
  /** Whether a GET with this query mints or invokes something: HEAD answers 204, and no other origin reads the answer. */
  readonly fires?: (query: GivenQuery) => boolean;
  /** The parameters of a path that serves several operations, by its path parameters. */
  readonly validate?: (params: Params) => QueryDeclaration;
  /** Arguments that the path names: the body may repeat but not contradict them. */
  readonly pathArguments?: (params: Params) => Readonly<Record<string, string>>;
  /** Faults of the body in addition to those of the row's arguments. */
  readonly bodyRules?: (object: JsonObject) => readonly unknown[];
  /** The handler of a write reads query, body and credential itself. */
  readonly unvalidated?: true;
  /** Requires a signed-in session of the owner's console; answers requests without one. */
  readonly noSession?: (request: FastifyRequest) => Fault | Reply;
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
export type Misspelt<R> = { readonly [K in Exclude<keyof R, DeclarationKey>]: never };
export type Route = DescribedRoute & AddressedRoute & RouteBehaviour;

/** What every handler gets. */
export interface CommonContext {
  readonly request: FastifyRequest;
  readonly params: Params;
  /** Validated against the declaration: only declared parameters, each a single string. */
  readonly query: Query;
  /** An integer within its declared bounds; its default, or 0, if absent. */
  number(name: string): number;
}
type HasViewer<R> = R extends { readonly get: string }
  ? R extends { readonly caller: 'none' | 'console' } | { readonly auth: 'handler' }
    ? false
    : true
  : false;
type HasPresented<R> = R extends
  { readonly get: string; readonly caller: 'none' | 'console' } | { readonly form: true }
  ? false
  : true;

/** The context of a handler: only what its declaration asks for. */
export type RouteContext<R = unknown> = CommonContext &
  (HasViewer<R> extends true ? { readonly viewer: Credential } : unknown) &
  (HasPresented<R> extends true ? { readonly presented: Presented } : unknown) &
  (R extends { readonly tenant: true | string }
    ? { readonly tenant: string; readonly reading: Service & Viewed }
    : unknown) &
  (R extends { readonly article: true } ? { readonly access: ArticleAccess } : unknown) &
  (R extends { readonly noSession: (request: FastifyRequest) => RouteAnswer }
    ? { readonly session: Session }
    : unknown) &
  (R extends { readonly form: true } ? { readonly form: Form } : unknown) &
  (R extends { readonly get: string } | { readonly form: true } ? unknown : { readonly args: JsonObject });

export type RouteAnswer = JsonObject | Fault | Reply;

export function operationsOf(declaration: Route): readonly Operation[] {
  return 'operations' in declaration ? declaration.operations : [declaration];
}

export function addressOf(declaration: Route): readonly [Method, string] {
  for (const method of ['get', 'post', 'put', 'patch'] as const) {
    const url = (declaration as Readonly<Partial<Record<Method, string>>>)[method];
    if (url !== undefined) return [method, url];
  }
  throw new Error('a route without an address');
}
