/**
 * The graph of a vault as a JSON Canvas 1.0 (jsoncanvas.org): a file node for each note, articles on the left, their
 * claims beside them, sources on the right; an edge for each claim of an article and for each citation.
 */
import { sha256Hex } from '../kernel/hash.ts';
import { claimsOf, sourcesOf, type ArticleState } from '../domain/articles/state.ts';
import { notePath } from './vault-paths.ts';

const box = { width: 400, height: 140, across: 560, down: 180 } as const;

interface CanvasNode {
  readonly id: string;
  readonly type: 'file';
  readonly file: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color?: string;
}

interface CanvasEdge {
  readonly id: string;
  readonly fromNode: string;
  readonly fromSide: 'right';
  readonly toNode: string;
  readonly toSide: 'left';
  readonly label: string;
}

export function canvasOf(states: readonly ArticleState[]): string {
  const nodes: CanvasNode[] = [];
  const edges: CanvasEdge[] = [];
  let top = 0;
  for (const state of states) {
    const { slug } = state.row;
    const add = (path: string, column: number, row: number, color: string): string => {
      const { across, down, width, height } = box;
      const id = idOf(path);
      nodes.push({
        id,
        type: 'file',
        file: `${path}.md`,
        x: column * across,
        y: top + row * down,
        width,
        height,
        color,
      });
      return id;
    };
    const join = (fromNode: string, toNode: string, label: string): void => {
      edges.push({
        id: idOf(`${fromNode} ${toNode}`),
        fromNode,
        fromSide: 'right',
        toNode,
        toSide: 'left',
        label,
      });
    };
    const article = add(notePath.article(slug), 0, 0, '5');
    const sources = new Map(
      sourcesOf(state).map(({ source_id: id }, row) => [id, add(notePath.source(slug, id), 2, row, '4')]),
    );
    for (const [row, claim] of claimsOf(state).entries()) {
      const id = add(notePath.claim(slug, claim.id), 1, row, claim.status === 'active' ? '3' : '1');
      join(article, id, 'claims');
      for (const source of claim.source_ids) {
        const to = sources.get(source);
        if (to !== undefined) join(id, to, 'cites');
      }
    }
    top += Math.max(1, state.claims.size, state.sources.size) * box.down + box.down;
  }
  return `${JSON.stringify({ nodes, edges }, null, 2)}\n`;
}

function idOf(name: string): string {
  return sha256Hex(name).slice(0, 16);
}
