/** `/docs/style`: every component of the pages with its states (contract §8), for who builds pages and who judges. */
import { wordDiff } from '../../represent/word-diff.ts';
import { Ago } from './components/ago.tsx';
import { Avatar } from './components/avatar.tsx';
import { Button } from './components/button.tsx';
import { Card } from './components/card.tsx';
import { Chip, StateLegend } from './components/chip.tsx';
import { Choice } from './components/choice.tsx';
import { Combobox } from './components/combobox.tsx';
import { Dialog, DialogOpener } from './components/dialog.tsx';
import { DiffView } from './components/diff-view.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { Field } from './components/field.tsx';
import { Plot } from './components/plot.tsx';
import type { PlotData } from './plots/plot-data.ts';
import { Progress } from './components/progress.tsx';
import { Quote } from './components/quote.tsx';
import { Tabs } from './components/tabs.tsx';
import { Toast } from './components/toast.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const colours = [
  'paper',
  'wash',
  'rule',
  'edge',
  'quiet',
  'ink',
  'accent',
  'good',
  'warn',
  'bad',
  'info',
  'add',
  'del',
];
const steps = [1, 2, 3, 4, 5, 6, 7].map((day) => `2026-01-0${day}T00:00:00.000Z`);
const plots: readonly PlotData[] = [
  {
    shape: 'columns',
    title: 'Posts a day',
    note: 'Posts on published articles, seven days.',
    unit: 'count',
    step: 'day',
    steps,
    series: [
      { name: 'objections', tone: 'one', values: [14, 9, 21, 17, 26, 12, 19] },
      { name: 'questions', tone: 'two', values: [3, 5, 2, 0, 7, 4, 6] },
    ],
  },
  {
    shape: 'area',
    title: 'Claims',
    note: 'Claims in all, seven days.',
    unit: 'count',
    step: 'day',
    steps,
    series: [{ name: 'in all', tone: 'one', values: [120, 121, 130, 138, 139, 151, 160] }],
  },
  {
    shape: 'bars',
    title: 'Cost by row',
    note: 'US dollars, seven days.',
    unit: 'usd',
    item: 'Row',
    items: ['ARTICLE_ASK', 'CREATIVE_GENERATE'],
    series: [{ name: 'cost', tone: 'one', values: [1_240_000, 310_000] }],
  },
];
const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export async function stylePage(site: Site): Promise<string> {
  const drawn = await site.plotter.draw(plots);
  const changes = wordDiff(
    'Streams poll only when they are asked.',
    'Streams are polled only when they are asked.',
  );
  return renderPage(
    site,
    {
      title: 'Components',
      description: 'Every component of the pages of this site with its states.',
      canonical: `${site.service.base}/docs/style`,
      register: 'working',
      isOwnText: true,
    },
    <article class="style-page">
      <h1>Components</h1>
      <p>
        The parts that pages are made of, each with its states. Reading pages set their text in a serif and in
        one measure; working pages, such as this one, use the face of the system and the width of the window.
        Controls look the same on both.
      </p>

      <h2 id="colours">Colours</h2>
      <ul class="swatches">
        {colours.map((name) => (
          <li key={name}>
            <span class={`swatch swatch-${name}`} />
            <code>--{name}</code>
          </li>
        ))}
      </ul>

      <h2 id="buttons">Buttons</h2>
      <p>One primary button on a page. What destroys is marked, and asks before it does.</p>
      <div class="buttons">
        <Button kind="primary" type="button">
          Publish
        </Button>
        <Button type="button">Preview</Button>
        <Button kind="danger" type="button">
          Revoke
        </Button>
        <Button type="button" disabled>
          Nothing to save
        </Button>
        <Button href={site.to.docs}>A link as a button</Button>
      </div>

      <h2 id="fields">Fields</h2>
      <p>A label, the control, a hint, and the error below them, which says what to do.</p>
      <form class="style-form" method="get" action={`${site.to.docs}/style`}>
        <Field id="style-title" label="Title" hint="As readers see it. The address keeps its first form.">
          {(wired) => <input {...wired} type="text" name="title" value="On bees" />}
        </Field>
        <Field
          id="style-wrong"
          label="Address of the source"
          hint="The page that holds the quoted words."
          error="This is not an address: it must begin with https:// or http://."
        >
          {(wired) => <input {...wired} type="url" name="url" value="ftp://example.org/bees" />}
        </Field>
        <Field id="style-text" label="Text">
          {(wired) => (
            <textarea {...wired} name="text" rows={3}>
              Bees keep the angle to the sun.
            </textarea>
          )}
        </Field>
        <Field id="style-tier" label="Kind of evidence">
          {(wired) => (
            <select {...wired} name="tier">
              <option>human</option>
              <option>preclinical</option>
            </select>
          )}
        </Field>
        <Combobox
          id="style-row"
          label="Capability"
          name="row"
          hint="Suggestions appear while you type; any name may be given."
          suggestions={[
            { value: 'MIRROR_APPEND', label: 'propose, question, object' },
            { value: 'VOXEL_CHALLENGE', label: 'challenge a block' },
          ]}
        />
        <Choice
          legend="Stance"
          name="stance"
          value="challenge"
          options={[
            { value: 'support', label: 'Support' },
            { value: 'challenge', label: 'Challenge' },
            { value: 'attest', label: 'Attest' },
          ]}
          hint="All options are visible; one of them is chosen."
        />
        <p>
          <label class="option">
            <input type="checkbox" name="told" checked /> <span>Tell me what becomes of it</span>
          </label>
        </p>
        <Button kind="primary">Send</Button>
      </form>

      <h2 id="states">States</h2>
      <p>One word, one colour and one shape for each, the same on every page.</p>
      <StateLegend />

      <h2 id="notices">What happened</h2>
      <Toast kind="done">
        <p>The paragraph is published.</p> <a href={site.to.verify}>Verify the receipt</a>
      </Toast>
      <Toast kind="refused">
        <p>The claim was not posted: it holds two sentences. Write one claim for each.</p>
      </Toast>
      <Toast>
        <p>A draft of this text from yesterday is kept in this browser.</p>
      </Toast>

      <h2 id="views">Views</h2>
      <Tabs
        label="Example of tabs"
        tabs={[
          { name: 'All', href: '#views', count: 14, current: true },
          { name: 'Wording', href: '#states', count: 4 },
          { name: 'Sources', href: '#texts', count: 3 },
          { name: 'Objections', href: '#fields', count: 1205 },
        ]}
      />
      <div class="cards">
        <Card title="A card" href="#views" foot="With a foot for who and when">
          <p>A piece of a page with a title of its own.</p>
        </Card>
        <Card title={<>A state in a card</>}>
          <p>
            <Avatar name="Maya" /> Maya proposed a wording <Ago iso="2026-01-02T12:00:00Z" />{' '}
            <Chip state="proposed" />
          </p>
        </Card>
        <Card title="People">
          <p>
            <Avatar name="Ada" /> <Avatar name="Zed" /> <Avatar name="owner" /> <Avatar name="李" />{' '}
            <Avatar name="cap_0123456789abcdef" /> People by initial; the name stands beside it.
          </p>
        </Card>
      </div>
      <Disclosure summary="What is one click away">
        <p>Formats, hashes, raw objects and the long form.</p>
      </Disclosure>
      <p>
        <DialogOpener dialog="style-dialog">Open a dialog</DialogOpener>
      </p>
      <Dialog id="style-dialog" title="Revoke this share?">
        <p>The share stops working at once. What was written with it stays.</p>
        <form method="dialog" class="buttons">
          <Button kind="danger">Revoke</Button>
          <Button>Keep it</Button>
        </form>
      </Dialog>

      <h2 id="texts">Texts</h2>
      <h3>Difference, in one text</h3>
      <DiffView changes={changes} />
      <h3>Difference, side by side</h3>
      <DiffView changes={changes} layout="sides" before="Now" after="Proposed" />
      <h3>Quote</h3>
      <Quote
        text="Bees keep the angle to the sun."
        source={<a href="#texts">A review of bees</a>}
        id="s1"
        hash={hash}
      />

      <h2 id="tables">Table</h2>
      <div class="scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Article</th>
              <th scope="col">State</th>
              <th scope="col">Changed</th>
              <th scope="col" class="number">
                Claims
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>On bees</td>
              <td>
                <Chip state="published" />
              </td>
              <td>
                <Ago iso="2026-01-02T12:00:00Z" />
              </td>
              <td class="number">1,204</td>
            </tr>
            <tr>
              <td>On wasps</td>
              <td>
                <Chip state="draft" />
              </td>
              <td>
                <Ago iso="2025-11-21T07:30:00Z" />
              </td>
              <td class="number">3</td>
            </tr>
          </tbody>
        </table>
      </div>

      <h2 id="figures">Figures</h2>
      {plots.map((plot, i) => (
        <Plot key={plot.title} plot={plot} drawn={drawn[i]} />
      ))}
      <Progress id="style-progress" label="Import of the vault" value={18} max={42} unit="file" />

      <h2 id="empty">Nothing yet</h2>
      <div class="empty">
        <h3>No objections yet</h3>
        <p>
          Readers’ objections to sentences of this article appear here, with what became of them.{' '}
          <a href={site.to.docs}>How to object</a>
        </p>
      </div>
    </article>,
  );
}
