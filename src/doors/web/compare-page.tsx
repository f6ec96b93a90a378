/**
 * `/a/<slug>/history?from=&to=` (contract §8): two revisions compared. Blocks are shown as they read, with whole words
 * marked; claims, sources and metadata as objects that changed; and beside each who did it, why, and the receipt.
 */
import type { RevisionComparison } from '../../model/history.ts';
import { links } from '../../domain/links.ts';
import { countText } from './format-text.ts';
import { Ago } from './components/ago.tsx';
import { Tabs } from './components/tabs.tsx';
import { RevisionWords } from './revision-words.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import type { Block, CompareView, Step } from './compared-parts.tsx';
import { ComparedBlock } from './compared-text.tsx';
import { ComparedClaim, ComparedSource, Metadata } from './compared-objects.tsx';

export function comparePage(site: Site, view: CompareView): string {
  const { slug, title, from, to, steps, blocks, claims, sources, metadata } = view;
  const isSame = blocks.length + claims.length + sources.length + metadata.length === 0;
  return renderPage(
    site,
    {
      title: `Revisions ${from.rev} and ${to.rev} of ${title} compared`,
      canonical: `${links.article(site.service.base, slug)}/history`,
      unlisted: true,
      register: 'working',
    },
    <article class={`comparison${view.isSideBySide ? ' in-sides' : ''}`}>
      <h1>
        Changes to{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p class="lead">
        From <Revision site={site} slug={slug} end={from} /> to <Revision site={site} slug={slug} end={to} />
        {isSame ? '.' : `: ${summary(view)}.`}
      </p>
      <Turns site={site} view={view} />
      {steps.length === 0 ? null : <Steps site={site} slug={slug} steps={steps} />}
      {isSame ? (
        <p>
          The two revisions read the same, with the same claims, sources and metadata.
          {from.rev === to.rev ? ' Choose two different ones in the history.' : ''}
        </p>
      ) : null}
      {blocks.length === 0 ? null : (
        <section aria-labelledby="text">
          <h2 id="text">Text</h2>
          {blocks.map((block) => (
            <ComparedBlock key={block.id} site={site} view={view} block={block} />
          ))}
        </section>
      )}
      {claims.length === 0 ? null : (
        <section aria-labelledby="claims">
          <h2 id="claims">Claims</h2>
          {claims.map((claim) => (
            <ComparedClaim key={claim.id} site={site} view={view} claim={claim} />
          ))}
        </section>
      )}
      {sources.length === 0 ? null : (
        <section aria-labelledby="sources">
          <h2 id="sources">Sources</h2>
          {sources.map((source) => (
            <ComparedSource key={source.id} site={site} view={view} source={source} />
          ))}
        </section>
      )}
      {metadata.length === 0 ? null : <Metadata metadata={metadata} />}
    </article>,
  );
}

/** “2 blocks changed, 1 added; 1 claim”. */
export function summary({ blocks, claims, sources, metadata }: CompareView): string {
  const count = (change: Block['change']): number => blocks.filter((each) => each.change === change).length;
  const kinds = (['changed', 'added', 'removed', 'moved'] as const).filter((change) => count(change) > 0);
  return [
    ...kinds.map((change, i) => `${i === 0 ? countText(count(change), 'block') : count(change)} ${change}`),
    ...(claims.length === 0 ? [] : [countText(claims.length, 'claim')]),
    ...(sources.length === 0 ? [] : [countText(sources.length, 'source')]),
    ...(metadata.length === 0 ? [] : ['title, tags or status']),
  ].join(', ');
}

export function Revision({
  site,
  slug,
  end: { rev, ts },
}: Readonly<{ site: Site; slug: string; end: RevisionComparison['from'] }>) {
  return (
    <>
      <a href={`${site.to.article(slug)}?rev=${rev}`}>revision {rev}</a> (<Ago iso={ts} />)
    </>
  );
}

function Turns({ site, view }: Readonly<{ site: Site; view: CompareView }>) {
  const { slug, from, to, newest, oldest, isSideBySide } = view;
  const history = site.to.history(slug);
  const pair = (one: number, other: number, sides: boolean): string =>
    `${history}?from=${one}&to=${other}${sides ? '&view=sides' : ''}`;
  return (
    <div class="compare-turns">
      <Tabs
        label="How to show the changes"
        tabs={[
          { name: 'In one text', href: pair(from.rev, to.rev, false), current: !isSideBySide },
          { name: 'Side by side', href: pair(from.rev, to.rev, true), current: isSideBySide },
        ]}
      />
      <nav class="turn" aria-label="Other revisions">
        {from.rev > oldest ? (
          <a href={pair(from.rev - 1, from.rev, isSideBySide)} rel="prev">
            ← Revision {from.rev}
          </a>
        ) : null}
        <a href={history}>All revisions</a>
        {from.rev < newest ? (
          <a href={`${site.root}/owner/a/${slug}/revert?rev=${from.rev}`} rel="nofollow">
            Revert to revision {from.rev} (owner)
          </a>
        ) : null}
        {to.rev < newest ? (
          <a href={pair(to.rev, to.rev + 1, isSideBySide)} rel="next">
            Revision {to.rev + 1} →
          </a>
        ) : null}
      </nav>
    </div>
  );
}

const stepsShown = 20;

/** What was done between the two, newest first, with the reasons given. */
function Steps({ site, slug, steps }: Readonly<{ site: Site; slug: string; steps: readonly Step[] }>) {
  const newest = steps.toReversed();
  return (
    <section aria-labelledby="steps" class="steps">
      <h2 id="steps">What was done</h2>
      <ol reversed start={newest[0]?.rev ?? 1}>
        {newest.slice(0, stepsShown).map((step) => (
          <li key={step.rev} value={step.rev}>
            <StepWords site={site} slug={slug} step={step} />
          </li>
        ))}
      </ol>
      {newest.length > stepsShown ? (
        <p class="section-note">
          And {countText(newest.length - stepsShown, 'earlier revision')}, all in the{' '}
          <a href={site.to.history(slug)}>history</a>.
        </p>
      ) : null}
    </section>
  );
}

function StepWords({ site, slug, step }: Readonly<{ site: Site; slug: string; step: Step }>) {
  const { ts, action, of, contribution } = step;
  return (
    <RevisionWords
      site={site}
      slug={slug}
      step={step}
      act={{ kind: 'article', verb: action, of, detail: contribution?.kind }}
    >
      , <Ago iso={ts} />
    </RevisionWords>
  );
}
