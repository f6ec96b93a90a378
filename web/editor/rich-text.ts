/** Pasted rich text as Markdown: what articles can show of it. Anything else is pasted as the browser has it. */

const structure = 'h1,h2,h3,h4,h5,h6,li,a[href],strong,b,em,i,blockquote,pre,code,table,img[src]';
const hasText = /\S/;

/** Undefined where there is nothing that plain text would not say as well. */
export function markdownOf(html: string): string | undefined {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const each of body.querySelectorAll('script, style, title, meta')) each.remove();
  // Google Docs wraps what it copies in a <b> that is not bold.
  for (const wrap of body.querySelectorAll('b[id^="docs-internal-guid"]'))
    wrap.replaceWith(...wrap.childNodes);
  if (body.querySelector(structure) === null) return undefined;
  const text = blocksOf(body).join('\n\n');
  return hasText.test(text) ? text : undefined;
}

const blockTags = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DIV DL DD DT FIGURE FIGCAPTION FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE UL'.split(
    ' ',
  ),
);

/** Blocks of Markdown; runs of inline text between block elements are paragraphs. */
function blocksOf(parent: Element): string[] {
  const blocks: string[] = [];
  let run = '';
  const flush = (): void => {
    if (hasText.test(run)) blocks.push(run.trim());
    run = '';
  };
  for (const node of parent.childNodes) {
    if (
      node instanceof Element &&
      (blockTags.has(node.tagName) || node.querySelector('p, div, ul, ol, table') !== null)
    ) {
      flush();
      blocks.push(...blockOf(node));
    } else run += inline(node);
  }
  flush();
  return blocks;
}

function blockOf(element: Element): string[] {
  const tag = element.tagName;
  const heading = /^H([1-6])$/.exec(tag)?.[1];
  if (heading !== undefined) {
    const text = inlineOf(element).replace(/\s+/g, ' ').trim();
    return text === '' ? [] : [`${'#'.repeat(Number(heading))} ${text}`];
  }
  if (tag === 'HR') return ['---'];
  if (tag === 'PRE') return [fenced(element.textContent)];
  if (tag === 'BLOCKQUOTE') return [prefixed(blocksOf(element).join('\n\n'), '> ', '> ')];
  if (tag === 'UL' || tag === 'OL') return [listOf(element)];
  if (tag === 'TABLE') return [tableOf(element)];
  return blocksOf(element);
}

function listOf(list: Element): string {
  let n = Number(list.getAttribute('start') ?? '1');
  return [...list.children]
    .flatMap((item) => {
      // Some editors put a list beside the item that it belongs to.
      if (item.tagName === 'UL' || item.tagName === 'OL') return [prefixed(listOf(item), '  ', '  ')];
      const mark = list.tagName === 'OL' ? `${n++}. ` : '- ';
      const blocks = blocksOf(item);
      const isTight = blocks.slice(1).every((block) => /^(?:- |\d+\. )/.test(block));
      return [prefixed(blocks.join(isTight ? '\n' : '\n\n'), mark, ' '.repeat(mark.length))];
    })
    .join('\n');
}

function tableOf(table: Element): string {
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll('th, td')].map((cell) =>
      inlineOf(cell).replace(/\s+/g, ' ').trim().replaceAll('|', '\\|'),
    ),
  );
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]): string => `| ${head.map((_, i) => cells[i] ?? '').join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...others.map(line)].join('\n');
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, i) => `${i === 0 ? first : line === '' ? others.trimEnd() : others}${line}`)
    .join('\n');
}

function inlineOf(element: Element): string {
  return [...element.childNodes].map(inline).join('');
}

function inline(node: Node): string {
  if (node instanceof Text) return escaped(node.data.replace(/\s+/g, ' '));
  if (!(node instanceof HTMLElement)) return '';
  const within = inlineOf(node);
  switch (node.tagName) {
    case 'BR':
      return '\\\n';
    case 'STRONG':
    case 'B':
      return node.style.fontWeight === 'normal' ? within : marked(within, '**');
    case 'EM':
    case 'I':
      return marked(within, '*');
    case 'S':
    case 'DEL':
      return marked(within, '~~');
    case 'CODE':
      return codeSpan(node.textContent);
    case 'IMG': {
      const { src, alt } = node as HTMLImageElement;
      return /^https?:/.test(src) ? `![${escaped(alt)}](${target(src)})` : '';
    }
    case 'A': {
      const { href } = node as HTMLAnchorElement;
      return /^(?:https?|mailto):/.test(href) && hasText.test(within)
        ? `[${within.trim()}](${target(href)})`
        : within;
    }
    default:
      return within;
  }
}

/** Brackets would end an address that stands by itself. */
function target(url: string): string {
  return /[()\s]/.test(url) ? `<${url}>` : url;
}

/** Marks touch the words: spaces stay outside of them. */
function marked(text: string, mark: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  return words === '' ? text : `${before}${mark}${words}${mark}${after}`;
}

function codeSpan(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return text === ''
    ? ''
    : `${fence}${text.startsWith('`') || text.endsWith('`') ? ` ${text} ` : text}${fence}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>$]/g, '\\$&').replace(/^(\s*)(#{1,6}|[-+]|\d+[.)])(?=\s)/, '$1\\$2');
}
