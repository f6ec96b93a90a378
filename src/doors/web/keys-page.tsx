/**
 * `/docs/keys`: what each key does, and what each state says. `web/site/shortcuts.ts` shows `#keys` of this page in a
 * dialog when a reader presses `?` on another one.
 */
import type { ComponentChildren } from 'preact';
import { StateLegend } from './components/chip.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const keys: readonly (readonly [keys: readonly string[], what: ComponentChildren])[] = [
  [['/'], 'search'],
  [['?'], 'show this list'],
  [['j'], 'the next paragraph, result or entry'],
  [['k'], 'the one before'],
  [['e'], 'edit: the text, or the block that you have stepped to'],
  [['a'], 'on the desk: accept, approve, ratify or settle the current item, or those chosen'],
  [['r'], 'on the desk: reject or decline it, or those chosen'],
  [['n'], 'on the desk: write its note'],
  [['m'], 'on the desk: mend the wording before it is accepted'],
  [['x'], 'on the desk: choose the item'],
  [['g', 'h'], 'go to the start page'],
  [['g', 'a'], 'go to the articles'],
  [['g', 's'], 'go to the search page'],
  [['g', 'r'], 'go to recent changes'],
  [['g', 'd'], 'go to the documentation'],
  [['g', 'o'], 'go to the owner’s desk'],
  [['g', 'l'], 'go to the log'],
  [['g', 'v'], 'go to verification'],
  [['g', 'p'], 'go to the protocol'],
  [['g', 'c'], 'go to the directory of capabilities'],
];

export function keysPage(site: Site): string {
  return renderPage(
    site,
    {
      title: 'Keys and states',
      description: 'What each key does on the pages of this site, and what each state says.',
      canonical: `${site.service.base}/docs/keys`,
      register: 'working',
      isOwnText: true,
    },
    <article class="keys-page">
      <h1>Keys and states</h1>
      <div id="keys">
        <h2 id="keyboard">Keyboard</h2>
        <p>No key does anything while you type. Other keys of a page stand beside what they do.</p>
        <dl class="key-list">
          {keys.map(([pressed, what]) => (
            <div key={pressed.join(' ')}>
              <dt>
                {pressed.map((key, i) => (
                  <>
                    {i === 0 ? '' : ' then '}
                    <kbd>{key}</kbd>
                  </>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p class="keys-switch" hidden>
          <label class="option">
            <input type="checkbox" /> <span>Keys are on in this browser</span>
          </label>
        </p>
        <h2 id="states">States</h2>
        <StateLegend />
      </div>
    </article>,
  );
}
