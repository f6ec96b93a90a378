/** How followers of the log on PostgreSQL are woken: none misses a new version. */
import { expect, test } from 'vitest';
import { LogNotifier } from '../../../src/store/postgres/log-notifier.ts';

test('wakes a follower at once when the log grew while it was reading', async () => {
  const notifier = new LogNotifier();
  const seen = notifier.version;
  notifier.notify();
  await expect(notifier.newerThan(seen, new AbortController().signal)).resolves.toBeUndefined();
});

test('keeps followers waiting for a new version, the close, or their own signal', async () => {
  const notifier = new LogNotifier();
  const stop = new AbortController();
  const woken: string[] = [];
  const waiting = [
    notifier.newerThan(notifier.version, new AbortController().signal).then(() => woken.push('notified')),
    notifier.newerThan(notifier.version, stop.signal).then(() => woken.push('stopped')),
  ];
  stop.abort();
  await waiting[1];
  expect(woken).toEqual(['stopped']);
  notifier.notify();
  await waiting[0];
  expect(woken).toEqual(['stopped', 'notified']);
  const last = notifier.newerThan(notifier.version, new AbortController().signal);
  notifier.close();
  await last;
  expect(notifier.isClosed).toBe(true);
});
