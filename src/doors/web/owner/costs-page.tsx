/** `/owner/costs`: growth, traffic, yields and costs of a workspace as plots with their tables (contract §8). */
import { type Figures, type Span, spans } from '../../../app/reads/figures.ts';
import { Plot } from '../components/plot.tsx';
import { Tabs } from '../components/tabs.tsx';
import { countText } from '../format-text.ts';
import { type Drawn, type PlotData, valueText } from '../plots/plot-data.ts';
import { addressOf, type ConsoleContext, consolePage, sections } from './console-page.tsx';
import { type FigurePlots, sumOf } from './figure-plots.ts';

export interface CostsView {
  readonly figures: Figures;
  readonly plots: FigurePlots;
  /** Of each plot, where it could be drawn. */
  readonly drawn: ReadonlyMap<PlotData, Drawn | undefined>;
}

/** Sections of the page, and what stands there before there is anything to plot. */
const parts = {
  growth: [
    'Growth',
    'Nothing is written yet. Articles, claims and contributions are counted here from the first entry on.',
  ],
  traffic: [
    'Traffic',
    'Nothing was called in this span. Each call of a row is counted here, by how it ended.',
  ],
  yields: [
    'Yields',
    'No act on an article in this span. Writing, claims, sources, objections and decisions appear here, with the tokens that were spent on them.',
  ],
  costs: [
    'Costs',
    'Nothing was paid in this span. Calls that ask a model, or make an image or a film, are counted here at their provider’s prices.',
  ],
} as const satisfies Record<Exclude<keyof FigurePlots, 'requests'>, readonly [title: string, empty: string]>;

export function costsPage(context: ConsoleContext, { figures, plots, drawn }: CostsView): string {
  const links = new Map(
    [...figures.calls.byRow.map(({ key }) => key), ...figures.spending.byRow.map(({ name }) => name)].flatMap(
      (key) => (context.publicRows.has(key) ? [[key, context.site.to.row(key)] as const] : []),
    ),
  );
  for (const { name } of figures.spending.byCaller)
    if (name.startsWith('cap_')) links.set(name, context.site.to.capability(name));
  const show = (some: readonly PlotData[]) => (
    <div class="plots">
      {some.map((plot) => (
        <Plot key={plot.title} plot={plot} drawn={drawn.get(plot)} links={links} />
      ))}
    </div>
  );
  return consolePage(
    context,
    'costs',
    <>
      <Tabs
        label="Span of time"
        tabs={(Object.keys(spans) as Span[]).map((span) => ({
          name: spans[span].title,
          href: spanAddress(context, span),
          current: span === figures.span,
        }))}
      />
      <Summary figures={figures} />
      {(['growth', 'traffic', 'yields', 'costs'] as const).map((part) => {
        const [title, empty] = parts[part];
        return (
          <section key={part} aria-labelledby={part}>
            <h2 id={part}>{title}</h2>
            {plots[part].length === 0 ? <p class="empty">{empty}</p> : show(plots[part])}
            {part === 'traffic' ? show(plots.requests) : null}
          </section>
        );
      })}
    </>,
  );
}

function spanAddress(context: ConsoleContext, span: Span): string {
  const address = addressOf(context, sections.costs.path);
  return `${address}${address.includes('?') ? '&' : '?'}span=${span}`;
}

/** The span in a line of numbers, each leading to its plots. */
function Summary({ figures }: { readonly figures: Figures }) {
  const { calls, acts, growth, spending } = figures;
  const cost = spending.byRow.reduce((sum, { usdMicros }) => sum + usdMicros, 0);
  const numbers = [
    [
      'growth',
      countText(growth.entries.total, 'entry', 'entries'),
      countText(sumOf(growth.entries.added), 'new one'),
    ],
    [
      'traffic',
      countText(sumOf(calls.succeeded) + sumOf(calls.failed) + sumOf(calls.denied), 'call'),
      `${sumOf(calls.failed).toLocaleString('en-GB')} failed`,
    ],
    [
      'yields',
      countText(
        Object.values(acts).reduce((sum, steps) => sum + sumOf(steps), 0),
        'act',
      ),
      'on articles',
    ],
    ['costs', valueText(cost, 'usd'), countText(sumOf(spending.used) + sumOf(spending.wasted), 'token')],
  ] as const;
  return (
    <ul class="plot-summary">
      {numbers.map(([part, number, more]) => (
        <li key={part}>
          <a href={`#${part}`}>
            <strong>{number}</strong> <span>{more}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
