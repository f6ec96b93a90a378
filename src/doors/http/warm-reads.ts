/**
 * Fast path of cached reads: a URL that was answered from a byte cache without a credential is remembered, and
 * answered before routing the next time (ADR 11). Everything else takes the usual path.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { negotiate, type ByteCache } from './cached-bytes.ts';
import { isOwnSocket, type RequestLimits } from './request-limits.ts';
import { securityHeadersOf } from './send-raw.ts';

export interface WarmRead {
  readonly cache: ByteCache;
  /** The name of the cache entry. */
  readonly name: string;
  readonly cacheControl: string;
  /** The current stamp; undefined if only the store knows it. */
  stamp(): string | undefined;
}

/** Beyond, all are forgotten; clients choose the URLs. */
const urlsMax = 4096;
const urlCharsMax = 300;

export class WarmReads {
  readonly #requestLimits: RequestLimits;
  /** Number of requests answered. */
  answered = 0;
  readonly #known = new Map<string, WarmRead>();

  constructor(requestLimits: RequestLimits) {
    this.#requestLimits = requestLimits;
  }

  /** Inserts the fast path before the routes of a server. Call once all routes are added. */
  attach(app: FastifyInstance): void {
    const route = app.server.listeners('request') as ((
      request: IncomingMessage,
      response: ServerResponse,
    ) => void)[];
    app.server.removeAllListeners('request');
    app.server.on('request', (request, response) => {
      if (!this.#answer(request, response)) for (const each of route) each(request, response);
    });
  }

  remember(url: string, read: WarmRead): void {
    if (url.length > urlCharsMax || this.#known.has(url)) return;
    if (this.#known.size >= urlsMax) this.#known.clear();
    this.#known.set(url, read);
  }

  #answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET') return false;
    const known = this.#known.get(request.url as string);
    if (known === undefined) return false;
    const { cache, name, cacheControl } = known;
    const stamp = known.stamp();
    const entry = stamp === undefined ? undefined : cache.get(name, stamp);
    if (entry === undefined) return false;
    const { headers, socket } = request;
    if (
      headers.authorization !== undefined ||
      headers['x-terminal-key'] !== undefined ||
      headers['transfer-encoding'] !== undefined ||
      headers['content-length'] !== undefined ||
      cache.awaitsCompression(headers, entry) ||
      isOwnSocket(socket) ||
      this.#requestLimits.read(request) !== undefined
    )
      return false;
    const { status, etag, bytes, encoding } = negotiate(headers, cache, entry);
    this.answered += 1;
    // A 304 repeats the caching headers (RFC 9110 §15.4.5).
    if (bytes === undefined)
      response.writeHead(status, { etag, vary: 'accept-encoding', 'cache-control': cacheControl }).end();
    else
      response
        .writeHead(status, {
          ...securityHeadersOf(entry.type),
          'cache-control': cacheControl,
          etag,
          vary: 'accept-encoding',
          'content-type': entry.type,
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
          'content-length': bytes.length,
        })
        .end(bytes);
    return true;
  }
}
