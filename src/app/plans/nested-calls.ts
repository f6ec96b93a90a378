/**
 * Nested calls: operations of a batch and tags of a thread update. Each is a call of its own row under the same
 * credential, passes that row's gates, leaves a receipt, and is charged against the limits of open calls.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { BatchOperation } from '../../domain/capabilities/plan.ts';
import { currentBodyRule } from '../../domain/capabilities/positional.ts';
import type { RouterTag } from '../../domain/capabilities/router-tags.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { chargeCall, isLimited } from '../credentials/rate-limits.ts';
import type { Service } from '../service.ts';
import { invocationId, nameIn, unrecordedRefusal, type ActOutcome, type PreparedCall } from './call.ts';

/** Where in its parent's plan a nested call comes from. */
export type NestedSource = RouterTag | BatchOperation;

/** The charges of nested calls, made before the act that runs them. */
export type NestedCharges = ReadonlyMap<NestedSource, Fault | 'charged'>;

interface Nested {
  readonly source: NestedSource;
  readonly key: string;
  readonly body: string;
  /** The inputs of its plan kind, loaded before the act. */
  readonly inputs?: unknown;
}

/** Charges the nested calls that will run, each to the article that it names. */
export async function chargeNested(
  service: Service,
  call: PreparedCall,
  nested: readonly { readonly source: NestedSource; readonly row: Row | undefined; readonly body: string }[],
): Promise<NestedCharges> {
  const charges = new Map<NestedSource, Fault | 'charged'>();
  for (const { source, row, body } of nested) {
    const args = row === undefined ? {} : argumentsOf(row, body, service.limits);
    charges.set(source, (await chargeCall(service, call, row, args)) ?? 'charged');
  }
  return charges;
}

/** Why a nested call must not run: a limit is spent, or it was not charged. */
export function refusedNested(
  call: PreparedCall,
  charges: NestedCharges,
  source: NestedSource,
): Fault | undefined {
  if (!isLimited(call)) return undefined;
  const charge = charges.get(source);
  if (charge === 'charged') return undefined;
  return (
    charge ??
    fault(
      'conflict',
      'The authority of the call changed while it was under way.',
      'Send the same call again.',
    )
  );
}

/** Runs one nested call. A call over a limit leaves no entry, as at a door. */
export function performNested(
  service: Service,
  call: PreparedCall,
  charges: NestedCharges,
  nested: Nested,
  perform: (nested: PreparedCall) => ActOutcome,
): ActOutcome {
  const refusal = refusedNested(call, charges, nested.source);
  return refusal === undefined ? perform(nestedCall(service, call, nested)) : unrecordedRefusal(refusal);
}

function nestedCall(service: Service, call: PreparedCall, { key, body, inputs }: Nested): PreparedCall {
  const row = service.rows.get(key) as Row;
  const args = argumentsOf(row, body, service.limits);
  return {
    ...call,
    row,
    body,
    bodyRule: currentBodyRule,
    recorded: body,
    finds: [],
    leakedTokens: undefined,
    leakedUnused: undefined,
    args,
    plan: isFault(args) ? args : row.plan(args),
    inputs,
    inv: invocationId(call.nowMs, call.entropy.bytes(10)),
    root: call.inv,
    replayOf: undefined,
    repairs: undefined,
    // Work on an assignment counts once, with the outer call.
    assignment: undefined,
    idempotency: undefined,
    repeatable: false,
    actorName: !isFault(args) && typeof args['actor'] === 'string' ? args['actor'] : call.actorName,
    modelName: nameIn(args, 'model'),
  };
}
