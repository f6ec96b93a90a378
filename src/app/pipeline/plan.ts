/**
 * Prepares the plan of a call for its act: loads the inputs of its kind and collects the keys that the act is known
 * to read or write. Known keys are loaded together and, on PostgreSQL, locked in one order.
 */
import { chargedBy } from '../../domain/capabilities/gates.ts';
import { idempotencyTable } from '../../domain/capabilities/tables.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { cohortPlace, type AssignmentRecord } from '../../domain/landscape/tables.ts';
import { chainAggregate, reads, writes, type Key } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { judgeCall } from '../credentials/authority.ts';
import type { PreparedCall } from '../plans/call.ts';
import type { LoadingSteps } from '../plans/plan.ts';
import { kindOf } from '../plans/registry.ts';
import type { Service } from '../service.ts';
import { keysOfWork, placeWork } from './assignment-work.ts';

const steps: LoadingSteps = {
  load: async (service, call) => loadInputs(service, await placeWork(service, call)),
  kindOf,
};

/** The call with the inputs of its plan kind; loaded only if the gates let the call through now. */
export async function loadInputs(service: Service, call: PreparedCall): Promise<PreparedCall> {
  const { plan } = call;
  if (isFault(plan)) return call;
  const kind = kindOf(plan);
  if (kind.loadInputs === undefined) return call;
  const { refused } = judgeCall(call);
  return { ...call, inputs: refused ?? (await kind.loadInputs({ service, call, plan }, steps)) };
}

/** Keys that the act is known to touch. Missing ones are loaded when the decision needs them. */
export async function keysOf(service: Service, call: PreparedCall): Promise<readonly Key[]> {
  const { plan, inputs, credential } = call;
  const keys: Key[] = [];
  if (credential.kind === 'share') {
    const charged = new Set(
      call.row.selfLimiting ? [] : chargedBy(credential).map((link) => link.record.fingerprint),
    );
    for (const { record } of credential.chain) {
      keys.push(
        charged.has(record.fingerprint) || credential.unused !== undefined
          ? writes('capability', record.fingerprint)
          : reads('capability', record.fingerprint),
      );
    }
    if (credential.binding !== undefined)
      keys.push(...(await keysOfBinding(service, credential.binding.assignment)));
  }
  if (call.idempotency !== undefined) keys.push(writes(idempotencyTable.name, call.idempotency.scope));
  keys.push(reads('directory', call.tenant));
  if (call.repairs !== undefined) keys.push(writes(chainAggregate, call.repairs));
  if (isFault(plan)) return keys;
  if (call.assignment !== undefined) keys.push(...keysOfWork(call.assignment));
  const loaded = isFault(inputs) ? undefined : inputs;
  const own = kindOf(plan).keys?.({ service, call, plan }, loaded, (inner) => keysOf(service, inner));
  if (own !== undefined) keys.push(...(await own));
  return keys;
}

/** Keys that judge a binding: the assignment, whether its work began the article, and whether that is a draft. */
async function keysOfBinding(
  service: Service,
  { id, tenant, cohort, item }: AssignmentRecord,
): Promise<readonly Key[]> {
  const path = slugPath(tenant, item.article);
  const found = await service.store.read.row(slugTable, path);
  return [
    reads('assignment', id),
    reads('cohort', cohortPlace(tenant, cohort)),
    reads('slug', path),
    ...(found === undefined ? [] : [reads('article', found.aid)]),
  ];
}
