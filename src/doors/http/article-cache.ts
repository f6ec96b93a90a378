/** Caches reads of articles as bytes by the stamp of the article. */
import { articleStamp, articleStampNow, isLogged } from '../../app/reads/articles.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { ByteCache, Chunks } from './cached-bytes.ts';
import { privateCache, publicCache } from './envelope.ts';
import { cachedBytes, type Reply } from './replies.ts';
import { type RouteContext } from './route.ts';
import type { WarmReads } from './warm-reads.ts';

interface CachedAs {
  readonly name: string;
  readonly type: string;
  /** The read depends on invocations. */
  readonly called: boolean;
  /** The read depends on log indexes, and is not cached before every entry has one. */
  readonly needsLog?: boolean;
}

/** How often a read is repeated because the article changed meanwhile. */
const readsMax = 4;

/** Drafts are never cached by others. */
export async function cachedArticle(
  service: Service,
  { cache, reads }: { readonly cache: ByteCache; readonly reads: WarmReads },
  { request, viewer, seen }: RouteContext<{ readonly get: string; readonly article: true }>,
  as: CachedAs,
  make: () => Promise<string | Chunks | Fault>,
): Promise<Reply | Fault> {
  const key = `${seen.aid} ${as.name}`;
  let stamp = await articleStamp(service, seen.aid, as.called);
  let entry = cache.get(key, stamp);
  for (let tries = 1; entry === undefined; tries++) {
    const at = stamp;
    const made = await cache.once(`${at} ${key}`, async () => {
      const whole = as.needsLog !== true || (await isLogged(service, seen.aid));
      const text = await make();
      if (isFault(text)) return text;
      const after = await articleStamp(service, seen.aid, as.called);
      const bytes = await cache.set(key, at, text, as.type);
      if (!whole || after !== at) cache.delete(key);
      return { after, bytes };
    });
    if (isFault(made)) return made;
    // A read during a write may mix two states, so it is repeated.
    stamp = made.after;
    entry = stamp === at || tries >= readsMax ? made.bytes : cache.get(key, stamp);
  }
  const cacheControl = seen.status === 'draft' ? privateCache : publicCache;
  // Articles of other workspaces are not remembered: closing a workspace does not change their stamps.
  if (viewer.kind === 'anonymous' && seen.tenant === mainTenant) {
    const { aid } = seen;
    reads.remember(request.url, {
      cache,
      name: key,
      cacheControl,
      stamp: () => articleStampNow(service, aid, as.called),
    });
  }
  return cachedBytes(cache, entry, cacheControl);
}
