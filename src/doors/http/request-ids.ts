/**
 * The id of a request (contract §2): every answer bears it in `X-Request-Id`, log lines and traces show the same. It is
 * the caller's if that has 8 to 128 letters, digits or `-_.` and is no credential; otherwise it is new.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

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
