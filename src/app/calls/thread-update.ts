/**
 * THREAD_UPDATE (spec §4.4, contract §3): a turn of a conversation becomes one entry of the thread, and its
 * router tags become calls. What anybody may call and what risks little runs here, each through the gates of
 * its own row and with a receipt of its own; the rest is kept as proposals that somebody with the authority
 * can send as they stand.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import type { RouterTag } from '../../domain/capabilities/router-tags.ts';
import type { Result } from '../../domain/context.ts';
import type { ProposedCall } from '../../domain/discourse/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { NestedCharges, Performed, PreparedCall } from './call.ts';
import { ask } from './questions.ts';
import { chargeNested, refusedNested } from './rate-limits.ts';
import type { Service } from '../service.ts';

export type ThreadUpdate = Extract<Plan, { readonly do: 'thread-update' }>;

/** What a tag may cause inside the act of the update: words beside an article, and reads. */
const runnable: ReadonlySet<Plan['do']> = new Set(['say', 'contribute', 'ask']);

/** Why a tag does not run here, or nothing where it does. */
function whyProposed(service: Service, { key, args }: RouterTag): string | undefined {
  const row = service.rows.get(key);
  if (row === undefined) return `There is no row ${key}.`;
  if (row.auth !== 'none') return `${key} needs a credential whose scope covers it.`;
  if (row.risk !== 'low' || row.requiresApproval) return `${key} needs the owner's approval.`;
  const fitted = argumentsOf(row, args);
  const plan = isFault(fitted) ? fitted : row.plan(fitted);
  // What does not fit is run all the same: its refusal is a receipt that can be repaired.
  return isFault(plan) || runnable.has(plan.do) ? undefined : `${key} is called by itself.`;
}

/** Charges the tags that run here; the others are only proposed, and are charged where they are called. */
export function chargeTags(service: Service, plan: ThreadUpdate, call: PreparedCall): Promise<NestedCharges> {
  const running = plan.tags.filter((tag) => whyProposed(service, tag) === undefined);
  return chargeNested(
    service,
    call,
    running.map((tag) => ({ source: tag, row: service.rows.get(tag.key), body: tag.args })),
  );
}

/** Reads inside an update are answered before its act, as every read is. */
export async function askTags(
  service: Service,
  plan: ThreadUpdate,
  call: PreparedCall,
): Promise<ReadonlyMap<RouterTag, Result | Fault>> {
  const asked = new Map<RouterTag, Result | Fault>();
  for (const tag of plan.tags) {
    if (whyProposed(service, tag) !== undefined || refusedNested(call, tag) !== undefined) continue;
    const row = service.rows.get(tag.key);
    const args = row === undefined ? undefined : argumentsOf(row, tag.args);
    const inner = row === undefined || args === undefined || isFault(args) ? undefined : row.plan(args);
    if (inner !== undefined && !isFault(inner) && inner.do === 'ask')
      asked.set(tag, await ask(service, inner.question, call));
  }
  return asked;
}

/** `say` appends the entry with what it proposes; `run` performs one nested call in the same act. */
export function runThreadUpdate(
  service: Service,
  plan: ThreadUpdate,
  judgement: Judgement,
  say: (proposed: readonly ProposedCall[]) => Result | Fault,
  run: (tag: RouterTag) => Performed,
): Result | Fault {
  const running: RouterTag[] = [];
  const proposed: ProposedCall[] = [];
  // The update takes a use itself; what is left bounds the calls inside it.
  let uses = usesLeft(judgement) - 1;
  for (const tag of plan.tags) {
    const why =
      whyProposed(service, tag) ?? (uses > 0 ? undefined : 'The credential has no use left for it.');
    if (why !== undefined) {
      proposed.push({ key: tag.key, body: tag.args, why });
      continue;
    }
    running.push(tag);
    uses--;
  }
  const said = say(proposed);
  if (isFault(said)) return said;
  const calls = running.map((tag) => told(tag, run(tag)));
  const landed = calls.filter((call) => call['ok'] === true).length;
  return {
    result: { ...said.result, calls, proposed_calls: proposed },
    text: `${said.text} ${landed} of ${calls.length} calls landed, ${proposed.length} are proposed.`,
    material: said.material,
  };
}

function usesLeft({ charged }: Judgement): number {
  return Math.min(...charged.map(({ record, uses }) => record.max_uses - uses), Number.POSITIVE_INFINITY);
}

function told(tag: RouterTag, performed: Performed): JsonObject {
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
