/** The parts of an article below `/api/articles/<slug>/…` (spec §4.3), each a function of what the caller may see. */
import { articleChain, articlePrefix } from '../../domain/articles/chains.ts';
import { linkTable } from '../../domain/articles/link-checks.ts';
import { activeDivs, bodyOf, claimsOf } from '../../domain/articles/state.ts';
import { traversalOf } from '../../domain/articles/traversal.ts';
import { revisionTable, type RevisionRow } from '../../domain/articles/tables.ts';
import { postTable, threadTable, voteTable, type PostRow } from '../../domain/discourse/tables.ts';
import { threadHead } from '../../domain/discourse/thread.ts';
import { links } from '../../domain/links.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import { claimJson, provenanceList, sourceList, verificationOf } from '../../represent/article-json.ts';
import { bundle, bundleMarkdown } from '../../represent/bundle.ts';
import { discourseCounts, discourseList, voteJson } from '../../represent/discourse-json.ts';
import { health } from '../../represent/health.ts';
import { masthead } from '../../represent/masthead.ts';
import { questionSlice } from '../../represent/question-json.ts';
import { skillMarkdown } from '../../represent/skill.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { listConformance } from './conformance.ts';
import { askedOf, momentParameters, type Asked } from './moment.ts';
import { pastOf } from './past.ts';
import { everything, loadArticle, readContributions, readVoxels } from './articles.ts';
import type { Seen } from '../seen.ts';
import { acceptedByClaim, readMirror } from './mirror-feed.ts';
import { readGraphTopology, readPrompts, readQuestionGraph, readQuestions } from './question-parts.ts';
import type { Service } from '../service.ts';
import { veilOf } from './veil.ts';
import { wholeNumberOf } from './whole-number.ts';

export interface PartRequest {
  readonly service: Service;
  readonly seen: Seen;
  readonly query: Readonly<Record<string, string | undefined>>;
}

type PartReader = (request: PartRequest) => Promise<JsonObject | string | Fault>;

/** Which past a part may be asked for; the list of revisions takes `rev` for one of them. */
export function askedOfPart(part: string, query: PartRequest['query']): Asked | Fault | undefined {
  return askedOf(part === 'revisions' ? { at: query['at'] } : query);
}

/** What a part may be asked with; nothing where there is no such part. */
export function parametersOf(part: string): readonly string[] | undefined {
  if (!Object.hasOwn(partReaders, part)) return undefined;
  return [...new Set([...(ownParameters[part] ?? []), ...momentParameters])];
}

const ownParameters: Readonly<Record<string, readonly string[]>> = {
  voxels: ['include_inactive'],
  bundle: ['format'],
  ledger: ['limit', 'cursor'],
  invocations: ['status', 'limit', 'cursor'],
  revisions: ['rev'],
  'graph-topology': ['question'],
};

/** A string is Markdown; everything else becomes JSON. */
export const partReaders: Readonly<Record<string, PartReader>> = {
  voxels: ({ service, seen, query }) => readVoxels(service, seen, query['include_inactive'] === '1'),
  claims: readClaims,
  sources: readSources,
  provenance: readProvenance,
  mirror: readFeed,
  contributions: readAllContributions,
  discourse: readDiscourse,
  objections: readObjections,
  votes: readVotes,
  masthead: async ({ service, seen }) =>
    masthead(
      await loadArticle(service, seen.aid),
      await readPosts(service, seen.aid),
      await readThreadHead(service, seen.aid),
      service.base,
    ),
  health: readHealth,
  topology: readTopology,
  'question-graph': readQuestionGraph,
  'graph-topology': readGraphTopology,
  prompts: readPrompts,
  bundle: readBundle,
  ledger: readLedger,
  revisions: readRevisions,
  invocations: readInvocations,
  skill: async ({ service, seen }) => skillMarkdown(await loadArticle(service, seen.aid), service.base),
};

async function readClaims({ service, seen }: PartRequest): Promise<JsonObject> {
  const state = await loadArticle(service, seen.aid);
  const veil = await veilOf(service, seen, state.row);
  const lineage = claimLineage(
    veil.over(await service.store.read.chain(articleChain(seen.aid, 'provenance'))),
  );
  const accepted = await acceptedByClaim(service, seen.aid, seen.slug);
  const claims = [...state.claims.values()]
    .sort((a, b) => a.n - b.n)
    .map((row) => ({
      ...claimJson(state, row.claim, service.base),
      lineage: lineage.get(row.claim.id) ?? [],
      contributions: accepted.get(row.claim.id) ?? [],
    }));
  return {
    slug: seen.slug,
    count: claims.length,
    thread_head: await readThreadHead(service, seen.aid),
    claims,
  };
}

/** Every wording that a claim ever had, oldest first. */
function claimLineage(provenance: readonly StoredEvent[]): Map<string, JsonObject[]> {
  const lineage = new Map<string, JsonObject[]>();
  for (const item of provenanceList({ provenance })) {
    const change = item['change'] as {
      readonly claims?: readonly { readonly claim: JsonObject }[];
      readonly resolved?: { readonly id: string };
    } | null;
    for (const { claim } of change?.claims ?? []) {
      const id = String(claim['id']);
      lineage.set(id, [
        ...(lineage.get(id) ?? []),
        {
          version: claim['version'],
          text: claim['text'],
          hash: claim['hash'],
          status: claim['status'],
          action: item['action'],
          ts: item['ts'],
          actor: item['actor'],
          receipt: item['receipt'],
          ...(change?.resolved === undefined ? {} : { contribution: change.resolved.id }),
        },
      ]);
    }
  }
  return lineage;
}

async function readSources({ service, seen }: PartRequest): Promise<JsonObject> {
  const sources = await service.store.read.chain(articleChain(seen.aid, 'sources'));
  return {
    slug: seen.slug,
    sources: sourceList({
      state: await loadArticle(service, seen.aid),
      sources,
      links: await service.store.read.rows(linkTable, seen.aid),
    }),
    verification: verificationOf(sources),
  };
}

async function readProvenance({ service, seen }: PartRequest): Promise<JsonObject> {
  const state = await loadArticle(service, seen.aid);
  const provenance = await service.store.read.chain(articleChain(seen.aid, 'provenance'));
  return {
    slug: seen.slug,
    provenance: provenanceList({ provenance: (await veilOf(service, seen, state.row)).over(provenance) }),
    energy: { ...state.row.energy, head: state.row.heads.provenance?.hash ?? 'genesis' },
    verification: verificationOf(provenance),
  };
}

async function readFeed({ service, seen }: PartRequest): Promise<JsonObject | Fault> {
  const feed = await readMirror(service, seen.tenant, seen.slug, everything);
  if (isFault(feed)) return feed;
  // Each with its entry, which `verification` is about; newest first, as the row of the same name has them.
  const contributions = (await readContributions(service, seen)).reverse();
  return {
    ...feed,
    contributions,
    verification: verificationOf(await service.store.read.chain(articleChain(seen.aid, 'mirror'))),
  };
}

async function readAllContributions({ service, seen }: PartRequest): Promise<JsonObject> {
  const chain = await service.store.read.chain(articleChain(seen.aid, 'mirror'));
  return {
    slug: seen.slug,
    count: chain.length,
    contributions: await readContributions(service, seen),
    verification: verificationOf(chain),
  };
}

// Discourse

export async function readPosts(service: Service, aid: string): Promise<PostRow[]> {
  return [...(await service.store.read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
}

async function readThreadHead(service: Service, aid: string): Promise<string> {
  return threadHead({ head: (await service.store.read.row(threadTable, aid))?.head ?? null });
}

async function readDiscourse({ service, seen }: PartRequest): Promise<JsonObject> {
  const chain = await service.store.read.chain(articleChain(seen.aid, 'thread'));
  const entries = discourseList({
    article: await loadArticle(service, seen.aid),
    posts: await readPosts(service, seen.aid),
    chain,
    base: service.base,
  });
  return {
    slug: seen.slug,
    thread_head: await readThreadHead(service, seen.aid),
    counts: discourseCounts(entries),
    entries,
    verification: verificationOf(chain),
  };
}

async function readObjections(request: PartRequest): Promise<JsonObject> {
  const {
    slug,
    thread_head: head,
    entries,
  } = (await readDiscourse(request)) as {
    readonly slug: string;
    readonly thread_head: string;
    readonly entries: readonly JsonObject[];
  };
  const objections = entries.filter((entry) => entry['stance'] === 'objection');
  return { slug, thread_head: head, count: objections.length, objections };
}

async function readVotes({ service, seen }: PartRequest): Promise<JsonObject> {
  const rows = [...(await service.store.read.rows(voteTable, seen.aid)).values()];
  const chain = await service.store.read.chain(articleChain(seen.aid, 'votes'));
  return {
    slug: seen.slug,
    count: rows.length,
    votes: rows.map((row) => voteJson(row, service.base)),
    verification: verificationOf(chain),
  };
}

// The article as a whole

async function readHealth({ service, seen }: PartRequest): Promise<JsonObject> {
  const chains = new Map<string, StoredEvent[]>();
  for (const event of await service.store.read.chains(articlePrefix(seen.aid))) {
    const { chain } = JSON.parse(event.text) as Entry;
    chains.set(chain, [...(chains.get(chain) ?? []), event]);
  }
  const chainsValid = [...chains.values()].every((chain) => verificationOf(chain)['valid'] === true);
  return health({
    state: await loadArticle(service, seen.aid),
    posts: await readPosts(service, seen.aid),
    chainsValid,
    links: await service.store.read.rows(linkTable, seen.aid),
  });
}

async function readTopology({ service, seen }: PartRequest): Promise<JsonObject> {
  const state = await loadArticle(service, seen.aid);
  const claims = claimsOf(state);
  const sources = [...state.sources.values()].sort((a, b) => a.n - b.n).map((row) => row.source);
  const traversal = traversalOf(state.row.meta);
  return {
    slug: seen.slug,
    claims: claims.map(({ id, text, tier, weight, status, source_ids }) => ({
      id,
      text,
      tier,
      weight,
      status,
      source_ids,
      permalink: links.claim(service.base, seen.slug, id),
    })),
    sources: sources.map(({ id, type, url, title }) => ({ id, type, url, title })),
    anecdotes: sources
      .filter((source) => source.type === 'anecdotal')
      .map(({ id, platform, title, quote }) => ({ id, platform, title, quote })),
    reports: sources
      .filter((source) => source.type !== 'anecdotal')
      .map(({ id, title, url }) => ({ id, title, url })),
    related_embeds: state.row.meta.embeds,
    traversal:
      traversal === undefined
        ? null
        : { ...traversal, hub: traversal.hub === null ? null : { slug: traversal.hub } },
    edges: claims.flatMap((claim) => claim.source_ids.map((to) => ({ from: claim.id, rel: 'cites', to }))),
    question_graph: questionSlice(await readQuestions(service, seen)),
  };
}

async function readInvocations({ service, seen, query }: PartRequest): Promise<JsonObject | Fault> {
  const limit = wholeNumberOf(query['limit'], 'limit', 50, 500);
  if (isFault(limit)) return limit;
  return listConformance(service, seen, { status: query['status'], limit, cursor: query['cursor'] });
}

/** All entries of the article's chains in commit order, with the place of each in the log. */
async function readLedger({ service, seen, query }: PartRequest): Promise<JsonObject | Fault> {
  const limit = wholeNumberOf(query['limit'], 'limit', 50, 500);
  if (isFault(limit)) return limit;
  const from = wholeNumberOf(query['cursor'], 'cursor', 0, 999_999_999);
  if (isFault(from)) return from;
  const events = await service.store.read.chains(articlePrefix(seen.aid));
  const page = events.slice(from, from + limit);
  const entries = await Promise.all(
    page.map(async (event) => {
      const entry = JSON.parse(event.text) as Entry;
      // The hash is of `entry` alone; the members beside it are for readers.
      return {
        log_index: await service.store.read.indexOf(event.seq),
        ...entry,
        hash: Buffer.from(leafHash(event.text)).toString('hex'),
        entry,
      };
    }),
  );
  const next =
    from + limit < events.length
      ? `${links.articlePart(service.base, seen.slug, 'ledger')}?limit=${limit}&cursor=${from + limit}`
      : null;
  const chains = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const name = (JSON.parse(event.text) as Entry).chain;
    const chain = chains.get(name);
    if (chain === undefined) chains.set(name, [event]);
    else chain.push(event);
  }
  const broken = [...chains]
    .map(([chain, own]) => ({ chain, ...verificationOf(own) }))
    .find((each) => (each as JsonObject)['valid'] === false);
  return {
    slug: seen.slug,
    count: events.length,
    entries,
    next,
    verification: broken ?? { valid: true, entries: events.length, chains: chains.size },
  };
}

async function readBundle({ service, seen, query }: PartRequest): Promise<JsonObject | string | Fault> {
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
  const own = veil.over(await service.store.read.chains(articlePrefix(seen.aid)));
  const events = [...own, ...(await scrubsOf(service, own))];
  const thread = await service.store.read.chain(articleChain(seen.aid, 'thread'));
  const checkpoint = await service.store.read.checkpoint();
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
    slim: query['format'] === 'slim',
  });
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
      const { chain, n } = JSON.parse(text) as Entry;
      for (const { field, scrubbedBy } of contents) {
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
    found.push(...latest);
  }
  return found;
}

// Revisions

async function readRevisions(request: PartRequest): Promise<JsonObject | Fault> {
  const { service, seen, query } = request;
  const { seesDrafts } = seen;
  if (query['rev'] !== undefined) return readRevision(request, query['rev']);
  const rows = (
    await service.store.read.list(revisionTable, seen.aid, { limit: 100_000, reverse: true })
  ).filter((row) => row.public === 1 || seesDrafts);
  return {
    slug: seen.slug,
    head: rows[0]?.rev ?? 0,
    revisions: rows.map((row) => ({
      rev: row.rev,
      ts: row.ts,
      actor: row.actor,
      action: row.action,
      hash: row.hash,
      prev: row.prev,
      url: `${links.articlePart(service.base, seen.slug, 'revisions')}?rev=${row.rev}`,
    })),
  };
}

/** One revision whole, with its word-level difference to the one before. */
async function readRevision({ service, seen }: PartRequest, asked: string): Promise<JsonObject | Fault> {
  const past = await pastOf(service, seen, { rev: asked });
  if (isFault(past)) return past;
  const rev = Number(asked);
  const [row] = (await service.store.read.list(revisionTable, seen.aid, { after: rev - 1, limit: 1 })) as [
    RevisionRow,
  ];
  const state = await loadArticle(past.service, seen.aid);
  const body = bodyOf(state);
  const before = rev > 1 ? await pastOf(service, seen, { rev: String(rev - 1) }) : undefined;
  const bodyBefore =
    before === undefined || isFault(before) ? undefined : bodyOf(await loadArticle(before.service, seen.aid));
  return {
    slug: seen.slug,
    rev,
    title: state.row.title,
    body,
    content_hash: sha256Hex(body),
    claims: claimsOf(state).map((claim) => claimJson(state, claim, service.base)),
    sources: [...state.sources.values()]
      .sort((a, b) => a.n - b.n)
      .map((each) => ({ ...each.source, prev: each.prev, hash: each.hash })),
    divs: activeDivs(state).map((div) => ({ div_id: div.div_id, vx_hash: div.vx_hash })),
    status: state.row.status,
    ts: row.ts,
    actor: row.actor,
    action: row.action,
    hash: row.hash,
    prev: row.prev,
    diff: bodyBefore === undefined ? [] : wordDiff(bodyBefore, body),
  };
}
