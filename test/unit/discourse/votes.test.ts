/** Decisions on votes (contract §5): what is asked, and the code of the refusal or the entries that are appended. */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/domain/context.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { ThreadState, VoteRow } from '../../../src/domain/discourse/thread.ts';
import { ratify, vote, type VoteInput } from '../../../src/domain/discourse/vote.ts';
import { isFault, type Fault } from '../../../src/kernel/fault.ts';
import type { VoteDecision } from '../../../src/model/discourse.ts';
import { article, context, head, summarize } from '../articles/sundial.ts';

const cast = (id: string, target: string, proposal: string, status: 'open' | 'decided' = 'open') =>
  [
    id,
    {
      aid: 'art_a',
      id,
      vote: { id, slug: 'dials', target, proposal, rationale: 'Why.', actor: 'ada', ts: context.now },
      status,
      decision: status === 'decided' ? 'rejected' : null,
      decided_by: status === 'decided' ? 'owner' : null,
      decided_at: status === 'decided' ? '2026-01-01T12:00:00.000Z' : null,
    } as unknown as VoteRow,
  ] as const;
const thread: ThreadState = {
  head,
  votesHead: head,
  posts: new Map(),
  votes: new Map([
    cast('vote_burn', 'd1', 'should_burn'),
    cast('vote_other', 'd1', 'should_burn'),
    cast('vote_gone', 'd4', 'should_burn'),
    cast('vote_show', 'd1', 'should_transclude'),
    cast('vote_done', 'd2', 'should_burn', 'decided'),
  ]),
};
const others = new Map<string, ArticleState>();
const published = (slug: string): ArticleState | undefined => others.get(slug);

const open = (given: Partial<VoteInput>): Outcome<ArticleState> | Fault =>
  vote(
    article,
    thread,
    { target: 'd1', proposal: 'should_burn', rationale: 'It repeats d2.', actor: 'ada', ...given },
    context,
    published,
  );
const decide = (id: string, decision: VoteDecision): Outcome<ArticleState> | Fault =>
  ratify(article, thread, id, decision, context, published);

describe('opening a vote', () => {
  it.each<[string, Partial<VoteInput>, string]>([
    ['on a DIV', {}, 'votes vote'],
    ['on a claim', { target: 'c1', proposal: 'should_retier', tier: 'human' }, 'votes vote'],
    ['on the article', { target: 'dials' }, 'votes vote'],
    ['on a burned DIV, which no call carries out', { target: 'd4' }, 'votes vote'],
    ['on a DIV that is absent', { target: 'd9' }, 'not_found'],
    ['on another article', { target: 'clocks' }, 'not_found'],
    ['without a rationale', { rationale: ' ' }, 'body_mismatch'],
    ['with a tier that the proposal does not take', { tier: 'human' }, 'body_mismatch'],
    ['with a split at words of the DIV', { proposal: 'should_split', at: 'One.' }, 'votes vote'],
    ['with a split at words that the DIV lacks', { proposal: 'should_split', at: 'Two.' }, 'content_rule'],
    ['with a merge into the next DIV', { proposal: 'should_merge', into: 'd2' }, 'votes vote'],
    ['with a merge into an absent DIV', { proposal: 'should_merge', into: 'd9' }, 'content_rule'],
    [
      'with a transclusion into an article that is not published',
      { proposal: 'should_transclude', into: 'hidden' },
      'content_rule',
    ],
  ])('%s', (_condition, given, outcome) => {
    expect(summarize(open(given))).toBe(outcome);
  });
});

describe('deciding a vote', () => {
  it.each<[string, string, VoteDecision, string]>([
    ['ratifies an open vote', 'vote_burn', 'ratified', 'votes decide'],
    ['rejects an open vote', 'vote_burn', 'rejected', 'votes decide'],
    ['defers an open vote', 'vote_burn', 'deferred', 'votes decide'],
    ['refuses a vote that was decided', 'vote_done', 'ratified', 'already_decided'],
    ['refuses a vote of another article', 'vote_absent', 'ratified', 'not_found'],
  ])('%s', (_condition, id, decision, outcome) => {
    expect(summarize(decide(id, decision))).toBe(outcome);
  });

  it.each<[string, string, VoteDecision, object]>([
    [
      'a call, ready to be sent',
      'vote_burn',
      'ratified',
      { execute: { key: 'VOXEL_BURN' }, status: 'decided' },
    ],
    [
      'no call if it is rejected',
      'vote_burn',
      'rejected',
      { execute: null, missing: null, status: 'decided' },
    ],
    ['no call if it is deferred', 'vote_burn', 'deferred', { execute: null, missing: null, status: 'open' }],
    [
      'the reason why no call carries it out',
      'vote_gone',
      'ratified',
      { execute: null, missing: 'd4 is burned and takes no more writes.', status: 'decided' },
    ],
    [
      'open votes with the same target and proposal',
      'vote_burn',
      'ratified',
      { beside: [{ vote_id: 'vote_other', carries: null, agrees: true }] },
    ],
  ])('answers with %s', (_answer, id, decision, result) => {
    const outcome = decide(id, decision);
    if (isFault(outcome)) throw new Error(outcome.message);
    expect(outcome.conclude([], article).result).toMatchObject(result);
  });
});
