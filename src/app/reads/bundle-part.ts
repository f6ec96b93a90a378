/** The bundle of an article (spec §4.3): everything a verifier needs, as JSON or Markdown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { articleChain } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { multiproof } from '../../ledger/multiproof.ts';
import { bundle, bundleMarkdown } from '../../represent/bundle.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { discourseList } from '../../represent/discourse-json.ts';
import type { ReadContext } from '../read-context.ts';
import { readChains, scrubsOf } from './article-chains.ts';
import { loadArticle, readContributions } from './articles.ts';
import { readPosts } from './discourse-parts.ts';
import type { PartRequest } from './define-read.ts';
import { readQuestions } from './question-parts.ts';
import { redactionPolicyOf } from './redaction-policy.ts';

export async function readBundle({
  context,
  seen,
  query,
}: PartRequest): Promise<JsonObject | string | Fault> {
  const state = await loadArticle(context, seen.aid);
  if (query['format'] === 'markdown') {
    const exact = bundleMarkdown(state, context.base);
    return query['raw'] === '1' ? exact : labelledMarkdown(exact);
  }
  if (query['format'] !== undefined && query['format'] !== 'json' && query['format'] !== 'slim') {
    return fault(
      'invalid_request',
      `"${query['format'].slice(0, 40)}" is no format of a bundle.`,
      'Use json, slim or markdown.',
      { parameter: 'format' },
    );
  }
  const redaction = await redactionPolicyOf(context, seen, state.row);
  const own = redaction.redact(await readChains(context.read, seen.aid));
  const events = [...own, ...(await scrubsOf(context, own))];
  const thread = await context.read.chain(articleChain(seen.aid, 'thread'));
  const slim = query['format'] === 'slim';
  const { checkpoint, logged } = await provenTogether(context, slim ? [] : events);
  return bundle({
    state,
    questions: await readQuestions(context, seen),
    base: context.base,
    events,
    showsInactive: redaction.showsDiv,
    contributions: await readContributions(context, seen),
    discourse: discourseList({
      article: state,
      posts: await readPosts(context, seen.aid),
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
async function provenTogether({ read }: ReadContext, events: readonly StoredEvent[]) {
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
  const checkpoint = await read.checkpoint();
  if (checkpoint === null || places.size === 0 || places.size < events.length)
    return { checkpoint, logged: null };
  const { size } = checkpoint;
  const indexes = [...places.values()].sort((a, b) => a - b);
  const proof = await multiproof(indexes, size, (index) => read.inclusionLines(index, size));
  return { checkpoint, logged: { places, proof } };
}
