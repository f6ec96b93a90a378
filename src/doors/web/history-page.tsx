/**
 * `/a/<slug>/history` (contract §8): every revision with who made it, what it did in plain words, the reason given and
 * the size of the change; any two of them can be chosen and compared. A form that works without JavaScript: its other
 * buttons page through long histories and keep what was chosen.
 */
import type { HistoryRow, HistoryView } from '../../app/reads/revisions.ts';
import { links } from '../../domain/links.ts';
import { Ago } from './components/ago.tsx';
import { Button } from './components/button.tsx';
import { RevisionWords } from './revision-words.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

interface Chosen {
  readonly from: number;
  readonly to: number;
}

/** `isPage`: not the first page, or one with a choice that was made elsewhere. */
export function historyPage(site: Site, view: HistoryView, chosen: Chosen, isPage: boolean): string {
  const { slug, title, revisions, count, older, newer } = view;
  const history = site.to.history(slug);
  const isStatic = site.static !== undefined;
  const chosenOf = count < 2 || isStatic ? undefined : chosen;
  const table = (
    <div class="scroll">
      <table class="table revisions">
        <caption>Times are UTC; the newest revision comes first.</caption>
        <thead>
          <tr>
            {chosenOf === undefined ? null : (
              <>
                <th scope="col">From</th>
                <th scope="col">To</th>
              </>
            )}
            <th scope="col">Revision</th>
            <th scope="col">When</th>
            <th scope="col">What was done</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {[...view.chosen, ...revisions].map((row) => (
            <Row
              key={row.rev}
              site={site}
              slug={slug}
              row={row}
              chosen={chosenOf}
              isFirst={row.rev === view.oldest}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
  return renderPage(
    site,
    {
      title: `History of ${title}`,
      description: `Every revision of “${title}”: who changed what, when and why.`,
      canonical: `${links.article(site.service.base, slug)}/history`,
      unlisted: isPage,
      register: 'working',
    },
    <article class="history">
      <h1>
        History of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p class="lead">
        {countText(count, 'revision')} since it was published.{' '}
        {isStatic ? 'Each is' : 'Each stays readable, and each is'} an entry of the article’s{' '}
        <a href={site.to.part(slug, 'provenance')}>provenance</a>.
      </p>
      {count < 2 ? (
        <p>
          There is one revision so far. When the text, a claim, a source or the title changes, the new
          revision appears here, and the two can be compared.
        </p>
      ) : null}
      {isStatic ? (
        table
      ) : (
        <form class="revisions-form" method="get" action={history}>
          {count < 2 ? null : <CompareBar view={view} />}
          {table}
          {older === null && newer === null ? null : (
            <p class="buttons">
              {newer === null ? null : (
                <Button name="before" value={String(newer)}>
                  Newer revisions
                </Button>
              )}
              {older === null ? null : (
                <Button name="before" value={String(older)}>
                  Older revisions
                </Button>
              )}
            </p>
          )}
        </form>
      )}
    </article>,
  );
}

function CompareBar({ view: { revisions, chosen } }: { readonly view: HistoryView }) {
  return (
    <p class="buttons compare-bar">
      <Button kind="primary">Compare</Button>
      <span class="aside">
        {chosen.length === 0
          ? 'Choose any two revisions.'
          : `Chosen on another page: ${chosen.map(({ rev }) => `revision ${rev}`).join(' and ')}.`}
        {revisions.length === 0 ? ' This page of the history is empty.' : ''}
      </span>
    </p>
  );
}

function Row({
  site,
  slug,
  row,
  chosen,
  isFirst,
}: Readonly<{ site: Site; slug: string; row: HistoryRow; chosen: Chosen | undefined; isFirst: boolean }>) {
  const { rev, ts, size } = row;
  return (
    <tr>
      {chosen === undefined ? null : (
        <>
          {(['from', 'to'] as const).map((name) => (
            <td key={name} class="pick">
              <label>
                <input type="radio" name={name} value={rev} checked={chosen[name] === rev} />
                <span class="visually-hidden">
                  {name === 'from' ? 'From' : 'To'} revision {rev}
                </span>
              </label>
            </td>
          ))}
        </>
      )}
      <th scope="row">
        <a href={`${site.to.article(slug)}?rev=${rev}`} aria-label={`Read revision ${rev}`}>
          {rev}
        </a>
      </th>
      <td class="when">
        <Ago iso={ts} />
      </td>
      <td class="what">
        <RevisionWords site={site} slug={slug} step={row} act={actOfStep(row)}>
          {isFirst || site.static !== undefined ? null : (
            <>
              {' · '}
              <a
                href={`${site.to.history(slug)}?from=${rev - 1}&to=${rev}`}
                aria-label={`Changes of revision ${rev}`}
              >
                changes
              </a>
            </>
          )}
        </RevisionWords>
      </td>
      <td class="size">{size === undefined ? '' : <Size size={size} />}</td>
    </tr>
  );
}

/** The act that made a revision. */
export function actOfStep({
  action,
  of,
  made,
  detail,
  contribution,
}: Pick<HistoryRow, 'action' | 'of' | 'made' | 'detail' | 'contribution'>) {
  return {
    kind: 'article',
    verb: action,
    of,
    made: made.length,
    detail: contribution?.kind ?? detail,
  } as const;
}

function Size({ size: { blocks, chars } }: { readonly size: NonNullable<HistoryRow['size']> }) {
  if (blocks === 0) return <span class="aside">text unchanged</span>;
  const sign = chars > 0 ? '+' : chars < 0 ? '−' : '±';
  return (
    <>
      <span class={chars > 0 ? 'grew' : chars < 0 ? 'shrank' : ''}>
        {sign}
        {Math.abs(chars).toLocaleString('en-GB')}
      </span>{' '}
      <span class="aside">
        {Math.abs(chars) === 1 ? 'character' : 'characters'}, {countText(blocks, 'block')}
      </span>
    </>
  );
}
