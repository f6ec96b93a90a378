/** The plan `say`: adds to the public thread of an article. */
import type { ArticleState } from '../../domain/articles/state.ts';
import type { Context, Outcome } from '../../domain/context.ts';
import type { CompareBodies } from '../../domain/discourse/challenge.ts';
import { threadOf, type ThreadState } from '../../domain/discourse/thread.ts';
import type { FindPublished } from '../../domain/discourse/vote.ts';
import { compare } from '../../domain/similarity/compare.ts';
import { reads, writes } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, isPublic, publishedIn } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    say: {
      readonly slug: string;
      decide(
        article: ArticleState,
        thread: ThreadState,
        compareBodies: CompareBodies,
        context: Context,
        published: FindPublished,
      ): Outcome<ArticleState> | Fault;
    };
  }
}

export const sayPlan = definePlan({
  kind: 'say',
  keys: (planned) =>
    articleKeys(planned, planned.plan.slug, (aid) => [reads('article', aid), writes('thread', aid)]),
  run({ tx, call, plan, credential, context }) {
    const article = articleFor(tx, call, plan.slug, credential, isPublic);
    if (isFault(article)) return article;
    const { aid } = article.row;
    return applyOutcome(
      tx,
      plan.decide(article, threadOf(tx, aid), compareBodies, context, publishedIn(tx, call)),
      aid,
    );
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.slug, isPublic),
  work: { opens: 'under-lease' },
  runsInThreadUpdate: true,
});

const compareBodies: CompareBodies = (a, b) => {
  const { kind, similarity, differs } = compare(a, b);
  return { duplicate: kind === 'duplicate', similarity, differs };
};
