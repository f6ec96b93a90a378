/**
 * Draws a plot as SVG with Observable Plot over a DOM of its own (ADR 61). The page policy permits no inline styles:
 * what the library sets as style is removed, and colours are classes of `web/plots.css`. Names in the data are text of
 * elements, which the serialiser escapes. This module is large; only the worker thread loads it.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import {
  type BarPlot,
  type Drawn,
  namesOf,
  type PlotData,
  type TimePlot,
  type Unit,
  valueText,
} from './plot-data.ts';

interface Size {
  readonly width: number;
  readonly height: number;
  /** Labels that the axis of time has room for. */
  readonly timeTicks: number;
}

const wide: Size = { width: 640, height: 210, timeTicks: 8 };
const narrow: Size = { width: 320, height: 190, timeTicks: 4 };

export function drawPlot(plot: PlotData): Drawn {
  return { wide: draw(plot, wide), narrow: draw(plot, narrow) };
}

function draw(plot: PlotData, size: Size): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const options = plot.shape === 'bars' ? barOptions(plot, size) : timeOptions(plot, size);
  const svg = Plot.plot({ ...options, document });
  return cleaned(document, svg, plot);
}

interface Segment {
  readonly from: number;
  readonly to: number;
}

/** Where the value of each series lies on the stack of a step or item. */
function stacked({ series }: PlotData, at: number): Segment[] {
  let from = 0;
  return series.map(({ values }) => {
    const to = from + (values[at] ?? 0);
    const segment = { from, to };
    from = to;
    return segment;
  });
}

const stepMs = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
const marginTop = 14;
const marginBottom = 34;

function timeOptions(plot: TimePlot, { width, height, timeTicks }: Size): Plot.PlotOptions {
  const { series, steps, step, shape, unit } = plot;
  const spans = steps.map((start, i) => {
    const x1 = new Date(start);
    return { x1, x2: new Date(x1.getTime() + stepMs[step]), stack: stacked(plot, i) };
  });
  const most = Math.max(1, ...spans.map(({ stack }) => stack.at(-1)?.to ?? 0));
  const gap = Math.min(2, width / steps.length / 6);
  // A total holds for its whole step.
  const points = spans.flatMap(({ x1, x2, stack }, i) =>
    (i === 0 ? [x1, x2] : [x2]).map((x) => ({ x, y: stack[0]?.to ?? 0 })),
  );
  const floor = shape === 'area' ? areaFloor(Math.min(...points.map(({ y }) => y)), most) : 0;
  const ticks = ticksOf(most - floor, unit);
  const marks =
    shape === 'area'
      ? [
          Plot.areaY(points, {
            x: 'x',
            y1: floor,
            y2: 'y',
            curve: 'step-before',
            className: `plot-area plot-${series[0]?.tone}`,
          }),
          Plot.lineY(points, {
            x: 'x',
            y: 'y',
            curve: 'step-before',
            className: `plot-line plot-${series[0]?.tone}`,
          }),
        ]
      : series.map(({ tone }, i) =>
          Plot.rect(
            spans.filter(({ stack }) => (stack[i]?.to ?? 0) > (stack[i]?.from ?? 0)),
            {
              x1: 'x1',
              x2: 'x2',
              y1: (span: (typeof spans)[number]) => span.stack[i]?.from,
              y2: (span: (typeof spans)[number]) => span.stack[i]?.to,
              insetLeft: gap / 2,
              insetRight: gap / 2,
              className: `plot-mark plot-${tone}`,
            },
          ),
        );
  return {
    width,
    height,
    marginLeft: 44,
    marginRight: 10,
    marginTop,
    marginBottom,
    x: { type: 'utc', domain: [spans[0]?.x1 ?? new Date(0), spans.at(-1)?.x2 ?? new Date(1)] },
    y: { domain: [floor, most], nice: true },
    marks: [
      Plot.gridY({ ticks, className: 'plot-grid' }),
      Plot.axisY({
        ticks,
        tickFormat: (value: number) => shortText(value, unit),
        tickSize: 0,
        label: null,
        className: 'plot-axis',
      }),
      Plot.axisX({ ticks: timeTicks, label: null, tickSize: 4, className: 'plot-axis' }),
      ...marks,
      ...(shape === 'area' ? [] : [Plot.ruleY([0], { className: 'plot-base' })]),
      // As tall as the plot, so that small values can be pointed at.
      Plot.rectX(spans, { x1: 'x1', x2: 'x2', title: hoverText(plot), className: 'plot-hover' }),
    ],
  };
}

/** The axis of a total may begin above zero where its growth would not be seen otherwise. */
function areaFloor(least: number, most: number): number {
  return most - least > 0 && most - least < most / 4 ? least : 0;
}

const rowHeight = 40;

function barOptions(plot: BarPlot, { width }: Size): Plot.PlotOptions {
  const { items, series, unit } = plot;
  const places = items.map((_, i) => i);
  const rows = places.map((place) => ({ place, stack: stacked(plot, place) }));
  const totals = rows.map(({ stack }) => stack.at(-1)?.to ?? 0);
  const letters = Math.floor(width / 8);
  return {
    width,
    height: items.length * rowHeight + 4,
    marginLeft: 2,
    marginRight: 76,
    marginTop: 2,
    marginBottom: 2,
    x: { domain: [0, Math.max(1, ...totals)], axis: null },
    y: { type: 'band', domain: places, axis: null, padding: 0 },
    marks: [
      ...series.map(({ tone }, i) =>
        Plot.barX(
          rows.filter(({ stack }) => (stack[i]?.to ?? 0) > (stack[i]?.from ?? 0)),
          {
            y: 'place',
            x1: (row: (typeof rows)[number]) => row.stack[i]?.from,
            x2: (row: (typeof rows)[number]) => row.stack[i]?.to,
            insetTop: 20,
            insetBottom: 6,
            className: `plot-mark plot-${tone}`,
          },
        ),
      ),
      Plot.text(rows, {
        y: 'place',
        frameAnchor: 'left',
        text: ({ place }: (typeof rows)[number]) => shortened(items[place] ?? '', letters),
        dy: -9,
        textAnchor: 'start',
        className: 'plot-name',
      }),
      Plot.text(rows, {
        y: 'place',
        x: ({ place }: (typeof rows)[number]) => totals[place],
        text: ({ place }: (typeof rows)[number]) => valueText(totals[place] ?? 0, unit),
        dx: 6,
        dy: 7,
        textAnchor: 'start',
        className: 'plot-value',
      }),
      Plot.barX(rows, {
        y: 'place',
        x1: 0,
        x2: Math.max(1, ...totals),
        title: ({ place }: (typeof rows)[number]) => hoverText(plot)(undefined, place),
        className: 'plot-hover',
      }),
    ],
  };
}

/** What stands at the pointer: the step or item, then each value. */
function hoverText(plot: PlotData): (row: unknown, at: number) => string {
  const names = namesOf(plot);
  return (_, at) =>
    [
      names[at] ?? '',
      ...plot.series.map(({ name, values }) => `${name}: ${valueText(values[at] ?? 0, plot.unit)}`),
    ].join('\n');
}

/** Whole numbers where things are counted. */
function ticksOf(most: number, unit: Unit): number {
  return unit === 'count' ? Math.min(4, most) : 4;
}

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumSignificantDigits: 3 });
const cents = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 2 });

function shortText(value: number, unit: Unit): string {
  return unit === 'count' ? short.format(value) : `$${cents.format(value / 1_000_000)}`;
}

function shortened(text: string, letters: number): string {
  const points = [...text];
  return points.length <= letters ? text : `${points.slice(0, letters - 1).join('')}…`;
}

const removedAttributes = [
  'style',
  'width',
  'height',
  'font-family',
  'font-size',
  'font-variant',
  'aria-label',
  'aria-hidden',
];

/** Without styles, with a title and a description; coordinates to a tenth of a pixel. */
function cleaned(document: Document, svg: Element, { title, note }: PlotData): string {
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const element of [svg, ...svg.querySelectorAll('*')]) {
    for (const name of removedAttributes)
      // Rectangles keep their size.
      if (element === svg || (name !== 'width' && name !== 'height')) element.removeAttribute(name);
    for (const name of element.getAttributeNames())
      if (name !== 'class') element.setAttribute(name, rounded(element.getAttribute(name) ?? ''));
  }
  svg.setAttribute('class', 'plot-picture');
  svg.setAttribute('role', 'img');
  const described = (name: string, text: string): Element => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    element.textContent = text;
    return element;
  };
  svg.prepend(described('title', title), described('desc', note));
  return svg.outerHTML;
}

function rounded(value: string): string {
  return value.replace(/-?\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
