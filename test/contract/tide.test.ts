/** How followers of the log on PostgreSQL are woken: none sleeps through a rise. */
import { expect, test } from 'vitest';
import { Tide } from '../../src/store/postgres/tide.ts';

test('a rise that came while a follower was reading wakes it at once', async () => {
  const tide = new Tide();
  const seen = tide.height;
  tide.rise();
  await expect(tide.above(seen, new AbortController().signal)).resolves.toBeUndefined();
});

test('followers wait for the next rise, the end, or their own signal', async () => {
  const tide = new Tide();
  const stop = new AbortController();
  const woken: string[] = [];
  const waiting = [
    tide.above(tide.height, new AbortController().signal).then(() => woken.push('risen')),
    tide.above(tide.height, stop.signal).then(() => woken.push('stopped')),
  ];
  stop.abort();
  await waiting[1];
  expect(woken).toEqual(['stopped']);
  tide.rise();
  await waiting[0];
  expect(woken).toEqual(['stopped', 'risen']);
  const last = tide.above(tide.height, new AbortController().signal);
  tide.end();
  await last;
  expect(tide.ended).toBe(true);
});
