/** Sources as recorded: the exact quote, its address, who found it, and the hash of its entry. */
import type { SourceRow } from '../../domain/articles/tables.ts';
import { ContributedLink, ExactText, Mono, Time } from './parts.tsx';
import type { Site } from './site.ts';
import type { Claim } from '../../model/claim.ts';
import type { Source } from '../../model/source.ts';

interface SourcesProps {
  readonly site: Site;
  readonly slug: string;
  readonly sources: readonly SourceRow[];
  readonly claims: readonly Claim[];
}

/** The whole hash is in the article's JSON. */
const hashCharsShown = 12;

export function Sources({ site, slug, sources, claims }: SourcesProps) {
  if (sources.length === 0) return null;
  return (
    <section class="sources" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <ol class="source-list">
        {sources.map(({ source, hash }) => (
          <li key={source.id} id={source.id}>
            <SourceQuote source={source} page={site.to.source(slug, source.id)} />
            <p class="source-foot">
              <Cited
                site={site}
                slug={slug}
                by={claims.filter((claim) => claim.source_ids.includes(source.id))}
              />{' '}
              Entry <Mono>{hash.slice(0, hashCharsShown)}</Mono>
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Cited({ site, slug, by }: Readonly<{ site: Site; slug: string; by: readonly Claim[] }>) {
  if (by.length === 0) return <>Cited by no claim.</>;
  return (
    <>
      Cited by{' '}
      {by.map(({ id }, i) => (
        <span key={id}>
          {i === 0 ? '' : ', '}
          <a href={site.to.claim(slug, id)}>{id}</a>
        </span>
      ))}
      .
    </>
  );
}

/** What kind of source it is, in words. */
export function sourceKind({ type, platform, software_class: software, source_role: role }: Source): string {
  return [type, platform, software, role]
    .filter((each) => each !== null && each !== '')
    .join(', ')
    .replaceAll('_', ' ');
}

/** Title, exact quote and metadata of one source. */
export function SourceQuote({
  source,
  page,
}: Readonly<{ source: Source; /** Its own page. */ page: string }>) {
  return (
    <>
      <p class="source-title" dir="auto">
        <a class="label" href={page}>
          {source.id}
        </a>{' '}
        <ContributedLink href={source.url}>{source.title}</ContributedLink>
      </p>
      <blockquote cite={/^https?:/i.test(source.url) ? source.url : undefined} dir="auto">
        <p>
          <ExactText text={source.quote} />
        </p>
      </blockquote>
      {source.summary === '' ? null : (
        <p class="source-summary" dir="auto">
          {source.summary}
        </p>
      )}
      <p class="source-facts">
        <span class="url">{source.url}</span>
        <br />
        {sourceKind(source)}
        {source.quality_score === null ? '' : `, quality ${source.quality_score}`}; accessed{' '}
        <Time iso={source.accessed_at} />; found by {source.found_by}
        {source.violations === undefined
          ? null
          : `; breaks rules here: ${source.violations.join(', ').replaceAll('_', ' ')}`}
      </p>
    </>
  );
}
