/** The cache of loaded states that both stores use: bounded in bytes, and what is in use stays. */
import { expect, test } from 'vitest';
import { emptySnapshot, snapshotFrom, StateCache } from '../../../src/engine/state.ts';
import { tallyTable } from '../../contract/tally.ts';

/** A state whose one row holds a note of `chars` characters. */
function state(stamp: number, chars: number) {
  return snapshotFrom(stamp, [
    [tallyTable, [{ id: 't', value: 1, note: 'x'.repeat(chars), data: null, head: {} }]],
  ]);
}

test('a cache never holds more bytes than it may, and keeps the newest', () => {
  const cache = new StateCache(20_000);
  for (let i = 0; i < 100; i++) {
    cache.set(`s${i}`, state(i, 1000));
    expect(cache.bytes).toBeLessThanOrEqual(20_000);
    expect(cache.get(`s${i}`)?.stamp).toBe(i);
  }
  expect(cache.bytes).toBeGreaterThan(5000);
  expect(cache.get('s0')).toBeUndefined();
});

test('a state larger than the cache is kept until others come', () => {
  const cache = new StateCache(20_000);
  cache.set('large', state(1, 90_000));
  expect(cache.get('large')?.stamp).toBe(1);
  for (let i = 0; i < 20; i++) cache.set(`s${i}`, state(i, 1000));
  expect(cache.get('large')).toBeUndefined();
  expect(cache.bytes).toBeLessThanOrEqual(20_000);
});

test('what is used again and again outlives what is not', () => {
  const cache = new StateCache(20_000);
  cache.set('used', state(1, 1000));
  cache.set('unused', state(2, 1000));
  for (let i = 0; i < 100; i++) {
    cache.set(`s${i}`, state(i, 1000));
    expect(cache.get('used')?.stamp).toBe(1);
  }
  expect(cache.get('unused')).toBeUndefined();
});

test('a state that is replaced or deleted no longer counts', () => {
  const cache = new StateCache(100_000);
  cache.set('a', state(1, 5000));
  const before = cache.bytes;
  cache.set('a', state(2, 5000));
  expect([cache.bytes, cache.get('a')?.stamp]).toEqual([before, 2]);
  cache.delete('a');
  expect([cache.bytes, cache.get('a')]).toEqual([0, undefined]);
});

test('what is remembered as absent counts with its name, which a stranger may have chosen', () => {
  const cache = new StateCache(20_000);
  for (let i = 0; i < 200; i++) cache.set(`slug\0${'x'.repeat(200)}${i}`, emptySnapshot);
  const held = Array.from({ length: 200 }, (_, i) => cache.get(`slug\0${'x'.repeat(200)}${i}`)).filter(
    Boolean,
  );
  expect(held.length).toBeLessThan(45);
});
