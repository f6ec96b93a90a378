import { describe, expect, it } from 'vitest';
import { durationSeconds } from '../../../src/doors/web/owner/durations.ts';

describe('a duration in words', () => {
  it.each([
    ['600', 600],
    ['10 minutes', 600],
    ['a day', 86_400],
    ['An hour', 3600],
    ['2 weeks', 1_209_600],
    ['30days', 2_592_000],
    ['1 month', 2_592_000],
    [' 5 seconds ', 5],
  ])('%s is %i seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it.each(['soon', '', '-1 day', '1.5 hours', 'a year', 'day', '99999999999'])('%s is none', (text) => {
    expect(durationSeconds(text)).toBeUndefined();
  });
});
