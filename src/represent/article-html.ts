/**
 * An article's body as safe HTML, DIV by DIV (contract §5 "Rendering parses the whole body and maps nodes to
 * DIVs", §8). The body is parsed once and whole, because link definitions and footnotes in one DIV serve all
 * others; each top-level node goes to the DIV in which it begins, and a DIV's own HTML is balanced within it.
 * Pure; slow on hostile text (seconds for a megabyte of brackets), so large bodies belong in a worker.
 */
import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from 'markdown-it';
import type { Layout, Piece } from '../domain/articles/blocks-change.ts';
import { bomLength, frontMatterLines, lineStarts, parserOptions } from '../domain/articles/blocks.ts';
import { join } from '../domain/articles/divide.ts';
import { cleaner, type Cleaner } from './article-html-clean.ts';
import { highlighted } from './article-html-code.ts';
import { mathematics, texToMathML } from './article-html-math.ts';
import { titleOf } from '../domain/articles/blocks-inline.ts';

export interface RenderedDiv {
  readonly div_id: string;
  /** '' for a DIV that shows nothing, such as link definitions. */
  readonly html: string;
  /** Its HTML ends with a `</details>` that stands only after the DIVs that follow, up to the one that closes it. */
  readonly opens?: true;
  /** How many such elements end before it. */
  readonly closes?: number;
}

export interface ArticleHtml {
  /** In the order of the article. */
  readonly divs: readonly RenderedDiv[];
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
  return { divs: foldDetails(divs, groups), toc };
}

/**
 * `<details>` that one DIV opens and a later one closes. Each DIV's own HTML stays balanced; where both ends are found,
 * the page moves the end of the first behind the DIVs between them.
 */
function foldDetails(
  divs: readonly RenderedDiv[],
  groups: readonly (readonly Token[])[],
): readonly RenderedDiv[] {
  const openers: number[] = [];
  const opens = new Set<number>();
  const closes = new Map<number, number>();
  for (const [i, group] of groups.entries()) {
    if (group.length === 0 || group.some(({ type }) => type !== 'html_block')) continue;
    let depth = 0;
    for (const [, slash] of group
      .map(({ content }) => content)
      .join('')
      .matchAll(/<(\/?)details\b[^<>]*>/gi)) {
      if (slash === '') depth++;
      else if (depth > 0) depth--;
      else {
        const opener = openers.pop();
        if (opener === undefined) continue;
        opens.add(opener);
        closes.set(i, (closes.get(i) ?? 0) + 1);
      }
    }
    if (depth === 1 && divs[i]?.html.endsWith('</details>') === true) openers.push(i);
  }
  if (opens.size === 0) return divs;
  return divs.map((div, i) => {
    const closing = closes.get(i);
    return {
      ...div,
      ...(opens.has(i) ? { opens: true as const } : {}),
      ...(closing === undefined ? {} : { closes: closing }),
    };
  });
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
  return { groups, frontMatter: front === 0 ? '' : writeFrontMatter(frontLines.slice(1, -1).join('\n')) };
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

/*
 * Anchors and the table of contents: every top-level heading gets an id that authors can foresee, since it is
 * the one that GitHub gives, behind a prefix that keeps it apart from the page's own ids (contract §8,
 * "contents").
 */

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

/** The names that authors link to (`#name`) and the ids that stand for them. */
class Anchors {
  readonly byName = new Map<string, string>();
  readonly #repeats = new Map<string, number>();

  /** A new id for a heading; the second heading of a name gets `-1` after it. */
  add(title: string): string {
    const name = headingName(title);
    let unique = name;
    while (this.byName.has(unique)) {
      const n = (this.#repeats.get(name) ?? 0) + 1;
      this.#repeats.set(name, n);
      unique = `${name}-${n}`;
    }
    this.byName.set(unique, anchorPrefix + unique);
    return anchorPrefix + unique;
  }
}

/** Names the top-level headings among the tokens of one DIV; `mark` gets each with its id. */
function nameHeadings(
  tokens: readonly Token[],
  divId: string,
  anchors: Anchors,
  mark: (heading: Token, id: string) => void,
): TocEntry[] {
  const entries: TocEntry[] = [];
  tokens.forEach((token, i) => {
    if (token.type !== 'heading_open' || token.level !== 0) return;
    const title = titleOf(tokens[i + 1]?.children ?? []);
    const anchor = anchors.add(title);
    mark(token, anchor);
    entries.push({ level: Number(token.tag[1]), title, anchor, div_id: divId });
  });
  return entries;
}

/** The name that GitHub gives a heading, which authors know to link to. */
/** The name by which authors link to a heading, as GitHub has it. */
export function headingName(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return slug === '' ? 'section' : slug;
}

/*
 * The Markdown that articles are written in, parsed and written: GFM with footnotes, under the same options
 * that divide it. A DIV with HTML of its own goes through the sanitiser; what Markdown alone makes is written
 * from known tokens, whose attributes pass the same checks.
 */

const parser = new MarkdownIt({ ...parserOptions, linkify: true, xhtmlOut: true });
parser.linkify.add('ftp:', null).add('//', null);
parser.use(footnotes, `${anchorPrefix}note__`);
// GFM strikes text out with <del>, markdown-it with <s>.
parser.renderer.rules['s_open'] = () => '<del>';
parser.renderer.rules['s_close'] = () => '</del>';
parser.use(mathematics);
parser.core.ruler.push('tasks', (state) => tickBoxes(state.tokens));
parser.core.ruler.push('figures', (state) => captionFigures(state.tokens, state.Token));
parser.renderer.rules['math'] = (tokens, i, _, env) => ready(env, writeMath(tokens[i] as Token, env));
parser.renderer.rules['fence'] = (tokens, i, _, env) => writeFence(tokens[i] as Token, env);

/** All tokens of a text; `env` takes its link definitions. */
function parseMarkdown(text: string, env: Env): Token[] {
  return parser.parse(text, env);
}

/**
 * The HTML of a DIV's tokens. One that opens too much at once to be sanitised in time shows its `source` as
 * code.
 */
function writeHtml(tokens: Token[], env: Env, clean: Cleaner, source: string): string {
  if (!needsCleaning(tokens)) return writeTokens(tokens, env, clean);
  env['ready'] = clean.slot;
  const dirty = parser.renderer.render(tokens, parser.options, env);
  delete env['ready'];
  return clean.html(dirty) ?? writeCode(source);
}

/** HTML that needs no sanitising: itself, or a slot that it fills afterwards in a DIV that is sanitised. */
function ready(env: Env | undefined, html: string): string {
  return (env?.['ready'] as Cleaner['slot'] | undefined)?.(html) ?? html;
}

/** Characters of one article. More is shown as it was written. */
const texCharsMax = 150_000;
const codeCharsMax = 200_000;
/** What the shortest formula costs, in characters. */
const formulaChars = 20;

/** Whether an article may have so many characters more rendered. */
function affords(env: Env | undefined, of: 'texChars' | 'codeChars', chars: number): boolean {
  if (env === undefined) return true;
  const spent = ((env[of] as number | undefined) ?? 0) + chars;
  env[of] = spent;
  return spent <= (of === 'texChars' ? texCharsMax : codeCharsMax);
}

function writeMath({ content, markup, info }: Token, env: Env | undefined): string {
  const written = affords(env, 'texChars', markup.length + formulaChars)
    ? texToMathML(markup, info === 'display')
    : undefined;
  if (written === undefined)
    return `<code class="tex" title="This TeX could not be read, so it is shown as it was written.">${parser.utils.escapeHtml(content)}</code>`;
  return info === 'display' ? `<span class="equation">${written}</span>` : written;
}

function writeFence({ info, content }: Token, env: Env | undefined): string {
  const language = languageOf(info);
  if (language === 'math' && affords(env, 'texChars', content.length + formulaChars)) {
    const written = texToMathML(content.trim(), true);
    if (written !== undefined) return `<p>${ready(env, `<span class="equation">${written}</span>`)}</p>\n`;
  }
  const code = affords(env, 'codeChars', content.length) ? highlighted(content, language) : undefined;
  const attribute = language === '' ? '' : ` class="language-${language}"`;
  const html = code === undefined ? parser.utils.escapeHtml(content) : ready(env, code);
  return `<pre><code${attribute}>${html}</code></pre>\n`;
}

function writeCode(source: string): string {
  return `<pre><code>${parser.utils.escapeHtml(source)}\n</code></pre>\n`;
}

/** Data about the article rather than part of it, so that it is folded. */
function writeFrontMatter(source: string): string {
  const code = highlighted(source, 'yaml') ?? parser.utils.escapeHtml(source);
  return `<details><summary>Front matter</summary><pre><code class="language-yaml">${code}\n</code></pre></details>\n`;
}

const inlineNestingMax = 100;

/** Whether the sanitiser has to see a DIV: for HTML of its own, and for emphasis nested beyond all sense. */
function needsCleaning(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.type === 'html_block' ||
      token.children?.some((child) => child.type === 'html_inline' || child.level > inlineNestingMax),
  );
}

function writeTokens(tokens: Token[], env: Env, clean: Cleaner): string {
  for (const token of tokens) {
    for (const each of [token, ...(token.children ?? [])]) {
      if (each.attrs !== null || each.tag === 'img') {
        const given = (each.attrs ?? []).map(([name, value]) => [name, String(value)] as const);
        each.attrs = Object.entries(clean.attributes(each.tag, Object.fromEntries(given)));
      }
    }
  }
  return parser.renderer.render(tokens, parser.options, env);
}

function languageOf(info: string): string {
  const [language = ''] = parser.utils.unescapeAll(info).trim().split(/\s/);
  return /^[\w+#.-]{1,40}$/.test(language) ? language : '';
}

/**
 * GFM task list items: a ballot box in place of `[ ]` and `[x]`, since the HTML may hold no form elements.
 */
function tickBoxes(tokens: readonly Token[]): void {
  for (let i = 2; i < tokens.length; i++) {
    if (tokens[i]?.type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
    const first = tokens[i]?.children?.[0];
    const box = first?.type === 'text' ? /^\[([ xX])\][ \t]/.exec(first.content) : null;
    if (first === undefined || box === null) continue;
    first.content = `${box[1] === ' ' ? '☐' : '☑'} ${first.content.slice(box[0].length)}`;
    (tokens[i - 2] as Token).attrSet('class', 'task');
  }
}

/** A paragraph of one image with a title: a figure with a caption. */
function captionFigures(tokens: readonly Token[], TokenOf: typeof Token): void {
  for (let i = 1; i < tokens.length - 1; i++) {
    const [open, inline, close] = [tokens[i - 1], tokens[i], tokens[i + 1]] as [Token, Token, Token];
    const [image, ...rest] = inline.children ?? [];
    if (open.type !== 'paragraph_open' || open.hidden || image?.type !== 'image' || rest.length > 0) continue;
    const title = image.attrGet('title');
    if (title === null || String(title).trim() === '') continue;
    image.attrs = (image.attrs ?? []).filter(([name]) => name !== 'title');
    const text = new TokenOf('text', '', 0);
    text.content = String(title);
    inline.children = [
      image,
      new TokenOf('caption_open', 'figcaption', 1),
      text,
      new TokenOf('caption_close', 'figcaption', -1),
    ];
    open.tag = close.tag = 'figure';
  }
}

/*
 * Footnotes where they stand. Neither CommonMark nor the GFM specification has them, so dividing sees
 * paragraphs; but authors write `[^1]` and `[^1]: …`, and readers expect the two to be linked. A definition
 * keeps its place and its DIV; only the marks become links and anchors. Definitions that are also valid link
 * definitions stay links.
 */

const definition = /(?:^|\n)\[\^([^\]\s[]{1,100})\]:/g;
const reference = /\[\^([^\]\s[]{1,100})\]/y;

/** A markdown-it plugin. The anchor of note `x` is `idPrefix` followed by its number in the article. */
function footnotes(markdown: Parser, idPrefix: string): void {
  markdown.core.ruler.before('inline', 'notes', (state) => {
    const notes = new Map<string, string>();
    for (const token of state.tokens) {
      if (token.type !== 'inline' || !token.content.includes('[^')) continue;
      for (const [, name] of token.content.matchAll(definition)) {
        if (name !== undefined && !notes.has(name)) notes.set(name, `${idPrefix}${notes.size + 1}`);
      }
    }
    state.env['notes'] = notes;
    state.env['areNotesNumbers'] = [...notes.keys()].every((name) => /^\d+$/.test(name));
    state.env['notesDefined'] = new Set<string>();
    state.env['notesReferred'] = new Set<string>();
  });
  markdown.inline.ruler.before('link', 'note', (state, silent) => {
    const { src, pos } = state;
    if (src.charCodeAt(pos) !== 0x5b || src.charCodeAt(pos + 1) !== 0x5e) return false;
    reference.lastIndex = pos;
    const name = reference.exec(src)?.[1];
    const end = reference.lastIndex;
    if (name === undefined || end > state.posMax) return false;
    const id = (state.env['notes'] as ReadonlyMap<string, string>).get(name);
    if (id === undefined) return false;
    const defines = src[end] === ':' && (pos === 0 || src[pos - 1] === '\n');
    // A reference inside a link's text would be a link inside a link.
    if (!defines && state.linkLevel > 0) return false;
    state.pos = end + (defines ? 1 : 0);
    if (silent) return true;
    // Definitions on neighbouring lines are one paragraph; each begins a line of its own.
    const before = state.tokens.at(-1);
    if (defines && before?.type === 'softbreak') {
      before.type = 'hardbreak';
      before.tag = 'br';
    }
    const open = state.push('note_open', 'sup', 1);
    const defined = state.env['notesDefined'] as Set<string>;
    const referred = state.env['notesReferred'] as Set<string>;
    if (defines && !defined.has(name)) {
      defined.add(name);
      open.attrSet('id', id);
    }
    if (!defines && !referred.has(name)) {
      referred.add(name);
      open.attrSet('id', `${id}-from`);
    }
    // A note leads back to the first of its references, where that stands before it.
    const target = defines ? (referred.has(name) ? `#${id}-from` : undefined) : `#${id}`;
    if (target !== undefined) state.push('note_link_open', 'a', 1).attrSet('href', target);
    // Numbers stay as they were written; where any note has a name, all show their number.
    pushText(
      state.push('text', '', 0),
      state.env['areNotesNumbers'] === true ? name : id.slice(idPrefix.length),
    );
    if (target !== undefined) state.push('note_link_close', 'a', -1);
    state.push('note_close', 'sup', -1);
    return true;
  });
}

function pushText(token: Token, content: string): void {
  token.content = content;
}
