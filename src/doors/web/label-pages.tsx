/** `/tags`, `/tags/<tag>`, `/series` and `/series/<name>` (contract §8): articles by what they are about, and in order. */
import type { Labels } from '../../app/reads/labels.ts';
import type { ArticleIndexRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { Ago } from './components/ago.tsx';
import { countText } from './format-text.ts';
import { renderPage } from './shell.tsx';
import { jsonOf, type Site } from './site.ts';

/** Every tag or series, with the number of its articles. */
export function labelsPage(
  site: Site,
  labels: Pick<Labels, 'tags' | 'series'>,
  kind: 'tags' | 'series',
): string {
  const all = [...labels[kind]];
  const [name, path] =
    kind === 'tags' ? (['Tags', links.tagPage] as const) : (['Series', links.seriesPage] as const);
  return renderPage(
    site,
    {
      title: name,
      description:
        kind === 'tags' ? 'The tags of the published articles.' : 'The series of the published articles.',
      canonical: `${site.service.base}/${kind}`,
      alternates: jsonOf(site, kind, `${name} as JSON`),
    },
    <div class="labels">
      <h1>{name}</h1>
      <p>
        {kind === 'tags'
          ? 'What the published articles are about, by their tags. Each tag lists its articles, the one that changed last first'
          : 'Articles that belong together and are read in an order. Each series lists its articles in that order'}
        {site.static === undefined ? ', and has a feed to follow.' : '.'}
      </p>
      {all.length === 0 ? (
        <p>
          {kind === 'tags'
            ? 'No published article has a tag yet. Tags given to an article gather it here with others of its kind.'
            : 'No published article is part of a series yet. Articles that name the same series appear here in their order.'}{' '}
          <a href={site.to.home}>All articles</a>.
        </p>
      ) : (
        <>
          <ul class={kind === 'tags' ? 'tag-cloud' : 'article-list'}>
            {all.map(([label, articles]) => (
              <li key={label}>
                <a href={path(site.root, label)} dir="auto">
                  {label}
                </a>{' '}
                <span class="note">{countText(articles.length, 'article')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>,
  );
}

export const articlesOnPage = 50;

export interface LabelView {
  readonly kind: 'tags' | 'series';
  readonly label: string;
  readonly articles: readonly ArticleIndexRow[];
  /** How many come before this page. */
  readonly from: number;
}

export function labelPage(site: Site, { kind, label, articles, from }: LabelView): string {
  const pathOf = kind === 'tags' ? links.tagPage : links.seriesPage;
  const path = pathOf(site.root, label);
  const shown = articles.slice(from, from + articlesOnPage);
  const feed = `${path}/feed.xml`;
  const name = kind === 'tags' ? `Articles tagged ${label}` : `Series: ${label}`;
  const List = kind === 'tags' ? 'ul' : 'ol';
  return renderPage(
    site,
    {
      title: name,
      description: `${countText(articles.length, 'article')} ${kind === 'tags' ? `tagged “${label}”` : `in the series “${label}”, in their order`}.`,
      canonical: pathOf(site.service.base, label),
      alternates: [
        ...(kind === 'tags'
          ? jsonOf(site, `articles?tag=${encodeURIComponent(label)}`, 'The articles as JSON')
          : jsonOf(site, 'series', 'Series as JSON')),
        { type: 'application/atom+xml', href: feed, title: name },
      ],
      unlisted: from > 0,
    },
    <div class="labels">
      <h1>
        {kind === 'tags' ? 'Tagged ' : 'Series: '}
        <bdi>{label}</bdi>
      </h1>
      <p class="section-note">
        {countText(articles.length, 'article')},{' '}
        {kind === 'tags' ? 'the one that changed last first' : 'in their order'}.{' '}
        <a href={`${site.root}/${kind}`}>{kind === 'tags' ? 'All tags' : 'All series'}</a>
        {site.static === undefined ? (
          <>
            {kind === 'tags' ? (
              <>
                {' '}
                · <a href={`${site.to.recent}?tag=${encodeURIComponent(label)}`}>Recent changes</a>
              </>
            ) : null}{' '}
            · <a href={feed}>Feed</a>
          </>
        ) : null}
      </p>
      {site.static === undefined ? (
        <p>
          {kind === 'tags'
            ? 'Every published article with this tag. Its feed tells when one of them changes or another joins them.'
            : 'The articles of this series from its first to its last. Its feed tells when one of them changes or another joins.'}
        </p>
      ) : null}
      <List class="article-list" {...(kind === 'series' ? { start: from + 1 } : {})}>
        {shown.map(({ slug, title, tags, updated_at: updated }) => (
          <li key={slug}>
            <a href={site.to.article(slug)} dir="auto">
              {title}
            </a>
            <span class="note">
              changed <Ago iso={updated} />
              {tags
                .filter((tag) => tag !== label)
                .map((tag) => (
                  <>
                    {' · '}
                    <a key={tag} href={links.tagPage(site.root, tag)}>
                      <bdi>{tag}</bdi>
                    </a>
                  </>
                ))}
            </span>
          </li>
        ))}
      </List>
      {articles.length <= articlesOnPage ? null : (
        <nav class="turn" aria-label="Pages of the list">
          {from > 0 ? <a href={path}>The first articles</a> : null}
          {from + articlesOnPage < articles.length ? (
            <a href={`${path}?from=${from + articlesOnPage}`}>More articles</a>
          ) : null}
        </nav>
      )}
    </div>,
  );
}
