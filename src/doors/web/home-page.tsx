/**
 * `/` (contract §8): what Colophon is for, shown on one real claim; three ways in; the newest acts; the articles. A
 * deployment without articles says how the first one is written.
 */
import type { FeaturedClaim } from '../../app/reads/featured-claim.ts';
import type { ArticleItem } from '../../model/article.ts';
import { searchTemplate } from '../../represent/templates.ts';
import { Articles, type ListedArticles } from './article-list.tsx';
import { renderPage } from './shell.tsx';
import { Button } from './components/button.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';
import type { Activity } from '../../app/reads/activity.ts';
import { ActLine } from './recent-page.tsx';
import { FeaturedClaimCard } from './featured-claim-card.tsx';

export interface HomeView extends ListedArticles {
  /** Articles that the owner recommends to newcomers. */
  readonly startingPoints: readonly ArticleItem[];
  /** Undefined where no claim quotes a source, and on further pages of the list. */
  readonly featured: FeaturedClaim | undefined;
  /** Open workspaces other than main. */
  readonly workspaces: readonly { readonly name: string; readonly title: string }[];
  /** The newest acts, as `/recent` shows them. */
  readonly newest: readonly Activity[];
  /** Entries of the log. */
  readonly size: number;
}

export function homePage(site: Site, view: HomeView): string {
  const { base } = site.service;
  const { featured } = view;
  const isEmpty = view.articles.length === 0 && !view.continued;
  return renderPage(
    site,
    {
      title: 'Colophon',
      description:
        'Articles that show who claims what, which words it rests on, and what was said against it.',
      canonical: `${base}/`,
      alternates: [
        { type: 'application/json', href: `${base}/api/articles`, title: 'The articles as JSON' },
        { type: 'application/atom+xml', href: `${site.to.recent}/feed.xml`, title: 'Recent changes' },
      ],
      here: 'Articles',
      ...(featured?.receipt == null ? {} : { scripts: ['verify'] }),
    },
    <div class="home">
      {view.continued ? <h1>Articles</h1> : <Welcome />}
      {featured === undefined ? null : <FeaturedClaimCard site={site} featured={featured} />}
      {view.continued ? null : <WaysIn site={site} view={view} />}
      {view.newest.length === 0 ? null : (
        <section aria-labelledby="recently">
          <h2 id="recently">Recently</h2>
          <ul class="recent-acts">
            {view.newest.map((act) => (
              <li key={act.seq}>
                <ActLine site={site} act={act} />
              </li>
            ))}
          </ul>
          <p class="section-note">
            <a href={site.to.recent}>All recent changes</a>, by kind, person, tag and date.
          </p>
        </section>
      )}
      <section aria-labelledby="articles">
        {isEmpty ? (
          <NoArticles site={site} />
        ) : (
          <Articles site={site} path={site.to.home} view={view} hasLabels />
        )}
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
      {view.continued ? null : (
        <section aria-labelledby="check">
          <h2 id="check">You need not trust this site</h2>
          <p>
            Everything that happens here is an entry of <a href={site.to.log}>one signed log</a>
            {view.size === 0 ? '' : ` (${countText(view.size, 'entry', 'entries')} so far)`}. Article and
            receipt pages check themselves in your browser. <a href={site.to.verify}>Verify</a> checks any
            receipt, proof or article that you were given, without asking the server.
          </p>
          <p class="section-note">
            For programs: a model starts at{' '}
            <a href={site.to.start} rel="nofollow">
              {site.service.base}/start
            </a>{' '}
            and searches with <code>{searchTemplate(site.service.base)}</code>;{' '}
            <a href={site.to.docs}>all documents</a>.
          </p>
        </section>
      )}
    </div>,
  );
}

function Welcome() {
  return (
    <>
      <h1>Write what you can stand behind.</h1>
      <p class="lead">
        Every sentence keeps who claimed it, the words it rests on, and what was said against it, and anyone
        can check that nothing was changed.
      </p>
    </>
  );
}

/** Three ways in: as a reader, with a model, with a deployment of one’s own. */
function WaysIn({ site, view }: Readonly<{ site: Site; view: HomeView }>) {
  const first = view.startingPoints[0] ?? view.articles[0];
  const slug = first?.slug ?? view.featured?.slug;
  return (
    <ul class="ways">
      {slug === undefined ? null : (
        <li>
          <Button kind="primary" href={site.to.article(slug)}>
            Read an article
          </Button>
          <span class="way-hint">
            {first === undefined ? null : (
              <>
                Begin with <bdi>{first.title}</bdi>.{' '}
              </>
            )}
            You can object to any claim without an account.
          </span>
        </li>
      )}
      <li>
        <Button href={site.to.help}>Send your model here</Button>
        <span class="way-hint">A text to paste into a chat. It may propose, never decide.</span>
      </li>
      <li>
        <Button href={`${site.to.docs}#run`}>Run your own</Button>
        <span class="way-hint">One process, one folder, two commands.</span>
      </li>
    </ul>
  );
}

/** What a new deployment says instead of a list. */
function NoArticles({ site }: { readonly site: Site }) {
  return (
    <>
      <h2 id="articles">Articles</h2>
      <p>
        This deployment has no published article yet. When it has, this page lists the articles and shows one
        of their claims with its source, its objections and its receipt.
      </p>
      <p>
        If you run it: <a href={site.to.owner}>open the desk</a> with the owner key and write the first
        article, or turn a Markdown file into one:
      </p>
      <pre class="wrapped">npm run -s colophon -- import my-notes.md</pre>
    </>
  );
}
