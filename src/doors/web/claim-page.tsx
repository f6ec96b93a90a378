/** `/a/<slug>/c1` (spec §2.2, contract §8): one claim with everything that it says about itself. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { links } from '../../domain/links.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import { ClaimHead } from './claim-notes.tsx';
import { ContributionItems, ProposeLink } from './contribution-list.tsx';
import { Actor, ActWords, Facts, Mono, ReceiptLink, Time } from './parts.tsx';
import { actOfDeed, wordsOf } from './plain-words.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { SourceQuote } from './source-list.tsx';
import type { Claim } from '../../model/claim.ts';

export function claimPage(site: Site, view: ArticleView, claim: Claim): string {
  const { state, deeds } = view;
  const { slug, title } = state.row;
  const sources = claim.source_ids.flatMap((id) => state.sources.get(id)?.source ?? []);
  const contributions = view.contributions.filter((row) => row.claim_id === claim.id);
  const page = {
    title: `${claim.id} of ${title}`,
    canonical: links.claim(site.service.base, slug, claim.id),
    alternates: [
      {
        type: 'application/trig',
        href: links.nanopub(site.service.base, slug, claim.id),
        title: 'The claim as a nanopublication',
      },
    ],
  };
  return renderPage(
    site,
    page,
    <article class="record">
      <h1>
        Claim {claim.id} of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p>
        <a href={`${site.to.article(slug)}#${claim.id}`}>Read it in its place.</a>
      </p>
      <ClaimHead claim={claim} href={site.to.claim(slug, claim.id)} />
      <blockquote class="assertion" dir="auto">
        <p>{claim.text}</p>
      </blockquote>
      <ClaimFacts
        site={site}
        slug={slug}
        claim={claim}
        contested={contestedText(view.contests.claim(claim.id))}
      />
      <h2>Sources</h2>
      {sources.length === 0 ? <p>It cites no source.</p> : null}
      <ol class="source-list">
        {sources.map((source) => (
          <li key={source.id} id={source.id}>
            <SourceQuote source={source} />
          </li>
        ))}
      </ol>
      <h2 id="contributions">Contributions</h2>
      <p class="section-note">
        {contributions.length === 0
          ? 'Nobody has answered it yet. Anybody may; only the owner accepts.'
          : 'Anybody may propose; only the owner accepts. Contributions are not part of the claim.'}{' '}
        <ProposeLink site={site} slug={slug} claimId={claim.id}>
          Object, ask, or propose a source or another wording
        </ProposeLink>
      </p>
      <ContributionItems site={site} slug={slug} rows={contributions} />
      <h2>History</h2>
      <ol class="chain">
        {deeds
          .filter((deed) => deed.of.includes(claim.id))
          .map((deed) => (
            <li key={deed.n}>
              <p>
                <Actor site={site} actor={deed.actor} />{' '}
                <ActWords site={site} slug={slug} words={wordsOf(actOfDeed(deed))} />, <Time iso={deed.ts} />
                {deed.receipt === null ? null : (
                  <>
                    , receipt <ReceiptLink site={site} inv={deed.receipt} />
                  </>
                )}
              </p>
              {deed.wordings
                .filter((wording) => wording.id === claim.id && wording.text !== claim.text)
                .map(({ version, text }) => (
                  <p key={version} class="earlier" dir="auto">
                    As version {version} it read: “{text}”
                  </p>
                ))}
              <Facts facts={[{ name: 'hash', value: <Mono>{deed.hash}</Mono> }]} />
            </li>
          ))}
      </ol>
    </article>,
  );
}

/** Content rules that an imported claim breaks, which the owner accepted. */
function brokenRules({ extra }: Claim): string {
  return (extra.violations ?? []).join(', ').replaceAll('_', ' ');
}

function ClaimFacts({
  site,
  slug,
  claim,
  contested,
}: Readonly<{ site: Site; slug: string; claim: Claim; contested: string | undefined }>) {
  const { posted_by: posted } = claim;
  const model = posted.model === null ? '' : `, model “${posted.model}” as typed`;
  return (
    <Facts
      facts={[
        { name: 'Contested by', value: contested },
        { name: 'Who claims it', value: claim.who_claims },
        { name: 'What would show it wrong', value: claim.falsifier },
        { name: 'Why it matters', value: claim.why_material },
        {
          name: 'Evidence',
          value: [claim.evidence_basis, claim.extra.evidence_class]
            .filter((each) => typeof each === 'string')
            .join(', ')
            .replaceAll('_', ' '),
        },
        { name: 'Breaks rules here', value: brokenRules(claim) },
        { name: 'Section', value: claim.section },
        { name: 'Constitution slot', value: claim.slot?.replaceAll('_', ' ') },
        { name: 'Standing', value: `${claim.status}, version ${claim.version}, ${claim.source_status}` },
        {
          name: 'Posted by',
          value: (
            <>
              <Actor site={site} actor={posted.actor} /> through {posted.channel}, <Time iso={posted.ts} />
              {model}
            </>
          ),
        },
        { name: 'Rationale', value: posted.rationale },
        { name: 'SHA-256 of the text', value: <Mono>{claim.hash}</Mono> },
        {
          name: 'As data',
          value: (
            <a href={site.to.nanopub(slug, claim.id)} download={`${slug}-${claim.id}.trig`}>
              nanopublication
            </a>
          ),
        },
      ]}
    />
  );
}
