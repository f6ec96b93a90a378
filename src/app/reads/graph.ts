/** `/api/graph` (spec §4.3, contract §7): loads the parts of a layer, for articles that the caller may see. */
import { articleChain } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import { postTable, voteTable } from '../../domain/discourse/thread.ts';
import { pageOf, mergeGraphs, neighbourhood, type Graph } from '../../domain/graph/graph.ts';
import { layerOf, sharedSources, type GraphParts, type VisibleRevision } from '../../domain/graph/layers.ts';
import { contributionTable } from '../../domain/mirror/tables.ts';
import { questionTable } from '../../domain/questions/state.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { invalidParameter, isFault } from '../../kernel/fault.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import { Graph as GraphAnswer, type GraphTotals } from '../../model/graph.ts';
import type { Entry } from '../../ledger/entry.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import { requestedArticles } from './article-set.ts';
import { loadArticle } from './articles.ts';
import { readContests } from './contested.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { redactionPolicyOf } from './article-chains.ts';
import { type Layer, layers } from '../../model/vocabulary.ts';
import { defineRead } from './define-read.ts';

export const articlesMax = 50;
/** Maximum number of contributions per article. */
const contributionsMax = 2000;
export const depthMax = 5;

export interface GraphRequest {
  /** Filters are repeated in the URL of the next page. */
  readonly workspace?: string | undefined;
  readonly slugs: string | undefined;
  readonly layer: string | undefined;
  readonly kinds: string | undefined;
  readonly depth: number;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export const readGraph = defineRead(GraphAnswer, async (context: CallerContext, request: GraphRequest) => {
  const layer = (request.layer ?? 'evidence') as Layer;
  if (!layers.includes(layer))
    return invalidParameter(
      'layer',
      `"${layer.slice(0, 40)}" is no layer.`,
      `Use one of ${layers.join(', ')}.`,
    );
  const articles = await requestedArticles(context, request.slugs, articlesMax);
  if (isFault(articles)) return articles;
  // DIVs are included only if asked for by name.
  const kinds =
    request.kinds === undefined
      ? layer === 'evidence'
        ? new Set(['article', 'claim', 'source', 'question'])
        : undefined
      : new Set(request.kinds.split(',').map((kind) => kind.trim()));
  const withoutDivs = layer === 'evidence' && kinds?.has('div') === false;
  const whole = await graphOf(context, articles, layer, withoutDivs);
  const graph = neighbourhood(whole, request.depth, kinds);
  if (request.cursor !== undefined && !graph.nodes.some((node) => node.id === request.cursor))
    return invalidParameter('cursor', '"cursor" is no node of this graph.', 'Follow next as it stands.');
  const page = pageOf(graph, request.limit, request.cursor);
  return {
    layer,
    slugs: articles.map(({ slug }) => slug),
    count: { nodes: page.nodes.length, edges: page.edges.length },
    total: { nodes: graph.nodes.length, edges: graph.edges.length },
    nodes: page.nodes,
    edges: page.edges,
    ...(whole.totals === undefined ? {} : { totals: whole.totals }),
    next: page.after === undefined ? null : nextUrl(context.base, request, page.after),
  };
});

export async function graphOf(
  context: ReadContext,
  articles: readonly ArticleAccess[],
  layer: Layer,
  withoutDivs = false,
): Promise<Graph & { readonly totals?: GraphTotals }> {
  const parts: GraphParts[] = [];
  for (const access of articles) parts.push({ ...(await partsOf(context, access, layer)), withoutDivs });
  const slices = new TimeSlices();
  const graphs = await slices.map(parts, (each) => layerOf(layer, each));
  const shared = layer === 'evidence' ? sharedSources(parts.map(({ state }) => state)) : [];
  if (slices.isDue) await slices.yieldTurn();
  const { nodes, edges } = mergeGraphs([...graphs, { nodes: [], edges: shared }]);
  const whole = { nodes, edges };
  return layer === 'yield' ? { ...whole, totals: totalsOf(graphs) } : whole;
}

function totalsOf(graphs: readonly Graph[]): GraphTotals {
  const sum = (name: 'landed' | 'tokens' | 'cost_usd'): number =>
    graphs.reduce((total, graph) => total + (graph.totals?.[name] ?? 0), 0);
  const [landed, tokens, cost] = [sum('landed'), sum('tokens'), sum('cost_usd')];
  return {
    landed,
    tokens,
    cost_usd: cost,
    tokens_per_object: landed === 0 ? null : tokens / landed,
    cost_usd_per_object: landed === 0 ? null : cost / landed,
  };
}

async function partsOf(context: ReadContext, access: ArticleAccess, layer: Layer): Promise<GraphParts> {
  const { read } = context;
  const { aid } = access;
  const state = await loadArticle(context, aid);
  const bare = {
    base: context.base,
    state,
    contests: await readContests(context, aid),
    posts: [],
    votes: [],
    contributions: [],
    resolutions: new Map(),
    questions: [],
    work: [],
  };
  if (layer === 'evidence') return bare;
  if (layer === 'yield') {
    const redaction = await redactionPolicyOf(context, access, state.row);
    const questions = [...(await read.rows(questionTable, aid)).values()];
    return {
      ...bare,
      questions,
      work: redaction.redact(await read.chain(articleChain(aid, 'provenance'))).map(workOf),
    };
  }
  const [posts, votes, contributions, resolutions] = await Promise.all([
    read.rows(postTable, aid),
    read.rows(voteTable, aid),
    read.list(contributionTable, aid, { limit: contributionsMax, reverse: true }),
    read.rows(resolutionTable, aid),
  ]);
  return { ...bare, posts: [...posts.values()], votes: [...votes.values()], contributions, resolutions };
}

function workOf(event: StoredEvent): VisibleRevision {
  const entry = JSON.parse(event.text) as Entry;
  const content = provenanceContent(event);
  const change = content?.change;
  return {
    inv: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    action: String(entry['action']),
    ts: entry.ts,
    actor: entry.actor,
    of: [...new Set([...(change?.of ?? []), ...(change?.made ?? []).map((div) => div.div_id)])],
    tokens: (content?.tokens_in ?? 0) + (content?.tokens_out ?? 0),
    costUsd: content?.cost ?? 0,
  };
}

function nextUrl(base: string, request: GraphRequest, after: string): string {
  const query = new URLSearchParams();
  for (const name of ['workspace', 'slugs', 'layer', 'kinds'] as const)
    if (request[name] !== undefined) query.set(name, request[name]);
  query.set('depth', String(request.depth));
  query.set('limit', String(request.limit));
  query.set('cursor', after);
  return `${base}/api/graph?${query.toString()}`;
}
