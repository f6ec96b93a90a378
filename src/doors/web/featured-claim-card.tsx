/** One real claim with its quote, the oldest objection to it, and its receipt, verified in the browser (contract §8). */
import type { FeaturedClaim } from '../../app/reads/featured-claim.ts';
import { countText } from './format-text.ts';
import { ContributedLink, ExactText, VerificationStatus } from './parts.tsx';
import { typedName } from './plain-words.ts';
import { UntrustedMark } from './shell.tsx';
import type { Site } from './site.ts';

const quoteCharsMax = 400;

export function FeaturedClaimCard({
  site,
  featured,
  markName,
}: Readonly<{ site: Site; featured: FeaturedClaim; markName: string }>) {
  const { slug, title, claim, source, contestedBy, objection, receipt } = featured;
  return (
    <section
      class="live-claim"
      aria-labelledby="live-claim"
      {...(receipt === null
        ? {}
        : { 'data-inv': receipt, 'data-claim': claim.id, 'data-slug': slug, 'data-hash': claim.hash })}
    >
      <h2 id="live-claim">A claim from this site</h2>
      <UntrustedMark name={markName} />
      <div class="card">
        <p class="live-claim-text" dir="auto">
          <a href={site.to.claim(slug, claim.id)} id="live-claim-text">
            {claim.text}
          </a>
        </p>
        <p class="live-claim-facts">
          claimed by <bdi>{claim.who_claims}</bdi>, in{' '}
          <a href={site.to.article(slug)}>
            <bdi>{title}</bdi>
          </a>{' '}
          <span class={`chip chip-${contestedBy === 0 ? 'accepted' : 'contested'}`}>
            {contestedBy === 0 ? 'uncontested' : `contested ${contestedBy}`}
          </span>
        </p>
        <p class="live-claim-label">It rests on these words</p>
        <blockquote class="quote">
          <p dir="auto">
            <ExactText text={shortened(source.quote)} />
          </p>
          <p class="quote-source">
            <ContributedLink href={source.url}>
              <bdi>{source.title}</bdi>
            </ContributedLink>
          </p>
        </blockquote>
        {objection === undefined ? (
          <p class="live-claim-label">
            Nobody has objected yet. <a href={site.to.propose(slug, claim.id)}>Object to it</a>.
          </p>
        ) : (
          <>
            <p class="live-claim-label">
              {typedName(objection.actor)} objects{' '}
              <span class="chip chip-open">{objection.status === 'accepted' ? 'accepted' : 'open'}</span>
            </p>
            <blockquote class="quote">
              <p dir="auto">
                <ExactText text={shortened(objection.text)} />
              </p>
              <p class="quote-source">
                <a href={objection.permalink}>
                  {contestedBy === 1
                    ? 'See it in the discussion'
                    : `See this and ${countText(contestedBy - 1, 'other objection')}`}
                </a>
              </p>
            </blockquote>
          </>
        )}
        {receipt === null ? null : (
          <div class="live-claim-receipt">
            <VerificationStatus
              what="The claim and its receipt are checked here when JavaScript is on."
              button="Verify"
            />
            <p>
              <a href={site.to.receipt(receipt)}>The receipt of this claim</a>
            </p>
          </div>
        )}
      </div>
      <UntrustedMark name={markName} end />
    </section>
  );
}

function shortened(text: string): string {
  return text.length <= quoteCharsMax ? text : `${text.slice(0, quoteCharsMax).toWellFormed()} …`;
}
