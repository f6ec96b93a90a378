/**
 * The images of a Markdown text (contract §8): those on other hosts, which pages show as links only, and the same text
 * with their addresses replaced. Found by the parser that renders the text, so that nothing is missed or invented; an
 * address is replaced where it stands as the address of an image, and nowhere in code.
 */
import MarkdownIt from 'markdown-it';
import { frontMatterLines, lineStarts, parserOptions } from '../articles/blocks.ts';

export interface ArticleImage {
  /** As the renderer has it. */
  readonly url: string;
  readonly alt: string;
}

const markdown = new MarkdownIt(parserOptions);

/** Images of a text on other hosts than `base`, each once, in their order. */
export function foreignImagesOf(text: string, base: string): readonly ArticleImage[] {
  return imagesOf(text).filter(({ url }) => isForeign(url, base));
}

/** Every image of a text, each address once. */
export function imagesOf(text: string): readonly ArticleImage[] {
  const found = new Map<string, ArticleImage>();
  const add = (url: string, alt: string): void => {
    if (url !== '' && !found.has(url)) found.set(url, { url, alt });
  };
  for (const token of markdown.parse(withoutFrontMatter(text), {})) {
    for (const each of [token, ...(token.children ?? [])]) {
      if (each.type === 'image') add(String(each.attrGet('src') ?? ''), each.content);
      if (each.type === 'html_block' || each.type === 'html_inline')
        for (const [, tag = ''] of each.content.matchAll(/<img\b([^<>]*)>/gi))
          add(attributeOf(tag, 'src'), attributeOf(tag, 'alt'));
    }
  }
  return [...found.values()];
}

function isForeign(url: string, base: string): boolean {
  return /^https?:\/\//i.test(url) && !url.startsWith(`${base}/blobs/`);
}

/** The text with other addresses for its images, by the addresses that `imagesOf` names. */
export function replaceImages(text: string, addresses: ReadonlyMap<string, string>): string {
  if (addresses.size === 0) return text;
  const edits: { readonly from: number; readonly to: number; readonly address: string }[] = [];
  const add = (from: number, written: string, url: string): void => {
    const address = addresses.get(url);
    if (address !== undefined) edits.push({ from, to: from + written.length, address });
  };
  const code = codeLines(text);
  const starts = lineStarts(text);
  let line = 0;
  for (const { at, written, url } of addressesIn(text)) {
    while (line + 1 < starts.length && (starts[line + 1] as number) <= at) line++;
    while (line > 0 && (starts[line] as number) > at) line--;
    if (!code.has(line)) add(at, written, url);
  }
  let done = 0;
  let result = '';
  for (const { from, to, address } of edits.sort((a, b) => a.from - b.from)) {
    if (from < done) continue;
    result += text.slice(done, from) + address;
    done = to;
  }
  return result + text.slice(done);
}

/** What becomes of an image that is not fetched: a link to it, or nothing. */
export type ImageChoice = 'link' | 'drop';

/** The text with links in place of images, or without them, by the addresses that `imagesOf` names. */
export function withoutImages(text: string, choices: ReadonlyMap<string, ImageChoice>): string {
  if (choices.size === 0) return text;
  const code = codeLines(text);
  let result = '';
  let done = 0;
  for (const { from, to, url, alt, asLink } of imageSpans(text)) {
    const choice = choices.get(url);
    if (choice === undefined || from < done || code.has(lineAt(text, from))) continue;
    // A link inside of a link would end it.
    const isLinked = text[from - 1] === '[' && text[to] === ']';
    result += text.slice(done, from) + (choice === 'drop' ? '' : isLinked ? alt || url : asLink);
    done = to;
  }
  return result + text.slice(done);
}

interface ImageSpan {
  readonly from: number;
  readonly to: number;
  readonly url: string;
  readonly alt: string;
  readonly asLink: string;
}

const inlineEnd =
  /[ \t]*\n?[ \t]*(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\))?[ \t]*\)/y;

/** Images as they are written, from the exclamation mark or the tag to the end. */
function imageSpans(text: string): readonly ImageSpan[] {
  const found: ImageSpan[] = [];
  for (const { at, written, url } of addressesIn(text)) {
    const close = text.lastIndexOf('](', at);
    const open = close < 0 ? -1 : imageLabelStart(text, close);
    inlineEnd.lastIndex = at + written.length;
    const [end] = inlineEnd.exec(text) ?? [];
    if (open < 0 || end === undefined) continue;
    const to = at + written.length + end.length;
    const alt = text.slice(open + 2, close);
    found.push({
      from: open,
      to,
      url,
      alt,
      asLink: alt === '' ? `<${url}>` : text.slice(open + 1, to),
    });
  }
  const env: Parameters<typeof markdown.parse>[1] = {};
  markdown.parse(withoutFrontMatter(text), env);
  for (const match of text.matchAll(/!\[((?:\\[^]|[^[\]\\])*)\](?:\[((?:\\[^]|[^[\]\\])*)\])?(?!\()/g)) {
    const [all, alt = '', label = ''] = match;
    const url = env.references?.[markdown.utils.normalizeReference(label === '' ? alt : label)]?.href;
    if (url === undefined || isEscaped(text, match.index)) continue;
    found.push({ from: match.index, to: match.index + all.length, url, alt, asLink: all.slice(1) });
  }
  for (const match of text.matchAll(/<img\b([^<>]*)>/gi)) {
    const [all, tag = ''] = match;
    const [url, alt] = [attributeOf(tag, 'src'), attributeOf(tag, 'alt')];
    const { escapeHtml } = markdown.utils;
    const asLink = `<a href="${escapeHtml(url)}">${escapeHtml(alt || url)}</a>`;
    found.push({ from: match.index, to: match.index + all.length, url, alt, asLink });
  }
  return found.sort((a, b) => a.from - b.from);
}

function lineAt(text: string, at: number): number {
  let line = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return line;
}

interface Written {
  readonly at: number;
  readonly written: string;
  readonly url: string;
}

/** Addresses of images as they are written: inline, as a definition, or in HTML. */
function addressesIn(text: string): Written[] {
  const found: Written[] = [];
  const add = (at: number, written: string): void => {
    const plain = written.startsWith('<') && written.endsWith('>') ? written.slice(1, -1) : written;
    found.push({ at, written, url: markdown.normalizeLink(markdown.utils.unescapeAll(plain)) });
  };
  const destination = /\]\([ \t]*\n?[ \t]*(<[^<>\n]*>|[^\s<>()]*(?:\([^\s()]*\)[^\s()]*)*)/y;
  for (let at = text.indexOf(']('); at >= 0; at = text.indexOf('](', at + 1)) {
    destination.lastIndex = at;
    const [all = '', written = ''] = destination.exec(text) ?? [];
    if (written !== '' && imageLabelStart(text, at) >= 0) add(at + all.length - written.length, written);
  }
  for (const match of text.matchAll(/^[ \t>*+\d.-]*\[[^\]\n]{1,999}\]:[ \t]*\n?[ \t]*(<[^<>\n]*>|\S+)/gm)) {
    const written = match[1] ?? '';
    add(match.index + match[0].length - written.length, written);
  }
  for (const match of text.matchAll(/\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)) {
    const written = match[1] ?? match[2] ?? match[3] ?? '';
    const behind = match[3] === undefined ? 1 : 0;
    if (written !== '')
      found.push({
        at: match.index + match[0].length - written.length - behind,
        written,
        url: unescapeHtml(written),
      });
  }
  return found;
}

const labelCharsMax = 2000;

/** Where the image begins whose label closes at `close`: its exclamation mark; -1 for the label of a link. */
function imageLabelStart(text: string, close: number): number {
  let open = 0;
  for (let at = close; at >= Math.max(0, close - labelCharsMax); at--) {
    if (text[at] !== '[' && text[at] !== ']') continue;
    if (isEscaped(text, at)) continue;
    if (text[at] === ']') open++;
    else if (--open === 0) return text[at - 1] === '!' && !isEscaped(text, at - 1) ? at - 1 : -1;
  }
  return -1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

/** Lines of code blocks and of front matter, from 0. */
function codeLines(text: string): ReadonlySet<number> {
  const front = frontMatterLines(text.replace(/\r\n?/g, '\n'));
  const lines = new Set(Array.from({ length: front }, (_, n) => n));
  for (const { type, map } of markdown.parse(withoutFrontMatter(text), {}))
    if (map !== null && (type === 'fence' || type === 'code_block'))
      for (let n = map[0]; n < map[1]; n++) lines.add(n);
  return lines;
}

/** Blank lines in place of front matter keep the line numbers of what follows. */
function withoutFrontMatter(text: string): string {
  const front = frontMatterLines(text.replace(/\r\n?/g, '\n'));
  return front === 0 ? text : '\n'.repeat(front) + text.split('\n').slice(front).join('\n');
}

function attributeOf(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return unescapeHtml(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

function unescapeHtml(text: string): string {
  return markdown.utils.unescapeAll(text.replaceAll('\\', '\\\\'));
}
