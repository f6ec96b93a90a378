/** Pictures of plots: what they show, and that neither styles nor markup of the data are in them. */
import { describe, expect, it } from 'vitest';
import { drawPlot } from '../../../src/doors/web/plots/draw-plot.ts';
import { type PlotData, valueText } from '../../../src/doors/web/plots/plot-data.ts';

const steps = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
const hostile = '<script>alert(1)</script>"\' style="x" &amp;';

const columns: PlotData = {
  shape: 'columns',
  title: hostile,
  note: hostile,
  unit: 'count',
  step: 'day',
  steps,
  series: [
    { name: hostile, tone: 'good', values: [2, 0, 4] },
    { name: 'failed', tone: 'bad', values: [1, 0, 0] },
  ],
};
const area: PlotData = {
  ...columns,
  shape: 'area',
  series: [{ name: 'in all', tone: 'one', values: [5, 7, 9] }],
};
const bars: PlotData = {
  shape: 'bars',
  title: 'Cost',
  note: 'By caller.',
  unit: 'usd',
  item: 'Caller',
  items: [hostile, 'x'.repeat(500)],
  series: [{ name: hostile, tone: 'one', values: [1_500_000, 20_000] }],
};

describe('drawPlot', () => {
  it.each([
    ['columns', columns],
    ['area', area],
    ['bars', bars],
  ])('leaves no style and no markup of the data in %s', (_, plot) => {
    for (const svg of Object.values(drawPlot(plot))) {
      const tags = [...svg.matchAll(/<\/?([a-z]+)[^>]*>/gi)];
      expect(tags.filter(([, name]) => !drawn.has(String(name)))).toEqual([]);
      // Attributes only: the text of the data may say so.
      expect(tags.filter(([tag]) => /\s(?:style|on\w+|href)\s*=/i.test(tag))).toEqual([]);
      expect(svg).not.toContain('<script');
      expect(svg.startsWith('<svg role="img" viewBox="0 0 ')).toBe(true);
    }
  });
  const drawn = new Set(['svg', 'g', 'title', 'desc', 'line', 'path', 'rect', 'text', 'tspan']);

  it('says its title and note first, and each step’s values at the pointer', () => {
    const { wide } = drawPlot({
      ...columns,
      title: 'Calls',
      note: 'By day.',
      series: columns.series.slice(1),
    });
    expect(wide).toContain('<title>Calls</title><desc>By day.</desc>');
    expect([...wide.matchAll(/<title>([^<]*)<\/title>/g)].map(([, text]) => text)).toEqual([
      'Calls',
      '1 January 2026\nfailed: 1',
      '2 January 2026\nfailed: 0',
      '3 January 2026\nfailed: 0',
    ]);
  });

  it('stacks the series and leaves out what is zero', () => {
    const { wide } = drawPlot({ ...columns, title: 'Calls', note: '' });
    const rects = (tone: string): string[] => {
      const [, group = ''] = new RegExp(`<g class="plot-mark plot-${tone}">(.*?)</g>`).exec(wide) ?? [];
      return [...group.matchAll(/height="([\d.]+)"/g)].map(([, height]) => String(height));
    };
    expect(rects('good')).toEqual(['81', '162']);
    expect(rects('bad')).toEqual(['40.5']);
  });

  it('shortens long names in the picture', () => {
    const { wide, narrow } = drawPlot(bars);
    expect(wide).toContain(`>${'x'.repeat(79)}…<`);
    expect(narrow).toContain(`>${'x'.repeat(39)}…<`);
  });
});

describe('valueText', () => {
  it.each([
    [0, 'count', '0'],
    [12_345, 'count', '12,345'],
    [0, 'usd', '$0.00'],
    [1_240_000, 'usd', '$1.24'],
    [469_649, 'usd', '$0.47'],
    [12, 'usd', '$0.000012'],
    [2_345_678_900, 'usd', '$2,345.68'],
  ] as const)('of %i %s is %s', (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text);
  });
});
