/**
 * A write must not leak into its neighbours (contract §5). After a change every DIV boundary must still be a
 * block boundary, and no DIV whose text was left alone may come to mean something else. Only the
 * neighbourhood of the change is divided again, so an edit costs the same in a long article as in a short
 * one: a block parser at the start of a block has no memory, and a block that reaches past its DIV is seen
 * from the DIV next to it. What can act at a distance is front matter, the byte order mark, and link
 * definitions (`blocks-labels.ts`).
 */
import { layoutChange, type Layout, type Piece } from './blocks-change.ts';
import { bomLength, frontMatterLines, opensFrontMatter, scanBlocks } from './blocks.ts';
import { labelLeaks } from './blocks-labels.ts';

export type { Layout, Piece } from './blocks-change.ts';

export type BoundaryCheck = { readonly ok: true } | { readonly ok: false; readonly divs: readonly string[] };

/**
 * Judges the layout `after` a change to a sound layout `before`. What changed is found by comparing the two;
 * `touched` (indexes into `after.pieces`) adds to it. `divs` names the DIVs that no longer stand apart, that
 * hold no block, or that would change meaning, in the order of the article.
 */
export function checkBoundaries(before: Layout, after: Layout, touched: readonly number[]): BoundaryCheck {
  const change = layoutChange(before, after);
  const changed = new Set(change.changed);
  for (const index of touched) if (index >= 0 && index < after.pieces.length) changed.add(index);

  const bad = new Set<string>();
  for (const window of windows(after, changed)) checkWindow(after, window.from, window.to, bad);
  checkStart(before, after, bad);
  if (bad.size === 0) for (const id of labelLeaks(before, after, change)) bad.add(id);
  if (bad.size === 0) return { ok: true };
  return {
    ok: false,
    divs: after.pieces.filter((piece) => bad.has(piece.div_id)).map((piece) => piece.div_id),
  };
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The changed DIVs with one neighbour to either side, overlapping ones merged. */
function windows(layout: Layout, changed: ReadonlySet<number>): Window[] {
  const last = layout.pieces.length - 1;
  if (hasOpenFrontMatter(layout)) return [{ from: 0, to: last }];
  const out: Window[] = [];
  for (const index of [...changed].sort((x, y) => x - y)) {
    const from = Math.max(0, index - 1);
    const to = Math.min(last, index + 1);
    const previous = out.at(-1);
    if (previous !== undefined && from <= previous.to + 1) out[out.length - 1] = { from: previous.from, to };
    else out.push({ from, to });
  }
  return out;
}

/** Adds to `bad` the DIVs of a window that share a block with a neighbour or hold none. */
function checkWindow(layout: Layout, from: number, to: number, bad: Set<string>): void {
  let text = from === 0 ? layout.lead : '';
  const edges: { start: number; end: number }[] = [];
  for (let i = from; i <= to; i++) {
    const piece = layout.pieces[i] as Piece;
    edges.push({ start: text.length, end: text.length + piece.text.length });
    text += piece.text + piece.sep;
  }
  const filled = new Set<number>();
  let first = 0;
  for (const span of scanBlocks(text, from === 0).spans) {
    // Spans come in order: whatever ends before this one begins is done with.
    while (first < edges.length - 1 && (edges[first + 1] as { start: number }).start <= span.start) first++;
    const edge = edges[first] as { start: number; end: number };
    if (span.start >= edge.start && span.end <= edge.end) {
      filled.add(first);
      continue;
    }
    for (let i = first; i < edges.length && (edges[i] as { start: number }).start < span.end; i++) {
      bad.add((layout.pieces[from + i] as Piece).div_id);
    }
  }
  for (let i = 0; i < edges.length; i++) {
    if (!filled.has(i)) bad.add((layout.pieces[from + i] as Piece).div_id);
  }
}

/**
 * Only an article's beginning holds front matter or a byte order mark, so moving there or away can change
 * meaning.
 */
function checkStart(before: Layout, after: Layout, bad: Set<string>): void {
  const first = after.pieces[0];
  if (first !== undefined && after.lead === '' && bomLength(first.text) === 1) bad.add(first.div_id);
  const was = frontMatterOf(before);
  const is = frontMatterOf(after);
  if (was?.div_id === is?.div_id) return;
  for (const piece of [was, is]) {
    if (piece !== undefined && holds(before, piece) && holds(after, piece)) bad.add(piece.div_id);
  }
}

function holds(layout: Layout, piece: Piece): boolean {
  return layout.pieces.some((other) => other.div_id === piece.div_id && other.text === piece.text);
}

/** The first DIV, where it begins with whole front matter. */
function frontMatterOf(layout: Layout): Piece | undefined {
  const first = layout.pieces[0];
  if (first === undefined || !isAtStart(layout)) return undefined;
  return frontMatterLines(first.text.replace(/\r\n?/g, '\n')) > 0 ? first : undefined;
}

/** Whether front matter opens that the first DIV doesn't close, so that any `---` further down would. */
function hasOpenFrontMatter(layout: Layout): boolean {
  const [first, second] = layout.pieces;
  if (first === undefined || !first.text.startsWith('---') || !isAtStart(layout)) return false;
  return (
    opensFrontMatter(first.text + first.sep + (second?.text ?? '')) && frontMatterOf(layout) === undefined
  );
}

function isAtStart(layout: Layout): boolean {
  return layout.lead.length === bomLength(layout.lead);
}

/**
 * The `sep` that keeps `next` apart from `piece`: the one it has where that suffices, else a blank line more.
 * Whether even that suffices (it doesn't after an unclosed fence) is for `checkBoundaries` to say.
 */
export function withSeparator(
  piece: { readonly text: string; readonly sep: string },
  next: { readonly text: string } | undefined,
): string {
  if (next === undefined || standApart(piece.text + piece.sep, next.text)) return piece.sep;
  const eol = lineEndOf(piece.sep) ?? lineEndOf(piece.text) ?? lineEndOf(next.text) ?? '\n';
  const onOwnLine = `${piece.sep}${eol}`;
  if (endsInLineEnd(piece.text + piece.sep) && standApart(piece.text + onOwnLine, next.text))
    return onOwnLine;
  return `${onOwnLine}${eol}`;
}

/**
 * The pieces of a new layout with separators added where `touched` ones meet their neighbours. Pieces that
 * need none are the same objects as before.
 */
export function withSeparators<P extends Piece>(pieces: readonly P[], touched: readonly number[]): P[] {
  const out = pieces.slice();
  for (const i of new Set(touched.flatMap((index) => [index - 1, index]))) {
    const piece = out[i];
    if (piece === undefined) continue;
    const sep = withSeparator(piece, out[i + 1]);
    if (sep !== piece.sep) out[i] = { ...piece, sep };
  }
  return out;
}

function standApart(head: string, tail: string): boolean {
  return scanBlocks(head + tail, false).spans.every(
    (span) => span.end <= head.length || span.start >= head.length,
  );
}

/** Whether nothing but blanks follows the last line end. */
function endsInLineEnd(text: string): boolean {
  let i = text.length - 1;
  while (i >= 0 && (text[i] === ' ' || text[i] === '\t')) i--;
  return text[i] === '\n' || text[i] === '\r';
}

function lineEndOf(text: string): string | undefined {
  return /\r\n?|\n/.exec(text)?.[0];
}
