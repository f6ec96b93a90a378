/** Steps of time for figures, and totals at their ends. */
import { describe, expect, it } from 'vitest';
import { StepClock, type Span } from '../../../src/app/reads/figures.ts';
import { totals } from '../../../src/doors/web/owner/figure-plots.ts';

const now = Date.parse('2026-03-10T15:30:00.000Z');
const ago = (days: number): number => now - days * 86_400_000;
const iso = (ms: number | undefined): string => new Date(ms ?? 0).toISOString();

describe('StepClock', () => {
  it.each<[Span, number | undefined, number, string, string]>([
    ['hours', ago(400), 48, '2026-03-08T16:00:00.000Z', '2026-03-10T15:00:00.000Z'],
    ['month', ago(400), 30, '2026-02-09T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['quarter', ago(400), 90, '2025-12-11T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['year', ago(400), 52, '2025-03-12T00:00:00.000Z', '2026-03-04T00:00:00.000Z'],
    // A young ledger is shown from its first day on, and a week at least.
    ['month', ago(9), 10, '2026-03-01T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['month', ago(1), 7, '2026-03-04T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['month', undefined, 7, '2026-03-04T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
  ])('divides %s', (span, begun, count, first, last) => {
    const { starts } = new StepClock(span, now, begun);
    expect([starts.length, iso(starts[0]), iso(starts.at(-1))]).toEqual([count, first, last]);
  });

  it.each<[Span, string, number | undefined]>([
    ['month', '2026-03-10', 29],
    ['month', '2026-03-10T23:59:59.999Z', 29],
    ['month', '2026-02-09', 0],
    ['month', '2026-02-08', undefined],
    ['month', '2026-03-11', undefined],
    ['hours', '2026-03-10T15', 47],
    ['hours', '2026-03-08T16', 0],
    ['hours', '2026-03-08T15', undefined],
    ['year', '2026-03-03', 50],
    ['year', '2026-03-04', 51],
  ])('of %s finds the step of %s', (span, time, step) => {
    expect(new StepClock(span, now, ago(400)).stepOf(time)).toBe(step);
  });

  it('adds counts of one step, and leaves out what is outside', () => {
    const clock = new StepClock('month', now, ago(1));
    expect(
      clock.sumsOf([
        ['2026-03-04', 1],
        ['2026-03-10', 2],
        ['2026-03-10', 3],
        ['2026-01-01', 9],
      ]),
    ).toEqual([1, 0, 0, 0, 0, 0, 5]);
  });
});

describe('totals', () => {
  it('go back from the present total', () => {
    expect(totals({ total: 10, added: [1, 0, 4] })).toEqual([6, 6, 10]);
  });
});
