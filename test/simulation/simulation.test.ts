/** The short form of the simulation; `npm run simulate` is the long one, and prints what each seed does. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { brokenParts, brokenSources } from './broken.ts';
import { lawTexts } from './laws.ts';
import { simulate, type Sabotage } from './simulate.ts';

/** A change of the product moves what a seed does: one of so many finds each of these builds all the same. */
const seedsMax = 25;

/** The law that a build breaks within some seeds; the first is one that breaks it today. */
async function brokenLaw(sabotage: Sabotage, first: number): Promise<string | undefined> {
  for (let seed = first; seed < first + seedsMax; seed++) {
    const { broken } = await simulate(seed, sabotage);
    if (broken !== undefined) return broken.law;
  }
  return undefined;
}

describe('a simulation', () => {
  test('repeats every event of a run from its seed', async () => {
    const [first, second, other] = [await simulate(3), await simulate(3), await simulate(4)];
    expect(second).toEqual(first);
    expect(second.recent).toHaveLength(40);
    expect(other.trace).not.toBe(first.trace);
  });

  test.each([1, 2, 5, 6, Math.floor(Math.random() * 2 ** 31)])(
    'breaks no law under the faults of seed %i',
    async (seed) => {
      const { broken, acknowledged, faults } = await simulate(seed);
      expect(broken, `npm run simulate -- --seed ${seed}`).toBeUndefined();
      expect(acknowledged).toBeGreaterThan(0);
      expect(faults.size).toBeGreaterThan(3);
    },
  );

  test('notices a disk that has less than it says', async () => {
    expect(await brokenLaw({ diskLies: true }, 2)).toBe(lawTexts.acknowledged);
  });

  test('notices a budget that is counted outside of the transaction', async () => {
    expect(await brokenLaw({ countsOutside: true }, 5)).toBe(lawTexts.budget);
  });

  test('notices a restored witness that keeps its keys', async () => {
    expect(await brokenLaw({ keepsKeys: true }, 4)).toBe(lawTexts.witness);
  });
});

test('finds the place of each broken build in the source', () => {
  expect(brokenParts.length + brokenSources.length).toBeGreaterThanOrEqual(12);
  const lost = brokenSources.filter(({ file, from }) => readFileSync(file, 'utf8').split(from).length !== 2);
  expect(lost).toEqual([]);
});
