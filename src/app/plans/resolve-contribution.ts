/**
 * The plan `resolve-contribution`: the owner's decision on a contribution, which is found by its id before the act.
 */
import { articleAt } from '../../domain/articles/state.ts';
import { noArticle } from '../reads/article-access.ts';
import { resolveContribution } from '../../domain/resolutions/resolve.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import { questionsOf } from '../../domain/questions/state.ts';
import { writes } from '../../engine/act.ts';
import { about, fault } from '../../kernel/fault.ts';
import { findContribution } from '../reads/mirror-feed.ts';
import { applyOutcome, articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';
import type { ResolutionInput } from '../../model/contribution.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'resolve-contribution': { readonly input: ResolutionInput };
  }
}

export const resolveContributionPlan = definePlan({
  kind: 'resolve-contribution',
  keys: (planned) =>
    articleKeys(planned, planned.plan.input.slug, (aid) => [
      writes('article', aid),
      writes('resolution', aid),
      writes('questions', aid),
    ]),
  /** Finds it in the feed of the named article only. Neither a contribution nor the article of a slug ever changes. */
  loadInputs: ({ service, call, plan }) =>
    findContribution(service, call.tenant, plan.input.slug, plan.input.contribution_id),
  run({ tx, call, plan, context, inputs: contribution }) {
    const { slug, contribution_id: id } = plan.input;
    const article = articleAt(tx, call.tenant, slug);
    if (article === undefined) return noArticle(slug);
    const { aid } = article.row;
    if (contribution === undefined)
      return about(
        fault('not_found', `${slug} has no contribution ${id}.`, 'Read the contributions under /mirror.'),
        { kind: 'contribution', id, slug },
      );
    const decided = tx.row(resolutionTable, aid, id);
    const outcome = resolveContribution(
      article,
      contribution,
      decided,
      questionsOf(tx, aid),
      plan.input,
      context,
    );
    return applyOutcome(tx, outcome, aid);
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.input.slug, mayWrite),
});
