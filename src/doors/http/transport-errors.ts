/**
 * Faults outside routes (contract §2): malformed HTTP and URLs, unsupported methods, bodies beyond the limits, and
 * errors that escape a handler. They are answered like all other faults.
 */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { LedgerRolledBack, StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { trimEndOf } from '../../kernel/text.ts';
import { privateCache, problem } from './envelope.ts';
import { type GivenQuery, isOpenRead, openReadHeaders, preflightHeaders } from './open-reads.ts';
import type { SendFault } from './replies.ts';
import { newRequestId, requestIdHeader } from './request-ids.ts';
import { statusOf } from './statuses.ts';

export interface TransportError {
  readonly statusCode?: number;
  readonly code?: string;
}

export interface BodyLimits {
  readonly requestBytesMax: number;
  readonly batchBytesMax: number;
  readonly importBytesMax: number;
}

/** The fault that an error carries, or that of the HTTP layer; undefined for other errors. */
export function faultOf(error: unknown, limits: BodyLimits): Fault | undefined {
  return (error as { readonly problem?: Fault }).problem ?? transportFault(error as TransportError, limits);
}

/** The fault for an error of the HTTP layer; undefined for other errors. */
export function transportFault(error: TransportError, limits: BodyLimits): Fault | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fault(
        'payload_ceiling',
        'The request is too large.',
        `Send at most ${limits.requestBytesMax} bytes, ${limits.batchBytesMax} for a batch, or ${limits.importBytesMax} for a bundle to import with the credential in a header (x-terminal-key or Authorization: Bearer).`,
      );
    case 'HPE_HEADER_OVERFLOW':
      return fault(
        'payload_ceiling',
        'The URL and headers are too large.',
        'Send at most 16 KB of them, and what is longer in the body of a POST.',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fault(
        'unsupported_media_type',
        'This endpoint reads JSON.',
        'Send Content-Type: application/json.',
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fault(
        'not_found',
        'There is nothing at an address of that length.',
        'Check the address, or start at / (for people) or /api/dispatch (for programs).',
      );
    default:
      return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500
        ? fault(
            'invalid_request',
            'The request cannot be read.',
            'Check the URL, the headers, the length and the body.',
          )
        : undefined;
  }
}

/** Answers malformed requests on the raw socket, because there is no request object. */
export function clientErrorHandler(
  base: string,
  limits: BodyLimits,
): (error: Error & TransportError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = transportFault(
      { statusCode: 400, ...(error.code === undefined ? {} : { code: error.code }) },
      limits,
    ) as Fault;
    const body = JSON.stringify(problem(refusal, base, '/'));
    const head = [
      `HTTP/1.1 ${statusOf[refusal.fault]} ${refusal.fault.replaceAll('_', ' ')}`,
      'content-type: application/problem+json; charset=utf-8',
      'cache-control: private, no-store',
      `${requestIdHeader}: ${newRequestId()}`,
      'x-content-type-options: nosniff',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

interface KnownRoute {
  readonly path: RegExp;
  readonly methods: readonly string[];
  readonly config: FastifyContextConfig | undefined;
}

/**
 * Answers what no route does: OPTIONS with 204 and `Allow`, a path with a slash too many with a redirect, unknown paths
 * with 404 and known ones with 405; and says which answers pages of other origins may read. Call before adding routes.
 */
export function handleNotFound(app: FastifyInstance, base: string, sendFault: SendFault): void {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', ({ url, method, config }) => {
    routes.push({
      path: pathPattern(url),
      methods: typeof method === 'string' ? [method] : method,
      config,
    });
  });
  const at = (path: string): readonly KnownRoute[] =>
    routes.filter((route) => route.path.test(path) && route.config?.answersPath?.(path) !== false);
  const methodsAt = (path: string): readonly string[] => {
    const methods = at(path).flatMap((route) => route.methods);
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort();
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { method, raw, routeOptions, url } = request;
    const [path, query] = splitUrl(url);
    // A HEAD that no route takes is judged by the GET of its path.
    const config =
      routeOptions.url === undefined
        ? at(path).find((route) => route.config?.fires !== undefined)?.config
        : routeOptions.config;
    const isOpen = isOpenRead(raw, request.query as GivenQuery, config);
    if (isOpen) void reply.headers(openReadHeaders);
    if (method === 'OPTIONS') {
      const allowed = methodsAt(path);
      if (allowed.length === 0) return done();
      const asked = request.headers['access-control-request-method'];
      const isOpenThen =
        (asked === 'GET' || asked === 'HEAD') &&
        at(path).some(
          (route) =>
            route.methods.includes(asked) &&
            isOpenRead({ method: asked, headers: {} }, request.query as GivenQuery, route.config),
        );
      void reply
        .code(204)
        .headers({ allow: allowed.join(', '), ...(isOpenThen ? preflightHeaders : {}) })
        .send();
      return undefined;
    }
    if ((method === 'GET' || method === 'HEAD') && /[^/]\/+$/.test(path)) {
      const plain = trimEndOf(path, /\//);
      // Below the own base, so that no path leads to another host.
      if (methodsAt(plain).includes('GET') && !at(path).some(({ path: own }) => own.source.endsWith('.*$'))) {
        // Caches keep a 308, and its address may have a share in it.
        if (!isOpen) void reply.header('cache-control', privateCache);
        void reply.redirect(`${base}${plain}${query}`, 308);
        return undefined;
      }
    }
    const allowed = routeOptions.config?.answersPath?.(path) === false ? methodsAt(path) : [];
    if (allowed.length > 0) {
      sendNotAllowed(request, reply, path, allowed);
      return undefined;
    }
    return done();
  });
  const sendNotAllowed = (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    allowed: readonly string[],
  ): FastifyReply => {
    void reply.header('allow', allowed.join(', '));
    return sendFault(
      reply,
      request,
      fault(
        'method_not_allowed',
        `${path.slice(0, 200)} does not take ${request.method}.`,
        `Use ${allowed.join(' or ')}.`,
      ),
    );
  };
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const [path] = splitUrl(request.url);
    const allowed = methodsAt(path);
    if (allowed.length === 0) {
      return sendFault(
        reply,
        request,
        fault(
          'not_found',
          `There is nothing at ${path.slice(0, 200)}.`,
          'Check the address, or start at / (for people) or /api/dispatch (for programs).',
        ),
      );
    }
    return sendNotAllowed(request, reply, path, allowed);
  });
}

/** The path, and the query with its question mark. */
function splitUrl(url: string): readonly [path: string, query: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}

function pathPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

const unreachable = fault(
  'overloaded',
  'The ledger cannot be reached right now.',
  'Wait a few seconds and send the same request again.',
);
export const internal = fault(
  'internal',
  'Something went wrong on this side.',
  'Try again; if it stays, tell the operator the X-Request-Id of the answer.',
);

/**
 * The fault for an unexpected error. `onError` reports it to the operator, unless the store is unreachable and will
 * recover; callers learn no cause.
 */
export function faultOfFailure(error: unknown, onError: (error: unknown) => void): Fault {
  const isUnreachable = error instanceof StoreUnreachable;
  if (!isUnreachable || error.fix !== undefined) onError(error);
  // Retries do not help here.
  if (error instanceof LedgerRolledBack)
    return fault('overloaded', `The ledger cannot be vouched for: ${error.message}.`, error.fix as string);
  if (isUnreachable) return unreachable;
  return internal;
}
