/**
 * An article's body as safe HTML, DIV by DIV (contract §5 "Rendering parses the whole body and maps nodes to
 * DIVs", §8). The body is parsed once and whole, because link definitions and footnotes in one DIV serve all
 * others; each top-level node goes to the DIV in which it begins, and a DIV's own HTML is balanced within it.
 * Pure; slow on hostile text (seconds for a megabyte of brackets), so large bodies belong in a worker.
 */
import type { Env, Token } from 'markdown-it';
import type { Layout, Piece } from '../domain/articles/blocks-change.ts';
import { bomLength, frontMatterLines, lineStarts } from '../domain/articles/blocks.ts';
import { join } from '../domain/articles/divide.ts';
import { cleaner } from './article-html-clean.ts';
import { Anchors, nameHeadings, type TocEntry } from './article-html-headings.ts';
import { parseMarkdown, writeCode, writeHtml } from './article-html-markdown.ts';

export { anchorPrefix, type TocEntry } from './article-html-headings.ts';

export interface ArticleHtml {
  /** In the order of the article; `html` is '' for a DIV that shows nothing, such as link definitions. */
  readonly divs: readonly { readonly div_id: string; readonly html: string }[];
  readonly toc: readonly TocEntry[];
}

/** Renders the DIVs of an article to fragments that stand in `section` or `div` elements of a page. */
export function articleHtml(layout: Layout): ArticleHtml {
  const env: Env = {};
  const { groups, frontMatter } = tokensByDiv(layout, env);
  const ids: string[] = [];
  const anchors = new Anchors();
  const clean = cleaner(join(layout.lead, layout.pieces), ids, anchors.byName);
  const mark = (token: Token, id: string): void => token.attrSet(clean.idMark, ids.push(id) - 1);
  // All names have to be known before the first link is written.
  const toc = groups.flatMap((group, i) =>
    nameHeadings(group, (layout.pieces[i] as Piece).div_id, anchors, mark),
  );
  for (const group of groups) markNotes(group, mark);
  const divs = layout.pieces.map(({ div_id, text }, i) => {
    const html = writeHtml(groups[i] as Token[], env, clean, text);
    return { div_id, html: ((i === 0 ? frontMatter : '') + html).trim() };
  });
  return { divs, toc };
}

/** One parse of the whole body, its top-level tokens grouped by the DIV in which they begin. */
function tokensByDiv(layout: Layout, env: Env): { groups: Token[][]; frontMatter: string } {
  const body = join(layout.lead, layout.pieces);
  const bom = bomLength(body);
  const text = body.slice(bom).replace(/\r\n?/g, '\n');
  const front = frontMatterLines(text);
  const frontLines = text.split('\n', front);
  const frontChars = frontLines.reduce((sum, line) => sum + line.length + 1, 0);
  // Blank lines in place of front matter keep the line numbers of what follows.
  const tokens = parseMarkdown('\n'.repeat(front) + text.slice(frontChars), env);

  const starts = lineStarts(body.slice(bom));
  const groups: Token[][] = layout.pieces.map(() => []);
  let owner = 0;
  let ownerEnd = layout.lead.length + lengthOf(layout.pieces[0]);
  for (const token of tokens) {
    if (token.level === 0 && token.nesting !== -1) {
      const offset = bom + (starts[token.map?.[0] ?? 0] as number);
      while (offset >= ownerEnd && owner < groups.length - 1) ownerEnd += lengthOf(layout.pieces[++owner]);
    }
    groups[owner]?.push(token);
  }
  return { groups, frontMatter: front === 0 ? '' : writeCode(frontLines.slice(1, -1).join('\n'), 'yaml') };
}

function lengthOf(piece: Piece | undefined): number {
  return piece === undefined ? 0 : piece.text.length + piece.sep.length;
}

/** Moves the ids of footnotes into marked attributes, which alone survive sanitising. */
function markNotes(tokens: readonly Token[], mark: (token: Token, id: string) => void): void {
  for (const token of tokens) {
    for (const child of token.children ?? []) {
      const id = child.type === 'note_open' ? child.attrGet('id') : null;
      if (id === null) continue;
      child.attrs = [];
      mark(child, String(id));
    }
  }
}
