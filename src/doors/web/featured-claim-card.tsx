/** One real claim with its quote, the oldest objection to it, and its receipt, verified in the browser (contract §8). */
import type { FeaturedClaim } from '../../app/reads/featured-claim.ts';
import { countText } from './format-text.ts';
import { Chip } from './components/chip.tsx';
import { Quote } from './components/quote.tsx';
import { ContributedLink, VerificationStatus } from './parts.tsx';
import { typedName } from './plain-words.ts';
import type { Site } from './site.ts';
import { excerptOf } from '../../kernel/text.ts';

const quoteCharsMax = 400;

export function FeaturedClaimCard({ site, featured }: Readonly<{ site: Site; featured: FeaturedClaim }>) {
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
          {contestedBy === 0 ? null : <Chip state="contested" note={contestedBy} />}
        </p>
        <p class="live-claim-label">It rests on these words</p>
        <Quote
          text={excerptOf(source.quote, quoteCharsMax)}
          source={
            <ContributedLink href={source.url}>
              <bdi>{source.title}</bdi>
            </ContributedLink>
          }
        />
        {objection === undefined ? (
          <p class="live-claim-label">
            Nobody has objected yet.{' '}
            <a href={site.to.propose(slug, claim.id)} rel="nofollow">
              Object to it
            </a>
          </p>
        ) : (
          <>
            <p class="live-claim-label">
              {typedName(objection.actor)} objects <Chip state={objectionState(objection.status)} />
            </p>
            <Quote
              text={excerptOf(objection.text, quoteCharsMax)}
              source={
                <a href={objection.permalink}>
                  {contestedBy === 1
                    ? 'See it where it stands'
                    : `See this and ${countText(contestedBy - 1, 'other objection')}`}
                </a>
              }
            />
          </>
        )}
        {receipt === null ? null : (
          <div class="live-claim-receipt">
            <VerificationStatus
              site={site}
              what="The claim and its receipt are checked here when JavaScript is on."
              button="Verify"
            />
            <p>
              <a href={site.to.receipt(receipt)}>The receipt of this claim</a>
            </p>
          </div>
        )}
      </div>
    </section>
  );
}

/** An entry of the thread is open; a contribution is proposed, or accepted and stands on its claim. */
function objectionState(status: 'open' | 'proposed' | 'accepted'): 'open' | 'accepted' {
  return status === 'accepted' ? 'accepted' : 'open';
}
