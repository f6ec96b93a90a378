/**
 * `/landscape/<cohort>` (contract §8): progress by lane, and the comparison table of the cohort. All texts of the
 * cohort and its claims are untrusted.
 */
import type { Comparison } from '../../app/reads/comparison.ts';
import type { Cell, TableRow } from '../../model/landscape.ts';
import { progressOf } from '../../app/reads/landscape.ts';
import { workspaceOfSlug } from '../../domain/articles/slugs.ts';
import { laneState } from '../../domain/landscape/lease.ts';
import { type ItemRow } from '../../domain/landscape/tables.ts';
import { links } from '../../domain/links.ts';
import { ContributedLink, Facts, Time } from './parts.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';
import { type Lane, lanes } from '../../model/vocabulary.ts';

const laneDescriptions: Readonly<Record<Lane, string>> = {
  field: 'sources and claims from the field',
  build: 'the text of its article',
  opposition: 'what speaks against it',
  synthesis: 'comparisons with the others',
};

/** `now` is ISO 8601 and decides which leases are active. `isFirst`: the page begins with the first target. */
export function landscapePage(site: Site, view: Comparison, now: string, isFirst: boolean): string {
  const { address, row, items } = view.cohort;
  const { name, query } = row;
  const [first] = items;
  const api = links.comparison(site.root, address);
  return renderPage(
    site,
    {
      title: `Cohort ${name}`,
      description: `The cohort ${name}: its lanes, and its targets compared.`,
      canonical: links.landscape(site.service.base, address),
      alternates: [
        { type: 'application/json', href: links.comparison(site.service.base, address), title: 'JSON' },
      ],
      ...(isFirst ? {} : { unlisted: true }),
    },
    <div class="landscape">
      <h1>
        Cohort <span class="slug">{name}</span>
      </h1>
      <p class="lead">
        {countText(new Set(items.map(({ item }) => item.target.id)).size, 'target')}, chosen by one query and
        worked on in four lanes. A cell of the table stays empty until a claim with a source fills it.
      </p>
      <Facts
        facts={[
          { name: 'Query', value: <span dir="auto">{query}</span> },
          { name: 'Sorted by', value: row.sort === '' ? null : <span dir="auto">{row.sort}</span> },
          {
            name: 'Captured',
            value: first === undefined ? null : <Time iso={first.item.selection.captured_at} />,
          },
          { name: 'Listed at', value: <Address url={first?.item.selection.source_url ?? null} /> },
        ]}
      />
      <h2 id="lanes">Lanes</h2>
      <Lanes items={items} now={now} />
      <h2 id="comparison">Comparison</h2>
      {view.axes.length === 0 ? (
        <p>
          Nothing is compared yet: no target was queued with an axis. An axis is a question that every target
          answers, such as its license; each answer is a claim with a source. The owner queues targets by the
          row <a href={site.to.row('LANDSCAPE_QUEUE')}>LANDSCAPE_QUEUE</a>.
        </p>
      ) : (
        <ComparisonTable site={site} view={view} />
      )}
      <h2 id="targets">Targets</h2>
      <Targets site={site} rows={view.rows} items={items} now={now} />
      <nav class="turn" aria-label="Pages of the cohort">
        {isFirst ? null : <a href={links.landscape(site.root, address)}>The first targets</a>}
        {view.after === null ? null : (
          <a href={`${links.landscape(site.root, address)}?after=${view.after}`}>Further targets</a>
        )}
      </nav>
      <p class="section-note">
        The table as <a href={api}>JSON</a>, <a href={`${api}&format=markdown`}>Markdown</a> or{' '}
        <a href={`${api}&format=csv`}>CSV</a>; the lanes as{' '}
        <a href={links.landscapeJson(site.root, address)}>JSON</a>. Work is leased by the row{' '}
        <a href={site.to.row('LANDSCAPE_NEXT')}>LANDSCAPE_NEXT</a>; the cohort belongs to{' '}
        <a href={site.to.workspace(workspaceOfSlug(address))}>its workspace</a>.
      </p>
    </div>,
  );
}

function Address({ url }: { readonly url: string | null }) {
  return url === null ? <span>not said</span> : <ContributedLink href={url}>{url}</ContributedLink>;
}

function Lanes({ items, now }: { readonly items: readonly ItemRow[]; readonly now: string }) {
  const progress = progressOf(items, now);
  return (
    <section class="scroll" tabIndex={0} aria-label="Lanes">
      <table>
        <thead>
          <tr>
            <th scope="col">Lane</th>
            <th scope="col">Complete</th>
            <th scope="col">Leased</th>
            <th scope="col">Open</th>
            <th scope="col">Progress</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => {
            const { complete, leased, open } = progress[lane];
            return (
              <tr key={lane}>
                <th scope="row">
                  <span class="lane">{lane}</span> <span class="hint">{laneDescriptions[lane]}</span>
                </th>
                <td class="number">{complete}</td>
                <td class="number">{leased}</td>
                <td class="number">{open}</td>
                <td>
                  <meter
                    min={0}
                    max={Math.max(1, items.length)}
                    value={complete}
                    aria-label={`${lane}: ${complete} of ${items.length} complete`}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function ComparisonTable({ site, view }: { readonly site: Site; readonly view: Comparison }) {
  const { axes, rows, filled } = view;
  return (
    <section class="scroll" tabIndex={0} aria-label="Comparison">
      <table class="comparison">
        <caption>
          {filled} of {countText(rows.length * axes.length, 'cell')} filled
        </caption>
        <thead>
          <tr>
            <th scope="col">Target</th>
            {axes.map((axis) => (
              <th key={axis} scope="col" dir="auto">
                {axis}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.target.id}>
              <th scope="row" dir="auto">
                <TargetName site={site} row={row} />
              </th>
              {row.cells.map((cell) => (
                <ComparisonCell key={cell.axis} site={site} row={row} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function TargetName({ site, row }: { readonly site: Site; readonly row: TableRow }) {
  return row.article_url === null ? (
    <span>{row.target.name}</span>
  ) : (
    <a href={site.to.article(row.article)}>{row.target.name}</a>
  );
}

function ComparisonCell({ site, row, cell }: Readonly<{ site: Site; row: TableRow; cell: Cell }>) {
  const { claim, more } = cell;
  if (claim === null)
    return (
      <td class="empty">
        <span aria-hidden="true">–</span>
        <span class="unseen">No claim with a source yet</span>
      </td>
    );
  return (
    <td dir="auto">
      <a href={site.to.claim(row.article, claim.id)}>{claim.text}</a>
      <span class="hint">
        {claim.tier}, weight {claim.weight}; {countText(claim.sources.length, 'source')}
        {more === 0 ? '' : `; ${countText(more, 'further claim')}`}
      </span>
    </td>
  );
}

function Targets({
  site,
  rows,
  items,
  now,
}: Readonly<{ site: Site; rows: readonly TableRow[]; items: readonly ItemRow[]; now: string }>) {
  return (
    <section class="scroll" tabIndex={0} aria-label="Targets">
      <table>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Where</th>
            <th scope="col">Axis</th>
            {lanes.map((lane) => (
              <th key={lane} scope="col">
                {lane}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) =>
            items
              .filter(({ item }) => item.target.id === row.target.id)
              .map(({ n, item, lanes: laneStates }) => (
                <tr key={n}>
                  <th scope="row" dir="auto">
                    <TargetName site={site} row={row} />
                  </th>
                  <td>
                    <TargetLocation target={item.target} />
                  </td>
                  <td dir="auto">{item.axis ?? ''}</td>
                  {lanes.map((lane) => (
                    <td key={lane} class={`state ${laneState(laneStates[lane], now)}`}>
                      {laneState(laneStates[lane], now)}
                    </td>
                  ))}
                </tr>
              )),
          )}
        </tbody>
      </table>
    </section>
  );
}

function TargetLocation({ target: { url, repository } }: { readonly target: TableRow['target'] }) {
  if (url !== null) return <ContributedLink href={url}>{shortAddress(url)}</ContributedLink>;
  if (repository === null) return <span>not said</span>;
  return <ContributedLink href={repository}>{shortAddress(repository)}</ContributedLink>;
}

function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, '').slice(0, 60);
}
