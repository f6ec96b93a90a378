/**
 * Article parts made from all chains (spec §4.3): the ledger, the health report, and the bundle, everything that a
 * verifier needs.
 */
import { linkTable } from '../../domain/articles/link-checks.ts';
import { links } from '../../domain/links.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { Health } from '../../model/article.ts';
import { Ledger } from '../../model/history.ts';
import { type Entry, leafHash } from '../../ledger/entry.ts';
import { byChain, verificationOfAll } from '../../represent/stored-events.ts';
import { health } from '../../represent/health.ts';
import { readChains, redactionPolicyOf, scrubsOf } from './article-chains.ts';
import { alteredIn } from './article-integrity.ts';
import { alteredConformance, readConformance } from './conformance.ts';
import { loadArticle, readContributions } from './articles.ts';
import { readPosts } from './discourse.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { wholeNumberOf } from './whole-number.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { articleChain } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { multiproof } from '../../ledger/multiproof.ts';
import { bundle, bundleMarkdown } from '../../represent/bundle.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { discourseList } from '../../represent/discourse-json.ts';
import type { ReadContext } from '../read-context.ts';
import { checkpointFor } from './proof.ts';
import { readQuestions } from './question-parts.ts';

export const readHealth = defineRead(Health, async ({ context, access }) => {
  const altered = [
    ...(await alteredIn(context, access, 'health')),
    ...(await alteredConformance(context.read, access.aid, await readConformance(context, access.aid))),
  ];
  return health({
    state: await loadArticle(context, access.aid),
    posts: await readPosts(context, access.aid),
    altered: altered.map(({ reason }) => reason),
    links: await context.read.rows(linkTable, access.aid),
  });
});

/** All entries in commit order, each with its log index. */
export const readLedger = defineRead(Ledger, async ({ context, access, query }) => {
  const limit = wholeNumberOf(query['limit'], 'limit', 50, 500);
  if (isFault(limit)) return limit;
  const from = wholeNumberOf(query['cursor'], 'cursor', 0, 999_999_999);
  if (isFault(from)) return from;
  const events = await readChains(context.read, access.aid);
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
      ? `${links.articlePart(context.base, access.slug, 'ledger')}?limit=${limit}&cursor=${from + limit}`
      : null;
  return {
    slug: access.slug,
    count: entries.length,
    total: events.length,
    entries,
    next,
    verification: await verificationOfAll(await byChain(events)),
  };
});

export async function readBundle({
  context,
  access,
  query,
}: PartRequest): Promise<JsonObject | string | Fault> {
  const state = await loadArticle(context, access.aid);
  if (query['format'] === 'markdown') {
    const exact = bundleMarkdown(state, context.base);
    return query['raw'] === '1' ? exact : labelledMarkdown(exact);
  }
  if (query['format'] !== undefined && query['format'] !== 'json' && query['format'] !== 'slim') {
    return invalidParameter(
      'format',
      `"${query['format'].slice(0, 40)}" is no format of a bundle.`,
      'Use json, slim or markdown.',
    );
  }
  const redaction = await redactionPolicyOf(context, access, state.row);
  const own = redaction.redact(await readChains(context.read, access.aid));
  const events = [...own, ...(await scrubsOf(context, own))];
  const thread = await context.read.chain(articleChain(access.aid, 'thread'));
  const slim = query['format'] === 'slim';
  const { checkpoint, logged } = await provenTogether(context, slim ? [] : events);
  return bundle({
    state,
    questions: await readQuestions(context, access),
    base: context.base,
    events,
    showsInactive: redaction.showsDiv,
    contributions: await readContributions(context, access),
    discourse: discourseList({
      article: state,
      posts: await readPosts(context, access.aid),
      chain: thread,
      base: context.base,
    }),
    origin: context.logKey.name,
    verifierKey: context.logKey.text,
    checkpoint: checkpoint?.note ?? null,
    logged,
    slim,
  });
}

/** How long to wait for another node to integrate entries. */
const integrationMs = 2000;

/** All entries of a bundle under one checkpoint; without a proof until the log has integrated all. */
async function provenTogether(context: ReadContext, events: readonly StoredEvent[]) {
  const { read } = context;
  const places = new Map<number, number>();
  const until = performance.now() + integrationMs;
  const slices = new TimeSlices();
  for (const { seq } of events) {
    if (slices.isDue) await slices.yieldTurn();
    let index = await read.indexOf(seq);
    for (; index === null && performance.now() < until; index = await read.indexOf(seq)) await sleep(25);
    if (index !== null) places.set(seq, index);
  }
  // Order matters: a later checkpoint covers the indexes read before.
  const indexes = [...places.values()].sort((a, b) => a - b);
  const checkpoint = await checkpointFor(context, indexes.at(-1) ?? null);
  if (checkpoint === null || places.size === 0 || places.size < events.length)
    return { checkpoint, logged: null };
  const { size } = checkpoint;
  const proof = await multiproof(indexes, size, (index) => read.inclusionLines(index, size));
  return { checkpoint, logged: { places, proof } };
}
