/** The plan `queue-targets`: puts targets into a cohort (contract §7). */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { queueTargets } from '../../domain/landscape/queue.ts';
import { cohortPlace, cohortTable, itemTable, openCohortTable } from '../../domain/landscape/tables.ts';
import { targetArticle, targetId, type QueueInput } from '../../domain/landscape/queue-rules.ts';
import { reads, writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'queue-targets': { readonly input: QueueInput };
  }
}

export const queueTargetsPlan = definePlan({
  kind: 'queue-targets',
  /** The cohort, and taken slugs that only an owner may queue. */
  keys({ call: { tenant, workspace, credential }, plan: { input } }) {
    const { cohort, targets } = input;
    const keys = [writes('cohort', cohortPlace(tenant, cohort)), writes('landscape', tenant)];
    if (credential.kind === 'owner') return keys;
    const slugs = new Set(targets.map((target) => targetArticle(workspace, cohort, targetId(target))));
    return [...keys, ...[...slugs].map((slug) => reads('slug', slugPath(tenant, slug)))];
  },
  run({ tx, call: { tenant }, plan: { input }, context }) {
    const place = cohortPlace(tenant, input.cohort);
    const queued = queueTargets(
      {
        cohort: tx.row(cohortTable, place),
        items: tx.rows(itemTable, place),
        isOpen: tx.row(openCohortTable, place) !== undefined,
        isTaken: (slug) => tx.row(slugTable, slugPath(tenant, slug)) !== undefined,
      },
      input,
      context,
    );
    if (isFault(queued)) return queued;
    if (queued.event !== undefined) tx.append(queued.event);
    return queued.result;
  },
});
