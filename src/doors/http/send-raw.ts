/**
 * How the busiest answers leave: past the framework's reply, whose work on each header and payload costs about
 * as much as a warm read itself. Everything else goes through `reply.send`; the headers are the same.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
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
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};
/** Nothing in it is ever rendered, so nothing is allowed, in fewer bytes. */
const dataHeaders = {
  ...commonHeaders,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** On every answer of that media type, unless it has stricter ones of its own. */
export function securityHeadersOf(type: unknown): Readonly<Record<string, string>> {
  return typeof type === 'string' && type.startsWith('application/') ? dataHeaders : pageHeaders;
}

/** Gives the security headers to whatever goes through the framework. */
export function addSecurityHeaders(app: FastifyInstance): void {
  // Where a share stands in the URL, no page that is reached from the answer may learn of it (contract §4).
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.includes('share=')) void reply.header('referrer-policy', 'no-referrer');
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    for (const [name, value] of Object.entries(securityHeadersOf(reply.getHeader('content-type'))))
      if (!reply.hasHeader(name)) void reply.header(name, value);
    done();
  });
}

/** Sends the whole body at once, or none, with the headers and the status that the reply was given. */
export function sendRaw(reply: FastifyReply, body?: Buffer | string): FastifyReply {
  countReply(reply);
  const { raw, statusCode } = reply;
  const own = reply.getHeaders();
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // A list of names and values by turns: an object would be put together to be taken apart.
  const headers: (string | number | string[] | undefined)[] = [];
  const security = securityHeadersOf(own['content-type']);
  for (const name in security) if (own[name] === undefined) headers.push(name, security[name]);
  for (const name in own) headers.push(name, own[name]);
  if (body !== undefined) headers.push('content-length', length);
  reply.hijack();
  raw.writeHead(statusCode, headers as string[]);
  // A text of ASCII alone is copied to the socket; as UTF-8 it would be looked at character by character again.
  if (typeof body === 'string' && length === body.length) raw.end(body, 'latin1');
  else raw.end(body);
  return reply;
}
