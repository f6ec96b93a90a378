/** A list of articles with paging, for the home page and for workspaces. */
import type { ArticleItem } from '../../model/article.ts';
import { links } from '../../domain/links.ts';
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
  hasLabels = false,
}: Readonly<{
  site: Site;
  /** Address of the page. */
  path: string;
  view: ListedArticles;
  /** Tags and series of these articles have pages: those of `main` do. */
  hasLabels?: boolean;
}>) {
  return (
    <>
      <h2 id="articles">Articles</h2>
      {hasLabels && view.articles.length > 0 ? (
        <p class="section-note">
          Also by <a href={site.to.tags}>tag</a>, by <a href={site.to.series}>series</a>, and by{' '}
          <a href={site.to.recent}>what changed last</a>.
        </p>
      ) : null}
      {view.articles.length === 0 ? (
        <p>{view.continued ? 'The list ends here.' : 'No article is published here yet.'}</p>
      ) : (
        <ArticleList site={site} articles={view.articles} hasLabels={hasLabels} />
      )}
      <ListNavigation path={path} view={view} />
    </>
  );
}

type Line = Pick<ArticleItem, 'slug' | 'title' | 'category' | 'tags' | 'series' | 'version' | 'updated_at'>;

export function ArticleList({
  site,
  articles,
  hasLabels,
}: Readonly<{ site: Site; articles: readonly Line[]; hasLabels: boolean }>) {
  return (
    <ul class="article-list">
      {articles.map(({ slug, title, category, tags, series, version, updated_at: updated }) => (
        <li key={slug}>
          <a href={site.to.article(slug)} dir="auto">
            {title}
          </a>
          <span class="note">
            {category === null || category === '' ? '' : `${category} · `}
            {tags.map((tag) => (
              <>
                <Label name={tag} href={hasLabels ? links.tagPage(site.root, tag) : undefined} />
                {' · '}
              </>
            ))}
            {series === null ? null : (
              <>
                {series.position === null ? 'in ' : `part ${series.position} of `}
                <Label
                  name={series.name}
                  href={hasLabels ? links.seriesPage(site.root, series.name) : undefined}
                />
                {' · '}
              </>
            )}
            version {version}, <time dateTime={updated}>{dateText(updated)}</time>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Label({ name, href }: Readonly<{ name: string; href: string | undefined }>) {
  return href === undefined ? (
    <bdi>{name}</bdi>
  ) : (
    <a href={href}>
      <bdi>{name}</bdi>
    </a>
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
