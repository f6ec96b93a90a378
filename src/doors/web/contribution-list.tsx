/** Contributions of the mirror, as plain text with their status. */
import type { ComponentChildren } from 'preact';
import type { ShownContribution } from '../../app/reads/article-view.ts';
import { Signature } from './discourse-list.tsx';
import { entryName, sourceIn } from './said-words.ts';
import { Ago } from './components/ago.tsx';
import { StateWord } from './components/chip.tsx';
import { SourceQuote } from './contributed-source.tsx';
import { Actor, ReceiptLink } from './parts.tsx';
import { type Site, takesAnswers } from './site.ts';
import { countText } from './format-text.ts';

interface ContributionsProps {
  readonly site: Site;
  readonly slug: string;
  readonly rows: readonly ShownContribution[];
  readonly count: number;
}

export function Contributions({ site, slug, rows, count }: ContributionsProps) {
  if (count === 0 && !takesAnswers(site)) return null;
  return (
    <section class="contributions" aria-labelledby="contributions">
      <h2 id="contributions">Contributions</h2>
      <p class="section-note">
        {count === 0
          ? 'No proposals yet. Anyone may propose a change; the owner accepts or rejects it, with a reason.'
          : 'What readers propose. The owner accepts or rejects it; until then it is no part of the article.'}{' '}
        <ProposeLink site={site} slug={slug} claimId="">
          Object, ask, or propose a source or another wording
        </ProposeLink>{' '}
        {count > rows.length ? (
          <>
            {rows.length} of {countText(count, 'contribution')}, the newest and all that were accepted;{' '}
            <a href={site.to.part(slug, 'mirror')}>the others as JSON</a>.
          </>
        ) : null}
      </p>
      <ContributionItems site={site} slug={slug} rows={rows} />
    </section>
  );
}

/** A link to the form; pages of an earlier moment have none. */
export function ProposeLink({
  site,
  slug,
  claimId,
  children,
}: Readonly<{ site: Site; slug: string; claimId: string; children: ComponentChildren }>) {
  if (!takesAnswers(site)) return null;
  return (
    <span class="respond">
      <a href={site.to.propose(slug, claimId)} rel="nofollow">
        {children}
      </a>
      .
    </span>
  );
}

export function ContributionItems({ site, slug, rows }: Omit<ContributionsProps, 'count'>) {
  if (rows.length === 0) return null;
  return (
    <ol class="contribution-list">
      {rows.map(({ id, status, claim_id: claimId, contribution, decision, stale }) => (
        <li key={id} id={id}>
          <p class="note-head">
            <StateWord word={status} />
            <span>{entryName({ what: contribution.kind, from: 'mirror' })}</span>
            {claimId === '' ? (
              <span>on the article</span>
            ) : (
              <a href={site.to.claim(slug, claimId)}>on {claimId}</a>
            )}
            {contribution.tier === undefined ? null : <span>as {contribution.tier}</span>}
            {stale ? <span>the claim has changed since</span> : null}
          </p>
          <Body kind={contribution.kind} text={contribution.body} />
          <Signature
            site={site}
            actor={contribution.actor}
            ts={contribution.ts}
            receipt={contribution.receipt}
          />
          {decision === undefined ? null : (
            <p class="note-foot">
              {decision.status === 'accepted' ? 'Accepted' : 'Rejected'} by{' '}
              <Actor site={site} actor={decision.decided_by} />
              {decision.note === '' ? null : (
                <>
                  : “<bdi>{decision.note}</bdi>”
                </>
              )}
              , <Ago iso={decision.decided_at} />.{' '}
              <ReceiptLink site={site} inv={decision.receipt}>
                Receipt
              </ReceiptLink>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Body({ kind, text }: Readonly<{ kind: string; text: string }>) {
  const source = kind === 'source' ? sourceIn(text) : undefined;
  if (source === undefined)
    return (
      <p class="contribution-body" dir="auto">
        {text}
      </p>
    );
  return (
    <>
      <SourceQuote source={source} />
      {source.summary === undefined ? null : (
        <p class="contribution-body" dir="auto">
          {source.summary}
        </p>
      )}
    </>
  );
}
