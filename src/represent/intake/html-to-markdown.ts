/**
 * An HTML document as the Markdown of a note (contract §8, importing). The attacker controls the whole input: it is
 * sanitised before a tree is built, nothing of it runs or is fetched, and text that Markdown would read as markup is
 * escaped. Tables, lists, code, footnotes and TeX are taken over; what is not is told.
 */
import { Parser } from 'htmlparser2';
import sanitizeHtml from 'sanitize-html';
import type { fromHtml as readHtml } from 'hast-util-from-html';
import { headingName } from '../article-html.ts';
import type { ImportFile } from './read-zip.ts';
import { decodedUri } from '../../kernel/text.ts';

type Root = ReturnType<typeof readHtml>;
type Content = Root['children'][number];
type Element = Extract<Content, { type: 'element' }>;

export interface ConvertedHtml {
  readonly markdown: string;
  /** Of the head of the document; undefined where it has none. */
  readonly title: string | undefined;
  /** Images that the document holds itself, as files beside it. */
  readonly images: readonly ImportFile[];
  readonly problems: readonly string[];
}

export function isHtmlPath(path: string): boolean {
  return /\.(?:html?|xhtml)$/i.test(path);
}

/** Whether a pasted text is HTML: it begins with a document, or with an element that is closed. */
export function looksLikeHtml(text: string): boolean {
  const begun = text.trimStart().slice(0, 200);
  if (/^(?:<!doctype html|<html[\s>]|<\?xml[^>]*>\s*<!doctype html)/i.test(begun)) return true;
  const [, tag = ''] =
    /^<(article|body|div|h[1-6]|main|meta|ol|p|section|table|ul)(?:\s[^<>]*)?>/i.exec(begun) ?? [];
  return (
    tag.toLowerCase() === 'meta' || (tag !== '' && text.toLowerCase().includes(`</${tag.toLowerCase()}>`))
  );
}

/** The text of a file: UTF-8, or the character set that its head names. Undefined where it is neither. */
export function decodeHtml(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
    const [, name = ''] = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head) ?? [];
    try {
      return name === '' ? undefined : new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }
}

/** Answers with why where the document has too many elements. `path` is the name of the file. */
export async function htmlToMarkdown(path: string, html: string): Promise<ConvertedHtml | string> {
  const [{ fromHtml }, { toMdast }, { toMarkdown }, { gfmToMarkdown }] = await Promise.all([
    import('hast-util-from-html'),
    import('hast-util-to-mdast'),
    import('mdast-util-to-markdown'),
    import('mdast-util-gfm'),
  ]);
  const left = new Map<string, number>();
  const clean = sanitized(html, left);
  if (typeof clean === 'string') return clean;
  const { title, base } = headOf(html);
  const tree = mainPart(fromHtml(clean.html, { fragment: true }));
  const problems: string[] = [];
  const images: ImportFile[] = [];
  takeFootnotes(tree);
  const headings = headingsIn(tree);
  visit(tree, (element) => {
    if (element.tagName === 'a') problems.push(...resolveLink(element, headings, base));
    if (element.tagName === 'img') resolveImage(element, base, path, images, problems);
  });
  const mdast = toMdast(tree, {
    handlers: {
      math: (_state, node: Element) => formula(node, problems),
      [footnote]: (_state, node: Element) => {
        const label = String(node.properties['dataLabel']);
        return { type: 'footnoteReference', identifier: label, label };
      },
      [footnotes]: (state, node: Element) =>
        node.children.flatMap((each) => {
          if (each.type !== 'element') return [];
          const label = String(each.properties['dataLabel']);
          return [
            {
              type: 'footnoteDefinition' as const,
              identifier: label,
              label,
              children: state.toFlow(state.all(each)),
            },
          ];
        }),
    },
  });
  const markdown = toMarkdown(mdast, {
    extensions: [gfmToMarkdown()],
    bullet: '-',
    listItemIndent: 'one',
    resourceLink: true,
    unsafe: [
      // A dollar sign would begin a formula; a backslash before `{` and `[` too.
      { character: '$', inConstruct: 'phrasing' },
    ],
  });
  for (const [tag, count] of left) problems.push(`Left out: ${leftOut[tag] ?? `<${tag}>`} ×${count}.`);
  return { markdown, title, images, problems: [...new Set(problems)].slice(0, problemsMax) };
}

const problemsMax = 20;
const footnote = 'footnote-reference';
const footnotes = 'footnote-definitions';

// Before the tree is built

// prettier-ignore
const tags = [
  'a', 'abbr', 'article', 'aside', 'b', 'blockquote', 'body', 'br', 'caption', 'center', 'cite', 'code', 'col', 'colgroup', 'dd', 'del',
  'details', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hgroup', 'hr', 'i', 'img', 'input',
  'ins', 'kbd', 'li', 'main', 'mark', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span', 'strike', 'strong', 'sub', 'summary',
  'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'math', 'semantics', 'annotation',
];
// prettier-ignore
const withoutText = [
  'script', 'style', 'textarea', 'option', 'select', 'button', 'noscript', 'iframe', 'noembed', 'noframes', 'xmp', 'template', 'svg', 'canvas',
  'video', 'audio', 'object', 'embed', 'applet', 'map', 'nav', 'head', 'title', 'dialog', 'form',
  'mrow', 'mi', 'mo', 'mn', 'ms', 'mtext', 'mstyle', 'mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover',
  'mtable', 'mpadded', 'mphantom', 'menclose', 'mmultiscripts', 'annotation-xml',
];
/** What a reader would miss, in words. */
const leftOut: Readonly<Record<string, string>> = {
  iframe: 'embedded pages (<iframe>)',
  video: 'films (<video>)',
  audio: 'recordings (<audio>)',
  object: 'embedded objects (<object>)',
  embed: 'embedded objects (<embed>)',
  svg: 'drawings (<svg>)',
  canvas: 'drawings (<canvas>)',
  form: 'forms (<form>)',
  script: 'scripts (<script>)',
};

class TooMany extends Error {}
const openTagsMax = 2_000;
const nestingMax = 200;
/** The work for each is small and constant. */
const elementsMax = 50_000;

function sanitized(html: string, left: Map<string, number>): { readonly html: string } | string {
  let open = 0;
  let count = 0;
  try {
    const clean = sanitizeHtml(html, {
      allowedTags: tags,
      allowedAttributes: {
        '*': ['id', 'align'],
        a: ['href', 'name'],
        img: ['src', 'alt', 'title'],
        ol: ['start'],
        li: ['value'],
        td: ['colspan', 'rowspan'],
        th: ['colspan', 'rowspan'],
        code: ['class'],
        input: ['type', 'checked'],
        math: ['alttext', 'display'],
        annotation: ['encoding'],
      },
      allowedSchemes: ['http', 'https', 'mailto'],
      allowedSchemesByTag: { img: ['http', 'https', 'data'] },
      nonTextTags: withoutText,
      nestingLimit: nestingMax,
      onOpenTag: (name) => {
        if (++open > openTagsMax) throw new TooMany(`It has more than ${openTagsMax} open elements.`);
        if (++count > elementsMax) throw new TooMany(`It has more than ${elementsMax} elements.`);
        if (name in leftOut) left.set(name, (left.get(name) ?? 0) + 1);
      },
      onCloseTag: () => void open--,
      transformTags: {
        '*': (tagName, attribs) => {
          const isHidden = attribs['hidden'] !== undefined || attribs['aria-hidden'] === 'true';
          // The text of a template goes with it.
          if (isHidden || attribs['role'] === 'navigation') return { tagName: 'template', attribs: {} };
          const [, align] = /text-align:\s*(left|center|right)/i.exec(attribs['style'] ?? '') ?? [];
          return { tagName, attribs: align === undefined ? attribs : { ...attribs, align } };
        },
      },
    });
    return { html: clean };
  } catch (error) {
    if (error instanceof TooMany) return error.message;
    throw error;
  }
}

interface Head {
  readonly title: string | undefined;
  /** What relative addresses are relative to. */
  readonly base: string | undefined;
}

function headOf(html: string): Head {
  let title: string | undefined;
  let base: string | undefined;
  let canonical: string | undefined;
  let inTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title' && title === undefined) {
        inTitle = true;
        title = '';
      }
      if (name === 'base') base ??= httpAddress(attributes['href']);
      if (name === 'link' && attributes['rel'] === 'canonical') canonical ??= httpAddress(attributes['href']);
    },
    ontext: (text) => void (inTitle && (title = `${title ?? ''}${text}`.slice(0, 1000))),
    onclosetag: (name) => void (name === 'title' && (inTitle = false)),
  });
  // A head that is longer holds scripts and styles.
  parser.write(html.slice(0, 256 * 1024));
  parser.end();
  const line = title?.replace(/\s+/g, ' ').trim();
  return { title: line === '' ? undefined : line, base: base ?? canonical };
}

function httpAddress(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

// In the tree

type Parent = Root | Element;

function visit(node: Parent, see: (element: Element, parent: Parent) => void): void {
  for (const child of node.children.slice())
    if (child.type === 'element') {
      visit(child, see);
      see(child, node);
    }
}

function textIn(node: Content): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textIn).join('') : '';
}

/** The text of a page without what stands around it, where the page marks it. */
function mainPart(root: Root): Root {
  const found: Record<'main' | 'article', Element[]> = { main: [], article: [] };
  visit(root, (element) => {
    if (element.tagName === 'main' || element.tagName === 'article') found[element.tagName].push(element);
  });
  const [part] = found.main.length === 1 ? found.main : found.article.length === 1 ? found.article : [];
  return part === undefined ? root : { type: 'root', children: part.children };
}

/** A link to a place that links back is a footnote, whatever its classes are. */
function takeFootnotes(root: Root): void {
  const byId = new Map<string, Element>();
  const parents = new Map<Element, Parent>();
  const links: Element[] = [];
  visit(root, (element, parent) => {
    parents.set(element, parent);
    const id = element.properties['id'];
    if (typeof id === 'string' && !byId.has(id)) byId.set(id, element);
    if (element.tagName === 'a') links.push(element);
  });
  /** Ids that lead to the reference: its own and those around and inside it. */
  const idsAt = (element: Element): ReadonlySet<unknown> => {
    const outer = parents.get(element);
    return new Set([
      element.properties['id'],
      ...element.children.map((each) => (each.type === 'element' ? each.properties['id'] : undefined)),
      ...(outer?.type === 'element' && outer.tagName !== 'p' ? [outer.properties['id']] : []),
    ]);
  };
  const labels = new Map<Element, string>();
  const taken: Element[] = [];
  for (const link of links) {
    const target = byId.get(fragmentOf(link) ?? '');
    if (target === undefined || !noteTags.has(target.tagName) || isInside(link, target, parents)) continue;
    const back = linksIn(target).map(fragmentOf);
    const isReference = back.some((id) => id !== undefined && idsAt(link).has(id));
    if (!isReference && !(labels.has(target) && parentTag(link, parents) === 'sup')) continue;
    if (!labels.has(target)) labels.set(target, String(labels.size + 1));
    const outer = parents.get(link);
    const isAlone = outer?.type === 'element' && outer.tagName === 'sup' && textIn(outer) === textIn(link);
    replace(isAlone ? outer : link, parents, {
      type: 'element',
      tagName: footnote,
      properties: { dataLabel: labels.get(target) ?? '' },
      children: [],
    });
    taken.push(link);
  }
  if (labels.size === 0) return;
  const references = new Set(taken.flatMap((link) => [...idsAt(link)]));
  for (const target of labels.keys()) {
    for (const link of linksIn(target))
      if (references.has(fragmentOf(link))) remove(backlinkOf(link, target, parents), parents);
    const list = parents.get(target);
    remove(target, parents);
    if (list?.type === 'element' && textIn(list).trim() === '') remove(list, parents);
  }
  root.children.push({
    type: 'element',
    tagName: footnotes,
    properties: {},
    children: [...labels].map(([target, label]) => ({
      ...target,
      tagName: 'div',
      properties: { dataLabel: label },
    })),
  });
}

const noteTags = new Set(['li', 'p', 'div', 'aside', 'dd', 'td']);

function fragmentOf({ properties }: Element): string | undefined {
  const href = properties['href'];
  return typeof href === 'string' && href.startsWith('#') && href.length > 1
    ? decodedUri(href.slice(1))
    : undefined;
}

function linksIn(element: Element): Element[] {
  const found: Element[] = [];
  visit(element, (each) => void (each.tagName === 'a' && found.push(each)));
  return found;
}

function parentTag(element: Element, parents: ReadonlyMap<Element, Parent>): string {
  const outer = parents.get(element);
  return outer?.type === 'element' ? outer.tagName : '';
}

function isInside(element: Element, outer: Element, parents: ReadonlyMap<Element, Parent>): boolean {
  for (let at = parents.get(element); at?.type === 'element'; at = parents.get(at))
    if (at === outer) return true;
  return false;
}

/** A link back, with what holds nothing else, such as brackets around an arrow. */
function backlinkOf(link: Element, note: Element, parents: ReadonlyMap<Element, Parent>): Element {
  const outer = parents.get(link);
  const isWrapped =
    outer?.type === 'element' && outer !== note && /^(?:[\s[\]^↑↩\d.a-z]|\uFE0E){0,12}$/u.test(textIn(outer));
  return isWrapped ? outer : link;
}

function replace(old: Element, parents: Map<Element, Parent>, by: Element): void {
  const parent = parents.get(old);
  const at = parent?.children.indexOf(old) ?? -1;
  if (parent === undefined || at < 0) return;
  parent.children[at] = by;
  parents.set(by, parent);
}

function remove(old: Element, parents: ReadonlyMap<Element, Parent>): void {
  const parent = parents.get(old);
  const at = parent?.children.indexOf(old) ?? -1;
  if (at >= 0) parent?.children.splice(at, 1);
}

/** Links lead to headings of the text, to http(s) and mail, or to files beside this one; others become text. */
function resolveLink(
  link: Element,
  headings: ReadonlyMap<string, string>,
  base: string | undefined,
): string[] {
  const href = link.properties['href'];
  if (typeof href !== 'string') {
    link.tagName = 'span';
    return [];
  }
  if (/^(?:https?:|mailto:)/i.test(href)) return [];
  const lose = (why: string): string[] => {
    link.tagName = 'span';
    return textIn(link).trim() === '' ? [] : [why];
  };
  const fragment = fragmentOf(link);
  if (fragment !== undefined) {
    const heading = headings.get(fragment);
    if (heading === undefined) return lose('Links to places of the page that are no headings became text.');
    link.properties['href'] = `#${encodeURIComponent(headingName(heading))}`;
    return [];
  }
  const absolute = base === undefined ? null : URL.parse(href, base);
  if (absolute !== null) link.properties['href'] = absolute.href;
  else if (href === '' || /^[/\\]/.test(href) || !/\.(?:html?|xhtml|md|markdown)(?:#.*)?$/i.test(href))
    return lose(
      `Links to other pages of the site became text: their address lacks the host (${href.slice(0, 80)}).`,
    );
  return [];
}

/** The texts of headings by the ids on them and in them. */
function headingsIn(root: Root): ReadonlyMap<string, string> {
  const headings = new Map<string, string>();
  visit(root, (element) => {
    if (!/^h[1-6]$/.test(element.tagName)) return;
    const text = textIn(element).trim();
    for (const each of [element, ...element.children])
      if (each.type === 'element')
        for (const id of [each.properties['id'], each.properties['name']])
          if (typeof id === 'string' && text !== '') headings.set(id, text);
  });
  return headings;
}

const ownImagesMax = 100;

function resolveImage(
  image: Element,
  base: string | undefined,
  path: string,
  images: ImportFile[],
  problems: string[],
): void {
  const { src = '' } = image.properties;
  const [, data] = /^data:image\/[a-z+.-]+;base64,([A-Za-z0-9+/=\s]+)$/i.exec(src) ?? [];
  if (data !== undefined && images.length < ownImagesMax) {
    const name = `${(path.split('/').at(-1) ?? path).replace(/\.\w+$/, '')} image ${images.length + 1}`;
    const folder = path.split('/').slice(0, -1);
    images.push({ path: [...folder, name].join('/'), bytes: Uint8Array.from(Buffer.from(data, 'base64')) });
    image.properties['src'] = encodeURIComponent(name);
    return;
  }
  const absolute = base === undefined || /^https?:/i.test(src) ? null : URL.parse(src, base);
  if (absolute !== null && /^https?:$/.test(absolute.protocol)) image.properties['src'] = absolute.href;
  else if (src === '' || src.startsWith('data:') || src.startsWith('/')) {
    problems.push('An image without an address that can be read was left out.');
    image.tagName = 'span';
    image.children = [];
  }
}

/** The TeX that a formula carries along, as the renderer reads it. */
function formula(math: Element, problems: string[]): { type: 'html'; value: string } | undefined {
  let tex = '';
  visit(math, (element) => {
    if (element.tagName === 'annotation' && String(element.properties['encoding']).includes('tex'))
      tex = textIn(element);
  });
  const alt = math.properties['alttext'];
  const value = (tex === '' && typeof alt === 'string' ? alt : tex).replace(/\s+/g, ' ').trim();
  if (value === '' || value.includes('$')) {
    problems.push('A formula that carries no TeX was left out.');
    return undefined;
  }
  const fence = math.properties['display'] === 'block' ? '$$' : '$';
  return { type: 'html', value: `${fence}${value}${fence}` };
}
