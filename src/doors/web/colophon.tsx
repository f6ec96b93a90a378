/** The colophon at the end of every article: who wrote what and when, its hashes, and its place in the log. */
import type { ArticleView, Deed } from '../../app/reads/article-view.ts';
import { renderToString } from 'preact-render-to-string';
import { activeDivs } from '../../domain/articles/state.ts';
import type { DivRow } from '../../domain/articles/tables.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import { HeadingText } from './heading-text.tsx';
import { actOfDeed, wordsOf } from './plain-words.ts';
import { Actor, ActWords, Mono, ReceiptLink, Time } from './parts.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

interface ColophonProps {
  readonly site: Site;
  readonly view: ArticleView;
  readonly contentHash: string;
}

const deedsMax = 40;
const writersMax = 6;

export function Colophon({ site, view, contentHash }: ColophonProps) {
  const { state, deeds, place } = view;
  const { row } = state;
  const divs = activeDivs(state);
  const newest = deeds[deeds.length - 1];
  return (
    <section class="colophon" aria-labelledby="colophon">
      <h2 id="colophon">Colophon</h2>
      <div class="colophon-text">
        <p>
          <cite dir="auto">
            <HeadingText title={row.title} />
          </cite>{' '}
          stands in version {row.version}, set down in {countText(deeds.length, 'entry', 'entries')} by{' '}
          <Writers site={site} deeds={deeds} />, the first on <Time iso={row.created_at} /> and the last on{' '}
          <Time iso={row.updated_at} />.
        </p>
      </div>
      <details class="disclosure machinery">
        <summary>Formats, hashes, the proof and every entry</summary>
        <div class="disclosure-body">
          <Formats site={site} slug={row.slug} />
          <p>
            Its body of {countText(divs.length, 'DIV')} hashes (SHA-256) to <Mono>{contentHash}</Mono>
            {newest === undefined ? null : (
              <>
                , its provenance ends in entry <Mono>{newest.hash}</Mono>
              </>
            )}
            .
          </p>
          <LogPlaceText site={site} view={view} />
          <Spent view={view} />
          <DeedTable site={site} slug={row.slug} deeds={deeds} />
          <details class="divisions">
            <summary>The {countText(divs.length, 'DIV')} and the beginnings of their hashes</summary>
            <ol dangerouslySetInnerHTML={{ __html: divisionsSlot }} />
          </details>
          <ProofText place={place} newest={newest} />
        </div>
      </details>
    </section>
  );
}

function Formats({ site, slug }: Readonly<{ site: Site; slug: string }>) {
  if (site.static !== undefined)
    return (
      <p>
        The same text as <a href={site.to.markdown(slug)}>Markdown</a>; its blocks, claims, sources,
        discussion and every entry with what opens it in the <a href={site.to.part(slug, 'bundle')}>bundle</a>
        , which <code>colophon verify</code> checks and <code>colophon import</code> reads.
      </p>
    );
  return (
    <p>
      The same article as <a href={site.to.json(slug)}>JSON</a>, as{' '}
      <a href={site.to.markdown(slug)}>Markdown</a> and as a <a href={site.to.graph(slug)}>graph</a>; its
      blocks and chains are under <a href={site.to.part(slug, 'voxels')}>/voxels</a>.
    </p>
  );
}

function ProofText({ place, newest }: Readonly<{ place: ArticleView['place']; newest: Deed | undefined }>) {
  return (
    <>
      {place === null ? null : (
        <details class="proof">
          <summary>The proof of its newest entry</summary>
          <pre id="proof" data-entry={newest?.hash}>
            {place.proof}
          </pre>
        </details>
      )}
    </>
  );
}

/** Placeholder for the list of DIVs in the rendered frame. */
export const divisionsSlot = '<!--divisions-->';

/** Whole hashes are on the pages of the DIVs; they do not compress. */
const hashCharsShown = 12;

/** The items of that list. */
export function divisions(site: Site, slug: string, divs: readonly DivRow[]): Promise<readonly string[]> {
  return new TimeSlices().map(divs, (div) =>
    renderToString(
      <li>
        <a href={site.to.div(slug, div.div_id)}>{div.div_id}</a> {div.kind.replaceAll('_', ' ')}{' '}
        <Mono>{div.vx_hash.slice(0, hashCharsShown)}</Mono>
      </li>,
    ),
  );
}

function Writers({ site, deeds }: { readonly site: Site; readonly deeds: readonly Deed[] }) {
  const counts = new Map<string, number>();
  for (const { actor } of deeds) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  const writers = [...counts].sort((a, b) => b[1] - a[1]);
  const shown = writers.slice(0, writersMax);
  const rest = writers.length - shown.length;
  return (
    <>
      {shown.map(([actor, n], i) => (
        <span key={actor}>
          {i === 0 ? '' : i === shown.length - 1 && rest === 0 ? ' and ' : ', '}
          <Actor site={site} actor={actor} />
          {writers.length > 1 ? ` (${n})` : ''}
        </span>
      ))}
      {rest > 0 ? ` and ${countText(rest, 'other')}` : ''}
    </>
  );
}

function LogPlaceText({ site, view: { place } }: { readonly site: Site; readonly view: ArticleView }) {
  if (place === null) return <p>Its newest entry is not in the log yet.</p>;
  return (
    <p>
      That entry has index {place.index.toLocaleString('en-GB')} in <a href={site.to.log}>the log</a>, which
      had {countText(place.size, 'entry', 'entries')} under its signature when this page was made.
    </p>
  );
}

function Spent({ view }: { readonly view: ArticleView }) {
  const { energy } = view.state.row;
  const models = Object.entries(energy.models);
  if (models.length === 0 && energy.tokens_total === 0) return null;
  return (
    <p>
      Models took {countText(energy.tokens_total, 'token')} at {energy.cost_usd} USD
      {models.length === 0 ? '' : `: ${models.map(([name, passes]) => `${name} (${passes})`).join(', ')}`}.
    </p>
  );
}

function DeedTable({ site, slug, deeds }: Readonly<{ site: Site; slug: string; deeds: readonly Deed[] }>) {
  const shown = deeds.slice(-deedsMax).reverse();
  return (
    <div class="scroll">
      <table class="deeds">
        <caption>
          {deeds.length > shown.length ? (
            <>
              The newest {shown.length} of {countText(deeds.length, 'entry', 'entries')};{' '}
              <a href={site.to.part(slug, 'provenance')}>all as JSON</a>
            </>
          ) : (
            'Who wrote what'
          )}
        </caption>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">When (UTC)</th>
            <th scope="col">Who and what</th>
            <th scope="col">Receipt</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((deed) => (
            <tr key={deed.n}>
              <td class="number">{deed.rev ?? '–'}</td>
              <td>
                <Time iso={deed.ts} brief />
              </td>
              <td>
                <Actor site={site} actor={deed.actor} />{' '}
                <ActWords site={site} slug={slug} words={wordsOf(actOfDeed(deed))} />
              </td>
              <td>{deed.receipt === null ? '–' : <ReceiptLink site={site} inv={deed.receipt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
