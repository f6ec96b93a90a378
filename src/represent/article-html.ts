/**
 * An article's body as safe HTML, DIV by DIV (contract §5 "Rendering parses the whole body and maps nodes to DIVs",
 * §8). The body is parsed once and whole, because link definitions and footnotes in one DIV serve all others; each
 * top-level node goes to the DIV in which it begins. A DIV with HTML of its own is sanitised by itself, so that what it
 * leaves open ends with it; what Markdown alone makes is written from known tokens whose attributes pass the same
 * checks. Pure; slow on hostile text (seconds for a megabyte of brackets), so large bodies belong in a worker.
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import type { Layout, Piece } from '../domain/articles/blocks-change.ts';
import {
  bomLength,
  frontMatterLines,
  lineStarts,
  parserOptions,
  titleOf,
} from '../domain/articles/blocks.ts';
import { join } from '../domain/articles/divide.ts';
import { cleaner, type Cleaner } from './article-html-clean.ts';
import { footnotes } from './article-html-notes.ts';

export interface ArticleHtml {
  /** In the order of the article; `html` is '' for a DIV that shows nothing, such as link definitions. */
  readonly divs: readonly { readonly div_id: string; readonly html: string }[];
  readonly toc: readonly TocEntry[];
}

export interface TocEntry {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  /** The `id` of the heading, with `anchorPrefix`. */
  readonly anchor: string;
  readonly div_id: string;
}

/** Every id in the HTML begins with this; a page that embeds it must use no such ids of its own. */
export const anchorPrefix = 'h-';

const markdown = new MarkdownIt({ ...parserOptions, linkify: true, xhtmlOut: true });
markdown.linkify.add('ftp:', null).add('//', null);
markdown.use(footnotes, `${anchorPrefix}note.`);
// GFM strikes text out with <del>, markdown-it with <s>.
markdown.renderer.rules['s_open'] = () => '<del>';
markdown.renderer.rules['s_close'] = () => '</del>';
markdown.core.ruler.push('tasks', (state) => tickBoxes(state.tokens));

/** Renders the DIVs of an article to fragments that stand in `section` or `div` elements of a page. */
export function articleHtml(layout: Layout): ArticleHtml {
  const env: Env = {};
  const { groups, frontMatter } = tokensByDiv(layout, env);
  const toc: TocEntry[] = [];
  const anchors = new Map<string, string>();
  const repeats = new Map<string, number>();
  const ids: string[] = [];
  const clean = cleaner(join(layout.lead, layout.pieces), ids, anchors);
  for (let i = 0; i < groups.length; i++) {
    const { div_id } = layout.pieces[i] as Piece;
    nameHeadings(groups[i] as Token[], anchors, repeats, (anchor, level, title, heading) => {
      toc.push({ level, title, anchor, div_id });
      heading.attrSet(clean.idMark, ids.push(anchor) - 1);
    });
  }
  for (const group of groups) markNotes(group, ids, clean.idMark);
  const divs = layout.pieces.map(({ div_id }, i) => {
    const tokens = groups[i] as Token[];
    const html = hasRawHtml(tokens) ? sanitized(tokens, env, clean) : written(tokens, env, clean);
    return { div_id, html: ((i === 0 ? frontMatter : '') + html).trim() };
  });
  return { divs, toc };
}

const inlineNestingMax = 100;

/** Whether the sanitiser has to see a DIV: for HTML of its own, and for emphasis nested beyond all sense. */
function hasRawHtml(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.type === 'html_block' ||
      token.children?.some((child) => child.type === 'html_inline' || child.level > inlineNestingMax),
  );
}

function written(tokens: Token[], env: Env, clean: Cleaner): string {
  for (const token of tokens) {
    for (const each of [token, ...(token.children ?? [])]) {
      if (each.attrs !== null || each.tag === 'img') {
        const given = (each.attrs ?? []).map(([name, value]) => [name, String(value)] as const);
        each.attrs = Object.entries(clean.attributes(each.tag, Object.fromEntries(given)));
      }
    }
    if (token.type === 'fence') token.info = languageOf(token.info);
  }
  return markdown.renderer.render(tokens, markdown.options, env);
}

function languageOf(info: string): string {
  const [language = ''] = markdown.utils.unescapeAll(info).trim().split(/\s/);
  return /^[\w+#.-]{1,40}$/.test(language) ? language : '';
}

/** HTML that opens too much at once to be sanitised in reasonable time is shown as it was written. */
function sanitized(tokens: Token[], env: Env, clean: Cleaner): string {
  const html = clean.html(markdown.renderer.render(tokens, markdown.options, env));
  if (html !== undefined) return html;
  for (const token of tokens) {
    for (const each of [token, ...(token.children ?? [])]) {
      if (each.type === 'html_block' || each.type === 'html_inline')
        each.content = markdown.utils.escapeHtml(each.content);
    }
  }
  return clean.html(markdown.renderer.render(tokens, markdown.options, env)) ?? '';
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
  const tokens = markdown.parse('\n'.repeat(front) + text.slice(frontChars), env);

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
  const yaml = markdown.utils.escapeHtml(frontLines.slice(1, -1).join('\n'));
  return {
    groups,
    frontMatter: front === 0 ? '' : `<pre><code class="language-yaml">${yaml}\n</code></pre>\n`,
  };
}

function lengthOf(piece: Piece | undefined): number {
  return piece === undefined ? 0 : piece.text.length + piece.sep.length;
}

type Named = (anchor: string, level: number, title: string, heading: Token) => void;

/** Gives each top-level heading an anchor of its own; `anchors` maps the names that authors link to (`#name`). */
function nameHeadings(
  tokens: readonly Token[],
  anchors: Map<string, string>,
  repeats: Map<string, number>,
  named: Named,
): void {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.type !== 'heading_open' || token.level !== 0) continue;
    const title = titleOf((tokens[i + 1] as Token).children ?? []);
    const name = slugOf(title);
    let unique = name;
    while (anchors.has(unique)) {
      const n = (repeats.get(name) ?? 0) + 1;
      repeats.set(name, n);
      unique = `${name}-${n}`;
    }
    anchors.set(unique, anchorPrefix + unique);
    named(anchorPrefix + unique, Number(token.tag[1]), title, token);
  }
}

/** The name that GitHub gives a heading, which authors know to link to. */
function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return slug === '' ? 'section' : slug;
}

/** Moves the ids of footnotes into marked attributes, which alone survive sanitising. */
function markNotes(tokens: readonly Token[], ids: string[], idMark: string): void {
  for (const token of tokens) {
    for (const child of token.children ?? []) {
      const id = child.type === 'note_open' ? child.attrGet('id') : null;
      if (id === null) continue;
      child.attrs = [[idMark, ids.push(String(id)) - 1]];
    }
  }
}

/** GFM task list items: a ballot box in place of `[ ]` and `[x]`, since the HTML may hold no form elements. */
function tickBoxes(tokens: readonly Token[]): void {
  for (let i = 2; i < tokens.length; i++) {
    if (tokens[i]?.type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
    const first = tokens[i]?.children?.[0];
    const box = first?.type === 'text' ? /^\[([ xX])\][ \t]/.exec(first.content) : null;
    if (first === undefined || box === null) continue;
    first.content = `${box[1] === ' ' ? '☐' : '☑'} ${first.content.slice(box[0].length)}`;
  }
}
