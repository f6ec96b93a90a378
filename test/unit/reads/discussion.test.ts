import { describe, expect, it } from 'vitest';
import { type DiscussionEntry, threadsOf } from '../../../src/app/reads/discussion.ts';
import { pageOf } from '../../../src/doors/web/discuss-thread.tsx';

const entry = (id: string, more: Partial<DiscussionEntry> = {}): DiscussionEntry => ({
  id,
  from: 'thread',
  what: 'objection',
  target: '',
  body: 'So.',
  actor: 'ada',
  ts: '2026-01-01T00:00:00.000Z',
  receipt: 'inv_aaaaaaaaaaaaaaaa',
  status: 'open',
  waits: true,
  textChanged: false,
  targetHash: null,
  decision: undefined,
  answers: null,
  outcome: null,
  verdict: null,
  surface: null,
  minimumPatch: null,
  rationale: null,
  tier: null,
  carries: null,
  ...more,
});
const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const done = (day: number): Partial<DiscussionEntry> => ({
  waits: false,
  status: 'settled',
  decision: {
    status: 'settled',
    by: 'owner',
    at: at(day),
    note: 'Done.',
    receipt: null,
    effect: {},
    vote: null,
  },
});

describe('the threads of a discussion', () => {
  it('begin with those that wait, then follow their newest activity, decisions included', () => {
    const { threads, count, waiting } = threadsOf(
      [
        entry('a', { target: 'c1', ts: at(1), ...done(9) }),
        entry('b', { target: 'd2', ts: at(2), ...done(3) }),
        entry('c', { target: 'd5', ts: at(4) }),
        entry('d', { target: '', ts: at(5) }),
      ],
      [
        {
          claimId: 'c7',
          act: 'retracted',
          version: null,
          by: 'owner',
          at: at(8),
          reason: 'No.',
          receipt: null,
        },
      ],
    );
    expect(threads.map(({ target }) => target)).toEqual(['', 'd5', 'c1', 'c7', 'd2']);
    expect([count, waiting]).toEqual([4, 2]);
  });

  it('list entries that wait first, then the newest, and answers below what they answer', () => {
    const { threads, answers } = threadsOf(
      [
        entry('old', { ts: at(1) }),
        entry('new', { ts: at(3) }),
        entry('settled', { ts: at(5), ...done(6) }),
        entry('second', { ts: at(7), answers: 'old', waits: false, status: null }),
        entry('first', { ts: at(6), answers: 'old', waits: false, status: null }),
        entry('lost', { ts: at(2), answers: 'scrubbed', waits: false, status: null }),
      ],
      [],
    );
    expect(threads[0]?.entries.map(({ id }) => id)).toEqual(['new', 'old', 'settled', 'lost']);
    expect(answers.get('old')?.map(({ id }) => id)).toEqual(['first', 'second']);
  });

  it('go on on the next page where they are long, each entry on one page', () => {
    const many = Array.from({ length: 100 }, (_, i) => entry(`e${i}`, { target: i < 70 ? 'c1' : 'd2' }));
    const { threads } = threadsOf(many, []);
    const shown = [1, 2, 3, 4].map((page) => pageOf(threads, page));
    expect(shown.map(({ pages }) => pages)).toEqual([3, 3, 3, 3]);
    expect(
      shown.map((page) => page.threads.map(({ target, entries }) => `${target} ${entries.length}`)),
    ).toEqual([['c1 40'], ['c1 30', 'd2 10'], ['d2 20'], []]);
  });
});
