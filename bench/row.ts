/**
 * One line of the table that `npm run bench` prints: a figure, its peer measured in the same run on the same
 * machine, their ratio, and what it has to reach. A row without a peer is judged by its own figure.
 */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure is compared with; `–` where it is held to a limit of its own. */
  readonly peer: string;
  readonly peerValue: number | null;
  readonly ratio: number | null;
  /** `>= 1.5` or `<= 25`; empty for a figure that is only reported. Judges the ratio, or the figure without one. */
  readonly reach: string;
  /** The same ratio by the servers' CPU time a call, which another load on the machine does not change. */
  readonly cpu?: number;
  readonly note?: string;
}

interface More {
  readonly cpu?: number;
  readonly note?: string;
}

/** How a group of rows is to be measured. */
export interface Settings {
  /** Fewer and shorter rounds: a look, not a figure. */
  readonly quick: boolean;
  /** Also what takes minutes: 100,000 articles, 1,000,000 entries. */
  readonly full: boolean;
  /** How long a soak takes; a short look where nothing is said. */
  readonly minutes?: number | undefined;
  say(progress: string): void;
}

/** Nothing for a row that has nothing to reach. */
export function isMet(row: Row): boolean | undefined {
  const [, sign, number] = /^([<>])= ([\d.]+)/.exec(row.reach) ?? [];
  if (sign === undefined) return undefined;
  const judged = row.ratio ?? row.value;
  return sign === '>' ? judged >= Number(number) : judged <= Number(number);
}

export function versus(
  name: string,
  value: number,
  unit: string,
  peer: string,
  peerValue: number,
  reach: string,
  more: More = {},
): Row {
  return { name, value, unit, peer, peerValue, ratio: value / peerValue, reach, ...more };
}

export function alone(name: string, value: number, unit: string, reach: string, more: More = {}): Row {
  return { name, value, unit, peer: '–', peerValue: null, ratio: null, reach, ...more };
}

export function skipped(name: string, why: string): Row {
  return {
    name,
    value: NaN,
    unit: '',
    peer: '–',
    peerValue: null,
    ratio: null,
    reach: '',
    note: `skipped: ${why}`,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

const heads = ['Work', 'figure', 'peer', 'ratio', 'by CPU', 'reach', 'met'];
const last = heads.length - 1;

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    Number.isNaN(row.value) ? '–' : `${short(row.value)} ${row.unit}`,
    row.peerValue === null ? row.peer : `${row.peer}: ${short(row.peerValue)} ${row.unit}`,
    row.ratio === null ? '–' : `${short(row.ratio)}x`,
    row.cpu === undefined ? '' : `${short(row.cpu)}x`,
    row.reach,
    row.note ?? { true: 'yes', false: 'NO', undefined: '' }[String(isMet(row)) as 'true'],
  ]);
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...cells.map((line) => (i === last ? 0 : (line[i] as string).length))),
  );
  const line = (each: readonly string[]): string =>
    each
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '-'.repeat(Math.max(3, width)))), ...cells.map(line)].join(
    '\n',
  );
}

/** Three digits that say something. */
function short(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return digits === 0 ? Math.round(value).toLocaleString('en-US') : value.toFixed(Math.min(digits, 6));
}
