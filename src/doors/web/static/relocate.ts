/**
 * Makes the links of a page work from a file: those to parts of the static site become relative; those to other parts of
 * the deployment lead to it where readers can reach it, and are plain text otherwise. Pure.
 *
 * Components and the sanitiser quote every attribute and escape quotes and `<` in it, so tags can be found by their form.
 */
import { escapeHtml, unescapeHtml } from '../body-markup.ts';
import { addressWithin, placeOf, relativeLink, type Contents } from './places.ts';

export interface Relocation {
  /** The file that the page becomes. */
  readonly file: string;
  /** The address that the deployment serves the page at. */
  readonly address: string;
  readonly base: string;
  /** The base address, if readers elsewhere can reach it. */
  readonly live: string | undefined;
  readonly contents: Contents;
}

const tag = /<(a|img)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*(\/?)>/g;

export function relocate(html: string, relocation: Relocation): string {
  const ids = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = '']) => unescapeHtml(id)));
  return html.replace(tag, (whole, name: string, attributes: string, end: string) => {
    const member = name === 'a' ? 'href' : 'src';
    const given = attributeOf(attributes, member);
    // What is marked as external leads to the deployment itself.
    if (given === undefined || / rel="external"/.test(attributes)) return whole;
    const link = name === 'a' ? linkOf(given, ids, relocation) : sourceOf(given, relocation);
    if (link === given) return whole;
    const rest = attributes.replace(new RegExp(`\\s${member}="[^"]*"`), '');
    return link === undefined
      ? `<${name}${rest.replace(/\s(?:rel|download)(?:="[^"]*")?/g, '')}${end}>`
      : `<${name} ${member}="${escapeHtml(link)}"${rest}${end}>`;
  });
}

/** Undefined where the link leads nowhere: a link without an address is a placeholder and no dead end. */
function linkOf(href: string, ids: ReadonlySet<string>, relocation: Relocation): string | undefined {
  const { file, address, base, live, contents } = relocation;
  const within = addressWithin(href, address, base);
  if (within === undefined) return elsewhere(href, address, live);
  const place = href.startsWith('#') ? { file, fragment: decodeFragment(href) } : placeOf(within, contents);
  const isHere = place?.file === file && place.fragment !== '';
  if (place !== undefined && !(isHere && !ids.has(place.fragment))) return relativeLink(file, place);
  return live === undefined || href.startsWith('#') ? undefined : `${live}${within}`;
}

/** A link to another host, or to what else is on the host of the deployment. */
function elsewhere(href: string, address: string, live: string | undefined): string | undefined {
  if (URL.parse(href) !== null) return href;
  return live === undefined ? undefined : URL.parse(href, address)?.href;
}

function sourceOf(src: string, { file, address, base, contents }: Relocation): string | undefined {
  const within = addressWithin(src, address, base);
  const place = within === undefined ? undefined : placeOf(within, contents);
  return place === undefined ? undefined : relativeLink(file, place);
}

function decodeFragment(href: string): string {
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return href.slice(1);
  }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
  return found === undefined ? undefined : unescapeHtml(found);
}

/** The blobs that a page shows or links to, by their hashes. */
export function blobsIn(html: string, address: string, base: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, name, attributes = ''] of html.matchAll(tag)) {
    const link = attributeOf(attributes, name === 'a' ? 'href' : 'src');
    const within = link === undefined ? undefined : addressWithin(link, address, base);
    const sha256 = /^\/blobs\/([0-9a-f]{64})$/.exec(within ?? '')?.[1];
    if (sha256 !== undefined) found.add(sha256);
  }
  return found;
}
