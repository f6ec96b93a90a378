/**
 * The sanitiser behind every rendered DIV: a strict list of elements and attributes, everything else goes
 * (contract §8: text from articles is data, "never a link or script the page trusts"). The attacker controls
 * the whole input. Ids are ours alone: they come in by number, under an attribute name that the article
 * cannot contain.
 */
import sanitizeHtml from 'sanitize-html';
import { decodedUri } from '../kernel/text.ts';

export type Attributes = Record<string, string>;

export interface Cleaner {
  /** The attribute that carries an index into `ids`; made so that it doesn't occur in the article. */
  readonly idMark: string;
  /** What may stay of an element's attributes, and what it gets besides. */
  attributes(tag: string, given: Attributes): Attributes;
  /**
   * Sanitises one fragment: whatever is open at its end is closed. `undefined` if it opens too much at once.
   */
  html(dirty: string): string | undefined;
  /** An element that passes the sanitiser; `html` puts this trusted HTML in its place. */
  slot(trusted: string): string;
}

// prettier-ignore
const blockTags = [
  'blockquote', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr',
  'li', 'ol', 'p', 'pre', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul',
];
// prettier-ignore
const inlineTags = [
  'a', 'abbr', 'b', 'bdi', 'bdo', 'br', 'cite', 'code', 'del', 'dfn', 'em', 'i', 'img', 'ins', 'kbd', 'mark', 'q', 'rp', 'rt',
  'ruby', 's', 'samp', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'var', 'wbr',
];
const homes: Record<string, readonly string[]> = { li: ['ul', 'ol'], dd: ['dl'], dt: ['dl'] };

/** `anchors` maps the heading names that authors link to onto the ids that the headings got. */
export function cleaner(
  article: string,
  ids: readonly string[],
  anchors: ReadonlyMap<string, string>,
): Cleaner {
  // Attribute names reach the sanitiser in lower case and undecoded, so a marker that the text lacks cannot be forged.
  const taken = new Set(Array.from(article.toLowerCase().matchAll(/data-id(\d+)/g), ([, n]) => Number(n)));
  let free = 0;
  while (taken.has(free)) free++;
  const idMark = `data-id${free}`;
  const slots: string[] = [];
  const slot = (trusted: string): string => `<span ${idMark}="slot${slots.push(trusted) - 1}"></span>`;
  const filled = new RegExp(`<span ${idMark}="slot(\\d+)"></span>`, 'g');
  const attributes = (tag: string, given: Attributes): Attributes => {
    if (tag === 'span' && given[idMark]?.startsWith('slot') === true) return { [idMark]: given[idMark] };
    const kept = attributesOf(tag, given, anchors);
    const id = ids[Number(given[idMark] ?? Number.NaN)];
    return id === undefined ? kept : { ...kept, id };
  };
  const html = (dirty: string): string | undefined => {
    try {
      const cleaned = sanitize(dirty, attributes, idMark);
      return slots.length === 0 ? cleaned : cleaned.replace(filled, (_, n: string) => slots[Number(n)] ?? '');
    } catch (error) {
      if (error instanceof TooDeep) return undefined;
      throw error;
    }
  };
  return { idMark, attributes, html, slot };
}

class TooDeep extends Error {}

// The parser's work grows with the square of open elements: half a megabyte of <b> would take seconds.
const openTagsMax = 2000;

function sanitize(dirty: string, attributes: Cleaner['attributes'], idMark: string): string {
  const open: string[] = [];
  return sanitizeHtml(dirty, {
    allowedTags: [...blockTags, ...inlineTags],
    allowedAttributes: {
      '*': ['id', 'dir', 'lang', 'title', 'class'],
      a: ['href', 'rel'],
      details: ['open'],
      img: ['src', 'alt', 'width', 'height', 'loading', 'decoding', 'referrerpolicy'],
      li: ['value'],
      ol: ['start', 'reversed', 'type'],
      span: [idMark],
      td: ['colspan', 'rowspan'],
      th: ['colspan', 'rowspan', 'scope'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowProtocolRelative: false,
    nestingLimit: 200,
    nonTextTags: [
      'script',
      'style',
      'textarea',
      'option',
      'xmp',
      'noscript',
      'iframe',
      'noembed',
      'noframes',
    ],
    onOpenTag: (name) => {
      if (open.push(name) > openTagsMax) throw new TooDeep();
    },
    onCloseTag: () => void open.pop(),
    transformTags: {
      '*': (name, given) => {
        // Without its list an item would close a list item of the page around it.
        const home = homes[name];
        const tagName = home === undefined || open.some((tag) => home.includes(tag)) ? name : 'div';
        return { tagName, attribs: attributes(tagName, given) };
      },
    },
  });
}

const checks: Record<string, Readonly<Record<string, RegExp>>> = {
  '*': { dir: /^(?:ltr|rtl|auto)$/, lang: /^[a-z0-9-]{1,35}$/i, title: /^[^]{1,1000}$/ },
  code: { class: /^language-[\w+#.-]{1,40}$/ },
  details: { open: /^/ },
  img: { alt: /^/, width: /^\d{1,4}$/, height: /^\d{1,4}$/ },
  li: { value: /^-?\d{1,9}$/, class: /^task$/ },
  ol: { start: /^-?\d{1,9}$/, reversed: /^/, type: /^[1aAiI]$/ },
  td: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
  th: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/, scope: /^(?:row|col|rowgroup|colgroup)$/ },
};
const aligned = new Set(['td', 'th', 'div', 'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const booleans = new Set(['open', 'reversed']);

function attributesOf(name: string, given: Attributes, anchors: ReadonlyMap<string, string>): Attributes {
  const kept: Attributes = {};
  for (const list of [checks['*'], checks[name]]) {
    for (const [attribute, check] of Object.entries(list ?? {})) {
      const value = given[attribute];
      if (value !== undefined && check.test(value))
        kept[attribute] = booleans.has(attribute) ? attribute : value;
    }
  }
  if (aligned.has(name)) {
    // markdown-it aligns table cells by style, which pages forbid.
    const align = given['align'] ?? /^text-align:(\w+)$/.exec(given['style'] ?? '')?.[1] ?? '';
    if (/^(?:left|center|right|justify)$/i.test(align)) kept['class'] = `align-${align.toLowerCase()}`;
  }
  if (name === 'a') {
    const href = linkTarget(given['href'] ?? '', anchors);
    if (href !== undefined) Object.assign(kept, { href, rel: 'nofollow ugc noopener' });
  }
  if (name === 'img') {
    const src = plainUrl(given['src'] ?? '');
    if (/^https?:\/\/[^/\\]/i.test(src) || /^\/blobs\/[0-9a-f]{64}$/.test(src)) kept['src'] = src;
    Object.assign(kept, { loading: 'lazy', decoding: 'async', referrerpolicy: 'no-referrer' });
  }
  return kept;
}

/**
 * A link that leads to http(s), mail, a fragment or a path of this site; fragments go to the headings they
 * name.
 */
function linkTarget(raw: string, anchors: ReadonlyMap<string, string>): string | undefined {
  const url = plainUrl(raw);
  if (url.startsWith('#')) {
    const anchor = anchors.get(decodedUri(url.slice(1)));
    return anchor === undefined ? url : `#${encodeURIComponent(anchor)}`;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(url))
    return /^(?:https?:\/\/[^/\\]|mailto:[^/\\])/i.test(url) ? url : undefined;
  // Two slashes of either kind name another host under the page's own scheme.
  return url === '' || /^[\\/]{2}/.test(url) ? undefined : url;
}

/** A URL as browsers read it: controls and blanks around it, and line breaks within it, don't count. */
function plainUrl(raw: string): string {
  const url = raw.replace(/[\t\n\r]/g, '');
  let from = 0;
  let to = url.length;
  // No regular expression: one for the end takes time squared on a run of blanks.
  while (from < to && url.charCodeAt(from) <= 0x20) from++;
  while (to > from && url.charCodeAt(to - 1) <= 0x20) to--;
  const trimmed = url.slice(from, to);
  // oxlint-disable-next-line no-control-regex
  return /[\0-\x1f\x7f]/.test(trimmed) ? '' : trimmed;
}
