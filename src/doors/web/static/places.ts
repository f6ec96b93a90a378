/**
 * Which file of a static site (`colophon export --site`) holds what the deployment serves at an address. Pure, and without
 * Node: verification in the reader's browser maps addresses by the same function.
 */
import { decodedUri } from '../../../kernel/text.ts';

export interface Place {
  /** Path below the folder of the site, with forward slashes. */
  readonly file: string;
  /** An id on that page; '' for the page itself. */
  readonly fragment: string;
}

/** What the site contains. */
export interface Contents {
  hasArticle(slug: string): boolean;
  hasLabel(kind: LabelKind, label: string): boolean;
  /** The file of a blob; undefined where the site has none. */
  blobFile(sha256: string): string | undefined;
}

export type LabelKind = 'tags' | 'series';

/** Where the files of an article are; what follows the name tells them apart, since no slug contains a dot. */
export function articleFile(slug: string, part = 'html'): string {
  return `a/${fileName(slug)}.${part}`;
}

export function labelFile(kind: LabelKind, label: string, from = 0): string {
  return `${kind}/${fileName(label)}${pageSuffix(from)}.html`;
}

export function listFile(from: number): string {
  return from === 0 ? 'index.html' : `articles${pageSuffix(from)}.html`;
}

function pageSuffix(from: number): string {
  return from === 0 ? '' : `.from-${from}`;
}

const encodedMax = 120;
/** Names of devices on Windows, which no file there may have. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * A name that every file system and static host keeps as it is, case included; different texts get different names.
 * Other characters are written as `_` and the bytes of their UTF-8 in hex.
 */
export function fileName(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const encoded = Array.from(bytes, (byte, i) => {
    const character = String.fromCharCode(byte);
    const isPlain = /[a-z0-9-]/.test(character) && !(i === 0 && reserved.test(text));
    return isPlain ? character : `_${byte.toString(16).padStart(2, '0')}`;
  }).join('');
  return encoded.length <= encodedMax ? encoded : `${encoded.slice(0, encodedMax)}__${digestOf(bytes)}`;
}

/** FNV-1a, 64 bits: keeps long names apart. */
function digestOf(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/**
 * Path, query and fragment below the base address, beginning with a slash, of a link as it stands on a page of the
 * deployment; undefined for a link to elsewhere.
 */
export function addressWithin(href: string, page: string, base: string): string | undefined {
  const url = URL.parse(href, page);
  if (url === null) return undefined;
  const root = new URL(base);
  const path = root.pathname.replace(/\/+$/, '');
  if (url.origin !== root.origin) return undefined;
  if (url.pathname !== path && !url.pathname.startsWith(`${path}/`))
    // Texts name articles and images from the root, whatever path the deployment is below.
    return /^\/(?:a|blobs|tags|series)\/[^/]/.test(href)
      ? `${url.pathname}${url.search}${url.hash}`
      : undefined;
  const rest = url.pathname.slice(path.length);
  return `${rest === '' ? '/' : rest}${url.search}${url.hash}`;
}

/** Pages without a parameter, by their path. */
const pages: ReadonlyMap<string, string> = new Map([
  ['/tags', 'tags.html'],
  ['/series', 'series.html'],
  ['/search', 'search.html'],
  ['/verify', 'verify.html'],
  ['/.well-known/colophon-key', 'log-key.txt'],
  ['/checkpoint', 'checkpoint.txt'],
]);

/** Parts of an article that its bundle contains. */
const bundled = /^(?:bundle|voxels|provenance|sources|claims|contributions|discourse|mirror|ledger)$/;

/** The place of an address that `addressWithin` gave; undefined where only the deployment has it. */
export function placeOf(address: string, contents: Contents): Place | undefined {
  const { pathname, search, hash } = new URL(address, 'https://site.invalid');
  const query = new URLSearchParams(search);
  const fragment = decodedUri(hash.slice(1));
  const page = search === '' ? pages.get(pathname) : undefined;
  if (page !== undefined) return { file: page, fragment };
  if (pathname === '/') return { file: listFile(numberIn(query)), fragment };
  const [first = '', second = '', third, fourth, ...further] = pathname
    .slice(1)
    .split('/')
    .map((segment) => decodedUri(segment));
  if (further.length > 0) return undefined;
  if (first === 'a' && third === undefined) return articlePlace(second, undefined, query, fragment, contents);
  if (first === 'a' && fourth === undefined) return articlePlace(second, third, query, fragment, contents);
  if (first === 'api' && second === 'articles' && third !== undefined)
    return dataPlace(third, fourth, query, contents);
  if (first === 'blobs' && third === undefined) {
    const file = contents.blobFile(second);
    return file === undefined ? undefined : { file, fragment: '' };
  }
  if ((first === 'tags' || first === 'series') && third === undefined) {
    return contents.hasLabel(first, second)
      ? { file: labelFile(first, second, numberIn(query)), fragment }
      : undefined;
  }
  return undefined;
}

function articlePlace(
  slug: string,
  part: string | undefined,
  query: URLSearchParams,
  fragment: string,
  contents: Contents,
): Place | undefined {
  // An earlier revision, or a form about a part.
  if (query.size > 0 || !contents.hasArticle(slug)) return undefined;
  if (part === undefined) return { file: articleFile(slug), fragment };
  if (/^[cds][1-9]\d{0,6}$/.test(part)) return { file: articleFile(slug), fragment: part };
  return part === 'history' ? { file: articleFile(slug, 'history.html'), fragment } : undefined;
}

function dataPlace(
  slug: string,
  part: string | undefined,
  query: URLSearchParams,
  contents: Contents,
): Place | undefined {
  if (!contents.hasArticle(slug)) return undefined;
  const inFile = (name: string): Place => ({ file: articleFile(slug, name), fragment: '' });
  const format = query.get('format');
  if (part === undefined) return inFile(format === 'markdown' ? 'md' : 'bundle.json');
  if (part === 'citation') return inFile(format === 'csl' ? 'csl.json' : 'bib');
  return bundled.test(part) && query.size === 0 ? inFile('bundle.json') : undefined;
}

/** How many entries of a list come before the page that is asked for. */
function numberIn(query: URLSearchParams): number {
  const from = query.get('from') ?? '0';
  return /^\d{1,6}$/.test(from) ? Number(from) : 0;
}

/** A place as a link on a page in another file of the site. */
export function relativeLink(from: string, { file, fragment }: Place): string {
  const up = '../'.repeat(from.split('/').length - 1);
  const anchor = fragment === '' ? '' : `#${encodeURIComponent(fragment)}`;
  if (file === from && anchor !== '') return anchor;
  const common = from.slice(0, from.lastIndexOf('/') + 1);
  return (common !== '' && file.startsWith(common) ? file.slice(common.length) : up + file) + anchor;
}
