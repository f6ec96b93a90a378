/** `/a/<slug>/d3` (contract §5, §8): the permanent page of one DIV, also after it was consolidated or burned. */
import type { DivEntryView, DivView } from '../../app/reads/article-view.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import type { DivRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { divMarkup } from './body-markup.ts';
import { Actor, Facts, Mono, ReceiptLink, Time } from './parts.tsx';
import type { Rendered } from './render-pool.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { languageOf } from './format-text.ts';

/** The text of one DIV, and the link definitions of the article that it may use. */
export function layoutOfDiv(view: DivView) {
  const { state, div } = view;
  const definitions = activeDivs(state).filter((each) => each.kind === 'definition' && each !== div);
  const pieces = [...definitions, div].map(({ div_id, text }) => ({ div_id, text, sep: '\n\n' }));
  return { lead: '', pieces };
}

/** `rendered` comes from `layoutOfDiv`; a text that could not be rendered is shown as written. */
export function divPage(site: Site, view: DivView, rendered: Rendered): string {
  const { state, div, entries } = view;
  const { slug, title } = state.row;
  const order = activeDivs(state).findIndex((each) => each.div_id === div.div_id);
  const html =
    typeof rendered === 'string'
      ? ''
      : (rendered.divs.find((each) => each.div_id === div.div_id)?.html ?? '');
  const voxels = site.to.part(slug, 'voxels');
  const allChains = `${voxels}${voxels.includes('?') ? '&' : '?'}include_inactive=1`;
  const page = {
    title: `${div.div_id} of ${title}`,
    canonical: links.div(site.service.base, slug, div.div_id),
    scripts: ['reading'],
  };
  return renderPage(
    site,
    page,
    <article class="record">
      <h1>
        DIV {div.div_id} of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p class="lead">
        {div.status === 'current' ? (
          <>
            Block {order + 1} of the article, as it {site.asOf === undefined ? 'stands' : 'stood'}.{' '}
            <a href={`${site.to.article(slug)}#${div.div_id}`}>Read it in its place.</a>
          </>
        ) : (
          <RemovalNotice site={site} view={view} />
        )}
      </p>
      {html === '' ? null : (
        <div class="text excerpt" lang={languageOf(div.text)}>
          <div
            dangerouslySetInnerHTML={{
              __html: divMarkup(div.div_id, html, {
                headingShift: 1,
                base: site.service.base,
                permalink: (id) => site.to.div(slug, id),
                claimsAt: new Map(),
              }),
            }}
          />
        </div>
      )}
      <h2>Text</h2>
      <p class="section-note">The exact bytes that the hash is taken of.</p>
      <pre class="source-text" dir="auto">
        {div.text}
      </pre>
      <DivFacts site={site} slug={slug} div={div} />
      <DivChain site={site} entries={entries} />
      <p>
        All chains of the article are under <a href={allChains}>/voxels</a>; every reader can compute the hash
        of a text with <code>sha256sum</code>.
      </p>
    </article>,
  );
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
      and is no longer part of the article; its text and its chain stay.
      {left?.reason == null ? null : (
        <>
          {' '}
          The reason given: “<bdi>{left.reason}</bdi>”
        </>
      )}
    </>
  );
}

function DivFacts({ site, slug, div }: { readonly site: Site; readonly slug: string; readonly div: DivRow }) {
  return (
    <>
      <h2>Particulars</h2>
      <Facts
        facts={[
          { name: 'Status', value: div.status },
          { name: 'Kind', value: div.kind.replaceAll('_', ' ') },
          { name: 'vx_hash (SHA-256 of the text)', value: <Mono>{div.vx_hash}</Mono> },
          { name: 'Head of its chain', value: <Mono>{div.head.hash}</Mono> },
          { name: 'Article', value: <a href={site.to.article(slug)}>{slug}</a> },
        ]}
      />
    </>
  );
}

function DivChain({ site, entries }: { readonly site: Site; readonly entries: readonly DivEntryView[] }) {
  const last = entries.findLastIndex((entry) => entry.text !== undefined);
  return (
    <>
      <h2>Chain</h2>
      <ol class="chain">
        {entries.map((entry, i) => (
          <li key={entry.n} id={`entry-${entry.n}`}>
            <p>
              <strong>{entry.op}</strong> by <Actor site={site} actor={entry.actor} />,{' '}
              <Time iso={entry.ts} />
              {entry.receipt === null ? null : (
                <>
                  , receipt <ReceiptLink site={site} inv={entry.receipt} />
                </>
              )}
            </p>
            <Facts
              facts={[
                { name: 'hash', value: <Mono>{entry.hash}</Mono> },
                { name: 'prev', value: <Mono>{entry.prev}</Mono> },
                { name: 'text_sha', value: <Mono>{entry.textSha}</Mono> },
              ]}
            />
            {entry.scrubbed ? <p class="section-note">Its text was scrubbed; the commitment stays.</p> : null}
            {entry.text === undefined || i === last ? null : (
              <details>
                <summary>The text it brought</summary>
                <pre class="source-text" dir="auto">
                  {entry.text}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
