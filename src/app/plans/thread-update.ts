/**
 * The plan `thread-update` (spec §4.4, contract §3): a turn of a conversation becomes one entry of the thread, and
 * its router tags become calls. Low-risk tags of open rows run here, each through its row's gates and with its own
 * receipt; others are proposed for a holder of the authority to send.
 */
import type { ArticleState } from '../../domain/articles/state.ts';
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { RouterTag } from '../../domain/capabilities/router-tags.ts';
import type { Context, Outcome } from '../../domain/context.ts';
import {
  UpdateWritten,
  type PostWritten,
  type ProposedCall,
  type ThreadCall,
} from '../../model/discourse.ts';
import { threadOf, type ThreadState } from '../../domain/discourse/thread.ts';
import { reads, writes } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import type { ActOutcome } from './call.ts';
import { chargeNested, performNested, refusedNested, type NestedCharges } from './nested-calls.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, isPublic } from './on-article.ts';
import { definePlan, type LoadingSteps } from './plan.ts';
import { exactly } from '../../model/exact.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'thread-update': {
      readonly slug: string;
      readonly tags: readonly RouterTag[];
      decide(
        article: ArticleState,
        thread: ThreadState,
        proposed: readonly ProposedCall[],
        context: Context,
      ): Outcome<ArticleState, PostWritten> | Fault;
    };
  }
}

interface TagInputs {
  /** Why a tag is only proposed. */
  readonly proposed: ReadonlyMap<RouterTag, string>;
  readonly charges: NestedCharges;
  /** Inputs of the nested calls, loaded before the act, such as answers of reads. */
  readonly loaded: ReadonlyMap<RouterTag, unknown>;
}

export const threadUpdatePlan = definePlan({
  kind: 'thread-update',
  keys: (planned) =>
    articleKeys(planned, planned.plan.slug, (aid) => [reads('article', aid), writes('thread', aid)]),
  async loadInputs({ service, call, plan }, steps): Promise<TagInputs> {
    const proposed = new Map<RouterTag, string>();
    for (const tag of plan.tags) {
      const why = whyProposed(service, tag, steps.kindOf);
      if (why !== undefined) proposed.set(tag, why);
    }
    const running = plan.tags.filter((tag) => !proposed.has(tag));
    // Proposed calls are charged when they are sent.
    const charges = await chargeNested(
      service,
      call,
      running.map((tag) => ({ source: tag, row: service.rows.get(tag.key), body: tag.args })),
    );
    const loaded = new Map<RouterTag, unknown>();
    for (const tag of running) {
      if (refusedNested(call, charges, tag) !== undefined) continue;
      const row = service.rows.get(tag.key);
      const args = row === undefined ? undefined : argumentsOf(row, tag.args);
      const inner = row === undefined || args === undefined || isFault(args) ? undefined : row.plan(args);
      if (inner === undefined || isFault(inner)) continue;
      // Tags read with the caller's access.
      loaded.set(tag, await steps.kindOf(inner).loadInputs?.({ service, call, plan: inner }, steps));
    }
    return { proposed, charges, loaded };
  },
  run(act) {
    const { service, tx, call, plan, credential, judgement, context, inputs } = act;
    const running: RouterTag[] = [];
    const proposed: ProposedCall[] = [];
    // The update consumes one use; the remaining ones limit its nested calls.
    let uses = usesLeft(judgement) - 1;
    for (const tag of plan.tags) {
      const why =
        inputs.proposed.get(tag) ?? (uses > 0 ? undefined : 'The credential has no use left for it.');
      if (why !== undefined) {
        proposed.push({ key: tag.key, body: tag.args, why });
        continue;
      }
      running.push(tag);
      uses--;
    }
    const article = articleFor(tx, call, plan.slug, credential, isPublic);
    if (isFault(article)) return article;
    const { aid } = article.row;
    const outcome = applyOutcome(tx, plan.decide(article, threadOf(tx, aid), proposed, context), aid);
    if (isFault(outcome)) return outcome;
    const calls = running.map((tag) => {
      const nested = { source: tag, key: tag.key, body: tag.args, inputs: inputs.loaded.get(tag) };
      return callJson(tag, performNested(service, call, inputs.charges, nested, act.perform));
    });
    const landed = calls.filter((each) => each.ok).length;
    return {
      result: exactly(UpdateWritten, { ...outcome.result, calls, proposed_calls: proposed }),
      text: `${outcome.text} ${landed} of ${calls.length} calls landed, ${proposed.length} are proposed.`,
      material: outcome.material,
    };
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.slug, isPublic),
});

/** Why a tag is only proposed; undefined if it runs. */
function whyProposed(
  service: Service,
  { key, args }: RouterTag,
  kindOf: LoadingSteps['kindOf'],
): string | undefined {
  const row = service.rows.get(key);
  if (row === undefined) return `There is no row ${key}.`;
  if (row.auth !== 'none') return `${key} needs a credential whose scope covers it.`;
  if (row.risk !== 'low' || row.requiresApproval) return `${key} needs the owner's approval.`;
  const given = argumentsOf(row, args);
  const plan = isFault(given) ? given : row.plan(given);
  // A tag with invalid arguments runs: its refusal is a receipt that can be repaired.
  return isFault(plan) || kindOf(plan).runsInThreadUpdate === true
    ? undefined
    : `${key} is called by itself.`;
}

function usesLeft({ charged }: Judgement): number {
  return Math.min(...charged.map(({ record, uses }) => record.max_uses - uses), Number.POSITIVE_INFINITY);
}

function callJson(tag: RouterTag, performed: ActOutcome): ThreadCall {
  const { inv, status, result, refusal } = performed;
  return {
    key: tag.key,
    body: tag.args,
    ok: refusal === undefined,
    status,
    invocation: inv ?? null,
    ...(refusal === undefined
      ? { result: result?.result ?? null }
      : { error: refusal.fault, message: refusal.message, fix: refusal.fix }),
  };
}
