/**
 * The plan `batch`: operations, each a call of its own row with its own gates and receipt. An atomic batch runs all
 * or none; operations after a refused one are still judged, so that one answer lists all faults.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { refusalBody } from '../../domain/capabilities/invocation.ts';
import type { BatchOperation } from '../../domain/capabilities/plan.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { reads, writes, type Key } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';
import { atomicRefusal, type RefusedOperation } from './atomic-refusal.ts';
import type { ActOutcome, PreparedCall } from './call.ts';
import { chargeNested, performNested, type NestedCharges } from './nested-calls.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { OperationsRun, type OperationResult } from '../../model/article-writes.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    batch: {
      readonly operations: readonly (BatchOperation | Fault)[];
      readonly names: readonly string[];
      readonly atomic: boolean;
      /** The assignment that the batch works on. */
      readonly assignment?: string | undefined;
    };
  }
}

export const batchPlan = definePlan({
  kind: 'batch',
  /** Charges every operation that can be called. */
  loadInputs({ service, call, plan }): Promise<NestedCharges> {
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
  },
  keys: ({ service, call, plan }) => keysOfOperations(service, call.tenant, plan.operations),
  run({ service, call, plan, inputs: charges, perform }) {
    const results: OperationResult[] = [];
    const refused: RefusedOperation[] = [];
    const material: Result['material'][number][] = [];
    let landed = 0;
    for (const [i, operation] of plan.operations.entries()) {
      const op = plan.names[i] as string;
      const performed: Pick<ActOutcome, 'inv' | 'status' | 'refusal' | 'result'> = isFault(operation)
        ? { inv: undefined, status: 'failed', refusal: operation, result: undefined }
        : performNested(
            service,
            call,
            charges,
            { source: operation, key: operation.key, body: canonicalJson(operation.args) },
            perform,
          );
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
      result: exactly(OperationsRun, { ok: landed === results.length, landed, of: results.length, results }),
      text: `${landed} of ${results.length} operations landed.`,
      material,
    };
  },
  chargesNested: true,
  work: {
    named: ({ assignment }) => assignment,
    opens: 'always',
    results: (result) => result['results'] as readonly JsonObject[],
  },
});

/** The articles and threads that the operations name, each once. */
async function keysOfOperations(
  service: Service,
  tenant: string,
  operations: readonly (BatchOperation | Fault)[],
): Promise<readonly Key[]> {
  const keys: Key[] = [];
  const known = new Map<string, string>();
  for (const operation of operations) {
    const slug = isFault(operation) ? undefined : operation.args['slug'];
    if (isFault(operation) || typeof slug !== 'string') continue;
    if (!known.has(slug)) {
      const path = slugPath(tenant, slug);
      known.set(slug, (await service.store.read.row(slugTable, path))?.aid ?? '');
      keys.push(reads('slug', path));
    }
    const aid = known.get(slug) ?? '';
    if (aid === '') continue;
    const isSaid =
      operation.key === 'VOXEL_CHALLENGE' ||
      operation.key === 'VOXEL_ATTEST' ||
      operation.key === 'VOXEL_VOTE';
    keys.push(
      writes(conformanceTable.name, aid),
      isSaid ? reads('article', aid) : writes('article', aid),
      ...(isSaid ? [writes('thread', aid)] : []),
    );
  }
  return keys;
}

/** The secrets that were removed from one operation, with paths into it. */
function scrubbedIn({ finds }: PreparedCall, i: number): Pick<OperationResult, 'scrubbed'> {
  const root = `/operations/${i}`;
  const own = finds.filter(({ path }) => path.startsWith(`${root}/`));
  if (own.length === 0) return {};
  return { scrubbed: own.map(({ path, kind, count }) => ({ path: path.slice(root.length), kind, count })) };
}

function receiptOf(service: Service, inv: string | undefined): OperationResult['receipt'] {
  return inv === undefined
    ? null
    : { id: inv, url: links.receipt(service.base, inv), confirm: links.confirm(service.base, inv) };
}
