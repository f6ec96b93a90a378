/** When a node on PostgreSQL queues for its turn before it takes up a batch, and when it stops doing so. */
import { describe, expect, it } from 'vitest';
import { Turns } from '../../../src/store/postgres/turns.ts';

/** How long each batch waited for its locks, or for its turn where it took one. */
const cases: readonly (readonly [title: string, waits: readonly number[], takesTurns: boolean])[] = [
  ['a node that never waited takes none', [0, 0.4, 0.9], false],
  ['a batch that waited for another node begins them', [0, 1], true],
  ['turns that others want too go on', [5, ...Array.from({ length: 31 }, () => 3)], true],
  ['after 32 of them a batch goes without', [5, ...Array.from({ length: 32 }, () => 3)], false],
  ['three free turns may be chance', [5, 0.1, 0.1, 0.1], true],
  ['four free turns end them', [5, 0.1, 0.1, 0.1, 0.1], false],
];

describe('turns of nodes', () => {
  it.each(cases)('%s', (_title, waits, takesTurns) => {
    const turns = new Turns();
    for (const ms of waits) {
      if (turns.areTaken) turns.taken(ms);
      else turns.locked(ms);
    }
    expect(turns.areTaken).toBe(takesTurns);
  });

  it('end where one was not to be had', () => {
    const turns = new Turns();
    turns.locked(5);
    turns.end();
    expect(turns.areTaken).toBe(false);
  });
});
