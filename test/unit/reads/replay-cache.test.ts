/** Replays that are kept although there is nothing in them: of moments before an article began. */
import { expect, it } from 'vitest';
import { type Replay, replayCacheOf } from '../../../src/app/reads/article-replay.ts';
import { MemoryProjection } from '../../../src/engine/memory-projection.ts';
import type { Reader } from '../../../src/engine/store.ts';

it('bounds the number of empty snapshots that it caches', async () => {
  const kept = replayCacheOf({} as Reader);
  let made = 0;
  const make = async (): Promise<Replay> => {
    made++;
    return { aid: 'a', events: [], chains: new Map(), projection: new MemoryProjection(), newest: -1 };
  };
  for (let index = 0; index < 5000; index++) await kept.get(`a index ${index}`, 'stamp', make);
  await kept.get('a index 4999', 'stamp', make);
  expect(made).toBe(5000);
  await kept.get('a index 0', 'stamp', make);
  expect(made).toBe(5001);
});
