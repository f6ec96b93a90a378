/**
 * Public pages, cached by the stamp of the data that they were made from (contract §8). Concurrent requests for an
 * uncached page render it once.
 */
import type { FastifyRequest } from 'fastify';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { ByteCache, type Chunks, type WarmReads } from '../http/cached-bytes.ts';
import { publicCache } from '../http/envelope.ts';
import { cachedBytes, htmlType, type Reply } from '../http/replies.ts';
import { unreadable } from '../http/route.ts';
import type { Query } from '../http/requests.ts';

/** Pages are always rendered for an anonymous reader. */
export const anonymous = { kind: 'anonymous' } as const;

export interface MadePage {
  readonly html: string | Chunks;
  /** False for a page that is still incomplete, such as one whose proof is pending. */
  readonly cacheable: boolean;
  /** Whether a better page can be made from the same data, such as one whose proof witnesses have cosigned. */
  readonly isOutdated?: (() => boolean) | undefined;
}

export function cacheable(html: string): MadePage {
  return { html, cacheable: true };
}

interface SharedPage {
  readonly name: string;
  readonly stamp: string;
  /** The stamp, if it is known without asking the store. */
  stampNow?(): string | undefined;
  make(): Promise<MadePage | Fault>;
}

export class PageCache {
  readonly #bytes: ByteCache;
  readonly #reads: WarmReads;

  constructor(bytesMax: number, reads: WarmReads) {
    this.#bytes = new ByteCache(bytesMax);
    this.#reads = reads;
  }

  /** The reply with a page that is the same for every reader until its stamp changes. */
  async reply(
    { url, query }: FastifyRequest,
    { name, stamp, stampNow, make }: SharedPage,
  ): Promise<Reply | Fault> {
    const cache = this.#bytes;
    const entry =
      cache.get(name, stamp) ??
      (await cache.once(`${stamp} ${name}`, async () => {
        const made = await make();
        if (isFault(made)) return made;
        const bytes = await cache.set(name, stamp, made.html, htmlType);
        if (!made.cacheable) cache.delete(name);
        bytes.isOutdated = made.isOutdated;
        return bytes;
      }));
    if (isFault(entry)) return entry;
    if (stampNow !== undefined && !('share' in (query as object)))
      this.#reads.remember(url, { cache, name, cacheControl: publicCache, stamp: stampNow });
    return cachedBytes(cache, entry, publicCache);
  }
}

/** A parameter of a page; empty, unreadable and very long ones count as absent. */
export function queryParameter(query: Query, name: string): string | undefined {
  const value = query[name] ?? '';
  return value === '' || value === unreadable || value.length > 200 ? undefined : value;
}
