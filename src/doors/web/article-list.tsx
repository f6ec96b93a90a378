/** A list of articles with paging, for the home page and for workspaces. */
import type { ArticleItem } from '../../model/article.ts';
import type { Site } from './site.ts';
import { dateText } from './format-text.ts';

export interface ListedArticles {
  readonly articles: readonly ArticleItem[];
  /** There are further articles after the last one. */
  readonly more: boolean;
  /** This is not the first part of the list. */
  readonly continued: boolean;
}

/** The heading, the list, and the paging links. */
export function Articles({
  site,
  path,
  view,
}: Readonly<{ site: Site; /** Address of the page. */ path: string; view: ListedArticles }>) {
  return (
    <>
      <h2 id="articles">Articles</h2>
      {view.articles.length === 0 ? (
        <p>{view.continued ? 'The list ends here.' : 'No article is published here yet.'}</p>
      ) : (
        <ArticleList site={site} articles={view.articles} />
      )}
      <ListNavigation path={path} view={view} />
    </>
  );
}

function ArticleList({ site, articles }: Readonly<{ site: Site; articles: readonly ArticleItem[] }>) {
  return (
    <ul class="article-list">
      {articles.map(({ slug, title, category, tags, version, updated_at: updated }) => (
        <li key={slug}>
          <a href={site.to.article(slug)} dir="auto">
            {title}
          </a>
          <span class="note">
            {[category, ...tags].filter((each) => each !== null && each !== '').join(' · ')}
            {category === null && tags.length === 0 ? '' : ' · '}version {version},{' '}
            <time dateTime={updated}>{dateText(updated)}</time>
          </span>
        </li>
      ))}
    </ul>
  );
}

function ListNavigation({ path, view }: { readonly path: string; readonly view: ListedArticles }) {
  const last = view.articles[view.articles.length - 1];
  if (!view.more && !view.continued) return null;
  return (
    <nav class="turn" aria-label="Pages of the list">
      {view.continued ? <a href={path}>The first articles</a> : null}
      {view.more && last !== undefined ? (
        <a href={`${path}?after=${encodeURIComponent(last.slug)}`}>More articles</a>
      ) : null}
    </nav>
  );
}
