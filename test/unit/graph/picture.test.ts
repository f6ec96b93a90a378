import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { label, pageOf, mergeGraphs, neighbourhood, type Graph } from '../../../src/domain/graph/graph.ts';
import { pictureOf } from '../../../src/represent/graph-picture.ts';

const node = (id: string, kind: string, text = id) => ({
  id,
  kind,
  label: text,
  url: 'https://example.org/',
  tier: 'human',
  weight: 0.8,
  status: 'active',
  type: 'review',
});

const graphs = fc
  .tuple(
    fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 50 }),
    fc.array(fc.string({ maxLength: 200 }), { maxLength: 50 }),
  )
  .chain(([claims, sources]) => {
    const edge = fc.record({ from: fc.nat(60), to: fc.nat(60) });
    return fc.array(edge, { maxLength: 80 }).map((edges): Graph => ({
      nodes: [
        ...claims.map((text, i) => node(`claim:a/c${i}`, 'claim', label(text))),
        ...sources.map((text, i) => node(`source:a/s${i}`, 'source', label(text))),
      ],
      edges: edges
        .filter(({ from, to }) => from < claims.length && to < sources.length)
        .map(({ from, to }) => ({ from: `claim:a/c${from}`, rel: 'cites', to: `source:a/s${to}` })),
    }));
  });

describe('the picture of a graph', () => {
  it('has no overlapping or clipped box, and a line for every citation between boxes', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { boxes, lines, width, height, left } = pictureOf(graph);
        expect(boxes.length + left).toBe(graph.nodes.length);
        for (const kind of ['claim', 'source']) {
          let bottom = 0;
          for (const box of boxes.filter((each) => each.kind === kind)) {
            expect(box.y).toBeGreaterThanOrEqual(bottom);
            expect(box.x).toBeGreaterThanOrEqual(0);
            expect(box.x + box.width).toBeLessThanOrEqual(width);
            bottom = box.y + box.height;
            expect(box.lines.length).toBeLessThanOrEqual(3);
          }
          expect(bottom).toBeLessThanOrEqual(height);
        }
        const drawn = new Set(boxes.map((box) => box.id));
        expect(lines).toHaveLength(
          graph.edges.filter(({ from, to }) => drawn.has(from) && drawn.has(to)).length,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a graph', () => {
  const graph: Graph = {
    nodes: [
      node('article:a', 'article'),
      node('claim:a/c1', 'claim'),
      node('source:a/s1', 'source'),
      node('x:lost', 'claim'),
    ],
    edges: [
      { from: 'article:a', rel: 'claims', to: 'claim:a/c1' },
      { from: 'claim:a/c1', rel: 'cites', to: 'source:a/s1' },
    ],
  };

  it('is limited to nodes within a distance of its articles', () => {
    const ids = (depth: number) => neighbourhood(graph, depth, undefined).nodes.map(({ id }) => id);
    expect(ids(1)).toEqual(['article:a', 'claim:a/c1']);
    expect(ids(2)).toEqual(['article:a', 'claim:a/c1', 'source:a/s1']);
    expect(neighbourhood(graph, 3, new Set(['source'])).edges).toEqual([]);
  });

  it('contains each node of merged parts once, and no edge to a missing node', () => {
    expect(mergeGraphs([graph, graph]).nodes).toHaveLength(4);
    expect(
      mergeGraphs([graph, { nodes: [], edges: [{ from: 'claim:a/c1', rel: 'cites', to: 'source:b/s1' }] }])
        .edges,
    ).toHaveLength(2);
  });

  it('is paged by nodes, each with its outgoing edges', () => {
    const first = pageOf(graph, 1, undefined);
    expect([first.nodes.length, first.edges.length, first.after]).toEqual([1, 1, 'article:a']);
    expect(pageOf(graph, 3, first.after)).toMatchObject({ after: undefined });
  });
});

describe('a label', () => {
  it('is one line of at most 160 characters, cut between words', () => {
    expect(label('  two\n words ')).toBe('two words');
    const cut = label('word '.repeat(60));
    expect(cut.endsWith('word…')).toBe(true);
    expect(cut.length).toBeLessThanOrEqual(160);
  });
});
