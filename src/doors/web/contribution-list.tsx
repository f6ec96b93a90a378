/** Contributions of the mirror: proposals by anybody, shown as plain text and named as what they are. */
import type { ShownContribution } from '../../app/reads/article-view.ts';
import { Signed } from './discourse-list.tsx';
import type { Site } from './site.ts';
import { counted } from './words.ts';

interface ContributionsProps {
  readonly site: Site;
  readonly slug: string;
  readonly rows: readonly ShownContribution[];
  readonly count: number;
}

export function Contributions({ site, slug, rows, count }: ContributionsProps) {
  if (count === 0) return null;
  return (
    <section class="contributions" aria-labelledby="contributions">
      <h2 id="contributions">Contributions</h2>
      <p class="section-note">
        Anybody may propose; only the owner accepts. What stands here is not part of the article.{' '}
        {count > rows.length ? (
          <>
            The newest {rows.length} of {counted(count, 'contribution')};{' '}
            <a href={site.to.part(slug, 'mirror')}>the others as JSON</a>.
          </>
        ) : null}
      </p>
      <ContributionItems site={site} slug={slug} rows={rows} />
    </section>
  );
}

export function ContributionItems({ site, slug, rows }: Omit<ContributionsProps, 'count'>) {
  return (
    <ol class="contribution-list">
      {rows.map(({ id, status, claim_id: claimId, contribution }) => (
        <li key={id} id={id}>
          <p class="note-head">
            <strong class="status">{status}</strong>
            <span>{contribution.kind}</span>
            {claimId === '' ? (
              <span>on the article</span>
            ) : (
              <a href={site.to.claim(slug, claimId)}>on {claimId}</a>
            )}
            {contribution.tier === undefined ? null : <span>as {contribution.tier}</span>}
          </p>
          <p class="contribution-body" dir="auto">
            {contribution.body}
          </p>
          <Signed
            site={site}
            actor={contribution.actor}
            ts={contribution.ts}
            receipt={contribution.receipt}
          />
        </li>
      ))}
    </ol>
  );
}
