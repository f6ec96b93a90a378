/**
 * `/directory` (spec §2.6, contract §8): every row in plain words, with filters by words and by who may call it. The
 * filters work without JavaScript; `web/directory.ts` applies them while the reader types.
 */
import type { Service } from '../../app/service.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { links } from '../../domain/links.ts';
import { Button } from './components/button.tsx';
import { countText } from './format-text.ts';
import { wantedText } from './plain-words.ts';
import { authorityText } from './row-schema-text.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

export interface DirectoryFilter {
  readonly q: string;
  /** `none`, `share`, `owner`; '' for all. */
  readonly who: string;
}

const whoTexts: Readonly<Record<string, string>> = {
  '': 'everybody',
  none: 'no credential',
  share: 'a share',
  owner: 'the owner',
};

export function directoryPage(site: Site, { rows, base }: Service, { q, who }: DirectoryFilter): string {
  const all = [...rows.values()];
  const shown = all.filter((row) => (who === '' || row.auth === who) && matches(row, q));
  const byCategory = Map.groupBy(all, (row) => row.category);
  const visible = new Set(shown.map(({ key }) => key));
  return renderPage(
    site,
    {
      title: 'Directory',
      description: 'Everything that can be called here: what it does, who may call it, and how.',
      canonical: `${base}/directory`,
      register: 'working',
      scripts: ['directory'],
      unlisted: q !== '' || who !== '',
      alternates: [
        {
          type: 'application/json',
          href: `${links.dispatch(base)}?registry=1`,
          title: 'The registry as JSON',
        },
      ],
      here: 'Directory',
    },
    <div class="directory">
      <h1>Directory</h1>
      <p class="lead">
        Everything that people and programs can do here is one of {countText(all.length, 'row')}. Each call of
        a row leaves a receipt.
      </p>
      <form
        class="directory-filter"
        id="directory-filter"
        method="get"
        action={site.to.directory}
        role="search"
      >
        <div class="field">
          <label for="directory-q">Filter</label>
          <input
            id="directory-q"
            name="q"
            type="search"
            value={q}
            autocomplete="off"
            placeholder="objection"
          />
        </div>
        <div class="field">
          <label for="directory-who">It needs</label>
          <select id="directory-who" name="who">
            {['', 'none', 'share', 'owner'].map((value) => (
              <option key={value} value={value} selected={value === who}>
                {value === '' ? 'anything' : whoTexts[value]}
              </option>
            ))}
          </select>
        </div>
        <Button>Filter</Button>
      </form>
      <p id="directory-count" role="status">
        {shown.length === all.length
          ? countText(all.length, 'row')
          : `${shown.length} of ${countText(all.length, 'row')}`}
      </p>
      {[...byCategory]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([category, members]) => (
          <section
            key={category}
            aria-labelledby={`category-${category}`}
            hidden={members.every(({ key }) => !visible.has(key))}
          >
            <h2 id={`category-${category}`}>{category}</h2>
            <dl class="row-list">
              {members.map((row) => (
                <div
                  key={row.key}
                  data-words={wordsFor(row)}
                  data-auth={row.auth}
                  hidden={!visible.has(row.key)}
                >
                  <dt>
                    <a href={site.to.row(row.key)}>{capital(wantedText(row.key))}</a>{' '}
                    <code data-copy>{row.key}</code>
                  </dt>
                  <dd>
                    {row.contract.what} <span class="note">{rowSummary(row)}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      <p id="directory-none" hidden={shown.length > 0}>
        No row has these words. <a href={site.to.directory}>Show all rows</a>, or ask in a sentence:{' '}
        <code>{`${links.dispatch(base)}?ask={question}`}</code>.
      </p>
      <p class="section-note">
        For programs: <a href={`${site.to.manifest}?registry=1`}>the registry as JSON</a>, one row with{' '}
        <code>?key=</code>, calls through <a href={site.to.manifest}>/api/dispatch</a>.
      </p>
    </div>,
  );
}

/** Every word of the filter occurs in the row. */
function matches(row: Row, q: string): boolean {
  const words = wordsFor(row);
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function wordsFor(row: Row): string {
  return `${row.key} ${wantedText(row.key)} ${row.category} ${row.contract.what}`.toLowerCase();
}

function rowSummary(row: Row): string {
  const off = row.rowOverride?.enabled === false ? ['switched off'] : [];
  return [...off, row.safe ? 'reads' : 'writes', authorityText[row.auth], `${row.risk} risk`].join(', ');
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
