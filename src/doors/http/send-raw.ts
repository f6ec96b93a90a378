/**
 * Sends frequent answers past Fastify's reply, whose handling of headers and payloads costs about as much as a
 * cached read. The headers are the same.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestIdHeader } from './request-ids.ts';
import { countReply } from './request-metrics.ts';

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};
const pageHeaders = {
  ...commonHeaders,
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};
/** Data is never rendered, so nothing is allowed. */
const dataHeaders = {
  ...commonHeaders,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Security headers by media type, unless the answer sets stricter ones. */
export function securityHeadersOf(type: unknown): Readonly<Record<string, string>> {
  return typeof type === 'string' && type.startsWith('application/') ? dataHeaders : pageHeaders;
}

/** Adds the security headers to everything that Fastify sends. */
export function addSecurityHeaders(app: FastifyInstance): void {
  // A share in the URL must not leak to pages that are opened from the answer (contract §4).
  app.addHook('onRequest', (request, reply, done) => {
    setReferrerPolicy(request, reply);
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    for (const [name, value] of Object.entries(securityHeadersOf(reply.getHeader('content-type'))))
      if (!reply.hasHeader(name)) void reply.header(name, value);
    done();
  });
}

/** Sets them on an answer that no hook sees. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply, type: string): void {
  void reply.headers(securityHeadersOf(type));
  setReferrerPolicy(request, reply);
}

function setReferrerPolicy({ url }: FastifyRequest, reply: FastifyReply): void {
  if (url.includes('share=')) void reply.header('referrer-policy', 'no-referrer');
}

/** Sends status, headers and the whole body at once. */
export function sendRaw(reply: FastifyReply, body?: Buffer | string): FastifyReply {
  countReply(reply);
  const { raw, statusCode } = reply;
  const own = reply.getHeaders();
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // A flat list of names and values, which Node takes without conversion.
  const headers: (string | number | string[] | undefined)[] = [];
  const security = securityHeadersOf(own['content-type']);
  for (const name in security) if (own[name] === undefined) headers.push(name, security[name]);
  for (const name in own) headers.push(name, own[name]);
  if (own[requestIdHeader] === undefined) headers.push(requestIdHeader, reply.request.id);
  if (body !== undefined) headers.push('content-length', length);
  reply.hijack();
  raw.writeHead(statusCode, headers as string[]);
  // ASCII text is copied to the socket without UTF-8 encoding.
  if (typeof body === 'string' && length === body.length) raw.end(body, 'latin1');
  else raw.end(body);
  return reply;
}
