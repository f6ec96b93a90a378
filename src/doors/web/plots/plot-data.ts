/** What a plot shows: plain values, from which the picture is drawn (`draw-plot.ts`) and the table beneath is written. */
import { dateText, timeText } from '../format-text.ts';

export type Unit = 'count' | 'usd';

/** A colour of the series; `good`, `bad` and `quiet` have a meaning. */
export type Tone = 'good' | 'bad' | 'quiet' | 'one' | 'two' | 'three' | 'four' | 'five' | 'six';

export interface Series {
  readonly name: string;
  readonly tone: Tone;
  /** A value for each step or item; of `usd` in millionths. */
  readonly values: readonly number[];
}

interface Titled {
  readonly title: string;
  /** What is counted and what it tells, one or two sentences. */
  readonly note: string;
  readonly unit: Unit;
  readonly series: readonly Series[];
}

/** `columns`: stacked, one for each step of time. `area`: one series that only grows or falls, such as a total. */
export interface TimePlot extends Titled {
  readonly shape: 'columns' | 'area';
  /** When each step begins, ISO 8601. */
  readonly steps: readonly string[];
  readonly step: 'hour' | 'day' | 'week';
}

/** Horizontal bars, one for each item, stacked by series. */
export interface BarPlot extends Titled {
  readonly shape: 'bars';
  /** What an item is, as the head of the table's first column. */
  readonly item: string;
  readonly items: readonly string[];
}

export type PlotData = TimePlot | BarPlot;

/** Two pictures of the same values as SVG: for a column of 30 rem and more, and for a phone. */
export interface Drawn {
  readonly wide: string;
  readonly narrow: string;
}

/** Dollars have two decimals, and more where less would show no three digits of them. */
export function valueText(value: number, unit: Unit): string {
  if (unit === 'count') return value.toLocaleString('en-GB');
  const dollars = value / 1_000_000;
  const decimals = dollars === 0 || dollars >= 0.1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`;
}

export function stepText(start: string, step: TimePlot['step']): string {
  if (step === 'hour') return timeText(start).replace(/:00 UTC$/, ' UTC');
  return step === 'week' ? `week from ${dateText(start.slice(0, 10))}` : dateText(start.slice(0, 10));
}

/** The names of the steps or items, as tooltips and table have them. */
export function namesOf(plot: PlotData): readonly string[] {
  return plot.shape === 'bars' ? plot.items : plot.steps.map((start) => stepText(start, plot.step));
}
