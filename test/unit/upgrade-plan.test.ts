/** What doctor tells of an upgrade, by what a ledger bears (contract §6). */
import { describe, expect, it } from 'vitest';
import { upgradePlan, type UpgradeOf } from '../../src/deployment/upgrade-plan.ts';

const stamp = '1-aaaa';
const same: UpgradeOf = {
  found: { schema: 1, readableFrom: 1, writableFrom: 1, build: '0.2.0', projections: stamp },
  entries: 2_000_000,
  hasSearch: true,
  stamp,
  isShared: true,
};

describe('the plan of an upgrade', () => {
  it.each([
    ['nothing changes', {}, 'ok', 'this build needs none'],
    [
      'projections change on PostgreSQL',
      { found: { ...same.found, projections: '0-bbbb' } },
      'warn',
      'schema 1 stays; the projections are made again from 2000000 entries, which takes about 8 minutes; nodes can be replaced one by one; builds of schema 1 can take it back',
    ],
    [
      'search changes in a data folder',
      { hasSearch: false, isShared: false },
      'warn',
      'schema 1 stays; the projections stay; the search index is made again beside the service; the server is stopped for it; builds of schema 1 can take it back',
    ],
    [
      'a newer build wrote it',
      { found: { ...same.found, schema: 2, projections: null }, entries: 10 },
      'warn',
      'schema 2 stays; the projections are made again from 10 entries, which takes about a minute; nodes can be replaced one by one; builds of schema 2 can take it back',
    ],
  ] as const)('where %s', (_what, change, state, detail) => {
    expect(upgradePlan({ ...same, ...change })).toMatchObject({ check: 'upgrade', state, detail });
  });
});
