/**
 * `/search` (contract §8): the form, and what was found, grouped by article, with kinds as tabs. Complete without
 * JavaScript; `web/search.ts` replaces `#found` while a reader types.
 */
import { queryCharsMax, type SearchAnswer } from '../../app/reads/search.ts';
import {
  type SearchedArticle,
  type SearchResult,
  searchKinds,
  type SearchKind,
  type SearchTotals,
} from '../../model/graph.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { Button } from './components/button.tsx';
import { Chip } from './components/chip.tsx';
import { Tabs } from './components/tabs.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export interface SearchView {
  readonly q: string;
  /** The one kind that is searched. */
  readonly kind: SearchKind | undefined;
  /** The one article that is searched, by its slug. */
  readonly article: string | undefined;
  /** The name of the searched workspace, and all open workspaces, `main` first. */
  readonly workspace: string;
  readonly workspaces: readonly { readonly name: string; readonly title: string }[];
  /** Articles before this page; results, where one article is searched. */
  readonly cursor: number;
  /** The results, or why there are none; undefined before a search. */
  readonly found: SearchAnswer | string | undefined;
}

const tabNames: Readonly<Record<SearchKind, string>> = {
  article: 'Titles',
  div: 'Text',
  claim: 'Claims',
  source: 'Sources',
  discourse: 'Discussion',
};

export function searchPage(site: Site, view: SearchView): string {
  const { q, found } = view;
  return renderPage(
    site,
    {
      title: q === '' ? 'Search' : `Search: ${q}`,
      description: 'Search the articles, their claims, sources and discussion.',
      canonical: `${site.service.base}/search`,
      here: 'Search',
      register: 'working',
      scripts: ['search'],
      // Result pages are not indexed; the articles are.
      unlisted: q !== '',
    },
    <div class="search">
      <h1>Search</h1>
      <SearchForm site={site} view={view} />
      <p class="visually-hidden" id="search-status" role="status" />
      <div id="found">
        {found === undefined ? (
          <Beginning site={site} />
        ) : typeof found === 'string' ? (
          <p role="alert">{found}</p>
        ) : (
          <Found site={site} view={view} found={found} />
        )}
      </div>
    </div>,
  );
}

function SearchForm({ site, view }: { readonly site: Site; readonly view: SearchView }) {
  const { q, kind, article, workspace, workspaces } = view;
  const hasWorkspaces = workspaces.length > 1;
  return (
    <form
      class={`search-form${hasWorkspaces ? ' of-many' : ''}`}
      id="search"
      role="search"
      action={site.to.search}
      method="get"
    >
      <p class="search-words">
        <label for="q">Words to look for</label>
        <input
          id="q"
          name="q"
          type="search"
          value={q}
          maxLength={queryCharsMax}
          required
          autocomplete="off"
          aria-keyshortcuts="/"
        />
      </p>
      {kind === undefined ? null : <input type="hidden" name="kind" value={kind} />}
      {article === undefined ? null : <input type="hidden" name="article" value={article} />}
      {hasWorkspaces ? (
        <p class="search-kind">
          <label for="workspace">Workspace</label>
          <select id="workspace" name="workspace">
            {workspaces.map(({ name, title }) => (
              <option key={name} value={name} selected={name === workspace} dir="auto">
                {title}
              </option>
            ))}
          </select>
        </p>
      ) : null}
      <p class="search-go">
        <Button kind="primary">Search</Button>
      </p>
    </form>
  );
}

/** Before a search. */
function Beginning({ site }: { readonly site: Site }) {
  return (
    <>
      <p>
        Searched are the titles and the text of articles, their claims and sources, and what was said about
        them, each as it stands now. English endings make no difference, and neither does case.
      </p>
      <p class="section-note">
        Or look through <a href={site.to.home}>all articles</a>, <a href={site.to.tags}>tags</a>,{' '}
        <a href={site.to.series}>series</a> and <a href={site.to.recent}>recent changes</a>. Programs ask{' '}
        <code>/api/search</code> and get the same in the same order.
      </p>
    </>
  );
}

interface Shown {
  readonly site: Site;
  readonly view: SearchView;
  readonly found: SearchAnswer;
}

function Found({ site, view, found }: Shown) {
  const { totals, didYouMean, results, next, behind } = found;
  const isFirst = view.cursor === 0;
  const scope = results.find(({ article }) => article === view.article)?.title ?? view.article;
  return (
    <>
      <Tabs
        label="Kinds of results"
        tabs={[undefined, ...searchKinds].map((kind) => ({
          name: kind === undefined ? 'All' : tabNames[kind],
          href: searchUrl(site, { ...view, kind }),
          count: kind === undefined ? totals.all : totals[kind],
          current: kind === view.kind,
        }))}
      />
      <section aria-labelledby="results">
        <h2 id="results">{summary(view, found)}</h2>
        {scope === undefined ? null : (
          <p class="section-note">
            In <bdi>{scope}</bdi> only.{' '}
            <a href={searchUrl(site, { ...view, article: undefined })}>Search all articles</a>
          </p>
        )}
        {didYouMean === null ? null : (
          <p class="did-you-mean">
            Did you mean{' '}
            <a href={searchUrl(site, { ...view, q: didYouMean })} dir="auto">
              {didYouMean}
            </a>
            ?
          </p>
        )}
        {behind > 0 ? (
          <p class="note">
            The newest {countText(behind, 'entry', 'entries')} of the log are not searched yet.
          </p>
        ) : null}
        {results.length === 0 ? (
          <Nothing site={site} view={view} totals={totals} />
        ) : found.articles === undefined ? (
          <ol class="hits" start={view.cursor + 1}>
            {results.map((result) => (
              <Hit key={result.url} site={site} result={result} />
            ))}
          </ol>
        ) : (
          <ol class="found-articles" start={view.cursor + 1}>
            {found.articles.map((article) => (
              <Group
                key={article.slug}
                site={site}
                view={view}
                article={article}
                results={results.filter((result) => result.article === article.slug)}
              />
            ))}
          </ol>
        )}
        {isFirst && next === null ? null : (
          <nav class="turn" aria-label="Pages of results">
            {isFirst ? null : <a href={searchUrl(site, view)}>The first results</a>}
            {next === null ? null : <a href={searchUrl(site, view, next)}>More results</a>}
          </nav>
        )}
      </section>
    </>
  );
}

/** “14 results in 5 articles”, of the chosen kind. */
function summary({ kind, article, cursor }: SearchView, { totals, results }: SearchAnswer): string {
  if (results.length === 0) return cursor === 0 ? 'Nothing was found' : 'Nothing more was found';
  const count = kind === undefined ? totals.all : totals[kind];
  const counted = `${totals.complete ? '' : 'More than '}${countText(Math.max(count, results.length), 'result')}`;
  return kind !== undefined || article !== undefined
    ? counted
    : `${counted} in ${countText(totals.articles, 'article')}`;
}

/** What to do where nothing was found. */
function Nothing({ site, view, totals }: Pick<Shown, 'site' | 'view'> & { readonly totals: SearchTotals }) {
  const { kind, workspaces, cursor } = view;
  if (cursor > 0) return null;
  return (
    <ul class="advice">
      {kind !== undefined && totals.all > 0 ? (
        <li>
          <a href={searchUrl(site, { ...view, kind: undefined })}>
            Show {totals.all === 1 ? 'the one result' : `the ${totals.all.toLocaleString('en-GB')} results`}{' '}
            of other kinds
          </a>
          .
        </li>
      ) : null}
      <li>Try fewer or other words. English endings make no difference, and neither does case.</li>
      {workspaces.length > 1 ? <li>Look in another workspace.</li> : null}
      <li>
        Look through <a href={site.to.home}>all articles</a>, <a href={site.to.tags}>tags</a> or{' '}
        <a href={site.to.recent}>recent changes</a>.
      </li>
    </ul>
  );
}

function searchUrl(
  site: Site,
  { q, kind, article, workspace }: Pick<SearchView, 'q' | 'kind' | 'article' | 'workspace'>,
  cursor?: number,
): string {
  const query = new URLSearchParams({
    q,
    ...(kind === undefined ? {} : { kind }),
    ...(article === undefined ? {} : { article }),
    ...(workspace === mainTenant ? {} : { workspace }),
    ...(cursor === undefined ? {} : { cursor: String(cursor) }),
  });
  return `${site.to.search}?${query.toString()}`;
}

/** An article with its first hits. */
function Group({
  site,
  view,
  article: { slug, title, status, hits },
  results,
}: Readonly<{
  site: Site;
  view: SearchView;
  article: SearchedArticle;
  results: readonly SearchResult[];
}>) {
  const own = results.find(({ kind }) => kind === 'article');
  const others = results.filter(({ kind }) => kind !== 'article');
  const more = hits - results.length;
  return (
    <li>
      <h3 class="found-title">
        <a class="hit-link" href={site.to.article(slug)} dir="auto">
          {own === undefined ? title : markTitle(own)}
        </a>{' '}
        {status === 'archived' ? <Chip state="archived" /> : null}
      </h3>
      {others.length === 0 ? null : (
        <ul class="hits">
          {others.map((result) => (
            <Hit key={result.url} site={site} result={result} />
          ))}
        </ul>
      )}
      {more > 0 ? (
        <p class="more-hits">
          <a href={searchUrl(site, { ...view, article: slug })}>
            {more.toLocaleString('en-GB')} more <span class="visually-hidden">in {title}</span>
          </a>
        </p>
      ) : null}
    </li>
  );
}

/** One result: what it is and where it stands, and the words that were found, which lead there. */
function Hit({ site, result }: { readonly site: Site; readonly result: SearchResult }) {
  const { kind, id, status, title } = result;
  // Many articles begin with a heading that is their title.
  const path = result.heading_path.filter((heading, i) => i > 0 || heading !== title);
  return (
    <li>
      <p class="hit-place">
        <span class="hit-kind">{kindName(result)}</span>
        {path.map((heading) => (
          <bdi key={heading} class="hit-heading">
            {heading}
          </bdi>
        ))}
        {kind === 'discourse' ? null : <code class="id">{id}</code>}
        {status === 'retracted' ? <Chip state="retracted" /> : null}
        {kind === 'claim' && isContested(result) ? <Chip state="contested" /> : null}
      </p>
      <p class="snippet">
        <a class="hit-link" href={resultUrl(site, result)} dir="auto">
          {markSnippet(result)}
        </a>
      </p>
    </li>
  );
}

function isContested({ contested }: SearchResult): boolean {
  return Object.values(contested ?? {}).some(({ count }) => count > 0);
}

function resultUrl(site: Site, { kind, article, id }: SearchResult): string {
  if (kind === 'div') return site.to.div(article, id);
  if (kind === 'claim') return site.to.claim(article, id);
  if (kind === 'discourse') return site.to.entry(article, id);
  return kind === 'article' ? site.to.article(article) : `${site.to.article(article)}#${id}`;
}

/** Of an entry of the discussion its stance. */
function kindName({ kind, status }: SearchResult): string {
  if (kind === 'discourse')
    return `${status.slice(0, 1).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`;
  return { article: 'Title', div: 'Text', claim: 'Claim', source: 'Source' }[kind];
}

/** The part of an article’s snippet that is its title; its category and tags stand behind. */
function markTitle(result: SearchResult) {
  const { title, snippet, marks } = result;
  if (!snippet.startsWith(title)) return title;
  return markSnippet({ snippet: title, marks: marks.filter(([, end]) => end <= title.length) });
}

/** The snippet with highlighted matches; everything else is escaped. */
function markSnippet({ snippet, marks }: Pick<SearchResult, 'snippet' | 'marks'>) {
  let at = 0;
  const parts = marks.flatMap(([start, end]) => {
    const before = snippet.slice(at, start);
    at = end;
    return [before, <mark key={start}>{snippet.slice(start, end)}</mark>];
  });
  return [...parts, snippet.slice(at)];
}
