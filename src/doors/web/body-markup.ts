/**
 * The body of an article as markup, DIV by DIV: its rendered DIVs, each in an element of its own with a
 * quiet permalink, tables in boxes that scroll, and headings below the page's own title. The HTML inside comes
 * sanitised from `represent/article-html.ts`; only its tag names and images are touched here. An image of another
 * host becomes a link (contract §8): loading it would tell that host the reader's address.
 */
import type { ArticleHtml, TocEntry } from '../../represent/article-html.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';

export interface ShownDiv {
  readonly div_id: string;
  readonly kind: string;
}

export interface Title {
  /** Index of the DIV that holds the article's title as its only heading, or -1. */
  readonly at: number;
  /** How many levels the headings of the others go down. */
  readonly headingShift: 0 | 1;
}

/** Finds out whether the body brings the page's `h1`, and makes room below it for the other headings. */
export function titleIn(title: string, divs: readonly ShownDiv[], toc: readonly TocEntry[]): Title {
  const opening = divs[0]?.kind === 'front_matter' ? 1 : 0;
  const div = divs[opening];
  const [first] = toc;
  const own =
    div?.kind === 'heading' &&
    first?.div_id === div.div_id &&
    first.level === 1 &&
    normalizeSpace(first.title) === normalizeSpace(title);
  const others = own ? toc.slice(1) : toc;
  return { at: own ? opening : -1, headingShift: others.some(({ level }) => level === 1) ? 1 : 0 };
}

function normalizeSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** `h1` to `h5` one level down; a `h6` has nowhere to go. */
export function shiftHeadings(html: string): string {
  return html.replace(
    /<(\/?)h([1-5])(?=[\s>])/g,
    (_, slash: string, level: string) => `<${slash}h${Number(level) + 1}`,
  );
}

function wrapTables(html: string): string {
  return html
    .replace(/<table(?=[\s>])/g, '<div class="scroll"><table')
    .replaceAll('</table>', '</table></div>');
}

/** Images whose authors gave no alternative text: a link that holds nothing else would have no name. */
function withImageAlt(html: string): string {
  return html.replace(/<img\b(?![^>]*\salt=)/g, '<img alt="Image without a description"');
}

/** Whether a page may load an image: blobs of this deployment only. Any other address of its own may do something. */
export function isOwnImage(base: string, src: string): boolean {
  const blobs = `${base}/blobs/`;
  return src.startsWith(blobs) && /^[0-9a-f]{64}$/.test(src.slice(blobs.length));
}

/** What a link in place of an image says: the image's description, and the host that the link leads to. */
export function imageLinkText(alt: string, src: string): string {
  return `${alt === '' ? 'Image' : alt} (${URL.parse(src)?.host ?? 'another host'})`;
}

/** The sanitiser quotes every attribute and escapes quotes and angle brackets within it. */
function linkForeignImages(html: string, base: string): string {
  let isInLink = false;
  return html.replace(/<a[ >]|<\/a>|<img [^>]*>/g, (tag) => {
    if (!tag.startsWith('<img')) {
      isInLink = tag !== '</a>';
      return tag;
    }
    const src = attributeOf(tag, 'src');
    if (src === undefined || !/^https?:/i.test(src) || isOwnImage(base, src)) return tag;
    const text = escapeHtml(imageLinkText(attributeOf(tag, 'alt') ?? '', src));
    // Links cannot stand in links.
    return isInLink ? text : `<a href="${escapeHtml(src)}" rel="nofollow ugc noopener">${text}</a>`;
  });
}

function attributeOf(tag: string, name: 'alt' | 'src'): string | undefined {
  const start = tag.indexOf(` ${name}="`);
  if (start < 0) return undefined;
  const from = start + name.length + 3;
  return unescapeHtml(tag.slice(from, tag.indexOf('"', from)));
}

export interface BodyOptions {
  /** The base address of this deployment, whose blobs alone are shown as images. */
  readonly base: string;
  readonly headingShift: 0 | 1;
  /** Index of a DIV that is shown elsewhere. */
  readonly omitIndex: number;
  permalink(divId: string): string;
  /** Ids of the claims that stand beside a DIV. */
  readonly claimsAt: ReadonlyMap<string, readonly string[]>;
}

export function bodyMarkup(rendered: ArticleHtml, options: BodyOptions): Promise<readonly string[]> {
  return new TimeSlices().map(rendered.divs, ({ div_id: divId, html }, i) =>
    i === options.omitIndex ? '' : divMarkup(divId, html, options),
  );
}

export function divMarkup(
  divId: string,
  html: string,
  { base, headingShift, permalink, claimsAt }: Omit<BodyOptions, 'omitIndex'>,
): string {
  // What shows nothing (link definitions) is still a place that a fragment leads to.
  if (html === '') return `<div class="div" id="${divId}"></div>`;
  const mark = `<a class="mark" dir="ltr" href="${escapeHtml(permalink(divId))}" tabindex="-1" title="Permalink to DIV ${divId}">${divId}</a>`;
  const claims = claimsAt.get(divId) ?? [];
  const refs =
    claims.length === 0
      ? ''
      : `<p class="refs" dir="ltr">${claims.map((id) => `<a href="#${id}">${id}</a>`).join(' ')}</p>`;
  return `<div class="div" id="${divId}" dir="auto">${mark}${finishHtml(headingShift === 0 ? html : shiftHeadings(html), base)}${refs}</div>`;
}

function finishHtml(html: string, base: string): string {
  return withImageAlt(linkForeignImages(wrapTables(html), base));
}

/** A text that is not rendered, as it was written. */
export function plainMarkup(
  pieces: readonly { readonly div_id: string; readonly text: string }[],
  options: BodyOptions,
): Promise<readonly string[]> {
  return new TimeSlices().map(pieces, ({ div_id: divId, text }) =>
    divMarkup(divId, `<pre class="unrendered">${escapeHtml(text)}</pre>`, options),
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

const characters: ReadonlyMap<string, string> = new Map(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
);

/** The text of an attribute whose special characters were escaped as above. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters.get(entity) as string);
}
