/**
 * The plan `revert-article`: restores the text of an old revision. The history is read in the act, so that nothing that
 * is scrubbed meanwhile comes back.
 */
import { articlePrefix } from '../../domain/articles/chains.ts';
import { checkRevert, revertArticle } from '../../domain/revisions/revert-article.ts';
import { chainsAggregate, writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { RevertInput } from '../../model/article-writes.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'revert-article': { readonly input: RevertInput };
  }
}

export const revertArticlePlan = definePlan({
  kind: 'revert-article',
  keys: (planned) =>
    articleKeys(planned, planned.plan.input.slug, (aid) => [
      writes('article', aid),
      writes(chainsAggregate, articlePrefix(aid)),
    ]),
  run({ tx, call, plan, credential, context }) {
    const article = articleFor(tx, call, plan.input.slug, credential, mayWrite);
    if (isFault(article)) return article;
    const { aid } = article.row;
    const history = tx.chains(articlePrefix(aid));
    return applyOutcome(tx, revertArticle(article, history, plan.input, context), aid);
  },
  dryRun: (planned) =>
    dryRunOn(planned, planned.plan.input.slug, mayWrite, {
      decide: (article) => ({ refusal: checkRevert(article, planned.plan.input) }),
    }),
});
