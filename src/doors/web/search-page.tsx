/** `/search` (contract §8): the search form and its results with highlighted matches. Works without JavaScript. */
import { queryCharsMax, type SearchAnswer } from '../../app/reads/search.ts';
import { type SearchResult, searchKinds, type SearchKind } from '../../model/graph.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export interface SearchView {
  readonly q: string;
  /** The one kind that is searched. */
  readonly kind: SearchKind | undefined;
  /** The name of the searched workspace, and all open workspaces, `main` first. */
  readonly workspace: string;
  readonly workspaces: readonly { readonly name: string; readonly title: string }[];
  /** Number of results before this page. */
  readonly cursor: number;
  /** The results, or why there are none; undefined before a search. */
  readonly found: SearchAnswer | string | undefined;
}

const kindNames: Readonly<Record<SearchKind, string>> = {
  article: 'Titles of articles',
  div: 'Text of articles',
  claim: 'Claims',
  source: 'Sources',
  discourse: 'Discourse',
};

export function searchPage(site: Site, view: SearchView): string {
  const { q, found } = view;
  const isAnswered = found !== undefined && typeof found !== 'string';
  return renderPage(
    site,
    {
      title: q === '' ? 'Search' : `Search: ${q}`,
      description: 'Search the articles, their claims, sources and discourse.',
      canonical: `${site.service.base}/search`,
      here: 'Search',
      // Result pages are not indexed; the articles are.
      unlisted: q !== '',
    },
    <div class="search">
      <h1>Search</h1>
      <SearchForm site={site} view={view} />
      {found === undefined ? (
        <p>
          Searched are the titles and the text of articles, their claims and sources, and what was said about
          them, each as it stands now. Programs ask <code>/api/search</code> and get the same in the same
          order.
        </p>
      ) : null}
      {typeof found === 'string' ? <p role="alert">{found}</p> : null}
      {isAnswered ? <Results site={site} view={view} found={found} /> : null}
    </div>,
  );
}

function SearchForm({ site, view }: { readonly site: Site; readonly view: SearchView }) {
  const hasWorkspaces = view.workspaces.length > 1;
  return (
    <form
      class={`search-form${hasWorkspaces ? ' of-many' : ''}`}
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
          value={view.q}
          maxLength={queryCharsMax}
          required
          autocomplete="off"
        />
      </p>
      <p class="search-kind">
        <label for="kind">In</label>
        <select id="kind" name="kind">
          <option value="">Everything</option>
          {searchKinds.map((kind) => (
            <option key={kind} value={kind} selected={kind === view.kind}>
              {kindNames[kind]}
            </option>
          ))}
        </select>
      </p>
      {hasWorkspaces ? (
        <p class="search-kind">
          <label for="workspace">Workspace</label>
          <select id="workspace" name="workspace">
            {view.workspaces.map(({ name, title }) => (
              <option key={name} value={name} selected={name === view.workspace} dir="auto">
                {title}
              </option>
            ))}
          </select>
        </p>
      ) : null}
      <p class="search-go">
        <button type="submit">Search</button>
      </p>
    </form>
  );
}

function Results({ site, view, found }: Readonly<{ site: Site; view: SearchView; found: SearchAnswer }>) {
  const { results } = found;
  const isFirst = view.cursor === 0;
  return (
    <section aria-labelledby="results">
      <h2 id="results">
        {results.length === 0
          ? isFirst
            ? 'Nothing was found'
            : 'Nothing more was found'
          : `${countText(results.length, 'result')}${isFirst && found.next === null ? '' : ' on this page'}`}
      </h2>
      {found.behind > 0 ? (
        <p class="note">
          The newest {countText(found.behind, 'entry', 'entries')} of the log are not searched yet.
        </p>
      ) : null}
      {results.length === 0 ? (
        <p>Fewer or other words may find more. English endings make no difference, and neither does case.</p>
      ) : (
        <>
          <ol class="hits" start={view.cursor + 1}>
            {results.map((result) => (
              <Hit key={result.url} site={site} result={result} />
            ))}
          </ol>
        </>
      )}
      {isFirst && found.next === null ? null : (
        <nav class="turn" aria-label="Pages of results">
          {isFirst ? null : <a href={searchUrl(site, view, undefined)}>The first results</a>}
          {found.next === null ? null : <a href={searchUrl(site, view, found.next)}>More results</a>}
        </nav>
      )}
    </section>
  );
}

function searchUrl(site: Site, { q, kind, workspace }: SearchView, cursor: number | undefined): string {
  const query = new URLSearchParams({
    q,
    ...(kind === undefined ? {} : { kind }),
    ...(workspace === mainTenant ? {} : { workspace }),
    ...(cursor === undefined ? {} : { cursor: String(cursor) }),
  });
  return `${site.to.search}?${query.toString()}`;
}

function Hit({ site, result }: { readonly site: Site; readonly result: SearchResult }) {
  return (
    <li>
      <p class="hit-title">
        <a href={resultUrl(site, result)} dir="auto">
          {result.title}
        </a>{' '}
        <span class="note">{resultLabel(result)}</span>
      </p>
      {result.kind === 'article' ? null : (
        <p class="snippet" dir="auto">
          {markSnippet(result)}
        </p>
      )}
    </li>
  );
}

function resultUrl(site: Site, { kind, article, id }: SearchResult): string {
  if (kind === 'div') return site.to.div(article, id);
  if (kind === 'claim') return site.to.claim(article, id);
  return kind === 'article' ? site.to.article(article) : `${site.to.article(article)}#${id}`;
}

function resultLabel({ kind, id, status }: SearchResult): string {
  if (kind === 'article') return status === 'archived' ? 'article, archived' : 'article';
  if (kind === 'div') return `text, ${id}`;
  if (kind === 'claim') return `claim ${id}${status === 'retracted' ? ', retracted' : ''}`;
  return kind === 'source' ? `source ${id}` : status;
}

/** The snippet with highlighted matches; everything else is escaped. */
function markSnippet({ snippet, marks }: SearchResult) {
  let at = 0;
  const parts = marks.flatMap(([start, end]) => {
    const before = snippet.slice(at, start);
    at = end;
    return [before, <mark key={start}>{snippet.slice(start, end)}</mark>];
  });
  return [...parts, snippet.slice(at)];
}
