/**
 * How a source of an article is cited: as text, BibTeX and CSL-JSON. It names the page that the source is, when it was
 * read and the exact words. All of it is contributed text, escaped for each format.
 */
import type { JsonObject } from '../kernel/json.ts';
import type { Source } from '../model/source.ts';
import { bibtexText, dateParts, oneLine } from './citation.ts';
import { webIri } from './iri.ts';

export function sourceText(source: Source): string {
  const { title, url, quote } = source;
  const read = readOn(source);
  const at = webIri(url) ?? oneLine(url);
  return `“${oneLine(title)}”. ${at}${read === undefined ? '' : `, read on ${read}`}. “${oneLine(quote)}”`;
}

export function sourceBibtex(slug: string, source: Source): string {
  const read = readOn(source);
  const url = webIri(source.url);
  const fields = {
    // The second pair of braces keeps the case of a title.
    title: `{${bibtexText(source.title)}}`,
    ...(url === undefined ? { howpublished: bibtexText(source.url) } : { url }),
    ...(read === undefined ? {} : { urldate: read }),
    note: `Quoted: \\textquotedblleft{}${bibtexText(source.quote)}\\textquotedblright{}`,
  };
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`);
  return `@misc{${slug}-${source.id},\n${lines.join('')}}\n`;
}

/** One item in a list, as CSL processors read it. */
export function sourceCsl(slug: string, source: Source): readonly JsonObject[] {
  const read = readOn(source);
  const url = webIri(source.url);
  return [
    {
      id: `${slug}-${source.id}`,
      type: url === undefined ? 'document' : 'webpage',
      title: oneLine(source.title),
      ...(url === undefined ? { archive_location: oneLine(source.url) } : { URL: url }),
      ...(read === undefined ? {} : { accessed: { 'date-parts': [dateParts(read)] } }),
      note: `Quoted: “${oneLine(source.quote)}”`,
    },
  ];
}

/** The day as the poster typed it; undefined for words that are no date. */
function readOn({ accessed_at: at }: Source): string | undefined {
  return /^\d{4}-\d\d-\d\d/.test(at) ? at.slice(0, 10) : undefined;
}
