/**
 * The id of a request (contract §2): every answer bears it in `X-Request-Id`, log lines and traces show the same. It is
 * the caller's if that has 8 to 128 letters, digits or `-_.` and is no credential; otherwise it is new. The trace that
 * a request belongs to (W3C Trace Context) is taken from proxies of this deployment only: a caller must not choose
 * what is sampled, or put its requests into the traces of others.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SpanContext } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TracedRequest } from '../../app/tracing.ts';
import type { RequestLimits } from './request-limits.ts';

export const requestIdHeader = 'x-request-id';

export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && /^(?!sh\.|ck_|tk_)[\w.-]{8,128}$/.test(given) ? given : newRequestId();
}

/** An id for a request that could not be read. */
export function newRequestId(): string {
  return randomUUID();
}

/** Adds the id to everything that Fastify sends itself. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    void reply.header(requestIdHeader, request.id);
    done();
  });
}

export function tracedRequest(
  { requestLimits }: { readonly requestLimits: RequestLimits },
  request: FastifyRequest,
): TracedRequest {
  const { traceparent } = request.headers;
  const parent =
    typeof traceparent === 'string' && requestLimits.isFromProxy(request)
      ? parseTraceparent(traceparent)
      : undefined;
  return { id: request.id, parent };
}

/** Version 00; undefined for other versions and for what is malformed. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
