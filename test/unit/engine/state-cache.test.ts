/** The cache of aggregate snapshots that both stores use: least recently used, bounded in bytes. */
import { expect, test } from 'vitest';
import { emptySnapshot, newStateCache, snapshotFrom } from '../../../src/engine/state.ts';
import { tallyTable } from '../../contract/tally.ts';

/** A state whose one row holds a note of `chars` characters. */
function state(stamp: number, chars: number) {
  return snapshotFrom(stamp, [
    [tallyTable, [{ id: 't', value: 1, note: 'x'.repeat(chars), data: null, head: {} }]],
  ]);
}

test('a cache stays within its bytes and keeps the newest snapshot', () => {
  const cache = newStateCache(20_000);
  for (let i = 0; i < 100; i++) {
    cache.set(`s${i}`, state(i, 1000));
    expect(cache.calculatedSize).toBeLessThanOrEqual(20_000);
    expect(cache.get(`s${i}`)?.stamp).toBe(i);
  }
  expect(cache.calculatedSize).toBeGreaterThan(5000);
  expect(cache.get('s0')).toBeUndefined();
});

test('a snapshot larger than the cache is kept until another is added', () => {
  const cache = newStateCache(20_000);
  cache.set('large', state(1, 90_000));
  expect(cache.get('large')?.stamp).toBe(1);
  for (let i = 0; i < 20; i++) cache.set(`s${i}`, state(i, 1000));
  expect(cache.get('large')).toBeUndefined();
  expect(cache.calculatedSize).toBeLessThanOrEqual(20_000);
});

test('evicts the least recently used snapshot first', () => {
  const cache = newStateCache(20_000);
  cache.set('used', state(1, 1000));
  cache.set('unused', state(2, 1000));
  for (let i = 0; i < 100; i++) {
    cache.set(`s${i}`, state(i, 1000));
    expect(cache.get('used')?.stamp).toBe(1);
  }
  expect(cache.get('unused')).toBeUndefined();
});

test('a replaced or deleted snapshot no longer counts', () => {
  const cache = newStateCache(100_000);
  cache.set('a', state(1, 5000));
  const before = cache.calculatedSize;
  cache.set('a', state(2, 5000));
  expect([cache.calculatedSize, cache.get('a')?.stamp]).toEqual([before, 2]);
  cache.delete('a');
  expect([cache.calculatedSize, cache.get('a')]).toEqual([0, undefined]);
});

test('an absent aggregate counts with its name, which a caller chose', () => {
  const cache = newStateCache(20_000);
  for (let i = 0; i < 200; i++) cache.set(`slug\0${'x'.repeat(200)}${i}`, emptySnapshot);
  const held = Array.from({ length: 200 }, (_, i) => cache.get(`slug\0${'x'.repeat(200)}${i}`)).filter(
    Boolean,
  );
  expect(held.length).toBeLessThan(45);
});
