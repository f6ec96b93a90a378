/**
 * An LRU cache for the bytes of public representations, by the stamp of their data, with strong ETags. An entry
 * with another stamp is replaced.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TimeSlices } from '../../kernel/time-slices.ts';
import { matchesEtag } from './envelope.ts';
import { securityHeadersOf, sendRaw } from './send-raw.ts';
import { isCredentialedBy, openReadHeaders } from './open-reads.ts';
import { requestIdHeader, requestIdOf } from './request-ids.ts';
import { isOwnSocket, type RequestLimits } from './request-limits.ts';

export interface CachedBytes {
  readonly name: string;
  readonly stamp: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly compressedEtag: string;
  readonly type: string;
  /** Whether a better answer can be made from the same data. */
  isOutdated?: (() => boolean) | undefined;
  /** Compressed on the first request that accepts it. */
  compressed: Buffer | undefined;
  compressing: Promise<void> | undefined;
}

/** The text of an answer in order, to be concatenated. */
export type Chunks = readonly string[];

async function encode(chunks: Chunks): Promise<{ readonly bytes: Buffer; readonly tag: string }> {
  const hash = createHash('sha256');
  const buffers = await new TimeSlices().map(chunks, (piece) => {
    const buffer = Buffer.from(piece, 'utf8');
    hash.update(buffer);
    return buffer;
  });
  const [only] = buffers;
  const bytes = only !== undefined && buffers.length === 1 ? only : Buffer.concat(buffers);
  return { bytes, tag: hash.digest('base64url').slice(0, 27) };
}

/** Smaller answers are not compressed. */
const compressMinBytes = 1024;
/** Larger answers are compressed asynchronously: ten megabytes take seconds. */
const compressAsyncMinBytes = 262_144;
const compressAsync = promisify(brotliCompress);
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export class ByteCache {
  readonly #entries = new Map<string, CachedBytes>();
  readonly #bytesMax: number;
  readonly #making = new Map<string, Promise<unknown>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(name: string, stamp: string): CachedBytes | undefined {
    const found = this.#entries.get(name);
    if (found === undefined || found.stamp !== stamp || found.isOutdated?.() === true) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, found);
    return found;
  }

  /** Takes `text` in chunks, so that encoding and hashing do not block other requests. */
  async set(name: string, stamp: string, text: string | Chunks, type: string): Promise<CachedBytes> {
    const { bytes, tag } = await encode(typeof text === 'string' ? [text] : text);
    const entry: CachedBytes = {
      name,
      stamp,
      bytes,
      etag: `"${tag}"`,
      compressedEtag: `"${tag}-br"`,
      type,
      compressed: undefined,
      compressing: undefined,
    };
    this.delete(name);
    // An entry may evict all others, up to the size of the largest article.
    if (bytes.length > this.#bytesMax * 0.75) return entry;
    this.#entries.set(name, entry);
    this.#bytes += bytes.length;
    for (const [oldest, old] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#entries.delete(oldest);
      this.#bytes -= old.bytes.length + (old.compressed?.length ?? 0);
    }
    return entry;
  }

  /** Concurrent requests for the same entry wait for one computation. */
  async once<T>(place: string, make: () => Promise<T>): Promise<T> {
    const known = this.#making.get(place) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const pending = make().finally(() => this.#making.delete(place));
    this.#making.set(place, pending);
    return pending;
  }

  delete(name: string): void {
    const old = this.#entries.get(name);
    if (old === undefined) return;
    this.#entries.delete(name);
    this.#bytes -= old.bytes.length + (old.compressed?.length ?? 0);
  }

  /** The bytes as brotli, unless too small. */
  compressed(entry: CachedBytes): Buffer | undefined {
    if (entry.bytes.length < compressMinBytes) return undefined;
    if (entry.compressed === undefined) {
      if (entry.bytes.length > compressAsyncMinBytes) return undefined;
      this.#keepCompressed(entry, brotliCompressSync(entry.bytes, compression));
    }
    return entry.compressed;
  }

  /** Whether the accepted compression has to be done asynchronously first. */
  awaitsCompression(headers: IncomingHttpHeaders, { bytes, compressed }: CachedBytes): boolean {
    return compressed === undefined && bytes.length > compressAsyncMinBytes && acceptsBrotli(headers);
  }

  async compress(entry: CachedBytes): Promise<void> {
    entry.compressing ??= compressAsync(entry.bytes, compression).then((compressed) =>
      this.#keepCompressed(entry, compressed),
    );
    await entry.compressing;
  }

  #keepCompressed(entry: CachedBytes, compressed: Buffer): void {
    entry.compressed = compressed;
    // The entry may have been evicted meanwhile.
    if (this.#entries.get(entry.name) === entry) this.#bytes += compressed.length;
  }
}

interface Negotiated {
  readonly status: 200 | 304;
  readonly etag: string;
  /** Undefined if the client has them. */
  readonly bytes: Buffer | undefined;
  readonly encoding: 'br' | undefined;
}

/** Negotiates the answer: bytes, bytes as brotli, or 304. */
function negotiate(headers: IncomingHttpHeaders, cache: ByteCache, entry: CachedBytes): Negotiated {
  // Each encoding is a representation with its own strong tag (RFC 9110 §8.8.3.3).
  const compressed = acceptsBrotli(headers) ? cache.compressed(entry) : undefined;
  const etag = compressed === undefined ? entry.etag : entry.compressedEtag;
  if (matchesEtag(headers['if-none-match'], etag))
    return { status: 304, etag, bytes: undefined, encoding: undefined };
  return {
    status: 200,
    etag,
    bytes: compressed ?? entry.bytes,
    encoding: compressed === undefined ? undefined : 'br',
  };
}

function acceptsBrotli({ 'accept-encoding': accepted }: IncomingHttpHeaders): boolean {
  return accepted !== undefined && /\bbr\b/.test(accepted);
}

export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  cache: ByteCache,
  entry: CachedBytes,
): Promise<FastifyReply> {
  if (cache.awaitsCompression(request.headers, entry)) await cache.compress(entry);
  const { status, etag, bytes, encoding } = negotiate(request.headers, cache, entry);
  void reply.code(status).header('etag', etag).header('vary', 'accept-encoding');
  if (bytes === undefined) return sendRaw(reply);
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  return sendRaw(reply.header('content-type', entry.type), bytes);
}

/*
 * Fast path of cached reads: a URL that was answered from a byte cache without a credential is remembered, and
 * answered before routing the next time (ADR 11). Everything else takes the usual path.
 */

interface WarmRead {
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
    const open = isCredentialedBy(headers) ? undefined : openReadHeaders;
    const requestId = { [requestIdHeader]: requestIdOf(request) };
    this.answered += 1;
    // A 304 repeats the caching headers (RFC 9110 §15.4.5).
    if (bytes === undefined)
      response
        .writeHead(status, {
          etag,
          vary: 'accept-encoding',
          'cache-control': cacheControl,
          ...requestId,
          ...open,
        })
        .end();
    else
      response
        .writeHead(status, {
          ...securityHeadersOf(entry.type),
          ...requestId,
          ...open,
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
