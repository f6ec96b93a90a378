/**
 * How answers are sent. Handlers of routes return a JSON value, a fault or a `Reply` made with the functions below;
 * `route` sends it. Error handlers, which no route reaches, send with `sendProblem` and `sendPage`.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type ByteCache, type CachedBytes, sendBytes } from './cached-bytes.ts';
import {
  withShareInNext,
  matchesEtag,
  isSoft,
  privateCache,
  problemFor,
  publicCache,
  stableJson,
} from './envelope.ts';
import { sendRaw } from './send-raw.ts';
import { statusOf } from './statuses.ts';

const jsonType = 'application/json; charset=utf-8';
export const htmlType = 'text/html; charset=utf-8';

/** Sends a fault: as problem details, as a page, or as an error of JSON-RPC. */
export type SendFault = (reply: FastifyReply, request: FastifyRequest, refusal: Fault) => FastifyReply;

/** Reports an unexpected error of a request to the operator. */
export type OnError = (error: unknown, url: string, requestId: string) => void;

type SendReply = (
  request: FastifyRequest,
  reply: FastifyReply,
  route: { readonly etag?: true },
) => FastifyReply | Fault | Promise<FastifyReply | Fault>;

/** An answer that is not plain JSON. Only `route` sends it. */
export class Reply {
  readonly send: SendReply;

  constructor(send: SendReply) {
    this.send = send;
  }
}

/** JSON for its caller alone, such as the answer of a call. */
export function privateJson(text: string, status: number): Reply {
  return new Reply((_request, reply) =>
    sendJsonText(reply.header('cache-control', privateCache), text, status),
  );
}

/** JSON with a new credential: not cached, and without a referrer. */
export function secretJson(value: JsonObject): Reply {
  return new Reply((_request, reply) =>
    sendJson(reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer'), value),
  );
}

type Headers = Readonly<Record<string, string>>;

/** Text or bytes of a media type. */
export function mediaReply(type: string, body: string | Buffer, headers: Headers = {}, status = 200): Reply {
  return new Reply((request, reply, { etag }) =>
    etag === true && typeof body === 'string'
      ? sendTagged(request, reply, body, type)
      : reply.code(status).headers(headers).header('content-type', type).send(body),
  );
}

/** Text that is made while it is sent, no faster than its reader takes it, and not for a reader that has gone. */
export function streamedReply(type: string, parts: AsyncIterable<string>): Reply {
  return new Reply((_request, reply) =>
    reply
      .header('content-type', type)
      .header('cache-control', privateCache)
      .send(Readable.from(parts, { objectMode: false })),
  );
}

/** Bytes cached by the stamp of their data. */
export function cachedBytes(cache: ByteCache, entry: CachedBytes, cacheControl?: string): Reply {
  return new Reply((request, reply) => {
    if (cacheControl !== undefined && !reply.hasHeader('cache-control'))
      void reply.header('cache-control', cacheControl);
    return sendBytes(request, reply, cache, entry);
  });
}

/** A page for one reader at one moment. */
export function pageReply(html: string, status = 200): Reply {
  return new Reply((_request, reply) => sendPage(reply.code(status), html));
}

/** A page that shows a refusal beside what was sent, such as a form with its fields filled in. */
export function refusedPage(html: string, refusal: Fault): Reply {
  return new Reply((_request, reply) => sendPage(markRefused(reply, refusal), html));
}

/** Redirects a browser, so that reloading the page does not send the form again. */
export function seeOther(location: string, headers: Headers = {}): Reply {
  return new Reply((_request, reply) =>
    reply
      .code(303)
      .headers({ 'cache-control': privateCache, ...headers, location })
      .send(),
  );
}

/** A refusal with members beside the problem, such as the receipt of the call that failed. */
export function refused(refusal: Fault, base: string, more: JsonObject): Reply {
  return new Reply((request, reply) => sendProblem(reply, request, base, refusal, more));
}

/** The response of a web-platform handler, streamed. */
export function webReply({ status, headers, body }: Response): Reply {
  return new Reply((_request, reply) => {
    void reply.code(status).header('cache-control', privateCache);
    for (const [name, value] of headers)
      if (name !== 'cache-control' && name !== 'connection') void reply.header(name, value);
    if (body === null) return reply.send();
    return reply.send(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]));
  });
}

/** Problem details of a fault (contract §2). */
export function sendProblem(
  reply: FastifyReply,
  request: FastifyRequest,
  base: string,
  refusal: Fault,
  more: JsonObject = {},
): FastifyReply {
  const { statusCode } = markRefused(reply, refusal);
  if (statusCode === 401) void reply.header('www-authenticate', 'Bearer realm="colophon", ApiKey');
  void reply
    .code(isSoft(request) ? 200 : statusCode)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', privateCache);
  return sendRaw(reply, JSON.stringify(problemFor(request, refusal, base, more)));
}

/** Sets the status of a refusal, counts it, and says when to retry where waiting helps. */
function markRefused(reply: FastifyReply, refusal: Fault): FastifyReply {
  const { fault, details } = refusal;
  reply.request.routeCounters?.refused(fault);
  const retryAfter = retryAfterSeconds(refusal);
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  if (typeof details?.['limit'] === 'number')
    void reply.headers({
      'ratelimit-limit': String(details['limit']),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(details['reset']),
    });
  return reply.code(statusOf[fault]);
}

/** What passes by itself is mostly over after so many seconds. */
const passesAfterSeconds = 5;

/** Seconds after which the same request may succeed, where waiting helps. */
export function retryAfterSeconds({ fault, details }: Fault): number | undefined {
  const stated = details?.['retry_after'];
  if (typeof stated === 'number') return stated;
  return fault === 'overloaded' || fault === 'shutting_down' ? passesAfterSeconds : undefined;
}

/** The page that shows a fault. */
export function sendFaultPage(
  reply: FastifyReply,
  request: FastifyRequest,
  refusal: Fault,
  html: string,
): FastifyReply {
  const { statusCode } = markRefused(reply, refusal);
  return sendPage(reply.code(isSoft(request) ? 200 : statusCode), html);
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.header('content-type', htmlType).header('cache-control', privateCache).send(html);
}

export function sendJson(reply: FastifyReply, value: JsonObject, status = 200): FastifyReply {
  return sendJsonText(reply, JSON.stringify(value), status);
}

export function sendJsonText(reply: FastifyReply, text: string, status = 200): FastifyReply {
  void reply.code(status).header('content-type', jsonType);
  return sendRaw(reply, text);
}

/**
 * JSON or text with a strong ETag. A private cache-control that was set before stays.
 */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  value: JsonObject | string,
  type = jsonType,
): FastifyReply {
  const bytes = Buffer.from(
    typeof value === 'string' ? value : stableJson(withShareInNext(request, value)),
    'utf8',
  );
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', publicCache);
  void reply.header('etag', etag);
  if (matchesEtag(request.headers['if-none-match'], etag)) return sendRaw(reply.code(304));
  return sendRaw(reply.header('content-type', type), bytes);
}
