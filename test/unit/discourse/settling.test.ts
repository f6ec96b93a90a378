/** Settling entries of the discourse (contract §5): what is asked, and the code of the refusal or the entry that is appended. */
import { describe, expect, it } from 'vitest';
import { settle } from '../../../src/domain/discourse/settle.ts';
import { isTextChanged, type PostRow, type ThreadState } from '../../../src/domain/discourse/thread.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import type { Post } from '../../../src/model/discourse.ts';
import { article, context, hashes, head, stale, summarize, wording } from '../articles/sundial.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';

const post = (n: number, stance: string, settled: object | null = null) =>
  [
    n,
    {
      aid: 'art_a',
      n,
      id: `dx_${n}`,
      post: { id: `dx_${n}`, stance },
      plain: '',
      settled,
    } as unknown as PostRow,
  ] as const;
const thread: ThreadState = {
  head,
  votesHead: null,
  votes: new Map(),
  posts: new Map([
    post(0, 'objection'),
    post(1, 'challenge'),
    post(2, 'upgrade'),
    post(3, 'objection', { decided_at: '2026-01-01T12:00:00.000Z', resolution: 'inv_b' }),
    post(4, 'support'),
    post(5, 'note'),
  ]),
};
const asked = (entry: string, note = 'It is mended.') => settle(article, thread, { entry, note }, context);

describe('settling', () => {
  it.each([
    ['an objection', 'dx_0', 'It is mended.', 'provenance thread_settle'],
    ['a challenge', 'dx_1', 'It is mended.', 'provenance thread_settle'],
    ['an upgrade', 'dx_2', 'It is mended.', 'provenance thread_settle'],
    ['an entry that is settled', 'dx_3', 'It is mended.', 'already_decided'],
    ['a support', 'dx_4', 'It is mended.', 'conflict'],
    ['a turn of a conversation', 'dx_5', 'It is mended.', 'conflict'],
    ['an absent entry', 'dx_9', 'It is mended.', 'not_found'],
    ['without a note', 'dx_0', ' ', 'body_mismatch'],
    ['with a note that hides characters', 'dx_0', 'Mended\u202e.', 'content_rule'],
  ])('%s', (_asked, entry, note, outcome) => {
    expect(summarize(asked(entry, note))).toBe(outcome);
  });

  it('names the entry, its place in the thread and no revision', () => {
    const outcome = asked('dx_1');
    if (isFault(outcome)) throw new Error(outcome.message);
    const [event] = outcome.events;
    expect(event?.draft).toMatchObject({ action: 'thread_settle', settles: 'dx_1', settles_n: 1 });
    expect(event?.draft).not.toHaveProperty('rev');
  });

  it('names an absent entry as the object of the refusal', () => {
    expect(asked('dx_9')).toMatchObject({ details: { about: { kind: 'entry', id: 'dx_9' } } });
  });
});

describe('an entry about', () => {
  it.each<[string, Partial<Post>, boolean]>([
    ['a DIV as it stands', { target: 'd1', target_hash: hashes[0] }, false],
    ['a DIV that reads otherwise', { target: 'd1', target_hash: stale }, true],
    ['a burned DIV', { target: 'd4', target_hash: hashes[3] }, true],
    ['a claim as it stands', { target: 'c1', target_hash: sha256Hex(wording) }, false],
    ['a claim that reads otherwise', { target: 'c1', target_hash: stale }, true],
    ['a retracted claim', { target: 'c2', target_hash: sha256Hex(wording) }, true],
    ['the article', { target: '', target_hash: null }, false],
  ])('%s', (_about, given, changed) => {
    expect(isTextChanged(given as Post, article)).toBe(changed);
  });
});
