/**
 * Pages of the past (contract §5 `?at=`, spec §2.1 `?rev=n`): the notice above an article as it stood, and a
 * site whose links to parts of that article lead to the same moment.
 */
import { withAsOf, type AsOf } from '../../app/reads/as-of.ts';
import type { Paths, PastNote, Site } from './site.ts';
import { Time } from './parts.tsx';

/** The same site, read out of the past of one article. */
export function siteAt(
  site: Site,
  slug: string,
  asked: AsOf,
  stood: Pick<PastNote, 'ts' | 'rev' | 'newest'>,
): Site {
  const { to } = site;
  const then =
    <Rest extends readonly string[]>(path: (own: string, ...rest: Rest) => string) =>
    (own: string, ...rest: Rest): string =>
      own === slug ? withAsOf(path(own, ...rest), asked) : path(own, ...rest);
  const paths: Paths = {
    ...to,
    article: then(to.article),
    div: then(to.div),
    claim: then(to.claim),
    json: then(to.json),
    markdown: then(to.markdown),
    part: then(to.part),
    graph: then(to.graph),
  };
  const query = new URLSearchParams({ ...asked }).toString();
  return {
    ...site,
    to: paths,
    past: { ...stood, asked: query, now: to.article(slug), history: to.history(slug) },
  };
}

/** The first thing that a reader of the past is told. */
export function PastNotice({ past }: { readonly past: PastNote }) {
  const { ts, rev, newest, now, history } = past;
  return (
    <div class="past" role="note">
      <p>
        <strong>As it stood</strong> on <Time iso={ts} />, in revision {rev}.{' '}
        {rev === newest ? (
          <>
            Its text is the newest; what was said of it since is not here.{' '}
            <a href={now}>Read it as it is now</a>.
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
