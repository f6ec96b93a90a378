/** `/a/<slug>/links` (contract §8): which other articles link to an article, and where. */
import type { Answer } from '../../model/exact.ts';
import type { Backlinks } from '../../model/article.ts';
import { links } from '../../domain/links.ts';
import { countText } from './format-text.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

type View = Answer<typeof Backlinks>;

const kinds = { div: 'block', claim: 'claim', source: 'source' } as const;

export function backlinksPage(site: Site, title: string, { slug, articles }: View): string {
  return renderPage(
    site,
    {
      title: `What links to ${title}`,
      canonical: `${links.article(site.service.base, slug)}/links`,
      unlisted: articles.length === 0,
    },
    <article class="record">
      <h1>
        What links to{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      {articles.length === 0 ? (
        <p>
          No other article links here yet. A link to <code>/a/{slug}</code> in the text, a claim or a source
          of another published article appears on this page.
        </p>
      ) : (
        <p class="section-note">{countText(articles.length, 'article')}.</p>
      )}
      {articles.map(({ slug: from, title: name, places }) => (
        <section key={from} class="backlink">
          <h2 dir="auto">
            <a href={site.to.article(from)}>{name}</a>
          </h2>
          <ul>
            {places.map(({ kind, id, heading_path: path, excerpt }) => (
              <li key={id}>
                <a href={site.to.div(from, id)}>
                  {kinds[kind]} {id}
                </a>
                {path.length === 0 ? null : (
                  <span class="aside" dir="auto">
                    {' '}
                    {path.join(' › ')}
                  </span>
                )}
                <p class="snippet" dir="auto">
                  {excerpt}
                </p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>,
  );
}
