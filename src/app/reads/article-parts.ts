/** The parts of an article below `/api/articles/<slug>/…` (spec §4.3). */
import { claimsOf } from '../../domain/articles/state.ts';
import { traversalOf } from '../../domain/articles/traversal.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Masthead, Topology } from '../../model/article.ts';
import { InvocationList } from '../../model/invocation.ts';
import type { Verifications } from '../../model/parts.ts';
import { masthead } from '../../represent/masthead.ts';
import { questionSlice } from '../../represent/question-json.ts';
import { skillMarkdown } from '../../represent/model-texts.ts';
import { alteredIn, alteredVerification } from './article-integrity.ts';
import { loadArticle, readVoxels } from './articles.ts';
import { readBundle, readHealth, readLedger } from './chain-parts.ts';
import { readAllContributions, readClaims, readFeed, readProvenance, readSources } from './claim-parts.ts';
import { conformanceFault, listConformance } from './conformance.ts';
import { readBacklinks } from './backlinks.ts';
import { comparedFaults, compareRevisions } from './compare-revisions.ts';
import { readContests, readStandingObjections } from './contested.ts';
import { readDiscourse, readObjections, readThreadHead, readVotes } from './discourse.ts';
import { type AsOf, asOfParameters, parseAsOf } from './historical-read.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { isRangedPart, rangeOfPart, rangeParameters } from './part-ranges.ts';
import { wholeNumberOf } from './whole-number.ts';
import {
  questionFault,
  readGraphTopology,
  readPrompts,
  readQuestionGraph,
  readQuestions,
} from './question-parts.ts';
import { readRevisions } from './revisions.ts';

type PartReader = (request: PartRequest) => Promise<JsonObject | string | Fault>;

/** The `rev` or `at` of a part; the list of revisions uses `rev` itself. */
export function parseAsOfPart(part: string, query: PartRequest['query']): AsOf | Fault | undefined {
  return parseAsOf(part === 'revisions' ? { at: query['at'] } : query);
}

/** All faults of a part's query beyond its declared parameters. */
export function partFaults(part: string, query: PartRequest['query']): readonly unknown[] {
  const own = Object.hasOwn(ownFaults, part) ? ownFaults[part]?.(query) : undefined;
  return [parseAsOfPart(part, query), ...(own ?? [])];
}

const ownFaults: Readonly<Record<string, (query: PartRequest['query']) => readonly unknown[]>> = {
  'graph-topology': ({ question }) => [questionFault(question)],
  invocations: ({ status, cursor }) => [conformanceFault(status, cursor)],
  compare: ({ from, to }) => comparedFaults({ from, to }),
};

/** Declared parameters of a part; undefined if there is no such part. */
export function parametersOf(part: string): readonly string[] | undefined {
  if (!Object.hasOwn(partReaders, part)) return undefined;
  const range = isRangedPart(part) ? rangeParameters : [];
  return [...new Set([...(ownParameters[part] ?? []), ...range, ...asOfParameters])];
}

const ownParameters: Readonly<Record<string, readonly string[]>> = {
  voxels: ['include_inactive'],
  bundle: ['format', 'raw'],
  ledger: ['limit', 'cursor'],
  invocations: ['status', 'limit', 'cursor'],
  revisions: ['rev'],
  compare: ['from', 'to'],
  'graph-topology': ['question'],
};

const readMasthead = defineRead(Masthead, async ({ context, access }) =>
  masthead(
    await loadArticle(context, access.aid),
    await readContests(context, access.aid),
    await readStandingObjections(context, access.aid),
    await readThreadHead(context, access.aid),
    context.base,
  ),
);

const readTopology = defineRead(Topology, async ({ context, access }) => {
  const state = await loadArticle(context, access.aid);
  const claims = claimsOf(state);
  const sources = [...state.sources.values()].sort((a, b) => a.n - b.n).map((row) => row.source);
  const traversal = traversalOf(state.row.meta);
  const contests = await readContests(context, access.aid);
  return {
    slug: access.slug,
    claims: claims.map(({ id, text, tier, weight, status, source_ids }) => ({
      id,
      text,
      tier,
      weight,
      status,
      source_ids,
      contested: contests.claim(id),
      permalink: links.claim(context.base, access.slug, id),
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
    edges: claims.flatMap((claim) =>
      claim.source_ids.map((to) => ({ from: claim.id, rel: 'cites' as const, to })),
    ),
    question_graph: questionSlice(await readQuestions(context, access)),
  };
});

const readInvocations = defineRead(InvocationList, async ({ context, access, query }) => {
  const limit = wholeNumberOf(query['limit'], 'limit', 50, 500);
  if (isFault(limit)) return limit;
  return listConformance(context, access, { status: query['status'], limit, cursor: query['cursor'] });
});

const readers: Readonly<Record<string, PartReader>> = {
  voxels: ({ context, access, query }) =>
    readVoxels(context, access, /^(?:1|true)$/.test(query['include_inactive'] ?? '')),
  claims: readClaims,
  sources: readSources,
  provenance: readProvenance,
  mirror: readFeed,
  contributions: readAllContributions,
  discourse: readDiscourse,
  objections: readObjections,
  votes: readVotes,
  masthead: readMasthead,
  health: readHealth,
  topology: readTopology,
  'question-graph': readQuestionGraph,
  'graph-topology': readGraphTopology,
  prompts: readPrompts,
  bundle: readBundle,
  ledger: readLedger,
  revisions: readRevisions,
  links: readBacklinks,
  compare: ({ context, access, query }) =>
    compareRevisions(context, access, { from: query['from'], to: query['to'] }),
  invocations: readInvocations,
  skill: async ({ context, access }) =>
    skillMarkdown(
      await loadArticle(context, access.aid),
      await readContests(context, access.aid),
      context.base,
    ),
};

/** Reads by part; a string is Markdown. Answers are compared with the ledger (contract §1.8). */
export const partReaders: Readonly<Record<string, PartReader>> = Object.fromEntries(
  Object.entries(readers).map(([part, reader]) => [part, (request) => verified(part, reader, request)]),
);

/** Adds `verification` to parts with differences, also where intact parts have none. */
async function verified(
  part: string,
  reader: PartReader,
  request: PartRequest,
): Promise<JsonObject | string | Fault> {
  const read = await reader(request);
  // Health has it among its checks.
  if (isFault(read) || typeof read === 'string' || part === 'health') return read;
  const altered = await alteredIn(request.context, request.access, part);
  const verification = alteredVerification(altered, read['verification'] as Verifications | undefined);
  return rangeOfPart(part, request, verification === undefined ? read : { ...read, verification });
}
