/** How to cite an article, one revision by its permalink, or a source: as plain text, BibTeX and CSL-JSON, ready to copy. */
import type { ComponentChildren } from 'preact';
import type { ArticleRow } from '../../domain/articles/tables.ts';
import { bibtex, citedArticle, cslJson } from '../../represent/citation.ts';
import { dateText } from './format-text.ts';
import type { Site } from './site.ts';

type Props = Readonly<{ site: Site; row: ArticleRow; publisher: string }>;

export function CitationBox({ site, row, publisher }: Props) {
  const cited = citedArticle(row, publisher, site.service.base);
  const { title, version, issued, url } = cited;
  const forms = [
    {
      name: 'Plain text',
      text: `${publisher}. “${title}”. Version ${version}, ${dateText(issued)}. ${url}`,
    },
    {
      name: 'BibTeX',
      text: bibtex(cited).trimEnd(),
      file: { href: site.to.citation(row.slug, 'bibtex'), name: `${row.slug}.bib` },
    },
    {
      name: 'CSL-JSON',
      text: JSON.stringify(cslJson(cited), null, 1),
      file: { href: site.to.citation(row.slug, 'csl'), name: `${row.slug}.json` },
    },
  ];
  return (
    <CitationForms
      note={
        <>
          This is version {version}. Its address shows the same words for ever: <a href={url}>{url}</a>
        </>
      }
      forms={forms}
    />
  );
}

interface CitationForm {
  readonly name: string;
  readonly text: string;
  /** The same as a file, and its name. */
  readonly file?: { readonly href: string; readonly name: string };
}

/** `web/reading/blocks.ts` adds buttons that copy. */
export function CitationForms({
  note,
  forms,
}: Readonly<{ note: ComponentChildren; forms: readonly CitationForm[] }>) {
  return (
    <details class="disclosure cite" id="cite">
      <summary>Cite</summary>
      <div class="disclosure-body">
        <p class="section-note">{note}</p>
        <dl>
          {forms.map(({ name, text, file }) => (
            <div key={name}>
              <dt>
                {name}
                {file === undefined ? null : (
                  <>
                    {' '}
                    <a href={file.href} download={file.name} aria-label={`${name} as a file`}>
                      file
                    </a>
                  </>
                )}
              </dt>
              <dd>
                <pre class="wrapped" data-cite={name}>
                  {text}
                </pre>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
