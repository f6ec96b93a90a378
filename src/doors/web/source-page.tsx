/**
 * `/a/<slug>/s1` (spec §2.3, contract §8): one source with its exact quote, the claims that rest on it, whether its page
 * was found to hold the quote, its entry on the ledger, and how to cite it.
 */
import type { SourceView } from '../../app/reads/source-view.ts';
import { claimsOf } from '../../domain/articles/state.ts';
import { links } from '../../domain/links.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { LinkStatus } from '../../model/vocabulary.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import { webIri } from '../../represent/iri.ts';
import { sourceBibtex, sourceCsl, sourceText } from '../../represent/source-citation.ts';
import { ClaimHead } from './claim-notes.tsx';
import { CitationForms } from './citation-box.tsx';
import { Ago } from './components/ago.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { actorText, countText } from './format-text.ts';
import { Actor, ContributedLink, ExactText, Facts, Mono, ReceiptLink, Time } from './parts.tsx';
import { HeadingText } from './heading-text.tsx';
import { renderPage } from './shell.tsx';
import { jsonOf, type Site } from './site.ts';
import { sourceKind } from './source-list.tsx';

export function sourcePage(site: Site, view: SourceView): string {
  const { source, entry, article } = view;
  const { slug, title } = article.state.row;
  const isWeb = /^https?:/i.test(source.url);
  const host = isWeb ? URL.parse(source.url)?.host : undefined;
  return renderPage(
    site,
    {
      title: `${source.id} of ${title}: ${source.title}`,
      canonical: links.source(site.service.base, slug, source.id),
      alternates: jsonOf(site, `articles/${slug}/sources`, 'The sources as JSON'),
    },
    <article class="record">
      <h1 class="sentence" dir="auto">
        {source.title}
      </h1>
      <p class="byline">
        Source {source.id} of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>
            <HeadingText title={title} />
          </a>
        </cite>
        , recorded by <Actor site={site} actor={entry.actor} /> <Ago iso={entry.ts} />
        {entry.receipt === null ? null : (
          <>
            {' · '}
            <ReceiptLink site={site} inv={entry.receipt}>
              receipt
            </ReceiptLink>
          </>
        )}
      </p>
      <div class="article-bar">
        {host === undefined ? null : <ContributedLink href={source.url}>Open it at {host}</ContributedLink>}
        <a href={`${site.to.article(slug)}#${source.id}`}>Read it in its place</a>
        {site.asOf === undefined ? (
          <a href={`${site.to.discuss(slug, { on: '', as: 'source' })}#say`} rel="nofollow">
            Propose another source
          </a>
        ) : null}
        <CitationForms
          note="The source itself. To cite what this article says of it, cite the article."
          forms={[
            { name: 'Plain text', text: sourceText(source) },
            { name: 'BibTeX', text: sourceBibtex(slug, source).trimEnd() },
            { name: 'CSL-JSON', text: JSON.stringify(sourceCsl(slug, source), null, 1) },
          ]}
        />
      </div>
      <h2>The exact words</h2>
      <blockquote cite={isWeb ? source.url : undefined} dir="auto">
        <p>
          <ExactText text={source.quote} />
        </p>
      </blockquote>
      {source.summary === '' ? null : (
        <p class="source-summary" dir="auto">
          {source.summary}
        </p>
      )}
      <RestingClaims site={site} view={view} />
      <h2>Whether the words still stand there</h2>
      <p>
        <LookText view={view} />
      </p>
      <h2>What is recorded of it</h2>
      <Facts
        facts={[
          { name: 'Address', value: <ContributedLink href={source.url}>{source.url}</ContributedLink> },
          { name: 'Kind', value: sourceKind(source) },
          { name: 'Found by', value: actorText(source.found_by) },
          { name: 'Read on', value: <Time iso={source.accessed_at} /> },
          { name: 'Quality, as its poster judged it', value: source.quality_score?.toString() },
          { name: 'Rules that it breaks', value: source.violations?.join(', ').replaceAll('_', ' ') },
        ]}
      />
      <p>
        It is entry {entry.n + 1} in the article’s chain of sources, and each entry holds the hash of the one
        before it. Verifying the article, which{' '}
        <a href={`${site.to.article(slug)}#seal`}>its page does in your browser</a>, finds any changed word of
        the quote.
      </p>
      <Disclosure summary="Hashes and formats">
        <Facts
          facts={[
            { name: `Entry ${entry.n}`, value: <Mono>{entry.hash}</Mono> },
            { name: 'SHA-256 of the quote', value: <Mono>{sha256Hex(source.quote)}</Mono> },
            {
              name: 'As data',
              value: <a href={site.to.part(slug, 'sources')}>all sources of the article as JSON</a>,
            },
          ]}
        />
      </Disclosure>
    </article>,
  );
}

function RestingClaims({ site, view: { source, article } }: Readonly<{ site: Site; view: SourceView }>) {
  const { state, contests } = article;
  const resting = claimsOf(state).filter(({ source_ids: ids }) => ids.includes(source.id));
  return (
    <>
      <h2 id="claims">
        {resting.length === 0
          ? 'No claim rests on it'
          : `${countText(resting.length, 'claim rests', 'claims rest')} on it`}
      </h2>
      {resting.length === 0 ? (
        <p>
          The source is on the ledger, and no claim of the article cites it yet. A claim cites a source by its
          id when it is made.
        </p>
      ) : (
        <ol class="note-list">
          {resting.map((claim) => (
            <li key={claim.id} class="note" id={claim.id}>
              <ClaimHead
                claim={claim}
                href={site.to.claim(state.row.slug, claim.id)}
                contested={contestedText(contests.claim(claim.id)) !== undefined}
              />
              <p class="claim-text" dir="auto">
                {claim.status === 'retracted' ? <s>{claim.text}</s> : claim.text}
              </p>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** What the newest look at the page found, and where a copy of it may be. */
function LookText({ view: { source, look } }: Readonly<{ view: SourceView }>) {
  const copies = webIri(source.url);
  return (
    <>
      {look === undefined ? (
        'This site has not read the page again since the quote was recorded.'
      ) : (
        <>
          {lookText[look.link_status]}
          {look.link_status !== 'ok'
            ? ''
            : look.quote_found === 1
              ? ' and held the exact words'
              : look.quote_found === 0
                ? ', and the exact words were not found on it'
                : ''}
          , <Ago iso={look.checked_at} />.
        </>
      )}{' '}
      {copies === undefined ? null : (
        <>
          Copies of it may be in the{' '}
          <a href={`https://web.archive.org/web/*/${copies}`} rel="nofollow noopener noreferrer">
            Internet Archive
          </a>
          .
        </>
      )}
    </>
  );
}

const lookText: Readonly<Record<LinkStatus, string>> = {
  ok: 'The page answered',
  missing: 'The page was gone',
  closed: 'The page was not open to this site',
  failing: 'The server of the page failed',
  unreachable: 'The server of the page could not be reached',
};
