/** `/a/<slug>/d3` (contract §5, §8): the permanent page of one DIV, also after it was consolidated or burned. */
import type { DivEntryView, DivView } from '../../app/reads/article-view.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import type { DivRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { divMarkup } from './body-markup.ts';
import { RecordBar } from './claim-page.tsx';
import { Ago } from './components/ago.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { ActorAtStart, Actor, ActWords, Facts, Mono, ReceiptLink } from './parts.tsx';
import { wordsOf } from './plain-words.ts';
import type { Rendered } from './render-pool.ts';
import { HeadingText } from './heading-text.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { languageOf } from './format-text.ts';

/** The text of one DIV, and the definitions of links and footnotes of the article that it may use. */
export function layoutOfDiv(view: DivView) {
  const { state, div } = view;
  const definitions = activeDivs(state).filter(
    (each) => each !== div && (each.kind === 'definition' || /^\[\^[^\]\n]+\]:/.test(each.text)),
  );
  const pieces = [...definitions, div].map(({ div_id, text }) => ({ div_id, text, sep: '\n\n' }));
  return { lead: '', pieces };
}

/** `rendered` comes from `layoutOfDiv`; a text that could not be rendered is shown as written. */
export function divPage(site: Site, view: DivView, rendered: Rendered): string {
  const { state, div, entries } = view;
  const { slug, title } = state.row;
  const active = activeDivs(state);
  const newest = entries.at(-1);
  const order = active.findIndex((each) => each.div_id === div.div_id);
  const html =
    typeof rendered === 'string'
      ? ''
      : (rendered.divs.find((each) => each.div_id === div.div_id)?.html ?? '');
  const voxels = site.to.part(slug, 'voxels');
  const allChains = `${voxels}${voxels.includes('?') ? '&' : '?'}include_inactive=1`;
  const page = {
    title: `${div.div_id} of ${title}`,
    canonical: links.div(site.service.base, slug, div.div_id),
  };
  return renderPage(
    site,
    page,
    <article class="record">
      <h1>
        Block {div.div_id} of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>
            <HeadingText title={title} />
          </a>
        </cite>
      </h1>
      <p class="lead">
        {div.status === 'current' ? (
          <>
            Block {order + 1} of {active.length}
            {newest === undefined ? null : (
              <>
                {site.asOf === undefined ? '' : ' at that moment'}: <Actor site={site} actor={newest.actor} />{' '}
                <ActWords site={site} slug={slug} words={wordsOf({ kind: 'div', verb: newest.op })} />{' '}
                <Ago iso={newest.ts} />
              </>
            )}
            .
          </>
        ) : (
          <RemovalNotice site={site} view={view} />
        )}
      </p>
      {div.status === 'current' ? (
        <RecordBar site={site} slug={slug} id={div.div_id} objectAs="challenge" proposeAs="upgrade" />
      ) : null}
      {html === '' ? null : (
        <div class="text excerpt" lang={languageOf(div.text)}>
          {[{ div_id: div.div_id, html }, ...footnotesOf(html, rendered)].map((each) => (
            <div
              key={each.div_id}
              dangerouslySetInnerHTML={{
                __html: divMarkup(each.div_id, each.html, {
                  headingShift: 1,
                  base: site.service.base,
                  actions: () => [],
                }),
              }}
            />
          ))}
        </div>
      )}
      <DivHistory site={site} slug={slug} div={div} entries={entries} />
      <Disclosure summary="Exact text, hashes and chain" open={html === ''}>
        <p class="section-note">The hash is computed from exactly these bytes.</p>
        <pre class="source-text" dir="auto">
          {div.text}
        </pre>
        <Facts
          facts={[
            { name: 'Status', value: div.status },
            { name: 'Kind', value: div.kind.replaceAll('_', ' ') },
            { name: 'vx_hash (SHA-256 of the text)', value: <Mono>{div.vx_hash}</Mono> },
            { name: 'Head of its chain', value: <Mono>{div.head.hash}</Mono> },
            ...entries.map(({ n, hash }) => ({ name: `Entry ${n}`, value: <Mono>{hash}</Mono> })),
          ]}
        />
        <p>
          <code>sha256sum</code> computes the same hash from the text. The chains of all blocks are{' '}
          <a href={allChains}>here as JSON</a>.
        </p>
      </Disclosure>
    </article>,
  );
}

/** The DIVs that define the footnotes of a text. */
function footnotesOf(html: string, rendered: Rendered): readonly { div_id: string; html: string }[] {
  if (typeof rendered === 'string') return [];
  const named = [...html.matchAll(/href="#(h-note__\d+)"/g)].map(([, id]) => ` id="${id}"`);
  return rendered.divs.filter((each) => named.some((id) => each.html !== html && each.html.includes(id)));
}

function RemovalNotice({ site, view: { state, div, left } }: Readonly<{ site: Site; view: DivView }>) {
  const into = left?.into ?? null;
  return (
    <>
      It was {div.status}
      {into === null ? null : (
        <>
          {' '}
          into <a href={site.to.div(state.row.slug, into)}>{into}</a>
        </>
      )}{' '}
      and is no longer part of the article. Its text and its history stay readable here.
      {left?.reason == null ? null : (
        <>
          {' '}
          Reason given: “<bdi>{left.reason}</bdi>”
        </>
      )}
    </>
  );
}

function DivHistory({
  site,
  slug,
  div,
  entries,
}: Readonly<{ site: Site; slug: string; div: DivRow; entries: readonly DivEntryView[] }>) {
  const last = entries.findLastIndex((entry) => entry.text !== undefined);
  return (
    <>
      <h2>What happened to it</h2>
      <ol class="chain">
        {entries
          .map((entry, i) => (
            <li key={entry.n} id={`entry-${entry.n}`}>
              <p>
                <ActorAtStart site={site} actor={entry.actor} />{' '}
                <ActWords
                  site={site}
                  slug={slug}
                  words={wordsOf({ kind: 'div', verb: entry.op, of: [div.div_id] })}
                />
                , <Ago iso={entry.ts} />
                {entry.receipt === null ? null : (
                  <>
                    {' · '}
                    <ReceiptLink site={site} inv={entry.receipt}>
                      receipt
                    </ReceiptLink>
                  </>
                )}
              </p>
              {entry.scrubbed ? (
                <p class="section-note">
                  The owner removed this text for good; its hash stays on the ledger.
                </p>
              ) : null}
              {entry.text === undefined || i === last ? null : (
                <details>
                  <summary>The text as it was then</summary>
                  <pre class="source-text" dir="auto">
                    {entry.text}
                  </pre>
                </details>
              )}
            </li>
          ))
          .toReversed()}
      </ol>
    </>
  );
}
