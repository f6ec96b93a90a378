/** The plan `settle-entry`: the owner's answer to an open entry of an article's discourse (contract §5). */
import { settle } from '../../domain/discourse/settle.ts';
import { threadOf } from '../../domain/discourse/thread.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { SettlementInput } from '../../model/discourse.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'settle-entry': { readonly input: SettlementInput };
  }
}

export const settleEntryPlan = definePlan({
  kind: 'settle-entry',
  keys: (planned) =>
    articleKeys(planned, planned.plan.input.slug, (aid) => [writes('article', aid), writes('thread', aid)]),
  run({ tx, call, plan, credential, context }) {
    const article = articleFor(tx, call, plan.input.slug, credential, mayWrite);
    if (isFault(article)) return article;
    const { aid } = article.row;
    return applyOutcome(tx, settle(article, threadOf(tx, aid), plan.input, context), aid);
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.input.slug, mayWrite),
});
