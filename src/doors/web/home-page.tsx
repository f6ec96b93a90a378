/** `/`: what this is, the articles, how to verify them, and where models start. */
import type { JsonObject } from '../../kernel/json.ts';
import { Fence, fenceName, renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { counted, dateText } from './words.ts';

export interface ListedArticle extends JsonObject {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly updated_at: string;
  readonly category: string | null;
  readonly tags: readonly string[];
}

export interface HomeView {
  readonly articles: readonly ListedArticle[];
  /** The list goes on behind its last article. */
  readonly more: boolean;
  /** This is not the first part of the list. */
  readonly continued: boolean;
  /** Entries of the log. */
  readonly size: number;
}

export function homePage(site: Site, view: HomeView): string {
  const { base } = site.service;
  const fence = fenceName(
    ...view.articles.flatMap(({ slug, title, updated_at }) => [slug, title, updated_at]),
  );
  return renderPage(
    site,
    {
      title: 'Colophon',
      description: 'Articles together with the record of how each part came to be.',
      canonical: `${base}/`,
      alternates: [{ type: 'application/json', href: `${base}/api/articles`, title: 'The articles as JSON' }],
      here: 'Articles',
    },
    <div class="home">
      <h1>Colophon</h1>
      <p class="lead">
        Colophon keeps articles together with the record of how each part came to be. Every claim names who
        makes it and what it rests on, every block of text and every source is chained by hash, and every act
        leaves a receipt. None of this has to be believed: it can be computed again, here in the browser or
        anywhere else.
      </p>
      <section aria-labelledby="articles">
        <h2 id="articles">Articles</h2>
        {view.articles.length === 0 ? (
          <p>{view.continued ? 'The list ends here.' : 'There are none yet.'}</p>
        ) : (
          <>
            <Fence name={fence} />
            <ArticleList site={site} articles={view.articles} />
            <Fence name={fence} end />
          </>
        )}
        <Turn site={site} view={view} />
      </section>
      <section aria-labelledby="check">
        <h2 id="check">Checking it</h2>
        <p>
          All entries are leaves of <a href={site.to.log}>one log</a>
          {view.size === 0 ? ', which is empty so far' : `, ${counted(view.size, 'entry', 'entries')} by now`}
          . Article and receipt pages verify themselves in the browser and say what they found;{' '}
          <a href={site.to.verify}>the verification page</a> takes any receipt or proof and has the commands
          for doing it without this site.
        </p>
      </section>
      <section aria-labelledby="models">
        <h2 id="models">Where models start</h2>
        <p>
          <a href={site.to.protocol}>The protocol</a> says how a model reads, calls and proves.{' '}
          <a href={site.to.directory}>The directory</a> lists what can be called;{' '}
          <a href={site.to.manifest}>/api/dispatch</a> is the same as data.
        </p>
      </section>
    </div>,
  );
}

function ArticleList({
  site,
  articles,
}: {
  readonly site: Site;
  readonly articles: readonly ListedArticle[];
}) {
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

function Turn({ site, view }: { readonly site: Site; readonly view: HomeView }) {
  const last = view.articles[view.articles.length - 1];
  if (!view.more && !view.continued) return null;
  return (
    <nav class="turn" aria-label="Pages of the list">
      {view.continued ? <a href={site.to.home}>The first articles</a> : null}
      {view.more && last !== undefined ? (
        <a href={`${site.to.home}?after=${encodeURIComponent(last.slug)}`}>More articles</a>
      ) : null}
    </nav>
  );
}
