/**
 * The three layers (contract §7). Evidence: what an article claims and what the claims rest on. Yield: which work
 * landed which objects, at what cost. Reflex: what was objected, proposed and voted, and what came of it.
 */
import { type ArticleState, activeDivs, claimsOf, sourcesOf } from '../articles/state.ts';
import { traversalOf } from '../articles/traversal.ts';
import { type ArticleContests, contestCount } from '../discourse/contested.ts';
import { type PostRow, type VoteRow, isOpen } from '../discourse/thread.ts';
import { links } from '../links.ts';
import type { ContributionRow } from '../mirror/tables.ts';
import type { ResolutionRow } from '../mirror/resolution.ts';
import type { QuestionRow } from '../questions/state.ts';
import { type Graph, label } from './graph.ts';
import type { GraphEdge, GraphNode } from '../../model/graph.ts';
import type { Layer } from '../../model/vocabulary.ts';

/** One provenance entry, as far as its reader may see it. */
export interface VisibleRevision {
  readonly inv: string | null;
  readonly action: string;
  readonly ts: string;
  readonly actor: string;
  /** Ids of what it landed: `c1`, `s2`, `d3`, `mc_…`. */
  readonly of: readonly string[];
  readonly tokens: number;
  readonly costUsd: number;
}

export interface GraphParts {
  readonly base: string;
  /** Leaves DIVs out of the evidence, where they are many and nothing lies behind them. */
  readonly withoutDivs?: boolean;
  readonly state: ArticleState;
  /** Left out where claims are shown without what stands open against them. */
  readonly contests?: ArticleContests;
  readonly posts: readonly PostRow[];
  readonly votes: readonly VoteRow[];
  readonly contributions: readonly ContributionRow[];
  readonly resolutions: ReadonlyMap<string | number, ResolutionRow>;
  readonly work: readonly VisibleRevision[];
  /** What was asked of it; work lands questions too. */
  readonly questions: readonly QuestionRow[];
}

export function layerOf(layer: Layer, parts: GraphParts): Graph {
  if (layer === 'evidence') return evidence(parts);
  return layer === 'yield' ? yieldLayer(parts) : reflex(parts);
}

const nodeId = (kind: string, slug: string, id: string): string => `${kind}:${slug}/${id}`;

function articleNode({ state: { row }, base }: GraphParts): GraphNode {
  return {
    id: `article:${row.slug}`,
    kind: 'article',
    label: label(row.title),
    url: links.article(base, row.slug),
    status: row.status,
  };
}

function objectNodes({ state, base, contests }: GraphParts, withoutDivs = false): Map<string, GraphNode> {
  const { slug } = state.row;
  const nodes = new Map<string, GraphNode>();
  for (const claim of claimsOf(state)) {
    const contested = contests === undefined ? 0 : contestCount(contests.claim(claim.id));
    nodes.set(claim.id, {
      id: nodeId('claim', slug, claim.id),
      kind: 'claim',
      label: label(claim.text),
      url: links.claim(base, slug, claim.id),
      tier: claim.tier,
      weight: claim.weight,
      status: claim.status,
      ...(contested === 0 ? {} : { contested }),
    });
  }
  for (const { source } of sourcesOf(state))
    nodes.set(source.id, {
      id: nodeId('source', slug, source.id),
      kind: 'source',
      label: label(source.title),
      url: `${links.article(base, slug)}#${source.id}`,
      type: source.type,
      cites: source.url,
    });
  for (const div of withoutDivs ? [] : activeDivs(state))
    nodes.set(div.div_id, {
      id: nodeId('div', slug, div.div_id),
      kind: 'div',
      label: label(div.title === '' ? div.text : div.title),
      url: links.div(base, slug, div.div_id),
      type: div.kind,
    });
  return nodes;
}

function questionNodes({ state, base, questions }: GraphParts): Map<string, GraphNode> {
  const { slug } = state.row;
  const url = links.articlePart(base, slug, 'question-graph');
  return new Map(
    questions.map(({ id, node }) => [
      id,
      {
        id: nodeId('question', slug, id),
        kind: 'question',
        label: label(node.question),
        url,
        status: node.status,
      },
    ]),
  );
}

function evidence(parts: GraphParts): Graph {
  const { state } = parts;
  const article = articleNode(parts);
  const objects = objectNodes(parts, parts.withoutDivs);
  const edges: GraphEdge[] = [];
  const add = (from: string, rel: string, to: string | undefined): void => {
    if (to !== undefined) edges.push({ from, rel, to });
  };
  for (const node of objects.values())
    add(article.id, node.kind === 'claim' ? 'claims' : node.kind === 'source' ? 'keeps' : 'has', node.id);
  for (const claim of claimsOf(state))
    for (const source of claim.source_ids)
      add(nodeId('claim', state.row.slug, claim.id), 'cites', objects.get(source)?.id);
  const { next = null, hub = null } = traversalOf(state.row.meta) ?? {};
  if (next !== null) add(article.id, 'leads_to', `article:${next}`);
  if (hub !== null) add(article.id, 'belongs_to', `article:${hub}`);
  return { nodes: [article, ...objects.values()], edges };
}

/** Sources with the same address and quote in several articles are one thing that all of them lean on. */
export function sharedSources(states: readonly ArticleState[]): readonly GraphEdge[] {
  const first = new Map<string, string>();
  const edges: GraphEdge[] = [];
  for (const state of states)
    for (const row of sourcesOf(state)) {
      const id = nodeId('source', state.row.slug, row.source_id);
      const known = first.get(row.same_as);
      if (known === undefined) first.set(row.same_as, id);
      else edges.push({ from: id, rel: 'same_as', to: known });
    }
  return edges;
}

function yieldLayer(parts: GraphParts): Graph {
  const article = articleNode(parts);
  const objects = new Map([...objectNodes(parts), ...questionNodes(parts)]);
  const nodes = new Map<string, GraphNode>([[article.id, article]]);
  const edges: GraphEdge[] = [];
  let [landed, tokens, cost] = [0, 0, 0];
  for (const work of parts.work) {
    const made = work.of.flatMap((id) => objects.get(id) ?? []);
    if (work.inv === null) continue;
    const id = `invocation:${work.inv}`;
    nodes.set(id, {
      id,
      kind: 'invocation',
      label: work.action,
      url: links.receipt(parts.base, work.inv),
      ts: work.ts,
      actor: work.actor,
      objects: made.length,
      tokens: work.tokens,
      cost_usd: work.costUsd,
    });
    edges.push({ from: article.id, rel: 'worked_on_by', to: id });
    for (const node of made) {
      nodes.set(node.id, node);
      edges.push({
        from: id,
        rel: 'landed',
        to: node.id,
        tokens: work.tokens / made.length,
        cost_usd: work.costUsd / made.length,
      });
    }
    landed += made.length;
    tokens += work.tokens;
    cost += work.costUsd;
  }
  return { nodes: [...nodes.values()], edges, totals: { landed, tokens, cost_usd: cost } };
}

const relations: Readonly<Record<string, string>> = {
  challenge: 'challenges',
  support: 'supports',
  upgrade: 'upgrades',
  objection: 'objects_to',
  attestation: 'attests',
  review: 'reviews',
  note: 'notes',
};

const proposed: Readonly<Record<string, string>> = {
  question: 'asks_about',
  objection: 'objects_to',
  source: 'proposes_source_for',
  repair: 'proposes_repair_of',
  compression: 'proposes_compression_of',
  contradiction: 'contradicts',
  audit: 'audits',
};

function reflex(parts: GraphParts): Graph {
  const { state, base } = parts;
  const { slug } = state.row;
  const article = articleNode(parts);
  const objects = objectNodes(parts);
  const nodes = new Map<string, GraphNode>([[article.id, article]]);
  const edges: GraphEdge[] = [];
  /** The object of that id, which then belongs to the picture, or the article. */
  const target = (id: string): string => {
    const node = objects.get(id);
    if (node === undefined) return article.id;
    if (!nodes.has(node.id)) edges.push({ from: article.id, rel: 'has', to: node.id });
    nodes.set(node.id, node);
    return node.id;
  };
  for (const { id, post, settled } of parts.posts) {
    const node = nodeId('discourse', slug, id);
    nodes.set(node, {
      id: node,
      kind: 'discourse',
      label: label(post.body === '' ? (post.outcome ?? post.stance) : post.body),
      url: links.articlePart(base, slug, 'discourse'),
      stance: post.stance,
      status: isOpen({ post, settled }) ? 'open' : 'settled',
      ts: post.ts,
    });
    if (post.confirms !== null)
      edges.push({ from: node, rel: 'confirms', to: nodeId('discourse', slug, post.confirms) });
    else edges.push({ from: node, rel: relations[post.stance] ?? post.stance, to: target(post.target) });
  }
  for (const { id, vote, status, decision } of parts.votes) {
    const node = nodeId('vote', slug, id);
    nodes.set(node, {
      id: node,
      kind: 'vote',
      label: label(`${vote.proposal}: ${vote.rationale}`),
      url: links.articlePart(base, slug, 'votes'),
      status,
      decision,
      ts: vote.ts,
    });
    edges.push({ from: node, rel: vote.proposal, to: target(vote.target) });
    if (vote.entry !== undefined)
      edges.push({ from: node, rel: 'answers', to: nodeId('discourse', slug, vote.entry) });
  }
  for (const { id, claim_id: claimId, contribution } of parts.contributions) {
    const node = nodeId('contribution', slug, id);
    const resolution = parts.resolutions.get(id);
    nodes.set(node, {
      id: node,
      kind: 'contribution',
      label: label(contribution.body),
      url: links.articlePart(base, slug, 'mirror'),
      type: contribution.kind,
      status: resolution?.status ?? 'proposed',
      ts: contribution.ts,
    });
    edges.push({ from: node, rel: proposed[contribution.kind] ?? contribution.kind, to: target(claimId) });
    const { version, source_id: sourceId, claim_id: changed } = resolution?.effect ?? {};
    if (sourceId !== undefined) edges.push({ from: node, rel: 'brought', to: target(sourceId) });
    else if (changed !== undefined)
      edges.push({ from: node, rel: 'changed', to: target(changed), version: version ?? null });
  }
  return { nodes: [...nodes.values()], edges };
}
