/**
 * The body of an article as HTML, DIV by DIV: each in an element of its own with a permalink, tables in scrolling
 * boxes, and headings below the title of the page. The HTML comes sanitised from `represent/article-html.ts`; only
 * tag names and images are changed here. Images on other hosts become links (contract §8): loading them would
 * reveal the reader's address to that host.
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
  /** How many levels other headings are shifted down. */
  readonly headingShift: 0 | 1;
}

/** Finds out whether the body has the `h1` of the page, and how far to shift the other headings. */
export function titleIn(title: string, divs: readonly ShownDiv[], toc: readonly TocEntry[]): Title {
  const opening = divs[0]?.kind === 'front_matter' ? 1 : 0;
  const div = divs[opening];
  const [first] = toc;
  const own =
    div?.kind === 'heading' &&
    first?.div_id === div.div_id &&
    first.level === 1 &&
    normalized(first.title) === normalized(title);
  const others = own ? toc.slice(1) : toc;
  return { at: own ? opening : -1, headingShift: others.some(({ level }) => level === 1) ? 1 : 0 };
}

/** Without the backslashes that Markdown reads as escapes outside of formulas. */
function normalized(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Shifts `h1` to `h5` one level down; `h6` stays. */
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

/** Gives images without alternative text a default: a link with nothing else in it would have no name. */
function withImageAlt(html: string): string {
  return html.replace(/<img\b(?![^>]*\salt=)/g, '<img alt="Image without a description"');
}

/** An image of ours as articles name it, `/blobs/<sha256>`, whatever path the deployment is below. */
const ownPath = /^\/blobs\/[0-9a-f]{64}$/;

/** Whether a page may load an image: blobs of this deployment only; any other URL may have effects. */
export function isOwnImage(base: string, src: string): boolean {
  const blobs = `${base}/blobs/`;
  return src.startsWith(blobs) && /^[0-9a-f]{64}$/.test(src.slice(blobs.length));
}

/** What a link in place of an image says: the image's description, and the host that the link leads to. */
export function imageLinkText(alt: string, src: string): string {
  return `${alt === '' ? 'Image' : alt} (${URL.parse(src)?.host ?? 'another host'})`;
}

/** Relies on the sanitiser, which quotes every attribute and escapes quotes and angle brackets in it. */
function linkForeignImages(html: string, base: string): string {
  let isInLink = false;
  return html.replace(/<a[ >]|<\/a>|<img [^>]*>/g, (tag) => {
    if (!tag.startsWith('<img')) {
      isInLink = tag !== '</a>';
      return tag;
    }
    const src = attributeOf(tag, 'src');
    if (src !== undefined && ownPath.test(src))
      return tag.replace(` src="${src}"`, ` src="${escapeHtml(base)}${src}"`);
    if (src === undefined || !/^https?:/i.test(src) || isOwnImage(base, src)) return tag;
    const text = escapeHtml(imageLinkText(attributeOf(tag, 'alt') ?? '', src));
    // Links cannot be nested.
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
  /** The base URL of this deployment; only its blobs are shown as images. */
  readonly base: string;
  readonly headingShift: 0 | 1;
  /** Index of the DIV that is shown elsewhere. */
  readonly omitIndex: number;
  /** Links of a DIV: its own page and the forms about it. None where it stands as the title. */
  actions(divId: string): readonly BlockAction[];
  /** The HTML of the claims that stand after a DIV. */
  readonly notesAfter: ReadonlyMap<string, string>;
}

export interface BlockAction {
  readonly name: string;
  readonly href: string;
}

/** A `<details>` over several DIVs holds their elements: its end and that of its DIV stand before the DIV that closes it. */
export function bodyMarkup(rendered: ArticleHtml, options: BodyOptions): Promise<readonly string[]> {
  return new TimeSlices().map(rendered.divs, ({ div_id: divId, html, opens, closes = 0 }, i) => {
    if (i === options.omitIndex) return '';
    const markup = divMarkup(divId, html, options);
    const open = opens === true && markup.endsWith(detailsEnd);
    return (
      detailsEnd.repeat(closes) +
      (open ? markup.slice(0, -detailsEnd.length) : markup) +
      (options.notesAfter.get(divId) ?? '')
    );
  });
}

const detailsEnd = '</details></div>';

export function divMarkup(
  divId: string,
  html: string,
  { base, headingShift, actions }: Pick<BodyOptions, 'base' | 'headingShift' | 'actions'>,
): string {
  // DIVs without visible content (link definitions) are still targets of fragments.
  if (html === '') return `<div class="div" id="${divId}"></div>`;
  const body = finishHtml(headingShift === 0 ? html : shiftHeadings(html), base);
  return `<div class="div" id="${divId}" dir="auto">${actionsMarkup(divId, actions(divId))}${body}</div>`;
}

/** Folded, so that a block is one stop of the keyboard; shown where the block is pointed at. */
function actionsMarkup(divId: string, actions: readonly BlockAction[]): string {
  if (actions.length === 0) return '';
  const linked = actions.map(
    ({ name, href }, i) => `<a href="${escapeHtml(href)}"${i === 0 ? '' : ' rel="nofollow"'}>${name}</a>`,
  );
  return `<details class="acts" dir="ltr"><summary aria-label="Actions for ${divId}">¶</summary>${linked.join(' ')}</details>`;
}

export function finishHtml(html: string, base: string): string {
  return markBareLinks(withImageAlt(linkForeignImages(wrapTables(html), base)));
}

/** Links whose words are their address, which print need not repeat. */
function markBareLinks(html: string): string {
  return html.replace(/<a href="([^"]+)"(?=[^>]*>\1<\/a>)/g, '$& data-bare');
}

/** An unrendered text as it was written. */
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

/** Reverts `escapeHtml`. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters.get(entity) as string);
}
