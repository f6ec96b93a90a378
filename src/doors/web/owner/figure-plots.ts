/** The plots of `/owner/costs`, from the figures of a workspace: titles, series and what each tells. */
import { activityKinds, type ActivityKind } from '../../../model/vocabulary.ts';
import { type Figures, type Growth, spans, type Spent, type Steps } from '../../../app/reads/figures.ts';
import { actorText, countText } from '../format-text.ts';
import type { BarPlot, PlotData, Series, TimePlot, Tone } from '../plots/plot-data.ts';
import type { Area } from '../plots/request-areas.ts';

/** By section of the page; a section without plots has nothing to show yet. */
export interface FigurePlots {
  readonly growth: readonly PlotData[];
  readonly traffic: readonly PlotData[];
  /** Of this process, below the traffic of the ledger. */
  readonly requests: readonly PlotData[];
  readonly yields: readonly PlotData[];
  readonly costs: readonly PlotData[];
}

export function figurePlots(figures: Figures, areas: readonly Area[], startedAt: string): FigurePlots {
  return {
    growth: growthPlots(figures),
    traffic: callPlots(figures),
    requests: requestPlots(areas, startedAt),
    yields: yieldPlots(figures),
    costs: costPlots(figures),
  };
}

const tones: readonly Tone[] = ['one', 'two', 'three', 'four', 'five', 'six'];
/** Rows, callers and articles that have a colour or a bar of their own. */
const namedMax = 5;
const barsMax = 12;

export function sumOf(values: Steps): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function timePlot(
  figures: Figures,
  plot: Pick<TimePlot, 'shape' | 'title' | 'note' | 'unit' | 'series'>,
): TimePlot {
  return { ...plot, steps: figures.steps, step: spans[figures.span].step };
}

/** Without those that are zero throughout. */
function some<P extends PlotData>(plot: P): readonly P[] {
  const series = plot.series.filter(({ values }) => values.some((value) => value > 0));
  return series.length === 0 ? [] : [{ ...plot, series }];
}

const growthNotes = {
  articles: ['Articles', 'Articles of this workspace, drafts and archived ones included.'],
  claims: ['Claims', 'Claims that were made, retracted ones included.'],
  contributions: ['Contributions', 'What others proposed, asked and objected in the mirrors of articles.'],
  entries: ['Entries of the log', 'Everything that was recorded, of all workspaces.'],
} as const;

function growthPlots(figures: Figures): readonly PlotData[] {
  return (['articles', 'claims', 'contributions', 'entries'] as const).flatMap((what) => {
    const growth = figures.growth[what];
    const [title, note] = growthNotes[what];
    return growth.total === 0
      ? []
      : [
          timePlot(figures, {
            shape: 'area',
            title,
            note: `${note} ${countText(sumOf(growth.added), 'is', 'are')} new.`,
            unit: 'count',
            series: [{ name: 'in all', tone: 'one', values: totals(growth) }],
          }),
        ];
  });
}

/** The total at the end of each step. */
export function totals({ total, added }: Growth): Steps {
  let left = total;
  return added
    .toReversed()
    .map((n) => {
      const at = left;
      left -= n;
      return at;
    })
    .toReversed();
}

function callPlots(figures: Figures): readonly PlotData[] {
  const { succeeded, failed, denied, byRow } = figures.calls;
  const rows = byRow.slice(0, barsMax);
  return [
    ...some(
      timePlot(figures, {
        shape: 'columns',
        title: 'Calls',
        note: 'Calls of rows by how they ended; each left a receipt. Those that run or await approval are not counted yet.',
        unit: 'count',
        series: [
          { name: 'succeeded', tone: 'good', values: succeeded },
          { name: 'failed', tone: 'bad', values: failed },
          { name: 'denied or declined', tone: 'quiet', values: denied },
        ],
      }),
    ),
    ...some<BarPlot>({
      shape: 'bars',
      title: 'Calls by row',
      note:
        byRow.length > rows.length
          ? `The ${rows.length} most called of ${byRow.length} rows.`
          : 'What was called in this span.',
      unit: 'count',
      item: 'Row',
      items: rows.map(({ key }) => key),
      series: [
        { name: 'succeeded', tone: 'good', values: rows.map((row) => row.succeeded) },
        { name: 'failed or refused', tone: 'bad', values: rows.map((row) => row.refused) },
      ],
    }),
  ];
}

function requestPlots(areas: readonly Area[], startedAt: string): readonly PlotData[] {
  return some<BarPlot>({
    shape: 'bars',
    title: 'Requests',
    note: `Since this process started (${startedAt}). Reads are not recorded on the ledger and begin at zero with each start.`,
    unit: 'count',
    item: 'Part of the site',
    items: areas.map(({ name }) => name),
    series: [
      { name: 'answered', tone: 'one', values: areas.map(({ answered }) => answered) },
      { name: 'refused', tone: 'quiet', values: areas.map(({ refused }) => refused) },
    ],
  });
}

const actNames: Readonly<Record<ActivityKind, readonly [name: string, tone: Tone]>> = {
  text: ['text', 'one'],
  claims: ['claims', 'two'],
  sources: ['sources', 'three'],
  discussion: ['discussion', 'four'],
  contributions: ['contributions', 'five'],
  decisions: ['decisions', 'six'],
  published: ['publication', 'good'],
};

function yieldPlots(figures: Figures): readonly PlotData[] {
  const { used, wasted, byRow } = figures.spending;
  const spending = byRow.filter(({ tokens }) => tokens > 0).slice(0, barsMax);
  return [
    ...some(
      timePlot(figures, {
        shape: 'columns',
        title: 'What came of it',
        note: 'Acts on articles by what they changed, each once on the ledger.',
        unit: 'count',
        series: activityKinds.map((kind) => {
          const [name, tone] = actNames[kind];
          return { name, tone, values: figures.acts[kind] };
        }),
      }),
    ),
    ...some(
      timePlot(figures, {
        shape: 'columns',
        title: 'Tokens',
        note: 'As providers counted them. Wasted tokens led to no object on the ledger.',
        unit: 'count',
        series: [
          { name: 'used', tone: 'good', values: used },
          { name: 'wasted', tone: 'bad', values: wasted },
        ],
      }),
    ),
    ...some<BarPlot>({
      shape: 'bars',
      title: 'Tokens by row',
      note: 'Which rows used them, and how much led to nothing.',
      unit: 'count',
      item: 'Row',
      items: spending.map(({ name }) => name),
      series: [
        { name: 'used', tone: 'good', values: spending.map(({ tokens, wasted: lost }) => tokens - lost) },
        { name: 'wasted', tone: 'bad', values: spending.map(({ wasted: lost }) => lost) },
      ],
    }),
  ];
}

function costPlots(figures: Figures): readonly PlotData[] {
  const { usdMicros, byCaller, unpriced, isCut } = figures.spending;
  const missing = [
    ...(unpriced === 0
      ? []
      : [`${countText(unpriced, 'call')} without a known price ${unpriced === 1 ? 'is' : 'are'} left out.`]),
    ...(isCut ? ['Only the newest 50,000 calls of the span were read.'] : []),
  ].join(' ');
  return [
    ...some(
      timePlot(figures, {
        shape: 'columns',
        title: 'Cost by row',
        note: `US dollars, from the tokens that providers counted at their prices. ${missing}`.trim(),
        unit: 'usd',
        series: byName(usdMicros),
      }),
    ),
    ...some<BarPlot>({
      ...callers(byCaller),
      shape: 'bars',
      title: 'Cost by share and key',
      note: 'Who made the calls that were paid for.',
      unit: 'usd',
      item: 'Caller',
    }),
  ];
}

/** The first have a series of their own, the others share one. */
function byName(values: ReadonlyMap<string, Steps>): readonly Series[] {
  const all = [...values];
  const named = all
    .slice(0, namedMax)
    .map(([name, steps], i): Series => ({ name, tone: tones[i] as Tone, values: steps }));
  const others = all.slice(namedMax);
  if (others.length === 0) return named;
  const [[, first]] = others as [[string, Steps], ...unknown[]];
  return [
    ...named,
    {
      name: countText(others.length, 'other row'),
      tone: 'quiet',
      values: first.map((_, at) => others.reduce((sum, [, steps]) => sum + (steps[at] ?? 0), 0)),
    },
  ];
}

function callers(byCaller: readonly Spent[]): Pick<BarPlot, 'items' | 'series'> {
  const paid = byCaller.filter(({ usdMicros }) => usdMicros > 0).slice(0, barsMax);
  return {
    items: paid.map(({ name }) => actorText(name)),
    series: [{ name: 'cost', tone: 'one', values: paid.map(({ usdMicros }) => usdMicros) }],
  };
}
