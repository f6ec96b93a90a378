/**
 * Compares an article as its page in a static site shows it with what its bundle says: the blocks as the committed text
 * renders, and the words beside the text. The bundle itself is verified before.
 */
import { bodyMarkup, divMarkup, escapeHtml, titleIn } from '../../src/doors/web/body-markup.ts';
import { articleFile, addressWithin, placeOf, type Contents } from '../../src/doors/web/static/places.ts';
import { articleHtml } from '../../src/represent/article-html.ts';
import type { Check } from '../verifying/seal.ts';
import {
  brief,
  compareSaid,
  difference,
  equal,
  failed,
  type SaidInBundle,
  textOf,
} from '../verifying/shown.ts';

/** The parts of a bundle that a page shows. */
export interface ShownBundle extends SaidInBundle {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly lead: string;
  readonly voxels: readonly {
    readonly div_id: string;
    readonly kind: string;
    readonly text: string;
    readonly sep: string;
    readonly status: string;
  }[];
  readonly origin: { readonly base: string };
}

export async function compareShown(article: HTMLElement, bundle: ShownBundle): Promise<Check[]> {
  const { slug, version } = article.dataset;
  const address = `${bundle.origin.base}/a/${bundle.slug}`;
  return [
    ...equal('page', 'the article', slug ?? '', bundle.slug, ''),
    ...equal('page', 'the version', version ?? '', String(bundle.version), ''),
    ...(await compareBlocks(article, bundle, address)),
    ...compareSaid(article, bundle),
  ];
}

async function compareBlocks(article: HTMLElement, bundle: ShownBundle, address: string): Promise<Check[]> {
  const text = article.querySelector<HTMLElement>('#text');
  if (text === null) return [failed('div', 'the page shows no text', 'text')];
  const divs = bundle.voxels.filter(({ status }) => status === 'current');
  const isPlain = text.querySelector('.unrendered') !== null;
  const { base } = bundle.origin;
  const rendered = isPlain ? undefined : articleHtml({ lead: bundle.lead, pieces: divs });
  const title = titleIn(bundle.title, divs, rendered?.toc ?? []);
  const options = { base, headingShift: title.headingShift, actions: () => [] } as const;
  const markup =
    rendered === undefined
      ? divs.map((div) =>
          divMarkup(div.div_id, `<pre class="unrendered">${escapeHtml(div.text)}</pre>`, options),
        )
      : await bodyMarkup(rendered, { ...options, omitIndex: title.at, notesAfter: new Map() });
  const expected = blocksIn(parse(markup.join('')));
  const shown = blocksIn(text);
  const checks: Check[] = [];
  const opening = rendered?.divs[title.at];
  const heading = article.querySelector<HTMLElement>('.masthead .title');
  if (opening === undefined)
    checks.push(...equal('div', 'the title', textOf(heading?.querySelector('h1') ?? null), bundle.title, ''));
  else {
    const own = blocksIn(parse(divMarkup(opening.div_id, opening.html, { ...options, headingShift: 0 })));
    checks.push(
      ...compareBlock(heading?.querySelector('.div') ?? undefined, own[0], opening.div_id, address),
    );
  }
  const order = shown.map(({ id }) => id).join(' ');
  if (order !== expected.map(({ id }) => id).join(' '))
    checks.push(
      failed('order', `the page shows the blocks ${brief(order)}, which is not what the entries say`, 'text'),
    );
  for (const block of expected)
    checks.push(
      ...compareBlock(
        shown.find(({ id }) => id === block.id),
        block,
        block.id,
        address,
      ),
    );
  return [...checks, ...strayText(text)];
}

/** Words of the text that stand in no block: nothing commits to them. */
function strayText(text: HTMLElement): Check[] {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if ((node.textContent ?? '').trim() === '') continue;
    if (node.parentElement?.closest('.div, .notes, .notice') == null || isSmuggled(node.parentElement))
      return [
        failed(
          'div',
          `the text shows words that are in no block: “${brief(node.textContent ?? '')}”`,
          'text',
        ),
      ];
  }
  return [];
}

/** What a page says that shows its text as it was written. */
const plainNotice =
  /^ ?Rendering this text took too long, so it is shown as it was written\. The same bytes are served as Markdown and as JSON\. ?$/;

/** Whether words stand where blocks have their links to act, or beside the claims, and are neither. */
function isSmuggled(parent: Element): boolean {
  const own = parent.closest('.acts, .notes, .notice, .div');
  if (own === null || own.matches('.div')) return false;
  if (own.matches('.notice')) return !plainNotice.test((own.textContent ?? '').replace(/\s+/g, ' '));
  if (own.matches('.acts')) return !/^¶\s*link$/.test((own.textContent ?? '').trim());
  return (
    parent.closest('.note') === null &&
    !(parent.matches('summary') && /^[\d,]+ claims?$/.test(parent.textContent ?? ''))
  );
}

function compareBlock(
  shown: Element | undefined,
  expected: Element | undefined,
  id: string,
  address: string,
): Check[] {
  if (expected === undefined) return [failed('div', `no entry has block ${id}, which the page shows`, id)];
  if (shown === undefined) return [failed('div', `block ${id} is not shown`, id)];
  const [own, other] = [piecesOf(shown), piecesOf(expected)];
  const at = other.findIndex((piece, i) => !isSame(own[i], piece, address));
  if (at === -1 && own.length === other.length)
    return [{ id: 'shown', ok: true, detail: `block ${id}`, at: id }];
  const place = at === -1 ? other.length : at;
  return [
    failed(
      'div',
      `block ${id} does not verify: ${difference(described(own[place]), described(other[place]))}`,
      id,
    ),
  ];
}

/** A text, or a tag with its attributes; ends of elements are null. */
type Piece = string | Element | null;

/** The content of a block in order, without what pages add to it: links to act, notes, and blocks that a `<details>` holds. */
function piecesOf(block: Element): readonly Piece[] {
  const pieces: Piece[] = [];
  const walk = (node: Node): void => {
    if (node instanceof Element || node.nodeType === Node.ELEMENT_NODE) {
      const element = node as Element;
      if (element !== block && element.matches('.acts, .notes, .div')) return;
      pieces.push(element);
      for (const child of element.childNodes) walk(child);
      pieces.push(null);
    } else if (node.nodeType === Node.TEXT_NODE) {
      const last = pieces.at(-1);
      // Long texts come in several nodes.
      if (typeof last === 'string') pieces[pieces.length - 1] = last + (node.textContent ?? '');
      else pieces.push(node.textContent ?? '');
    }
  };
  walk(block);
  return pieces;
}

function isSame(shown: Piece | undefined, expected: Piece, address: string): boolean {
  if (typeof shown === 'string' || typeof expected === 'string' || shown == null || expected === null)
    return shown === expected;
  if (shown.localName !== expected.localName) return false;
  const names = new Set([...shown.getAttributeNames(), ...expected.getAttributeNames()]);
  return [...names].every((name) => {
    if (byScripts.has(name)) return true;
    const [own, other] = [shown.getAttribute(name), expected.getAttribute(name)];
    if (name === 'href' || name === 'src') return leadsToSame(own, other, address);
    if (name === 'rel') return own === null || own === other;
    return own === other;
  });
}

/** What scripts and readers change: scrolling boxes under the keyboard, previews, opened details. */
const byScripts: ReadonlySet<string> = new Set([
  'tabindex',
  'role',
  'aria-label',
  'aria-describedby',
  'open',
]);

const everything: Contents = {
  hasArticle: () => true,
  hasLabel: () => true,
  blobFile: (sha256) => `blobs/${sha256}`,
};

/** Links of the site stand for addresses of the deployment; one without an address for what the site does not have. */
function leadsToSame(shown: string | null, expected: string | null, address: string): boolean {
  if (expected === null) return shown === null;
  const base = address.slice(0, address.lastIndexOf('/a/'));
  const within = addressWithin(expected, address, base);
  if (within === undefined)
    return (
      shown === expected ||
      (URL.parse(expected) === null && (shown === null || shown === URL.parse(expected, address)?.href))
    );
  if (shown === null || shown === `${base}${within}`) return true;
  const place = placeOf(within, everything);
  const slug = address.slice(address.lastIndexOf('/') + 1);
  const folder = 'https://site.invalid/';
  const url = URL.parse(shown, folder + articleFile(slug));
  if (url === null || place === undefined) return false;
  const file = decodeURIComponent(url.pathname.slice(1)).replace(/^(blobs\/[0-9a-f]{64})\.\w+$/, '$1');
  return url.origin === 'https://site.invalid' && file === place.file && fragmentOf(url) === place.fragment;
}

function fragmentOf({ hash }: URL): string {
  return decodeURIComponent(hash.slice(1));
}

function blocksIn(root: ParentNode): readonly Element[] {
  return [...root.querySelectorAll('.div')];
}

/** Inert: nothing in it is loaded or executed. */
function parse(html: string): HTMLElement {
  return new DOMParser().parseFromString(`<div>${html}</div>`, 'text/html').body;
}

function described(piece: Piece | undefined): string {
  if (typeof piece === 'string') return piece;
  return piece == null ? '' : (piece.cloneNode(false) as Element).outerHTML;
}
