/**
 * Warm reads: the bytes of a public representation, kept by the stamp of what they were made from, with a
 * strong ETag. A stamp that moved makes them again; least recently used ones leave when the bound is reached.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TimeSlices } from '../../kernel/time-slices.ts';
import { matchesEtag } from './envelope.ts';
import { sendRaw } from './send-raw.ts';

export interface CachedBytes {
  readonly name: string;
  readonly stamp: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly compressedEtag: string;
  readonly type: string;
  /** Made when a client that takes it first asks. */
  compressed: Buffer | undefined;
  compressing: Promise<void> | undefined;
}

/** An answer's text in order; to be joined. */
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

/** Below this a compressed answer saves nothing. */
const compressMinBytes = 1024;
/** Above this it is compressed beside the main thread: ten megabytes take seconds. */
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
    if (found === undefined || found.stamp !== stamp) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, found);
    return found;
  }

  /** `text` in pieces: encoding and hashing a large answer in one piece would keep other requests waiting. */
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
    // The largest article that the limits allow has its place, if need be in that of all others.
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

  /** Whoever asks for something while it is made waits for it, so that it is made once. */
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

  /** The entry's bytes as brotli, where that is worth it. */
  compressed(entry: CachedBytes): Buffer | undefined {
    if (entry.bytes.length < compressMinBytes) return undefined;
    if (entry.compressed === undefined) {
      if (entry.bytes.length > compressAsyncMinBytes) return undefined;
      this.#keepCompressed(entry, brotliCompressSync(entry.bytes, compression));
    }
    return entry.compressed;
  }

  /** Whether what a client takes is still to be compressed beside the main thread. */
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
    // One that was too large to be kept, or has left since, is nobody's burden.
    if (this.#entries.get(entry.name) === entry) this.#bytes += compressed.length;
  }
}

export interface Negotiated {
  readonly status: 200 | 304;
  readonly etag: string;
  /** Nothing where the client has them. */
  readonly bytes: Buffer | undefined;
  readonly encoding: 'br' | undefined;
}

/** What a request gets of an entry: its bytes, as brotli where the client takes it, or 304 where it has them. */
export function negotiate(headers: IncomingHttpHeaders, cache: ByteCache, entry: CachedBytes): Negotiated {
  // Two encodings are two representations, and a strong tag names one (RFC 9110 §8.8.3.3).
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
