/**
 * Bibliographies as sources of an article (contract §8, importing): BibTeX, RIS and CSL-JSON. An entry has most of what
 * a source has, and never the exact words that it is cited for; those a person adds. Entries are read one by one, so
 * that a broken one costs only itself. Nothing is looked up anywhere.
 */
import type { Skipped } from './read-zip.ts';
import { isObject } from '../../kernel/json-value.ts';

export interface CitationEntry {
  readonly key: string;
  readonly type: string;
  readonly title: string;
  /** http(s), that of the DOI where there is no other; '' where there is neither. */
  readonly url: string;
  /** Authors, year and where it appeared, in one line; else what a note says. */
  readonly summary: string;
  /** The exact words, where the entry names them: in a field `quote`, or behind `quote:` in a note. */
  readonly quote: string;
}

export interface Citations {
  readonly entries: readonly CitationEntry[];
  readonly skipped: readonly Skipped[];
}

/** Endings of file names that only bibliographies have. */
export const citationPath = /\.(?:bib|bibtex|ris)$/i;
export const citationsMax = 500;
const textCharsMax = 2 * 1024 * 1024;

type Csl = Readonly<Record<string, unknown>>;

export function isCslJson(value: unknown): value is readonly Csl[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (item) =>
        typeof item === 'object' && item !== null && 'type' in item && ('title' in item || 'DOI' in item),
    )
  );
}

/** Undefined where the text is no bibliography. */
export async function readCitations(path: string, text: string): Promise<Citations | undefined> {
  if (text.length > textCharsMax)
    return { entries: [], skipped: [{ path, why: `It has more than ${textCharsMax} characters.` }] };
  if (/\.ris$/i.test(path) || /^\s*TY  - /.test(text)) return limited(path, risEntries(text), []);
  if (/\.bib(?:tex)?$/i.test(path)) return readBibtex(path, text);
  if (!/\.json$/i.test(path)) return undefined;
  const value = jsonIn(text);
  return isCslJson(value) ? limited(path, value.map(entryOf), []) : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function limited(path: string, entries: readonly CitationEntry[], skipped: readonly Skipped[]): Citations {
  const left = entries.length - citationsMax;
  return {
    entries: entries.slice(0, citationsMax),
    skipped:
      left > 0
        ? [...skipped, { path, why: `${left} entries behind the first ${citationsMax} were not read.` }]
        : skipped,
  };
}

/** Abbreviations (`@string`) are read with every entry. */
async function readBibtex(path: string, text: string): Promise<Citations> {
  const parts = text.split(/^(?=[ \t]*@)/m).filter((part) => /^\s*@/.test(part));
  const strings = parts
    .filter((part) => /^\s*@string\b/i.test(part))
    .join('\n')
    .slice(0, 20_000);
  const own = parts.filter((part) => !/^\s*@(?:string|comment|preamble)\b/i.test(part));
  const parse = await bibtexParser();
  const entries: CitationEntry[] = [];
  const skipped: Skipped[] = [];
  for (const part of own.slice(0, citationsMax)) {
    const key = /^\s*@\w+\s*[{(]\s*([^,\s]*)/.exec(part)?.[1] ?? '';
    try {
      const quote = quoteField.test(part) ? quoteIn(parse, strings, part) : '';
      entries.push(
        ...parse(`${strings}\n${part}`).map((csl) => entryOf(quote === '' ? csl : { ...csl, quote })),
      );
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : 'it cannot be read';
      skipped.push({
        path: `${path} ${key}`.trim().slice(0, 200),
        why: `The entry cannot be read: ${String(why).slice(0, 200)}.`,
      });
    }
  }
  return own.length > citationsMax
    ? { entries, skipped: [...skipped, { path, why: `Only the first ${citationsMax} entries were read.` }] }
    : { entries, skipped };
}

const quoteField = /([,{]\s*)quote(\s*=\s*[{"])/i;

/** The parser knows no field `quote`; read as a note, its TeX is decoded too. */
function quoteIn(parse: (text: string) => readonly Csl[], strings: string, part: string): string {
  const renamed = part.replace(/([,{]\s*)note(\s*=\s*)/gi, '$1othernote$2').replace(quoteField, '$1note$2');
  return line(parse(`${strings}\n${renamed}`)[0]?.['note']);
}

interface CitationInput {
  chain(
    text: string,
    options: { readonly forceType: string; readonly generateGraph: boolean },
  ): readonly Csl[];
}

/** The type is given, so that no text is taken for an address and fetched. */
async function bibtexParser(): Promise<(text: string) => readonly Csl[]> {
  const { plugins } = await import('@citation-js/core');
  await import('@citation-js/plugin-bibtex');
  const input = (plugins as { readonly input: CitationInput }).input;
  return (text) => input.chain(text, { forceType: '@bibtex/text', generateGraph: false });
}

const types: Readonly<Record<string, string>> = {
  'article-journal': 'paper',
  'paper-conference': 'paper',
  article: 'paper',
  'article-magazine': 'article',
  'article-newspaper': 'article',
  chapter: 'book',
  webpage: 'page',
  'post-weblog': 'page',
};

function entryOf(csl: Csl): CitationEntry {
  const names = Array.isArray(csl['author']) ? (csl['author'] as readonly Csl[]) : [];
  const authors = names
    .slice(0, 6)
    .map(
      ({ family, given, literal }) =>
        line(literal) || [line(family), line(given)].filter((each) => each !== '').join(', '),
    )
    .filter((each) => each !== '');
  const issued = (csl['issued'] as Csl | undefined)?.['date-parts'];
  const year = Array.isArray(issued) && Array.isArray(issued[0]) ? line(issued[0][0]) : '';
  const type = line(csl['type']);
  return {
    key: line(csl['citation-key'] ?? csl['id']).slice(0, 200),
    type: (types[type] ?? type).slice(0, 60) || 'source',
    title: line(csl['title']).slice(0, 500),
    url: addressOf(line(csl['URL']), line(csl['DOI'])),
    ...saidIn(
      summaryOf(authors, names.length > 6, year, line(csl['container-title'] ?? csl['publisher'])),
      [csl['quote'], isObject(csl['custom']) ? csl['custom']['quote'] : ''],
      [csl['note']],
    ),
  };
}

/** Notes are private words of a reader, so that only a line `quote: …` of one is taken, or `summary: …`. */
function saidIn(
  summary: string,
  quotes: readonly unknown[],
  notes: readonly unknown[],
): Pick<CitationEntry, 'summary' | 'quote'> {
  const named = (name: string): string =>
    notes
      .flatMap((note) => (typeof note === 'string' ? note.split(/\n|<br ?\/?>|<\/p>/) : []))
      .map((each) => new RegExp(`^\\s*${name}:\\s*(.+)$`, 'i').exec(line(each))?.[1] ?? '')
      .find((each) => each !== '') ?? '';
  return {
    summary: summary === '' ? named('summary').slice(0, 4000) : summary,
    quote: (quotes.map(line).find((each) => each !== '') ?? named('quote')).slice(0, quoteCharsMax),
  };
}

const quoteCharsMax = 8_000;

function summaryOf(authors: readonly string[], more: boolean, year: string, where: string): string {
  const who = authors.join('; ') + (more ? ' and others' : '');
  return [who, year === '' ? '' : `(${year})`, where]
    .filter((each) => each !== '')
    .join(' ')
    .slice(0, 1000);
}

function addressOf(url: string, doi: string): string {
  if (/^https?:\/\//i.test(url)) return url.slice(0, 4000);
  const plain = doi.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)/i, '');
  return /^10\.\d{4,9}\/\S+$/.test(plain) ? `https://doi.org/${encodeURI(plain)}` : '';
}

function line(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string'
    ? value
        .replace(/<\/?[a-z][^<>]*>/gi, '')
        .replace(/\s+/g, ' ')
        .trim()
        .toWellFormed()
    : '';
}

const risTypes: Readonly<Record<string, string>> = {
  JOUR: 'paper',
  CONF: 'paper',
  CPAPER: 'paper',
  BOOK: 'book',
  CHAP: 'book',
  ELEC: 'page',
  WEB: 'page',
  BLOG: 'page',
  RPRT: 'report',
  THES: 'thesis',
  DATA: 'dataset',
  COMP: 'software',
  NEWS: 'article',
  MGZN: 'article',
};

function risEntries(text: string): CitationEntry[] {
  const entries: CitationEntry[] = [];
  let fields: Map<string, string[]> | undefined;
  for (const row of text.replace(/\r\n?/g, '\n').split('\n')) {
    const [, tag = '', value = ''] = /^([A-Z][A-Z0-9]) {2}-(?: (.*))?$/.exec(row) ?? [];
    if (tag === 'TY') fields = new Map();
    if (tag === '' || fields === undefined) continue;
    if (tag === 'ER') {
      entries.push(risEntry(fields));
      fields = undefined;
    } else fields.set(tag, [...(fields.get(tag) ?? []), value.trim()]);
  }
  return entries;
}

function risEntry(fields: ReadonlyMap<string, readonly string[]>): CitationEntry {
  const first = (...tags: readonly string[]): string =>
    line(tags.flatMap((tag) => fields.get(tag) ?? []).find((value) => value !== ''));
  const authors = ['AU', 'A1'].flatMap((tag) => fields.get(tag) ?? []).map(line);
  const year = /\d{4}/.exec(first('PY', 'Y1', 'DA'))?.[0] ?? '';
  return {
    key: first('ID', 'AN', 'TI', 'T1').slice(0, 200),
    type: risTypes[first('TY')] ?? 'source',
    title: first('TI', 'T1', 'CT').slice(0, 500),
    url: addressOf(first('UR', 'LK', 'L2'), first('DO')),
    ...saidIn(
      summaryOf(authors.slice(0, 6), authors.length > 6, year, first('JO', 'T2', 'JF', 'PB')),
      [],
      ['N1', 'N2', 'RN'].flatMap((tag) => fields.get(tag) ?? []),
    ),
  };
}
