import { describe, expect, it } from 'vitest';
import { expired } from '../../../src/deployment/retention.ts';

const none = { last: 0, daily: 0, weekly: 0, monthly: 0 };
const at = (...times: string[]) => times.map((time) => ({ name: time, madeAtMs: Date.parse(`${time}Z`) }));
const now = Date.parse('2026-03-11T12:00Z');

// 2026-03-09 is a Monday.
const stored = at(
  '2026-03-11T03:00',
  '2026-03-10T15:00',
  '2026-03-10T03:00',
  '2026-03-09T03:00',
  '2026-03-08T03:00',
  '2026-03-01T03:00',
  '2026-02-28T03:00',
  '2025-12-31T23:59',
);

describe('the backups that a retention rule removes', () => {
  it.each([
    [{ ...none, last: 8 }, []],
    [{ ...none, last: 6 }, ['2026-02-28T03:00', '2025-12-31T23:59']],
    [
      { ...none, daily: 2 },
      [
        '2026-03-10T03:00',
        '2026-03-09T03:00',
        '2026-03-08T03:00',
        '2026-03-01T03:00',
        '2026-02-28T03:00',
        '2025-12-31T23:59',
      ],
    ],
    // Weeks begin on Monday: the 8th is the week before, the 1st and the 28th share one.
    [
      { ...none, weekly: 3 },
      ['2026-03-10T15:00', '2026-03-10T03:00', '2026-03-09T03:00', '2026-02-28T03:00', '2025-12-31T23:59'],
    ],
    [
      { ...none, monthly: 3 },
      ['2026-03-10T15:00', '2026-03-10T03:00', '2026-03-09T03:00', '2026-03-08T03:00', '2026-03-01T03:00'],
    ],
    // What any of the rules names is kept.
    [{ last: 3, daily: 4, weekly: 2, monthly: 3 }, ['2026-03-01T03:00']],
  ])('with %j', (keep, removed) => {
    expect(expired(stored, keep, now)).toEqual(removed);
  });

  it('never include the newest, nor any that is newer than the clock', () => {
    expect(expired(at('2026-03-01T03:00'), none, now)).toEqual([]);
    const ahead = at('2099-01-01T00:00', '2026-03-11T03:00', '2026-03-10T03:00');
    expect(expired(ahead, { ...none, last: 1 }, now)).toEqual(['2026-03-10T03:00']);
    expect(expired(ahead, { ...none, last: 1 }, Date.parse('2026-03-10T12:00Z'))).toEqual([]);
  });
});
