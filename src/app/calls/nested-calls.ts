/** Calls inside a call: the operations of a batch, the tags of a thread update. Each passes the gates and leaves a receipt. */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { BatchOperation, Row } from '../../domain/capabilities/row.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { atomicRefusal, type RefusedOperation } from './atomic-refusal.ts';
import { nameIn, type Performed, type PreparedCall } from './call.ts';
import { invocationId } from './draw.ts';
import { refusalBody } from './recording.ts';
import type { Service } from '../service.ts';

/**
 * Each operation is a call of its own row: same gates, own receipt. Atomic: all of them or none, and where it is none,
 * those behind a refused one are judged all the same, so that one answer names what is wrong with each.
 */
export function runBatch(
  service: Service,
  call: PreparedCall,
  plan: {
    readonly operations: readonly (BatchOperation | Fault)[];
    readonly names: readonly string[];
    readonly atomic: boolean;
  },
  perform: (nested: PreparedCall) => Performed,
): Result | Fault {
  const results: JsonObject[] = [];
  const refused: RefusedOperation[] = [];
  const material: Result['material'][number][] = [];
  let landed = 0;
  for (const [i, operation] of plan.operations.entries()) {
    const op = plan.names[i] as string;
    const performed: Pick<Performed, 'inv' | 'status' | 'refusal' | 'result'> = isFault(operation)
      ? { inv: undefined, status: 'failed', refusal: operation, result: undefined }
      : perform(nestedCall(service, call, operation.key, canonicalJson(operation.args)));
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
    material.push(...result.material);
    results.push({
      i,
      op,
      ok: true,
      status: performed.status,
      receipt: receiptOf(service, performed.inv),
      ...result.result,
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
export function nestedCall(service: Service, call: PreparedCall, key: string, body: string): PreparedCall {
  const row = service.rows.get(key) as Row;
  const args = argumentsOf(row, body, service.limits);
  return {
    ...call,
    row,
    body,
    recorded: body,
    finds: [],
    leaked: undefined,
    args,
    plan: isFault(args) ? args : row.plan(args),
    inv: invocationId(call.nowMs, call.draw.bytes(10)),
    root: call.inv,
    replayOf: undefined,
    repairs: undefined,
    proposal: undefined,
    idempotency: undefined,
    repeatable: false,
    document: undefined,
    answered: undefined,
    actorName: !isFault(args) && typeof args['actor'] === 'string' ? args['actor'] : call.actorName,
    modelName: nameIn(args, 'model'),
  };
}

function receiptOf(service: Service, inv: string | undefined): JsonObject | null {
  return inv === undefined
    ? null
    : { id: inv, url: links.receiptJson(service.base, inv), confirm: links.confirm(service.base, inv) };
}
