/**
 * Cache of the mirror's feed as MIRROR_FEED answers it (spec §2.10), validated by the stamps of what it was made from.
 * Every call resolves the article and authorizes its reader before it looks here.
 */
import { LRUCache } from 'lru-cache';
import { articleTable } from '../../domain/articles/tables.ts';
import { mirrorTable } from '../../domain/mirror/tables.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Reader } from '../../engine/store.ts';
import type { Table } from '../../engine/tables.ts';
import { cacheCanonicalText } from '../../kernel/canonical-text.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { ContributionFeed } from '../../model/contribution.ts';
import type { ReadContext } from '../read-context.ts';
import { feedOf, publishedArticle } from './mirror-feed.ts';

/** Characters of canonical texts and names; the values take a few times as much memory. */
const cachedCharsMax = 2 * 1024 * 1024;
/** What a feed takes beside its text, so that empty feeds count too. */
const charsPerFeed = 512;

interface CachedFeed {
  readonly stamps: string;
  readonly feed: ContributionFeed;
}

const caches = new WeakMap<Reader, LRUCache<string, CachedFeed>>();

/** The newest contributions to a published article. Nobody may change the value. */
export async function cachedFeed(
  context: ReadContext,
  tenant: string,
  slug: string,
  limit: number,
): Promise<ContributionFeed | Fault> {
  const { read } = context;
  const article = await publishedArticle(context, tenant, slug);
  if (isFault(article)) return article;
  let cache = caches.get(read);
  if (cache === undefined)
    caches.set(read, (cache = new LRUCache({ maxSize: cachedCharsMax, maxEntrySize: cachedCharsMax / 4 })));
  const name = `${article.aid} ${slug} ${limit}`;
  const stamps = await stampsOf(read, article.aid);
  const known = cache.get(name);
  if (known?.stamps === stamps) return known.feed;
  const feed = await feedOf(context, article.aid, slug, limit);
  // A feed that was read during a write may mix two states.
  if ((await stampsOf(read, article.aid)) === stamps)
    cache.set(name, { stamps, feed }, { size: cacheCanonicalText(feed).length + name.length + charsPerFeed });
  return feed;
}

/** Stamps of the article's claims (for `stale`), the contributions and the decisions on them. */
async function stampsOf(read: Reader, aid: string): Promise<string> {
  const stamp = async ({ aggregate }: Table): Promise<number> =>
    read.stampNow(aggregate as string, aid) ?? read.stamp(aggregate as string, aid);
  return (await Promise.all([articleTable, mirrorTable, resolutionTable].map(stamp))).join(' ');
}
