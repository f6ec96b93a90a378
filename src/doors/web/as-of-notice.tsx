/**
 * Pages as of an earlier moment (contract §5 `?at=`, spec §2.1 `?rev=n`): a notice above the article, and a site
 * whose links to the article lead to the same moment.
 */
import { withAsOf, type AsOf } from '../../app/reads/as-of.ts';
import type { Paths, AsOfNote, Site } from './site.ts';
import { Time } from './parts.tsx';

/** The site, with links to one article as of a moment. */
export function siteAsOf(
  site: Site,
  slug: string,
  asOfQuery: AsOf,
  stood: Pick<AsOfNote, 'ts' | 'rev' | 'newest'>,
): Site {
  const { to } = site;
  const atThatMoment =
    <Rest extends readonly string[]>(path: (own: string, ...rest: Rest) => string) =>
    (own: string, ...rest: Rest): string =>
      own === slug ? withAsOf(path(own, ...rest), asOfQuery) : path(own, ...rest);
  const paths: Paths = {
    ...to,
    article: atThatMoment(to.article),
    div: atThatMoment(to.div),
    claim: atThatMoment(to.claim),
    json: atThatMoment(to.json),
    markdown: atThatMoment(to.markdown),
    part: atThatMoment(to.part),
    graph: atThatMoment(to.graph),
  };
  const query = new URLSearchParams({ ...asOfQuery }).toString();
  return {
    ...site,
    to: paths,
    asOf: { ...stood, asked: query, now: to.article(slug), history: to.history(slug) },
  };
}

/** The first thing that a reader of the past is told. */
export function AsOfNotice({ asOf }: { readonly asOf: AsOfNote }) {
  const { ts, rev, newest, now, history } = asOf;
  return (
    <div class="past" role="note">
      <p>
        <strong>As of</strong> <Time iso={ts} />, in revision {rev}.{' '}
        {rev === newest ? (
          <>
            The text is current; later discourse is not shown. <a href={now}>Read it as it is now</a>.
          </>
        ) : (
          <>
            <a href={now}>Read the newest, revision {newest}</a>, or{' '}
            <a href={`${history}?from=${rev}&to=${newest}`}>what has changed since</a>.
          </>
        )}
      </p>
    </div>
  );
}
