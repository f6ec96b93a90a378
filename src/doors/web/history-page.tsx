/**
 * `/a/<slug>/history?from=&to=` (contract §8): every revision, and two of them compared word by word. Unchanged
 * text is shortened to the words around each change.
 */
import type { HistoryView } from '../../app/reads/revisions.ts';
import { links } from '../../domain/links.ts';
import type { WordChange } from '../../represent/word-diff.ts';
import { Actor, Time } from './parts.tsx';
import { UntrustedMark, untrustedMarkName, renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';
import { plainText, wordsOf } from './plain-words.ts';

const aroundCharacters = 160;

export function historyPage(site: Site, view: HistoryView): string {
  const { slug, title, revisions, from, to, changes } = view;
  const history = site.to.history(slug);
  const markName = untrustedMarkName(slug, `${from} ${to}`, ...revisions.slice(0, 1).map(({ hash }) => hash));
  const changed = changes.some(({ op }) => op !== 'same');
  return renderPage(
    site,
    {
      title: `History of ${title}`,
      canonical: `${links.article(site.service.base, slug)}/history`,
    },
    <article class="record history">
      <UntrustedMark name={markName} />
      <h1>
        History of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p>
        {countText(revisions.length, 'revision')} since it was published; each stays readable, and each is an
        entry of the article’s <a href={site.to.part(slug, 'provenance')}>provenance</a>.
      </p>
      <h2>
        From revision {from} to revision {to}
      </h2>
      {changed ? (
        <p class="changes" dir="auto">
          {changes.map((change, i) => (
            <Change key={i} change={change} first={i === 0} last={i === changes.length - 1} />
          ))}
        </p>
      ) : (
        <p>The text is the same. Claims, sources or metadata changed.</p>
      )}
      <h2>Revisions</h2>
      <p class="section-note">Times are UTC.</p>
      <ol class="revisions" reversed>
        {revisions.map((row, i) => (
          <li key={row.rev} value={row.rev}>
            <Time iso={row.ts} brief />: <Actor site={site} actor={row.actor} />{' '}
            {plainText(wordsOf({ kind: 'article', verb: row.action }))}.{' '}
            <a href={`${site.to.article(slug)}?rev=${row.rev}`} aria-label={`Read revision ${row.rev}`}>
              Read it
            </a>
            {i === revisions.length - 1 ? null : (
              <>
                {', or see '}
                <a
                  href={`${history}?from=${row.rev - 1}&to=${row.rev}`}
                  aria-label={`What revision ${row.rev} changed`}
                >
                  what it changed
                </a>
              </>
            )}
          </li>
        ))}
      </ol>
      <UntrustedMark name={markName} end />
    </article>,
  );
}

function Change({
  change: { op, text },
  first,
  last,
}: Readonly<{ change: WordChange; first: boolean; last: boolean }>) {
  if (op === 'added') return <ins>{text}</ins>;
  if (op === 'removed') return <del>{text}</del>;
  if (text.length <= 2 * aroundCharacters) return <>{text}</>;
  const start = first ? '' : text.slice(0, aroundCharacters);
  const end = last ? '' : text.slice(-aroundCharacters);
  return (
    <>
      {start} <span class="left-out">…</span> {end}
    </>
  );
}
