/** What stands open against a claim (contract §5): by kind, status and target. */
import { describe, expect, it } from 'vitest';
import { articleContests, type ContestingRow } from '../../../src/domain/discourse/contested.ts';
import type { PostRow } from '../../../src/domain/discourse/thread.ts';
import type { Post } from '../../../src/model/discourse.ts';
import type { Contribution } from '../../../src/model/contribution.ts';
import { article } from '../articles/sundial.ts';

const base = 'http://h.test';
const ts = '2026-01-01T12:00:00.000Z';
const post = (stance: Post['stance'], target: string, settled: object | null = null): PostRow =>
  ({
    id: 'dx_1',
    post: { id: 'dx_1', stance, target, target_hash: null, ts },
    settled,
  }) as unknown as PostRow;
const contribution = (kind: Contribution['kind'], claim: string, id = 'mc_1'): ContestingRow => ({
  id,
  claim_id: claim,
  contribution: { kind, ts, claim_hash: article.claims.get('c1')?.claim.hash ?? null },
});

interface Given {
  readonly post?: PostRow;
  readonly contribution?: ContestingRow;
  readonly decided?: 'accepted' | 'rejected';
}

function contestsOf({ post: said, contribution: proposed, decided }: Given) {
  return articleContests({
    article,
    posts: said === undefined ? [] : [said],
    contributions: proposed === undefined ? [] : [proposed],
    resolutions: new Map(decided === undefined ? [] : [['mc_1', { status: decided }]]),
    base,
  });
}

describe('what stands open against c1', () => {
  it.each<[string, Given, string]>([
    ['a proposed objection', { contribution: contribution('objection', 'c1') }, 'objections proposed'],
    [
      'an accepted objection',
      { contribution: contribution('objection', 'c1'), decided: 'accepted' },
      'objections accepted',
    ],
    ['a rejected objection', { contribution: contribution('objection', 'c1'), decided: 'rejected' }, ''],
    [
      'a proposed contradiction',
      { contribution: contribution('contradiction', 'c1') },
      'contradictions proposed',
    ],
    ['a proposed repair', { contribution: contribution('repair', 'c1') }, 'repairs proposed'],
    ['an accepted repair', { contribution: contribution('repair', 'c1'), decided: 'accepted' }, ''],
    ['a question', { contribution: contribution('question', 'c1') }, ''],
    ['an audit', { contribution: contribution('audit', 'c1'), decided: 'accepted' }, ''],
    ['an objection to another claim', { contribution: contribution('objection', 'c2') }, ''],
    ['an objection to the article as a whole', { contribution: contribution('objection', '') }, ''],
    ['an objection of the thread to it', { post: post('objection', 'c1') }, 'objections open'],
    ['a settled objection of the thread to it', { post: post('objection', 'c1', { note: 'Mended.' }) }, ''],
    ['an objection of the thread to the article', { post: post('objection', '') }, ''],
    ['a support', { post: post('support', 'c1') }, ''],
    ['an upgrade, which disputes nothing', { post: post('upgrade', 'c1') }, ''],
  ])('%s', (_, given, expected) => {
    const contested = contestsOf(given).claim('c1');
    const found = Object.entries(contested).flatMap(([kind, { entries }]) =>
      entries.map(({ status }) => `${kind} ${status}`),
    );
    expect(found.join(', ')).toBe(expected);
  });

  it('marks an entry whose claim reads otherwise now, which closes nothing', () => {
    const row = contribution('objection', 'c1');
    const changed = { ...row, contribution: { ...row.contribution, claim_hash: 'f'.repeat(64) } };
    expect(contestsOf({ contribution: changed }).claim('c1').objections.entries).toEqual([
      {
        id: 'mc_1',
        target: 'c1',
        status: 'proposed',
        text_changed: true,
        ts,
        permalink: 'http://h.test/a/dials/c1#mc_1',
      },
    ]);
  });

  it('lists the newest 50 and counts all', () => {
    const contributions = Array.from({ length: 60 }, (_, i) => {
      const row = contribution('objection', 'c1', `mc_${i}`);
      const second = String(i).padStart(2, '0');
      return { ...row, contribution: { ...row.contribution, ts: `2026-01-01T12:00:${second}.000Z` } };
    });
    const { claim, article: whole } = articleContests({
      article,
      posts: [],
      contributions,
      resolutions: new Map(),
      base,
    });
    const { count, total, entries } = claim('c1').objections;
    expect([count, total, entries.length, entries[0]?.id, entries[49]?.id]).toEqual([
      50,
      60,
      50,
      'mc_59',
      'mc_10',
    ]);
    expect(whole.objections.total).toBe(60);
    expect(claim('c2').objections).toEqual({ count: 0, total: 0, entries: [] });
  });
});
