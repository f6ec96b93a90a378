/**
 * The evidence of an article as a picture (contract §7, §8): claims on the left, sources on the right, a line for
 * each citation. Pure geometry in user units; what a text takes is judged by its characters, so that the same
 * graph gives the same picture everywhere.
 */
import type { Graph } from '../domain/graph/graph.ts';
import type { GraphNode } from '../model/graph.ts';

export interface Box {
  readonly id: string;
  /** `c1`, `s2`. */
  readonly name: string;
  readonly note: string;
  readonly kind: 'claim' | 'source';
  readonly quiet: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}

export interface Line {
  readonly from: string;
  readonly to: string;
  /** An SVG path. */
  readonly path: string;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** Claims and sources that the picture leaves out. */
  readonly left: number;
}

export const pictureShape = {
  width: 960,
  column: 400,
  gap: 16,
  margin: 8,
  head: 24,
  lineHeight: 20,
  pad: 12,
  charsMax: 48,
  linesMax: 3,
} as const;

/** Boxes of each column; more would be no picture any more. */
const boxesMax = 40;

export function pictureOf(graph: Graph): Picture {
  const cited = graph.edges.filter((edge) => edge.rel === 'cites');
  const all = graph.nodes.filter((node) => node.kind === 'claim');
  const claims = [...all].sort((a, b) => Number(b['weight']) - Number(a['weight'])).slice(0, boxesMax);
  const left = column('claim', claims, 0);
  const middle = new Map(left.map((box) => [box.id, box.y + box.height / 2]));
  const everySource = graph.nodes.filter((node) => node.kind === 'source');
  const sources = everySource
    .map((node, i) => ({ node, at: heightOf(node.id, cited, middle) ?? Number.MAX_SAFE_INTEGER - 1000 + i }))
    .sort((a, b) => a.at - b.at)
    .map(({ node }) => node)
    .slice(0, boxesMax);
  const right = column('source', sources, pictureShape.width - pictureShape.column);
  const boxes = [...left, ...right];
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const lines = cited.flatMap(({ from, to }) => {
    const [a, b] = [byId.get(from), byId.get(to)];
    return a === undefined || b === undefined ? [] : [{ from, to, path: curve(a, b) }];
  });
  const bottom = Math.max(0, ...boxes.map((box) => box.y + box.height));
  return {
    width: pictureShape.width,
    height: bottom + pictureShape.margin,
    boxes,
    lines,
    left: all.length + everySource.length - boxes.length,
  };
}

/** Where a source belongs by what cites it: the mean height of its claims. */
function heightOf(
  source: string,
  cited: Graph['edges'],
  middle: ReadonlyMap<string, number>,
): number | undefined {
  const heights = cited.flatMap((edge) => (edge.to === source ? (middle.get(edge.from) ?? []) : []));
  return heights.length === 0 ? undefined : heights.reduce((sum, each) => sum + each, 0) / heights.length;
}

function column(kind: Box['kind'], nodes: readonly GraphNode[], x: number): Box[] {
  const { margin, gap, head, lineHeight, pad, column: width } = pictureShape;
  let y: number = margin;
  return nodes.map((node) => {
    const lines = wrap(node.label);
    const height = head + lines.length * lineHeight + pad;
    const box: Box = {
      id: node.id,
      name: node.id.slice(node.id.lastIndexOf('/') + 1),
      note:
        kind === 'claim' ? `${String(node['tier'])}, weight ${String(node['weight'])}` : String(node['type']),
      kind,
      quiet: node['status'] === 'retracted',
      x: kind === 'claim' ? x + 1 : x - 1,
      y,
      width,
      height,
      lines,
    };
    y += height + gap;
    return box;
  });
}

function curve(from: Box, to: Box): string {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x, to.y + to.height / 2];
  const bend = (x1 + x2) / 2;
  return `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`;
}

/** Lines of about `charsMax` columns; characters of East Asian scripts take two. */
function wrap(text: string): string[] {
  const { charsMax, linesMax } = pictureShape;
  const lines: string[] = [''];
  let taken = 0;
  for (const piece of text.match(/\S+\s*/gu) ?? []) {
    for (const part of columns(piece) > charsMax ? [...piece] : [piece]) {
      const width = columns(part);
      if (taken + columns(part.trimEnd()) > charsMax) {
        lines.push('');
        taken = 0;
      }
      lines[lines.length - 1] += part;
      taken += width;
    }
  }
  const shown = lines.slice(0, linesMax).map((line) => line.trimEnd());
  const last = shown[linesMax - 1];
  if (lines.length > linesMax && last !== undefined) shown[linesMax - 1] = `${last.replace(/…$/, '')}…`;
  return shown;
}

function columns(text: string): number {
  let sum = 0;
  for (const character of text)
    sum += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Emoji_Presentation}/u.test(
      character,
    )
      ? 2
      : 1;
  return sum;
}
