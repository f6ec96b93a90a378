/** The plan `effect`: an external effect, as its row describes it. */
import type { Plan } from '../../domain/capabilities/plan.ts';
import type { Effect } from '../../domain/outside/outside.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    effect: Effect;
  }
}

export const effectPlan = definePlan({
  kind: 'effect',
  check: ({ service, plan }) => plan.check?.(service.outside),
  effect: ({ plan }) => plan,
});

/** The plan as an effect, if it is one. */
export function effectIn(plan: Plan | Fault): Effect | undefined {
  return isFault(plan) || plan.do !== 'effect' ? undefined : plan;
}
