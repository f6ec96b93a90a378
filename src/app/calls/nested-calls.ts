/** Calls inside a call: the operations of a batch, the tags of a thread update. Each passes the gates and leaves a receipt. */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { BatchOperation, Plan, Row } from '../../domain/capabilities/row.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { atomicRefusal, type RefusedOperation } from './atomic-refusal.ts';
import { nameIn, type NestedCharges, type NestedSource, type Performed, type PreparedCall } from './call.ts';
import { invocationId } from './draw.ts';
import { refusalBody } from './recording.ts';
import { chargeNested, refusedNested } from './rate-limits.ts';
import type { Service } from '../service.ts';

export type BatchPlan = Extract<Plan, { readonly do: 'batch' }>;

/** Charges every operation of a batch that can be called. */
export function chargeOperations(
  service: Service,
  plan: BatchPlan,
  call: PreparedCall,
): Promise<NestedCharges> {
  const callable = plan.operations.filter((each): each is BatchOperation => !isFault(each));
  return chargeNested(
    service,
    call,
    callable.map((each) => ({
      source: each,
      row: service.rows.get(each.key),
      body: canonicalJson(each.args),
    })),
  );
}

/**
 * The one place where a call inside another runs: under the same credential, through the gates of its own row, with a
 * receipt of its own, and only once it was charged against the limits of open calls. A call over a limit leaves no
 * entry, as it leaves none at a door.
 */
export function dispatchNested(
  service: Service,
  call: PreparedCall,
  { source, key, body }: { readonly source: NestedSource; readonly key: string; readonly body: string },
  perform: (nested: PreparedCall) => Performed,
  answered?: PreparedCall['answered'],
): Performed {
  const refusal = refusedNested(call, source);
  if (refusal === undefined) return perform({ ...nestedCall(service, call, key, body), answered });
  return {
    inv: undefined,
    status: 'denied',
    judgement: undefined,
    result: undefined,
    refusal,
    charged: false,
    entry: undefined,
  };
}

/**
 * Each operation is a call of its own row: same gates, own receipt. Atomic: all of them or none, and where it is none,
 * those behind a refused one are judged all the same, so that one answer names what is wrong with each.
 */
export function runBatch(
  service: Service,
  call: PreparedCall,
  plan: BatchPlan,
  run: (operation: BatchOperation) => Performed,
): Result | Fault {
  const results: JsonObject[] = [];
  const refused: RefusedOperation[] = [];
  const material: Result['material'][number][] = [];
  let landed = 0;
  for (const [i, operation] of plan.operations.entries()) {
    const op = plan.names[i] as string;
    const performed: Pick<Performed, 'inv' | 'status' | 'refusal' | 'result'> = isFault(operation)
      ? { inv: undefined, status: 'failed', refusal: operation, result: undefined }
      : run(operation);
    if (performed.refusal !== undefined) {
      const args = isFault(operation) ? {} : operation.args;
      refused.push({ i, op, args, refusal: performed.refusal });
      results.push({
        i,
        op,
        ok: false,
        status: performed.status,
        receipt: receiptOf(service, performed.inv),
        ...refusalBody(performed.refusal),
      });
      continue;
    }
    landed++;
    const result = performed.result as Result;
    for (const made of result.material) material.push(made);
    results.push({
      i,
      op,
      ok: true,
      status: performed.status,
      receipt: receiptOf(service, performed.inv),
      ...result.result,
      ...scrubbedIn(call, i),
    });
  }
  if (plan.atomic && refused.length > 0) return atomicRefusal(refused, plan.operations.length);
  return {
    result: { ok: landed === results.length, landed, of: results.length, results },
    text: `${landed} of ${results.length} operations landed.`,
    material,
  };
}

/** A call inside another: of its own row, under the same credential, with a receipt of its own. */
function nestedCall(service: Service, call: PreparedCall, key: string, body: string): PreparedCall {
  const row = service.rows.get(key) as Row;
  const args = argumentsOf(row, body, service.limits);
  return {
    ...call,
    row,
    body,
    recorded: body,
    finds: [],
    leaked: undefined,
    leakedUnused: undefined,
    args,
    plan: isFault(args) ? args : row.plan(args),
    inv: invocationId(call.nowMs, call.draw.bytes(10)),
    root: call.inv,
    replayOf: undefined,
    repairs: undefined,
    proposal: undefined,
    // What lands inside counts once, with the call that it is a part of.
    assignment: undefined,
    idempotency: undefined,
    repeatable: false,
    document: undefined,
    answered: undefined,
    actorName: !isFault(args) && typeof args['actor'] === 'string' ? args['actor'] : call.actorName,
    modelName: nameIn(args, 'model'),
  };
}

/** The secrets that were taken out of one operation, with paths into it. */
function scrubbedIn({ finds }: PreparedCall, i: number): JsonObject {
  const root = `/operations/${i}`;
  const own = finds.filter(({ path }) => path.startsWith(`${root}/`));
  if (own.length === 0) return {};
  return { scrubbed: own.map(({ path, kind, count }) => ({ path: path.slice(root.length), kind, count })) };
}

function receiptOf(service: Service, inv: string | undefined): JsonObject | null {
  return inv === undefined
    ? null
    : { id: inv, url: links.receiptJson(service.base, inv), confirm: links.confirm(service.base, inv) };
}
