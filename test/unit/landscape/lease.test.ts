/** Leasing (contract §7): the state of a lane, the next item, and the limit of open assignments, as tables. */
import { describe, expect, it } from 'vitest';
import { laneState, nextItem, tooManyLeases } from '../../../src/domain/landscape/lease.ts';
import type { ItemRow, LeaseState } from '../../../src/domain/landscape/tables.ts';
import type { Lane } from '../../../src/model/vocabulary.ts';

const now = '2026-01-02T00:00:00.000Z';
const later = '2026-01-02T00:00:00.001Z';
const earlier = '2026-01-01T23:59:59.999Z';
const lease = (until: string, done = false): LeaseState => ({ until, done }) as LeaseState;

describe('laneState', () => {
  it.each([
    ['open without a lease', undefined, 'open'],
    ['leased until its end', lease(later), 'leased'],
    ['open at the moment of its end', lease(now), 'open'],
    ['open after its end', lease(earlier), 'open'],
    ['complete before its end', lease(later, true), 'complete'],
    ['complete after its end', lease(earlier, true), 'complete'],
  ])('is %s', (_name, current, expected) => {
    expect(laneState(current, now)).toBe(expected);
  });
});

const item = (n: number, rank?: number, lanes: object = {}, queuedBy = 'owner'): ItemRow =>
  ({ n, lanes, item: { queued_by: queuedBy, target: { rank } } }) as unknown as ItemRow;

describe('nextItem', () => {
  const done = { field: lease(earlier, true) };
  it.each<[string, Lane, ItemRow[], number | undefined]>([
    ['nothing from an empty queue', 'field', [], undefined],
    ['the lower rank', 'field', [item(1, 2), item(2, 1)], 2],
    ['a ranked item before one without a rank', 'field', [item(1), item(2, 9)], 2],
    ['the item queued first among equal ranks', 'field', [item(2, 1), item(1, 1)], 1],
    ['no item that is leased in the lane', 'field', [item(1, 1, { field: lease(later) }), item(2, 2)], 2],
    ['an item whose lease has ended', 'field', [item(1, 1, { field: lease(now) }), item(2, 2)], 1],
    ['no item that is complete in the lane', 'field', [item(1, 1, done)], undefined],
    ['an item that is leased in another lane', 'build', [item(1, 1, { field: lease(later) })], 1],
    [
      'an item with field work before a lower rank in opposition',
      'opposition',
      [item(1, 1), item(2, 2, done)],
      2,
    ],
    [
      'an item with field work before a lower rank in synthesis',
      'synthesis',
      [item(1, 1), item(2, 2, done)],
      2,
    ],
    [
      'the lower rank in build, whatever the field lane completed',
      'build',
      [item(1, 1), item(2, 2, done)],
      1,
    ],
    ['no item whose queueing authority was revoked', 'field', [item(1, 1, {}, 'cap_gone'), item(2, 2)], 2],
  ])('gives out %s', (_name, lane, items, expected) => {
    expect(nextItem(items, lane, now, (by) => by !== 'cap_gone')?.n).toBe(expected);
  });
});

describe('tooManyLeases', () => {
  const held = (...ends: string[]) => new Map(ends.map((end, i) => [i, { id: `as_${i}`, expires_at: end }]));
  it.each([
    ['allows the first of one', held(), 1, undefined],
    ['refuses the second of one', held(later), 1, ['as_0']],
    ['allows another after the only one has ended', held(now), 1, undefined],
    ['allows the third of three', held(later, later), 3, undefined],
    ['refuses the fourth of three', held(later, later, later), 3, ['as_0', 'as_1', 'as_2']],
    ['counts only assignments that have not ended', held(earlier, later, later), 3, undefined],
  ])('%s', (_name, open, max, expected) => {
    const refusal = tooManyLeases(open, now, max);
    expect(refusal?.fault).toBe(expected === undefined ? undefined : 'conflict');
    expect(refusal?.details?.['open']).toEqual(expected);
  });
});
