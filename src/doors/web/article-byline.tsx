/** What stands below an article's title: its thesis, who wrote which version when, tags, series and image. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { links } from '../../domain/links.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import type { Claim } from '../../model/claim.ts';
import { imageLinkText, isOwnImage } from './body-markup.ts';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { Actor } from './parts.tsx';
import { HeadingText } from './heading-text.tsx';
import { type Site, takesAnswers } from './site.ts';

type Series = NonNullable<ArticleView['series']>;

/** The first claim that stands: what the article holds, in one sentence. */
export function Thesis({ claims, lang }: Readonly<{ claims: readonly Claim[]; lang: string | undefined }>) {
  const first = claims.find(({ status }) => status === 'active');
  if (first === undefined) return null;
  return (
    <p class="thesis" dir="auto" lang={lang}>
      {first.text} <a href={`#${first.id}`}>{first.id}</a>
    </p>
  );
}

/** Who wrote which version when, the article's place in its series, what it is about, and how to follow it. */
export function Byline({ site, view }: { readonly site: Site; readonly view: ArticleView }) {
  const { row } = view.state;
  const newest = view.deeds.at(-1);
  return (
    <div class="byline">
      <p>
        Version {row.version}
        {newest === undefined ? null : (
          <>
            {' '}
            by <Actor site={site} actor={newest.actor} />
          </>
        )}
        , <Ago iso={row.updated_at} />
        {row.status === 'published' ? null : (
          <>
            {' '}
            <Chip state={row.status} />
          </>
        )}
        <span class="print-only">
          , {links.article(site.service.base, row.slug)}?rev={row.version}
        </span>
      </p>
      <SeriesPlace site={site} view={view} />
      <About site={site} view={view} />
    </div>
  );
}

/** Whether the pages of tags and series list the article: they are of what is published in the workspace `main`. */
function isListed({ state: { row } }: ArticleView): boolean {
  return row.status === 'published' && row.tenant === mainTenant;
}

function SeriesPlace({ site, view }: { readonly site: Site; readonly view: ArticleView }) {
  const { series } = view;
  if (series === undefined) return null;
  const { name, prev, next } = series;
  const place = placeIn(series);
  const neighbours = [
    prev === undefined ? null : <Neighbour site={site} rel="prev" word="previous" to={prev} />,
    next === undefined ? null : <Neighbour site={site} rel="next" word="next" to={next} />,
  ].filter((each) => each !== null);
  if (name === null && place === '' && neighbours.length === 0) return null;
  return (
    <p class="byline-series">
      {place}
      {name === null ? null : (
        <>
          {place === '' ? 'In the series ' : ' of '}
          <bdi>{isListed(view) ? <a href={links.seriesPage(site.root, name)}>{name}</a> : name}</bdi>
        </>
      )}
      {neighbours.map((link, i) => [i === 0 && place === '' && name === null ? '' : ' · ', link])}
    </p>
  );
}

/** `Part 2 of 5`; '' where the article does not say. */
function placeIn({ position, of }: Pick<Series, 'position' | 'of'>): string {
  return position === null ? '' : `Part ${position}${of === null ? '' : ` of ${of}`}`;
}

function Neighbour({
  site,
  rel,
  word,
  to,
}: Readonly<{ site: Site; rel: 'prev' | 'next'; word: string; to: { slug: string; title: string } }>) {
  return (
    <>
      {word}:{' '}
      <a href={site.to.article(to.slug)} rel={rel}>
        <bdi>
          <HeadingText title={to.title} />
        </bdi>
      </a>
    </>
  );
}

/** Category and tags; on the screen also what links to the article as it is, and its feed. */
function About({ site, view }: { readonly site: Site; readonly view: ArticleView }) {
  const { slug, meta } = view.state.row;
  const parts = [
    ...(meta.category === null || meta.category === '' ? [] : [<bdi>{meta.category}</bdi>]),
    ...meta.tags.map((tag) =>
      isListed(view) ? (
        <a href={links.tagPage(site.root, tag)} rel="tag">
          <bdi>{tag}</bdi>
        </a>
      ) : (
        <bdi>{tag}</bdi>
      ),
    ),
  ];
  if (parts.length === 0 && !takesAnswers(site)) return null;
  return (
    <p class="byline-about">
      {parts.map((part, i) => [i === 0 ? null : ' · ', part])}
      {takesAnswers(site) ? (
        <span class="screen-only">
          {parts.length === 0 ? '' : ' · '}
          <a href={`${site.to.article(slug)}/links`}>What links here</a> ·{' '}
          <a href={`${site.to.article(slug)}/feed.xml`}>Feed</a>
        </span>
      ) : null}
    </p>
  );
}

/** A decorative image. Its URL is contributed: images on other hosts are linked instead of loaded. */
export function Hero({ base, url }: { readonly base: string; readonly url: string | null }) {
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  if (!isOwnImage(base, url))
    return (
      <p>
        <a href={url} rel="nofollow ugc noopener">
          {imageLinkText('', url)}
        </a>
      </p>
    );
  return <img class="hero" src={url} alt="" decoding="async" referrerpolicy="no-referrer" />;
}

/** The previous and next article of its series, at the end of the text. */
export function SeriesNavigation({
  site,
  view: { series },
}: {
  readonly site: Site;
  readonly view: ArticleView;
}) {
  if (series === undefined || (series.prev === undefined && series.next === undefined)) return null;
  return (
    <nav class="series" aria-label="Series">
      <p class="note">
        {[placeIn(series), series.name].filter((each) => each !== '' && each !== null).join(', ')}
      </p>
      {series.prev === undefined ? null : (
        <a href={site.to.article(series.prev.slug)} rel="prev">
          Previous:{' '}
          <bdi>
            <HeadingText title={series.prev.title} />
          </bdi>
        </a>
      )}
      {series.next === undefined ? null : (
        <a href={site.to.article(series.next.slug)} rel="next">
          Next:{' '}
          <bdi>
            <HeadingText title={series.next.title} />
          </bdi>
        </a>
      )}
    </nav>
  );
}
