/** The plan `write-article`: changes an article by a decision over its state. */
import type { ArticleState } from '../../domain/articles/state.ts';
import type { Context, Outcome } from '../../domain/context.ts';
import { writes } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { contextOf } from './call.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'write-article': {
      readonly slug: string;
      decide(article: ArticleState, context: Context): Outcome<ArticleState> | Fault;
    };
  }
}

export const writeArticlePlan = definePlan({
  kind: 'write-article',
  keys: (planned) => articleKeys(planned, planned.plan.slug, (aid) => [writes('article', aid)]),
  run({ tx, call, plan, credential, context }) {
    const article = articleFor(tx, call, plan.slug, credential, mayWrite);
    if (isFault(article)) return article;
    return applyOutcome(tx, plan.decide(article, context), article.row.aid);
  },
  dryRun(planned) {
    const { service, call, plan } = planned;
    return dryRunOn(planned, plan.slug, mayWrite, {
      opens: call.assignment !== undefined,
      decide(article) {
        const decided = plan.decide(article, contextOf(service, call, call.credential));
        return isFault(decided) ? { refusal: decided } : { warnings: decided.warnings };
      },
    });
  },
  work: { opens: 'under-lease' },
});
