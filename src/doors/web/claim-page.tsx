/** `/a/<slug>/c1` (spec §2.2, contract §8): one claim with everything that it says about itself. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { links } from '../../domain/links.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import { ClaimHead } from './claim-notes.tsx';
import { ContributionItems } from './contribution-list.tsx';
import { Ago } from './components/ago.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { countText } from './format-text.ts';
import { ActorAtStart, Actor, ActWords, Facts, Mono, ReceiptLink, Time } from './parts.tsx';
import { actOfDeed, wordsOf } from './plain-words.ts';
import { HeadingText } from './heading-text.tsx';
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
  const said = view.posts.filter(({ post }) => post.target === claim.id);
  const against = contestedText(view.contests.claim(claim.id));
  const own = deeds.filter((deed) => deed.of.includes(claim.id)).toReversed();
  return renderPage(
    site,
    page,
    <article class="record">
      <h1 class="sentence" dir="auto">
        {claim.status === 'retracted' ? <s>{claim.text}</s> : claim.text}
      </h1>
      <p class="byline">
        Claim {claim.id} of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>
            <HeadingText title={title} />
          </a>
        </cite>
        , version {claim.version}, <Ago iso={own[0]?.ts ?? claim.posted_by.ts} />
      </p>
      <ClaimHead claim={claim} href={site.to.claim(slug, claim.id)} contested={against !== undefined} />
      <RecordBar site={site} slug={slug} id={claim.id} objectAs="objection" proposeAs="repair" />
      <h2>{claim.source_ids.length === 0 ? 'No source' : 'What it rests on'}</h2>
      {sources.length === 0 ? (
        <p>
          The claim cites no source.
          {claim.why_material === null ? null : (
            <>
              {' '}
              Why the article makes it: <bdi>{claim.why_material}</bdi>
            </>
          )}
        </p>
      ) : null}
      <ol class="source-list">
        {sources.map((source) => (
          <li key={source.id} id={source.id}>
            <SourceQuote source={source} page={site.to.source(slug, source.id)} />
          </li>
        ))}
      </ol>
      <h2 id="contributions">What was said about it</h2>
      <p class="section-note">
        {contributions.length + said.length === 0
          ? 'Nothing has been said about it yet. Anybody may object or propose another wording, without an account; the owner decides.'
          : 'What readers object and propose. The owner accepts or rejects it; until then the claim stays as it is.'}{' '}
        {against === undefined ? null : <>Contested: {against}. </>}
        {site.asOf === undefined ? (
          <a href={site.to.discuss(slug, { on: claim.id })} rel="nofollow">
            {said.length === 0
              ? 'Discuss it'
              : `Its discussion has ${countText(said.length, 'entry', 'entries')}`}
          </a>
        ) : null}
      </p>
      <ContributionItems site={site} slug={slug} rows={contributions} />
      <h2>About the claim</h2>
      <ClaimFacts site={site} claim={claim} />
      <h2>Versions</h2>
      <ol class="chain">
        {own.map((deed) => (
          <li key={deed.n}>
            <p>
              <ActorAtStart site={site} actor={deed.actor} />{' '}
              <ActWords site={site} slug={slug} words={wordsOf(actOfDeed(deed))} />, <Ago iso={deed.ts} />
              {deed.receipt === null ? null : (
                <>
                  {' · '}
                  <ReceiptLink site={site} inv={deed.receipt}>
                    receipt
                  </ReceiptLink>
                </>
              )}
            </p>
            {deed.wordings
              .filter((wording) => wording.id === claim.id && wording.text !== claim.text)
              .map(({ version, text }) => (
                <p key={version} class="earlier" dir="auto">
                  Version {version} said: “{text}”
                </p>
              ))}
          </li>
        ))}
      </ol>
      <Disclosure summary="Hashes and formats">
        <Facts
          facts={[
            { name: 'SHA-256 of the text', value: <Mono>{claim.hash}</Mono> },
            ...own.map((deed) => ({ name: `Entry ${deed.n}`, value: <Mono>{deed.hash}</Mono> })),
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
      </Disclosure>
    </article>,
  );
}

/** What can be done with a claim or a block from its own page. */
export function RecordBar({
  site,
  slug,
  id,
  objectAs,
  proposeAs,
}: Readonly<{ site: Site; slug: string; id: string; objectAs: string; proposeAs: string }>) {
  const to = (as: string): string => site.to.discuss(slug, { on: id, as });
  return (
    <div class="article-bar">
      <a href={`${site.to.article(slug)}#${id}`}>Read it in its place</a>
      {site.asOf === undefined ? (
        <>
          <a href={to(objectAs)} rel="nofollow">
            Object
          </a>
          <a href={to(proposeAs)} rel="nofollow">
            Propose wording
          </a>
          <a href={site.to.discuss(slug, { on: id })} rel="nofollow">
            Discuss
          </a>
        </>
      ) : null}
    </div>
  );
}

/** Content rules that an imported claim breaks, which the owner accepted. */
function brokenRules({ extra }: Claim): string {
  return (extra.violations ?? []).join(', ').replaceAll('_', ' ');
}

function ClaimFacts({ site, claim }: Readonly<{ site: Site; claim: Claim }>) {
  const { posted_by: posted } = claim;
  const model = posted.model === null ? '' : `, model “${posted.model}” as typed`;
  return (
    <Facts
      facts={[
        { name: 'Who claims it', value: claim.who_claims },
        { name: 'What would show it wrong', value: claim.falsifier },
        { name: 'Why it matters', value: claim.source_ids.length === 0 ? null : claim.why_material },
        {
          name: 'Evidence',
          value: [claim.evidence_basis, claim.extra.evidence_class]
            .filter((each) => typeof each === 'string')
            .join(', ')
            .replaceAll('_', ' '),
        },
        { name: 'Rules that it breaks', value: brokenRules(claim) },
        { name: 'Section', value: claim.section },
        { name: 'Part of the argument', value: claim.slot?.replaceAll('_', ' ') },
        { name: 'State', value: `${claim.status}, version ${claim.version}, ${claim.source_status}` },
        {
          name: 'Posted by',
          value: (
            <>
              <Actor site={site} actor={posted.actor} /> through {posted.channel}, <Time iso={posted.ts} />
              {model}
            </>
          ),
        },
        { name: 'Reason given', value: posted.rationale },
      ]}
    />
  );
}
