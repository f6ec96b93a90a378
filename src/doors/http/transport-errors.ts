/**
 * Faults outside routes (contract §2): malformed HTTP and URLs, unsupported methods, bodies beyond the limits, and
 * errors that escape a handler. They are answered like all other faults.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { LedgerRolledBack, StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { problem } from './envelope.ts';
import type { SendFault } from './replies.ts';
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
      'x-content-type-options: nosniff',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** Answers unknown paths with 404, and known paths with 405 and `Allow`. Call before adding routes. */
export function handleNotFound(app: FastifyInstance, sendFault: SendFault): void {
  const routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ path: pathPattern(url), methods: typeof method === 'string' ? [method] : method });
  });
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '';
    const allowed = [
      ...new Set(routes.filter((route) => route.path.test(path)).flatMap((route) => route.methods)),
    ].sort();
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
  });
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
  'Try again; if it stays, tell the operator the time of the request.',
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
