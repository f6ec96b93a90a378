/** The bundle of an article (spec §4.3): all that a verifier needs, as JSON or as Markdown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { articleChain } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { Slices } from '../../kernel/in-slices.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import { jointProof } from '../../ledger/joint-proof.ts';
import { bundle, bundleMarkdown } from '../../represent/bundle.ts';
import { discourseList } from '../../represent/discourse-json.ts';
import type { Service } from '../service.ts';
import { loadArticle, readChains, readContributions } from './articles.ts';
import { readPosts } from './discourse-parts.ts';
import type { PartRequest } from './part-request.ts';
import { readQuestions } from './question-parts.ts';
import { veilOf } from './veil.ts';

export async function readBundle({
  service,
  seen,
  query,
}: PartRequest): Promise<JsonObject | string | Fault> {
  const state = await loadArticle(service, seen.aid);
  if (query['format'] === 'markdown') return bundleMarkdown(state, service.base);
  if (query['format'] !== undefined && query['format'] !== 'json' && query['format'] !== 'slim') {
    return fault(
      'invalid_request',
      `"${query['format'].slice(0, 40)}" is no format of a bundle.`,
      'Use json, slim or markdown.',
      { parameter: 'format' },
    );
  }
  const veil = await veilOf(service, seen, state.row);
  const own = veil.over(await readChains(service, seen.aid));
  const events = [...own, ...(await scrubsOf(service, own))];
  const thread = await service.store.read.chain(articleChain(seen.aid, 'thread'));
  const slim = query['format'] === 'slim';
  const { checkpoint, logged } = await provenTogether(service, slim ? [] : events);
  return bundle({
    state,
    questions: await readQuestions(service, seen),
    base: service.base,
    events,
    showsInactive: veil.shows,
    contributions: await readContributions(service, seen),
    discourse: discourseList({
      article: state,
      posts: await readPosts(service, seen.aid),
      chain: thread,
      base: service.base,
    }),
    origin: service.secrets.signer.key.name,
    verifierKey: service.secrets.signer.key.text,
    checkpoint: checkpoint?.note ?? null,
    logged,
    slim,
  });
}

/** How long a log that is woven elsewhere is waited for. */
const integrationMs = 2000;

/** All entries of a bundle under one checkpoint; without a proof where the log has not taken in all of them yet. */
async function provenTogether({ store: { read } }: Service, events: readonly StoredEvent[]) {
  const places = new Map<number, number>();
  const until = performance.now() + integrationMs;
  const slices = new Slices();
  for (const { seq } of events) {
    if (slices.isDue) await slices.turn();
    let index = await read.indexOf(seq);
    for (; index === null && performance.now() < until; index = await read.indexOf(seq)) await sleep(25);
    if (index !== null) places.set(seq, index);
  }
  // In this order: a checkpoint read later covers whatever index was read before.
  const checkpoint = await read.checkpoint();
  if (checkpoint === null || places.size === 0 || places.size < events.length)
    return { checkpoint, logged: null };
  const { size } = checkpoint;
  const indexes = [...places.values()].sort((a, b) => a - b);
  const proof = await jointProof(indexes, size, (index) => read.inclusionLines(index, size));
  return { checkpoint, logged: { places, proof } };
}

/**
 * The entries that say what was scrubbed and commit to what stands in its place: without them nobody could tell.
 * Of what is not shown, what replaced it is not shown either.
 */
async function scrubsOf(service: Service, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const known = new Set<string>();
  const shown = new Set<string>();
  const found: StoredEvent[] = [];
  for (let latest = events; latest.length > 0;) {
    const chains = new Set<string>();
    for (const { text, contents } of latest) {
      const scrubbed = contents.filter(({ scrubbedBy }) => scrubbedBy != null);
      if (scrubbed.length === 0) continue;
      const { chain, n } = JSON.parse(text) as Entry;
      for (const { field, scrubbedBy } of scrubbed) {
        if (scrubbedBy == null) continue;
        shown.add(`${chain} ${n} ${field}`);
        if (!known.has(scrubbedBy)) chains.add(scrubbedBy);
        known.add(scrubbedBy);
      }
    }
    // What replaced a content may have been scrubbed in its turn.
    latest = (await Promise.all([...chains].map((chain) => service.store.read.chain(chain)))).flat();
    latest = latest.map((event) => {
      const { of, of_n: n, field } = JSON.parse(event.text) as Entry;
      return shown.has(`${String(of)} ${String(n)} ${String(field)}`) ? event : { ...event, contents: [] };
    });
    for (const event of latest) found.push(event);
  }
  return found;
}
