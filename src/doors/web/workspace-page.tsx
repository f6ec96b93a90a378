/**
 * `/workspace/<name>` (contract §7, §8): a workspace, its roles, articles and policies. URLs that issue credentials
 * are shown but not linked, because crawlers follow links.
 */
import { addressOfCohort } from '../../domain/landscape/queue.ts';
import { links } from '../../domain/links.ts';
import type { CohortSummary } from '../../model/landscape.ts';
import type { WorkspaceView } from '../../model/workspace.ts';
import { Articles, type ListedArticles } from './article-list.tsx';
import { Facts } from './parts.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

/** A workspace with its articles and the cohorts with open work. */
type WorkspacePageView = WorkspaceView & ListedArticles & { readonly cohorts: readonly CohortSummary[] };

const policyNames: Readonly<Record<string, string>> = {
  visibility: 'What is seen',
  slugs: 'Slugs',
  writes: 'Writing',
  proof: 'Proof',
  precedence: 'Precedence',
};

export function workspacePage(site: Site, view: WorkspacePageView): string {
  const { base } = site.service;
  const path = site.to.workspace(view.id);
  return renderPage(
    site,
    {
      title: view.title,
      canonical: `${base}/workspace/${view.id}`,
      alternates: [
        {
          type: 'application/json',
          href: `${base}/api/workspace/${view.id}`,
          title: 'The workspace as JSON',
        },
      ],
    },
    <div class="home">
      <h1 dir="auto">{view.title}</h1>
      {view.purpose === '' ? null : (
        <p class="lead" dir="auto">
          {view.purpose}
        </p>
      )}
      <p class="section-note">
        The workspace <code>{view.id}</code> is {view.status}. Articles, rows, shares, keys and receipts of a
        workspace belong to it alone.
      </p>
      <section aria-labelledby="articles">
        <Articles site={site} path={path} view={view} />
        <p>
          <a href={`${site.to.search}?workspace=${view.id}`}>Search this workspace</a>: articles, claims,
          sources and discussions.
        </p>
      </section>
      {view.cohorts.length === 0 ? null : <Cohorts site={site} view={view} />}
      <section aria-labelledby="roles">
        <h2 id="roles">Roles</h2>
        <p>
          A program that opens one of these addresses gets a credential for the role, and the addresses that
          it may use. An invitation is a share that the owner made for a role; put it behind{' '}
          <code>share=</code>.
        </p>
        <Facts
          facts={Object.entries(view.roles).map(([role, may]) => ({
            name: capital(role),
            value: (
              <>
                {capital(may)}.<br />
                <code>{addressOf(base, view, role)}</code>
              </>
            ),
          }))}
        />
      </section>
      <section aria-labelledby="policies">
        <h2 id="policies">Policies</h2>
        <Facts
          facts={Object.entries(view.policies).map(([name, value]) => ({
            name: policyNames[name] ?? name,
            value: `${capital(value)}${value.endsWith('.') ? '' : '.'}`,
          }))}
        />
      </section>
    </div>,
  );
}

function Cohorts({ site, view }: Readonly<{ site: Site; view: WorkspacePageView }>) {
  return (
    <section aria-labelledby="landscape">
      <h2 id="landscape">Landscape</h2>
      <p>Targets open for work, by the query that found them.</p>
      <ul>
        {view.cohorts.map(({ cohort, query, items, lanes }) => (
          <li key={cohort}>
            <a href={links.landscape(site.root, addressOfCohort(view.id, cohort))}>{cohort}</a>{' '}
            <span dir="auto">{query}</span>
            <br />
            <span class="hint">
              {countText(items, 'item')};{' '}
              {Object.entries(lanes)
                .map(([lane, { complete }]) => `${lane} ${complete}`)
                .join(', ')}{' '}
              complete
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function addressOf(base: string, view: WorkspaceView, role: string): string {
  const open = view.enter.find((url) => url.endsWith(`role=${role}`));
  return open ?? `${base}/api/workspace/${view.id}/enter?role=${role}&share={invitation}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
