/** The plan `contribute`: a typed contribution to a claim (spec §2.10), which changes nothing until it is decided. */
import { contribute, mirrorState } from '../../domain/mirror/contribute.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import { reads, writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, isPublic } from './on-article.ts';
import { definePlan } from './plan.ts';
import type { ContributionInput } from '../../model/contribution.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    contribute: { readonly input: ContributionInput };
  }
}

export const contributePlan = definePlan({
  kind: 'contribute',
  keys: (planned) =>
    articleKeys(planned, planned.plan.input.slug, (aid) => [reads('article', aid), writes('mirror', aid)]),
  run({ tx, call, plan, credential, context }) {
    const article = articleFor(tx, call, plan.input.slug, credential, isPublic);
    if (isFault(article)) return article;
    const { aid } = article.row;
    const state = mirrorState(tx, aid, plan.input);
    const decided =
      state.first === undefined ? undefined : tx.row(resolutionTable, aid, state.first.id)?.status;
    return applyOutcome(tx, contribute(article, { ...state, decided }, plan.input, context), aid);
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.input.slug, isPublic),
  work: { opens: 'never' },
  runsInThreadUpdate: true,
});
