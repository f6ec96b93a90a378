/** How a page leaves: cache headers, ETag, compression; and faults as pages of the same status (contract §2, §8). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../../kernel/fault.ts';
import { sendBytes, type ByteCache, type CachedBytes } from '../http/cached-bytes.ts';
import { brokenShare, privateCache, publicCache, withoutSecrets } from '../http/envelope.ts';
import { statusOf } from '../http/statuses.ts';
import { errorPage } from './error-page.tsx';
import type { Site } from './site.ts';

const html = 'text/html; charset=utf-8';

/** A page of published state: the same for everybody. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  cache: ByteCache,
  entry: CachedBytes,
): Promise<FastifyReply> {
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', publicCache);
  return sendBytes(request, reply, cache, entry);
}

/** A page that may say something else the next moment. */
export function sendFresh(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('content-type', html).header('cache-control', privateCache).send(page);
}

export function sendErrorPage(reply: FastifyReply, site: Site, refusal: Fault): FastifyReply {
  const said = withoutSecrets(refusal);
  // What a message quotes of an address may be cut short, and a token in it with it.
  const cut = (text: string): string => text.replace(brokenShare, '[credential]');
  return sendFresh(
    refused(reply, refusal),
    errorPage(site, { ...said, message: cut(said.message), fix: cut(said.fix) }),
  );
}

/** Sets the status of a refusal, counts it, and says when to come again where that is what it is about. */
export function refused(reply: FastifyReply, refusal: Fault): FastifyReply {
  reply.request.measured?.refused(refusal.fault);
  const { details } = refusal;
  const retryAfter = details?.['retry_after'];
  if (typeof retryAfter === 'number') {
    void reply.header('retry-after', String(retryAfter));
    void reply
      .header('ratelimit-limit', String(details?.['limit']))
      .header('ratelimit-remaining', '0')
      .header('ratelimit-reset', String(details?.['reset']));
  }
  return reply.code(statusOf[refusal.fault]);
}

/** Whether a request is for a page: the API, the log's files and what programs look for answer in their own forms. */
export function isPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return !/^\/(?:api|tile|mcp|start|\.well-known|checkpoint|assets|metrics|healthz|readyz|robots\.txt|llms\.txt|sitemap\.xml|feed\.xml)(?:[/?]|$)/.test(
    request.url,
  );
}
