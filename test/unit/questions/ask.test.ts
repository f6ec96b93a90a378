import { describe, expect, it } from 'vitest';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Context } from '../../../src/domain/context.ts';
import { acceptQuestion, ask } from '../../../src/domain/questions/ask.ts';
import { extractAnswer } from '../../../src/domain/questions/extract.ts';
import type { QuestionRow, QuestionsState } from '../../../src/domain/questions/state.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { sizeLimits } from '../../../src/kernel/size-limits.ts';
import type { Claim } from '../../../src/model/claim.ts';

const context: Context = {
  now: '2026-01-02T03:04:05.000Z',
  limits: sizeLimits,
  actor: 'owner',
  actorName: null,
  model: null,
  channel: 'test',
  base: 'https://c.test',
  tenant: 'main',
  workspace: 'main',
  inv: 'inv_aaaaaaaaaaaaaaaa',
  id: (prefix) => `${prefix}aaaaaaaaaaaaaaaa`,
};

interface Standing {
  readonly text: string;
  readonly weight?: number;
  readonly sources?: readonly string[];
  readonly status?: 'active' | 'retracted';
}

function article(...claims: readonly Standing[]): ArticleState {
  const rows = claims.map(({ text, weight = 0.3, sources = ['s1'], status = 'active' }, i) => {
    const claim = {
      id: `c${i + 1}`,
      text,
      tier: 'mechanistic',
      weight,
      source_ids: sources,
      source_status: sources.length === 0 ? 'unsourced' : 'sourced',
      status,
      hash: 'h',
      slot: null,
    } as unknown as Claim;
    return [claim.id, { aid: 'art_a', claim_id: claim.id, n: i + 1, plain: text, claim }] as const;
  });
  return {
    row: { aid: 'art_a', slug: 'logs', title: 'Logs' },
    divs: new Map(),
    claims: new Map(rows),
    sources: new Map(),
  } as unknown as ArticleState;
}

const none: QuestionsState = { head: null, questions: new Map() };

describe('an extracted answer', () => {
  it('cites the claim with the higher weight first if two claims say the same', () => {
    const { citations } = extractAnswer(
      article(
        { text: 'Bread is raised by yeast.', weight: 0.1 },
        { text: 'Yeast raises bread.', weight: 0.8 },
      ),
      'Does yeast raise bread?',
    );
    expect(citations.map(({ id }) => id)).toEqual(['c2', 'c1']);
  });

  it('has lower confidence for a claim with less weight or no source, and none for a retracted claim', () => {
    const text = 'Yeast raises bread.';
    const confidence = (claim: Standing): number =>
      extractAnswer(article(claim), 'Does yeast raise bread?').confidence;
    expect([
      confidence({ text, weight: 0.8 }),
      confidence({ text, weight: 0.3 }),
      confidence({ text, weight: 0.8, sources: [] }),
      confidence({ text, status: 'retracted' }),
    ]).toEqual([1, 0.75, 0.5, 0]);
  });

  it('has lower confidence if the words of the question are spread over several claims', () => {
    const apart = article({ text: 'Yeast lives.', weight: 0.8 }, { text: 'Bread rises.', weight: 0.8 });
    const together = article({ text: 'Yeast lives in bread that rises.', weight: 0.8 });
    const question = 'Does yeast make bread rise?';
    expect(extractAnswer(apart, question).confidence).toBeLessThan(
      extractAnswer(together, question).confidence,
    );
  });

  it('lists unsourced claims and claims with weak evidence as gaps', () => {
    const { gaps } = extractAnswer(article({ text: 'Yeast dreams.', weight: 0.1, sources: [] }), 'yeast');
    expect(gaps.map(({ code, of }) => [code, of])).toEqual([
      ['unsourced', ['c1']],
      ['weak_evidence', ['c1']],
    ]);
  });

  it('has no citations for a question without words or an article without claims', () => {
    for (const extract of [
      extractAnswer(article({ text: 'Yeast.' }), '?!'),
      extractAnswer(article(), 'yeast'),
    ])
      expect([extract.citations, extract.confidence]).toEqual([[], 0]);
  });
});

describe('a question accepted from a contribution', () => {
  it('becomes a node with the ids of its contribution and its claim', () => {
    const input = { question: 'Does yeast raise bread?', contribution: 'mc_a', claim: 'c1' };
    const { event, node } = acceptQuestion(
      article({ text: 'Yeast raises bread.', weight: 0.8 }),
      none,
      input,
      context,
    );
    expect(node).toMatchObject({
      id: 'qn_aaaaaaaaaaaaaaaa',
      contribution: 'mc_a',
      claim_id: 'c1',
      status: 'answered',
      cited_claim_ids: ['c1'],
      asked: 1,
    });
    expect(event).toMatchObject({
      draft: { chain: 'art_a.questions', action: 'accept', actor: 'owner', inv: 'inv_aaaaaaaaaaaaaaaa' },
      head: null,
    });
  });

  it('shares one node with the same question in other letter case', () => {
    const first = acceptQuestion(
      article(),
      none,
      { question: 'Does yeast raise bread?', contribution: 'mc_a', claim: null },
      { ...context, id: () => 'qn_first' },
    ).node;
    const row: QuestionRow = {
      aid: 'art_a',
      id: first.id,
      n: 0,
      plain: 'does yeast raise bread',
      node: first,
      seq: 0,
    };
    const state: QuestionsState = {
      head: { n: 0, hash: 'f'.repeat(64), ts: context.now },
      questions: new Map([[first.id, row]]),
    };
    const outcome = ask(
      article({ text: 'Yeast raises bread.', weight: 0.8 }),
      { questions: state, mirror: () => ({ mirror: undefined, digest: '0'.repeat(64), first: undefined }) },
      { question: 'does YEAST raise bread' },
      context,
    );
    if (isFault(outcome)) throw new Error(outcome.message);
    expect(outcome.events[0]?.contents?.[0]?.value).toMatchObject({
      id: 'qn_first',
      question: 'Does yeast raise bread?',
      contribution: 'mc_a',
      status: 'answered',
      asked: 2,
    });
  });
});
