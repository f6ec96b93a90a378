/**
 * Reads rendered HTML by a grammar so strict that no two parsers could disagree about it: only lower-case
 * known elements, every attribute with a double-quoted value without angle brackets, no bare `<`, every
 * element closed in order. Whatever doesn't fit throws. URLs are judged by the WHATWG parser, as a browser
 * would.
 */
export interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (Element | string)[];
}

const voids = new Set(['br', 'hr', 'img', 'wbr']);
const aligned = new Set(['div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'td', 'th']);
// prettier-ignore
const allowed: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'rel'], abbr: [], b: [], bdi: [], bdo: [], blockquote: [], br: [], caption: [], cite: [], code: ['class'], dd: [], del: [], details: ['open'],
  dfn: [], div: ['class'], dl: [], dt: [], em: [], figcaption: [], figure: [], h1: ['class'], h2: ['class'], h3: ['class'], h4: ['class'], h5: ['class'],
  h6: ['class'], hr: [], i: [], img: ['src', 'alt', 'width', 'height', 'loading', 'decoding', 'referrerpolicy'], ins: [], kbd: [], li: ['value', 'class'], mark: [],
  ol: ['start', 'reversed', 'type'], p: ['class'], pre: [], q: [], rp: [], rt: [], ruby: [], s: [], samp: [], small: [], span: ['class'], strong: [], sub: [],
  summary: [], sup: [], table: [], tbody: [], td: ['class', 'colspan', 'rowspan'], tfoot: [], th: ['class', 'colspan', 'rowspan', 'scope'], thead: [],
  tr: [], u: [], ul: [], var: [], wbr: [],
};
// prettier-ignore
const mathematical = new Set([
  'math', 'menclose', 'mfrac', 'mi', 'mn', 'mo', 'mover', 'mpadded', 'mphantom', 'mroot', 'mrow', 'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup', 'mtable',
  'mtd', 'mtext', 'mtr', 'munder', 'munderover',
]);
/** Values without addresses, quotes or declarations. */
const mathematicalValue = /^[a-z0-9.%+ -]{1,80}$/;
const everywhere = new Set(['dir', 'lang', 'title']);
const tagPattern = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)( \/)?>/y;

export function readHtml(html: string): readonly (Element | string)[] {
  const root: (Element | string)[] = [];
  const stack: { tag: string; children: (Element | string)[] }[] = [{ tag: '', children: root }];
  let at = 0;
  while (at < html.length) {
    const top = stack.at(-1) as { tag: string; children: (Element | string)[] };
    if (html[at] !== '<') {
      const end = html.indexOf('<', at);
      const text = html.slice(at, end === -1 ? undefined : end);
      top.children.push(unescape(text));
      at += text.length;
      continue;
    }
    tagPattern.lastIndex = at;
    const match = tagPattern.exec(html);
    if (match === null) throw new Error(`no tag of ours: ${html.slice(at, at + 60)}`);
    const [whole, slash, tag = '', attributes = '', empty] = match;
    at += whole.length;
    if (slash === '/') {
      if (top.tag !== tag || attributes !== '' || empty !== undefined)
        throw new Error(`${whole} closes <${top.tag}>`);
      stack.pop();
      continue;
    }
    const element = { tag, attributes: readAttributes(tag, attributes), children: [] };
    top.children.push(element);
    if ((empty !== undefined) !== voids.has(tag)) throw new Error(`${whole} is closed wrongly`);
    if (empty === undefined) stack.push(element);
  }
  if (stack.length > 1) throw new Error(`<${stack.at(-1)?.tag}> is not closed`);
  return root;
}

function readAttributes(tag: string, source: string): Map<string, string> {
  if (mathematical.has(tag)) return readMathematical(tag, source);
  const known = allowed[tag];
  if (known === undefined) throw new Error(`<${tag}> is not allowed`);
  const out = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
    const isOurId = name === 'id' && (tag === 'sup' || /^h[1-6]$/.test(tag));
    if (!isOurId && !known.includes(name) && !everywhere.has(name))
      throw new Error(`<${tag} ${name}> is not allowed`);
    if (out.has(name)) throw new Error(`<${tag}> has ${name} twice`);
    out.set(name, unescape(value));
  }
  checkAttributes(tag, out);
  return out;
}

function readMathematical(tag: string, source: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
    if (
      /^(?:on|style|id|href|src|xlink|definition|action|mathcolor|mathbackground)/.test(name) ||
      !mathematicalValue.test(value)
    )
      throw new Error(`<${tag} ${name}="${value}"> is not allowed`);
    out.set(name, value);
  }
  return out;
}

const page = 'https://colophon.example/a/slug';

function checkAttributes(tag: string, attributes: ReadonlyMap<string, string>): void {
  const fail = (): never => {
    throw new Error(`<${tag}> has ${JSON.stringify([...attributes])}`);
  };
  const id = attributes.get('id');
  if (id !== undefined && !/^h-./.test(id)) fail();
  const href = attributes.get('href');
  if (href !== undefined) {
    const url = new URL(href, page);
    if (!['https:', 'http:', 'mailto:'].includes(url.protocol)) fail();
    // What doesn't spell out its scheme stays on this site.
    if (!/^(?:https?:\/\/|mailto:)/i.test(href) && url.host !== 'colophon.example') fail();
    if (attributes.get('rel') !== 'nofollow ugc noopener') fail();
  }
  if (tag === 'img') {
    const src = attributes.get('src');
    if (src !== undefined && !/^https?:\/\/[^/]/i.test(src)) fail();
    if (attributes.get('loading') !== 'lazy' || attributes.get('referrerpolicy') !== 'no-referrer') fail();
  }
  const styled = attributes.get('class');
  if (tag === 'code' && !/^(?:language-[\w+#.-]+|tex)$/.test(styled ?? 'tex')) fail();
  if (tag === 'li' && styled !== undefined && styled !== 'task') fail();
  if (tag === 'span' && !/^(?:equation|(?:hljs|language)-[\w -]+)$/.test(styled ?? 'equation')) fail();
  if (aligned.has(tag) && !/^align-(?:left|center|right|justify)$/.test(styled ?? 'align-left')) fail();
}

function unescape(text: string): string {
  return text.replace(/&(\w+|#\d+);|&/g, (entity, name: string | undefined) => {
    const plain = { amp: '&', lt: '<', gt: '>', quot: '"' }[name ?? ''];
    if (plain === undefined) throw new Error(`${entity} is no entity of ours in ${text.slice(0, 60)}`);
    return plain;
  });
}

/** All elements of a fragment, in document order. */
export function elementsOf(nodes: readonly (Element | string)[]): Element[] {
  return nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...elementsOf(node.children)]));
}

export function textOf(nodes: readonly (Element | string)[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}
