/** `/owner/articles` (contract §8): every article of the workspace, drafts first, with what can be done with each. */
import type { DeskArticles } from '../../../../app/reads/desk-articles.ts';
import { mainTenant } from '../../../../domain/articles/slugs.ts';
import { articleStatuses, type ArticleStatus } from '../../../../model/vocabulary.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { countText } from '../../format-text.ts';
import { addressOf, type ConsoleContext, deskPage } from '../console-page.tsx';
import { writePaths } from './desk.ts';

export interface ArticlesQuery {
  readonly q: string;
  readonly status: ArticleStatus | undefined;
}

export function articlesPage(context: ConsoleContext, found: DeskArticles, query: ArticlesQuery): string {
  const { site, workspace } = context;
  const paths = writePaths(site.root);
  const inWorkspace = workspace === mainTenant ? '' : `?workspace=${workspace}`;
  const all = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
  return deskPage(
    context,
    { title: 'Articles', here: 'articles', path: '/articles', scripts: ['articles'] },
    <>
      <div class="desk-head">
        <h1>Articles</h1>
        {context.may('VOXEL_BATCH') ? (
          <Button kind="primary" href={`${paths.create}${inWorkspace}`}>
            New article
          </Button>
        ) : null}
      </div>
      {all === 0 ? (
        <NoArticles context={context} />
      ) : (
        <>
          <form method="get" action={paths.articles} class="filter" role="search">
            {workspace === mainTenant ? null : <input type="hidden" name="workspace" value={workspace} />}
            {query.status === undefined ? null : <input type="hidden" name="status" value={query.status} />}
            <label for="filter" class="visually-hidden">
              Filter by title, address, tag or category
            </label>
            <input
              id="filter"
              type="search"
              name="q"
              value={query.q}
              placeholder="Filter by title, address, tag or category"
              autocomplete="off"
            />
            <Button>Filter</Button>
          </form>
          <nav class="tabs" aria-label="Status">
            <ul>
              <Tab context={context} query={query} label="All" count={all} />
              {articleStatuses.map((status) => (
                <Tab
                  key={status}
                  context={context}
                  query={query}
                  status={status}
                  label={`${status.charAt(0).toUpperCase()}${status.slice(1)}`}
                  count={found.counts[status]}
                />
              ))}
            </ul>
          </nav>
          <Table context={context} found={found} />
          <p class="section-note" id="matching" role="status">
            {found.matching === 0
              ? 'No article matches. Remove a word from the filter, or choose another status.'
              : found.matching > found.articles.length || found.isPartial
                ? `The first ${found.articles.length} of ${found.isPartial ? 'more than ' : ''}${countText(found.matching, 'article')} that match; filter for the others.`
                : ''}
          </p>
        </>
      )}
    </>,
  );
}

function Tab({
  context,
  query,
  status,
  label,
  count,
}: Readonly<{
  context: ConsoleContext;
  query: ArticlesQuery;
  status?: ArticleStatus;
  label: string;
  count: number;
}>) {
  const address = new URL(addressOf(context, '/articles'), 'http://here');
  if (status !== undefined) address.searchParams.set('status', status);
  if (query.q !== '') address.searchParams.set('q', query.q);
  return (
    <li>
      <a
        href={`${address.pathname}${address.search}`}
        aria-current={query.status === status ? 'page' : undefined}
      >
        {label} <span class="tab-count">{count}</span>
      </a>
    </li>
  );
}

function Table({ context, found }: { readonly context: ConsoleContext; readonly found: DeskArticles }) {
  if (found.articles.length === 0) return null;
  const paths = writePaths(context.site.root);
  return (
    <div class="wide">
      <table class="table articles-table">
        <thead>
          <tr>
            <th scope="col">Title</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Version
            </th>
            <th scope="col">Last change</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.articles.map(({ slug, title, status, version, updated_at: at, tags, category }) => (
            <tr key={slug} data-text={[title, slug, category ?? '', ...tags].join('\n').toLowerCase()}>
              <th scope="row">
                <a href={paths.article(slug)} dir="auto">
                  {title}
                </a>
                <span class="row-note">
                  {[slug, category ?? '', ...tags].filter((each) => each !== '').join(' · ')}
                </span>
              </th>
              <td>
                <Chip state={status} />
              </td>
              <td class="number">{version}</td>
              <td>
                <Ago iso={at} />
              </td>
              <td class="row-actions">
                {context.may('ARTICLE_REWRITE', slug) ? (
                  <a href={paths.edit(slug)} aria-label={`Edit ${title}`}>
                    Edit
                  </a>
                ) : null}
                {status === 'draft' || !context.isOpen ? null : (
                  <a href={context.site.to.article(slug)} aria-label={`Public page of ${title}`}>
                    Public page
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoArticles({ context }: { readonly context: ConsoleContext }) {
  return (
    <div class="empty">
      <p>
        <strong>No articles yet.</strong> An article is Markdown with claims beside it; each claim names the
        words that it rests on. Write one here, or paste a finished document. As a draft only you see it.
      </p>
      {context.may('VOXEL_BATCH') ? (
        <Button kind="primary" href={writePaths(context.site.root).create}>
          Write the first article
        </Button>
      ) : null}
    </div>
  );
}
