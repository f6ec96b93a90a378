/** Article parts made from all chains (spec §4.3): the ledger and the health report. */
import { linkTable } from '../../domain/articles/link-checks.ts';
import { links } from '../../domain/links.ts';
import { isFault } from '../../kernel/fault.ts';
import { Health } from '../../model/article.ts';
import { Ledger } from '../../model/history.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import { byChain, verificationOfAll } from '../../represent/stored-events.ts';
import { health } from '../../represent/health.ts';
import { readChains } from './article-chains.ts';
import { alteredIn } from './article-integrity.ts';
import { alteredConformance } from './call-integrity.ts';
import { readConformance } from './conformance.ts';
import { loadArticle } from './articles.ts';
import { readPosts } from './discourse-parts.ts';
import { defineRead } from './define-read.ts';
import { wholeNumberOf } from './whole-number.ts';

export const readHealth = defineRead(Health, async ({ context, seen }) => {
  const altered = [
    ...(await alteredIn(context, seen, 'health')),
    ...(await alteredConformance(context.read, seen.aid, await readConformance(context, seen.aid))),
  ];
  return health({
    state: await loadArticle(context, seen.aid),
    posts: await readPosts(context, seen.aid),
    altered: altered.map(({ reason }) => reason),
    links: await context.read.rows(linkTable, seen.aid),
  });
});

/** All entries in commit order, each with its log index. */
export const readLedger = defineRead(Ledger, async ({ context, seen, query }) => {
  const limit = wholeNumberOf(query['limit'], 'limit', 50, 500);
  if (isFault(limit)) return limit;
  const from = wholeNumberOf(query['cursor'], 'cursor', 0, 999_999_999);
  if (isFault(from)) return from;
  const events = await readChains(context.read, seen.aid);
  const page = events.slice(from, from + limit);
  const entries = await Promise.all(
    page.map(async (event) => {
      const entry = JSON.parse(event.text) as Entry;
      // The hash covers `entry` only.
      return {
        log_index: await context.read.indexOf(event.seq),
        ...entry,
        hash: Buffer.from(leafHash(event.text)).toString('hex'),
        entry,
      };
    }),
  );
  const next =
    from + limit < events.length
      ? `${links.articlePart(context.base, seen.slug, 'ledger')}?limit=${limit}&cursor=${from + limit}`
      : null;
  return {
    slug: seen.slug,
    count: events.length,
    entries,
    next,
    verification: await verificationOfAll(await byChain(events)),
  };
});
