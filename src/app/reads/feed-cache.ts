/**
 * The mirror's feed as MIRROR_FEED answers it (spec §2.10), kept by the stamps of what it was made from: most callers
 * ask what others have just been told. Which article a name means and who may see it is settled anew by every call.
 */
import { articleTable } from '../../domain/articles/tables.ts';
import { mirrorTable } from '../../domain/mirror/tables.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Reader } from '../../engine/store.ts';
import type { Table } from '../../engine/tables.ts';
import { cacheCanonicalText } from '../../kernel/canonical-text.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ReadContext } from '../read-context.ts';
import { feedOf, publishedArticle } from './mirror-feed.ts';

/** Characters of canonical texts and names that are kept for one store; the values take some times as much. */
const keptCharsMax = 2 * 1024 * 1024;
/** What a feed takes beside its text: an article without contributions counts, too. */
const ownChars = 512;

/** What a feed depends on: its article's claims (for `stale`), the contributions, the decisions on them. */
interface Stamps {
  readonly article: number;
  readonly mirror: number;
  readonly resolution: number;
}

interface Kept {
  readonly stamps: Stamps;
  readonly feed: JsonObject;
  readonly chars: number;
}

/** Those made first leave first: one that is still asked for is made anew, and stays as long again. */
class FeedCache {
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  get(name: string, stamps: Stamps): JsonObject | undefined {
    const known = this.#kept.get(name);
    return known !== undefined && areEqual(known.stamps, stamps) ? known.feed : undefined;
  }

  set(name: string, stamps: Stamps, feed: JsonObject): void {
    const chars = cacheCanonicalText(feed).length + name.length + ownChars;
    this.#forget(name);
    if (chars > keptCharsMax / 4) return;
    this.#kept.set(name, { stamps, feed, chars });
    this.#chars += chars;
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= keptCharsMax) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#chars -= this.#kept.get(name)?.chars ?? 0;
    this.#kept.delete(name);
  }
}

const ofStore = new WeakMap<Reader, FeedCache>();

/** The newest contributions to a published article; nobody changes what it answers with. */
export async function cachedFeed(
  context: ReadContext,
  tenant: string,
  slug: string,
  limit: number,
): Promise<JsonObject | Fault> {
  const { read } = context;
  const article = await publishedArticle(context, tenant, slug);
  if (isFault(article)) return article;
  let feeds = ofStore.get(read);
  if (feeds === undefined) ofStore.set(read, (feeds = new FeedCache()));
  const name = `${article.aid} ${slug} ${limit}`;
  const stamps = await stampsOf(read, article.aid);
  const known = feeds.get(name, stamps);
  if (known !== undefined) return known;
  const feed = await feedOf(context, article.aid, slug, limit);
  // What was read while somebody wrote may be of two moments.
  if (areEqual(await stampsOf(read, article.aid), stamps)) feeds.set(name, stamps, feed);
  return feed;
}

async function stampsOf(read: Reader, aid: string): Promise<Stamps> {
  const stamp = ({ aggregate }: Table): number | Promise<number> =>
    read.stampNow(aggregate as string, aid) ?? read.stamp(aggregate as string, aid);
  const article = stamp(articleTable);
  const mirror = stamp(mirrorTable);
  const resolution = stamp(resolutionTable);
  return { article: await article, mirror: await mirror, resolution: await resolution };
}

function areEqual(a: Stamps, b: Stamps): boolean {
  return a.article === b.article && a.mirror === b.mirror && a.resolution === b.resolution;
}
