import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { SlidingWindow } from '../../../src/guard/sliding-window.ts';

const minute = { callsMax: 3, windowSeconds: 60, keysMax: 100 };

function takeMany(window: SlidingWindow, key: string, times: number, nowMs: number): boolean[] {
  return Array.from({ length: times }, () => window.take(key, nowMs).allowed);
}

describe('a sliding window', () => {
  it('allows what its budget holds, then refuses and says for how long', () => {
    const window = new SlidingWindow(minute);
    expect(window.take('a', 5_000)).toEqual({
      allowed: true,
      limit: 3,
      remaining: 2,
      retryAfterSeconds: 0,
      resetSeconds: 65,
    });
    expect(window.take('a', 12_000).remaining).toBe(1);
    expect(window.take('a', 31_500)).toEqual({
      allowed: true,
      limit: 3,
      remaining: 0,
      retryAfterSeconds: 0,
      resetSeconds: 69,
    });
    expect(window.take('a', 40_000)).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      retryAfterSeconds: 30,
      resetSeconds: 60,
    });
    expect(window.take('a', 69_999).allowed).toBe(false);
    expect(window.take('a', 70_000).allowed).toBe(true);
  });

  it('counts each key apart', () => {
    const window = new SlidingWindow(minute);
    expect(takeMany(window, 'a', 4, 0)).toEqual([true, true, true, false]);
    expect(window.take('b', 0).allowed).toBe(true);
  });

  it('does not count a refused call', () => {
    const window = new SlidingWindow(minute);
    takeMany(window, 'a', 3, 0);
    takeMany(window, 'a', 50, 60_000);
    expect(takeMany(window, 'a', 4, 70_000)).toEqual([true, true, true, false]);
  });

  it('answers a peek without counting it', () => {
    const window = new SlidingWindow(minute);
    expect(window.peek('a', 0)).toEqual({
      allowed: true,
      limit: 3,
      remaining: 3,
      retryAfterSeconds: 0,
      resetSeconds: 0,
    });
    expect(window.size).toBe(0);
    takeMany(window, 'a', 3, 0);
    expect(window.peek('a', 30_000)).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      retryAfterSeconds: 40,
      resetSeconds: 40,
    });
    expect(window.peek('a', 70_000).remaining).toBe(3);
  });

  it('restores no budget when the clock goes back', () => {
    const window = new SlidingWindow(minute);
    takeMany(window, 'a', 3, 100_000);
    expect(window.take('a', 10_000).allowed).toBe(false);
  });

  const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 25_000 })), {
    minLength: 1,
    maxLength: 120,
  });

  test('never allows more than the budget in any window, and never refuses with budget to spare', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 8 }), (steps, callsMax) => {
        const window = new SlidingWindow({ callsMax, windowSeconds: 60, keysMax: 10 });
        const log = new Map<string, number[]>([
          ['a', []],
          ['b', []],
        ]);
        let now = 0;
        for (const [key, pause] of steps) {
          now += pause;
          const past = log.get(key) as number[];
          const within = (ms: number): number => past.filter((at) => now - at < ms).length;
          if (window.take(key, now).allowed) {
            past.push(now);
            expect(within(60_000)).toBeLessThanOrEqual(callsMax);
          } else {
            // A slot is ten seconds: what counts against a call is at most a window and a slot old.
            expect(within(70_000)).toBeGreaterThanOrEqual(callsMax);
          }
        }
      }),
    );
  });

  test('allows the call that comes after the seconds it named, and not one a second earlier', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 8 }), (steps, callsMax) => {
        const window = new SlidingWindow({ callsMax, windowSeconds: 60, keysMax: 10 });
        let now = 0;
        for (const [key, pause] of steps) {
          now += pause;
          const { allowed, retryAfterSeconds } = window.take(key, now);
          expect(retryAfterSeconds > 0).toBe(!allowed);
          if (allowed) continue;
          expect(window.peek(key, now + (retryAfterSeconds - 1) * 1000 - 1).allowed).toBe(false);
          now += retryAfterSeconds * 1000;
          expect(window.peek(key, now).allowed).toBe(true);
        }
      }),
    );
  });

  test('is wholly back after the seconds it named', () => {
    fc.assert(
      fc.property(calls, (steps) => {
        const window = new SlidingWindow({ callsMax: 5, windowSeconds: 60, keysMax: 10 });
        let now = 0;
        for (const [key, pause] of steps) {
          now += pause;
          const { resetSeconds } = window.take(key, now);
          expect(resetSeconds).toBeLessThanOrEqual(70);
        }
        const { resetSeconds } = window.peek('a', now);
        expect(window.peek('a', now + resetSeconds * 1000).remaining).toBe(5);
      }),
    );
  });
});

describe('a full table', () => {
  it('never holds more keys than it may', () => {
    const window = new SlidingWindow({ ...minute, keysMax: 1_000 });
    for (let i = 0; i < 5_000; i++) window.take(`key-${i}`, i);
    expect(window.size).toBe(1_000);
  });

  it('keeps a spent budget spent through a flood of fresh keys', () => {
    const window = new SlidingWindow({ callsMax: 30, windowSeconds: 60, keysMax: 100 });
    takeMany(window, 'attacker', 30, 0);
    takeMany(window, 'half', 15, 0);
    for (let i = 0; i < 10_000; i++) window.take(`fresh-${i}`, 1_000);
    expect(window.take('attacker', 1_000).allowed).toBe(false);
    expect(window.peek('half', 1_000).remaining).toBe(15);
  });

  it('forgets a spent budget early only when every other key is spent in full too', () => {
    const window = new SlidingWindow({ callsMax: 4, windowSeconds: 60, keysMax: 10 });
    takeMany(window, 'first', 4, 0);
    for (let i = 0; i < 9; i++) takeMany(window, `other-${i}`, 3, 0);
    window.take('fresh', 0);
    expect(window.peek('first', 0).allowed).toBe(false);
    for (let i = 0; i < 9; i++) takeMany(window, `spent-${i}`, 4, 0);
    expect(window.peek('first', 0).allowed).toBe(false);
    window.take('one-more', 0);
    expect(window.peek('first', 0).allowed).toBe(true);
  });

  it('gives up keys whose calls have lapsed before any that still count', () => {
    const window = new SlidingWindow({ callsMax: 30, windowSeconds: 60, keysMax: 10 });
    for (let i = 0; i < 9; i++) takeMany(window, `old-${i}`, 30, 0);
    window.take('young', 65_000);
    for (let i = 0; i < 9; i++) window.take(`new-${i}`, 75_000);
    expect(window.peek('young', 75_000).remaining).toBe(29);
    expect(window.size).toBe(10);
  });

  test('answers for the keys it holds as one without a bound does', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 20_000 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const bounded = new SlidingWindow({ callsMax: 4, windowSeconds: 60, keysMax: 7 });
        const roomy = new SlidingWindow({ callsMax: 4, windowSeconds: 60, keysMax: 10_000 });
        let now = 0;
        for (const [key, pause] of steps) {
          now += pause;
          expect(bounded.take(`k${key}`, now)).toEqual(roomy.take(`k${key}`, now));
        }
      }),
    );
  });
});
