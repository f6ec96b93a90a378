/** What stands below an article's title: its thesis, who wrote which version when, tags, series and image. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import type { Claim } from '../../model/claim.ts';
import { imageLinkText, isOwnImage } from './body-markup.ts';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { Actor } from './parts.tsx';
import type { Site } from './site.ts';

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

export function Byline({ site, view }: { readonly site: Site; readonly view: ArticleView }) {
  const { row } = view.state;
  const newest = view.deeds.at(-1);
  const about = [row.meta.category, ...row.meta.tags].filter((each) => each !== null && each !== '');
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
      </p>
      {about.length === 0 ? null : <p dir="auto">{about.join(' · ')}</p>}
    </div>
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

/** The previous and next article of its series. */
export function SeriesNavigation({
  site,
  view: { series },
}: {
  readonly site: Site;
  readonly view: ArticleView;
}) {
  if (series === undefined || (series.prev === undefined && series.next === undefined)) return null;
  const place =
    series.position === null ? '' : `Part ${series.position}${series.of === null ? '' : ` of ${series.of}`}`;
  return (
    <nav class="series" aria-label="Series">
      <p class="note">{[place, series.name].filter((each) => each !== '' && each !== null).join(', ')}</p>
      {series.prev === undefined ? null : (
        <a href={site.to.article(series.prev.slug)} rel="prev">
          Before: {series.prev.title}
        </a>
      )}
      {series.next === undefined ? null : (
        <a href={site.to.article(series.next.slug)} rel="next">
          Next: {series.next.title}
        </a>
      )}
    </nav>
  );
}
