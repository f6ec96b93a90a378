/** `/`: what Colophon is, the articles, how to verify them, and where models start. */
import { queryCharsMax } from '../../app/reads/search.ts';
import type { ArticleItem } from '../../model/article.ts';
import { Articles, type ListedArticles } from './article-list.tsx';
import { searchTemplate } from '../../represent/templates.ts';
import { untrustedMarkName, renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export interface HomeView extends ListedArticles {
  /** Articles that the owner recommends to newcomers. */
  readonly startingPoints: readonly ArticleItem[];
  /** Open workspaces other than main. */
  readonly workspaces: readonly { readonly name: string; readonly title: string }[];
  /** Entries of the log. */
  readonly size: number;
}

export function homePage(site: Site, view: HomeView): string {
  const { base } = site.service;
  const markName = untrustedMarkName(
    ...[...view.startingPoints, ...view.articles].flatMap(({ slug, title, updated_at }) => [
      slug,
      title,
      updated_at,
    ]),
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
        leaves a receipt. You do not have to trust this site: verify any article in the browser or offline.
      </p>
      <p>
        Open an article, follow a claim to the exact words that it rests on, and answer it where it is wrong:
        an objection or a better source needs no account.
      </p>
      <SearchBox site={site} />
      <section aria-labelledby="articles">
        <Articles site={site} path={site.to.home} view={view} markName={markName}>
          <StartingPoints site={site} articles={view.startingPoints} />
        </Articles>
        {view.workspaces.length === 0 ? null : (
          <p>
            Other workspaces have articles of their own:{' '}
            {view.workspaces.map(({ name, title }, i) => (
              <>
                {i === 0 ? '' : ', '}
                <a href={site.to.workspace(name)} dir="auto">
                  {title}
                </a>
              </>
            ))}
            .
          </p>
        )}
      </section>
      <section aria-labelledby="check">
        <h2 id="check">Checking it</h2>
        <p>
          All entries are leaves of <a href={site.to.log}>one log</a>
          {view.size === 0
            ? ', which is empty so far'
            : `, ${countText(view.size, 'entry', 'entries')} by now`}
          . Article and receipt pages verify themselves in the browser and say what they found;{' '}
          <a href={site.to.verify}>the verification page</a> takes any receipt or proof and has the commands
          for doing it without this site.
        </p>
      </section>
      <section aria-labelledby="models">
        <h2 id="models">Where models start</h2>
        <p>
          <a href={site.to.start} rel="nofollow">
            {base}/start
          </a>{' '}
          hands a model a credential for a day and addresses that lead straight to reading, objecting and
          confirming; <code>{searchTemplate(base)}</code> finds what to read.{' '}
          <a href={site.to.protocol}>The protocol</a> says how a model reads, calls and proves.{' '}
          <a href={site.to.workspace('main')}>The workspace</a> lists its roles and its open work.{' '}
          <a href={site.to.directory}>The directory</a> lists what can be called;{' '}
          <a href={site.to.manifest}>/api/dispatch</a> is the same as data.
        </p>
      </section>
    </div>,
  );
}

/** The search page's form in one line. */
function SearchBox({ site }: { readonly site: Site }) {
  return (
    <form class="search-form find" role="search" action={site.to.search} method="get">
      <p class="search-words">
        <label for="q">Find in articles, claims and sources</label>
        <input id="q" name="q" type="search" maxLength={queryCharsMax} required autocomplete="off" />
      </p>
      <p class="search-go">
        <button type="submit">Search</button>
      </p>
    </form>
  );
}

function StartingPoints({ site, articles }: Readonly<{ site: Site; articles: readonly ArticleItem[] }>) {
  if (articles.length === 0) return null;
  return (
    <p class="begin">
      Begin with{' '}
      {articles.map(({ slug, title }, i) => (
        <>
          {i === 0 ? '' : ', '}
          <a href={site.to.article(slug)}>
            <bdi>{title}</bdi>
          </a>
        </>
      ))}
      .
    </p>
  );
}
