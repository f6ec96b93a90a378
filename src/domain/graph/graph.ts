/**
 * A graph of what articles hold (spec §4.3, contract §7): nodes, edges, and how they are narrowed by distance and
 * paged. Layers make it; pure functions of state.
 */
import type { GraphEdge, GraphNode, GraphTotals } from '../../model/graph.ts';

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Sums of the whole layer. */
  readonly totals?: Pick<GraphTotals, 'landed' | 'tokens' | 'cost_usd'>;
}

export const labelCharsMax = 160;

/** One line, cut at a word where that is near. */
export function label(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= labelCharsMax) return line;
  const cut = line.slice(0, labelCharsMax - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > labelCharsMax - 30 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}

/** Several graphs as one: what two of them know is there once. */
export function mergeGraphs(graphs: readonly Graph[]): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  for (const graph of graphs) {
    for (const node of graph.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
    for (const edge of graph.edges) edges.set(`${edge.from} ${edge.rel} ${edge.to}`, edge);
  }
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()].filter((each) => nodes.has(each.from) && nodes.has(each.to)),
  };
}

/** What is at most `depth` edges away from an article, whichever way they point, and of one of `kinds`. */
export function neighbourhood(graph: Graph, depth: number, kinds: ReadonlySet<string> | undefined): Graph {
  const beside = new Map<string, string[]>();
  const link = (from: string, to: string): void =>
    void (beside.get(from)?.push(to) ?? beside.set(from, [to]));
  for (const { from, to } of graph.edges) {
    link(from, to);
    link(to, from);
  }
  const reached = new Set(graph.nodes.filter((node) => node.kind === 'article').map((node) => node.id));
  let edge: readonly string[] = [...reached];
  for (let step = 0; step < depth && edge.length > 0; step++) {
    edge = edge.flatMap((id) => beside.get(id) ?? []).filter((id) => !reached.has(id) && reached.add(id));
  }
  const kept = graph.nodes.filter(
    (node) => reached.has(node.id) && (kinds === undefined || kinds.has(node.kind)),
  );
  const ids = new Set(kept.map((node) => node.id));
  return {
    ...graph,
    nodes: kept,
    edges: graph.edges.filter((each) => ids.has(each.from) && ids.has(each.to)),
  };
}

export interface GraphPage extends Graph {
  /** The node behind which the next page begins. */
  readonly after: string | undefined;
}

/** A page of nodes, each with the edges that leave it: over all pages every edge is there once. */
export function pageOf(graph: Graph, limit: number, after: string | undefined): GraphPage {
  const start = after === undefined ? 0 : graph.nodes.findIndex((node) => node.id === after) + 1;
  const nodes = graph.nodes.slice(start, start + limit);
  const ids = new Set(nodes.map((node) => node.id));
  return {
    ...graph,
    nodes,
    edges: graph.edges.filter((each) => ids.has(each.from)),
    after: start + limit < graph.nodes.length ? nodes.at(-1)?.id : undefined,
  };
}
