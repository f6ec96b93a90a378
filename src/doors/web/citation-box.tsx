/** How to cite an article: one revision by its permalink, as plain text, BibTeX and CSL-JSON, ready to copy. */
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
      href: undefined,
      file: '',
    },
    {
      name: 'BibTeX',
      text: bibtex(cited).trimEnd(),
      href: site.to.citation(row.slug, 'bibtex'),
      file: 'bib',
    },
    {
      name: 'CSL-JSON',
      text: JSON.stringify(cslJson(cited), null, 1),
      href: site.to.citation(row.slug, 'csl'),
      file: 'json',
    },
  ];
  return (
    <details class="disclosure cite" id="cite">
      <summary>Cite</summary>
      <div class="disclosure-body">
        <p class="section-note">
          This is version {version}. Its address shows the same words for ever: <a href={url}>{url}</a>
        </p>
        <dl>
          {forms.map(({ name, text, href, file }) => (
            <div key={name}>
              <dt>
                {name}
                {href === undefined ? null : (
                  <>
                    {' '}
                    <a href={href} download={`${row.slug}.${file}`} aria-label={`${name} as a file`}>
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
