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
        for (const [, tag = ''] of each.content.matchAll(/<img\b([^>]*)>/gi))
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
    if (written !== '' && isImageLabel(text, at)) add(at + all.length - written.length, written);
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

/** Whether the bracket that closes at `close` opened behind an exclamation mark. */
function isImageLabel(text: string, close: number): boolean {
  let open = 0;
  for (let at = close; at >= Math.max(0, close - labelCharsMax); at--) {
    if (text[at] !== '[' && text[at] !== ']') continue;
    if (isEscaped(text, at)) continue;
    if (text[at] === ']') open++;
    else if (--open === 0) return text[at - 1] === '!' && !isEscaped(text, at - 1);
  }
  return false;
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
