/** `/directory` (spec §2.6, contract §3): every row by category. */
import type { Service } from '../../app/service.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { links } from '../../domain/links.ts';
import { authorityText } from './row-schema-text.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export function directoryPage(site: Site, { rows, base }: Service): string {
  const byCategory = Map.groupBy([...rows.values()], (row) => row.category);
  return renderPage(
    site,
    {
      title: 'Directory',
      description: 'Every capability of this service: what it does, who may call it, and how.',
      canonical: `${base}/directory`,
      alternates: [
        {
          type: 'application/json',
          href: `${links.dispatch(base)}?registry=1`,
          title: 'The registry as JSON',
        },
      ],
      here: 'Directory',
    },
    <div class="directory">
      <h1>Directory</h1>
      <p class="lead">
        {countText(rows.size, 'row')} can be invoked through <a href={site.to.manifest}>/api/dispatch</a>;
        each call leaves a receipt. The same as data:{' '}
        <a href={`${site.to.manifest}?registry=1`}>the registry</a>.
      </p>
      {[...byCategory]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([category, members]) => (
          <section key={category} aria-labelledby={`category-${category}`}>
            <h2 id={`category-${category}`}>{category}</h2>
            <dl class="row-list">
              {members.map((row) => (
                <div key={row.key}>
                  <dt>
                    <a href={site.to.row(row.key)}>{row.key}</a> <span class="note">{rowSummary(row)}</span>
                  </dt>
                  <dd>{row.contract.what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </div>,
  );
}

function rowSummary(row: Row): string {
  const off = row.rowOverride?.enabled === false ? ['switched off'] : [];
  return [...off, row.safe ? 'reads' : 'writes', authorityText[row.auth], `${row.risk} risk`].join(', ');
}
