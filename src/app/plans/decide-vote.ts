/** The plan `decide-vote`: the owner's decision on a vote, which names its article. */
import { type ArticleState, articleOf } from '../../domain/articles/state.ts';
import type { Context, Outcome } from '../../domain/context.ts';
import { type ThreadState, threadOf, voteIndexTable } from '../../domain/discourse/thread.ts';
import type { FindPublished } from '../../domain/discourse/vote.ts';
import { reads } from '../../engine/act.ts';
import { about, type Fault, fault } from '../../kernel/fault.ts';
import { applyOutcome, publishedIn } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'decide-vote': {
      readonly voteId: string;
      decide(
        article: ArticleState,
        thread: ThreadState,
        context: Context,
        published: FindPublished,
      ): Outcome<ArticleState> | Fault;
    };
  }
}

export const decideVotePlan = definePlan({
  kind: 'decide-vote',
  keys: ({ plan }) => [reads('vote_index', plan.voteId)],
  run({ tx, call, plan, context }) {
    const at = tx.row(voteIndexTable, plan.voteId);
    const article = at === undefined || at.tenant !== call.tenant ? undefined : articleOf(tx, at.aid);
    if (article === undefined)
      return about(
        fault('not_found', `There is no vote ${plan.voteId}.`, 'Read the open votes of the article.'),
        { kind: 'vote', id: plan.voteId },
      );
    const { aid } = article.row;
    return applyOutcome(tx, plan.decide(article, threadOf(tx, aid), context, publishedIn(tx, call)), aid);
  },
});
