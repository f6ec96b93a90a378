/**
 * Work that outlasts its request (contract §3 "Intent before effect"): running → submitted → outcome,
 * each the next entry of the invocation's chain. A process that ends leaves it open; what a provider took on is
 * found again by its reference and never sent twice.
 */
import { leaseEnd, submittedEvent } from '../../domain/capabilities/invocation.ts';
import type { Job } from '../../domain/job.ts';
import { addUsage, noUsage, type Usage } from '../../domain/yield.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';

/** A job as its effect sees it, with what was counted for it so far. */
export interface CountedJob extends Job {
  usage(): Usage;
}

export interface JobCall {
  readonly inv: string;
  readonly channel: string;
  readonly replayOf?: string | null | undefined;
  readonly repairs?: string | null | undefined;
}

export function jobOf(service: Service, call: JobCall, timeoutMs: number): CountedJob {
  const { inv, channel, replayOf, repairs } = call;
  let usage = noUsage;
  return {
    inv,
    channel,
    parent: replayOf ?? repairs ?? null,
    async submitted(reference) {
      if (!(await remark(service, inv, timeoutMs, reference, undefined)))
        throw new Error('the invocation was closed by somebody else');
    },
    spent(more) {
      usage = addUsage(usage, more);
    },
    usage: () => usage,
  };
}

/**
 * Appends that a provider took the work on (`reference`), or that this process takes it up. `leaseBefore` makes one
 * winner of several processes that found the same lapsed lease. Answers whether the work is the caller's.
 */
export async function remark(
  service: Service,
  inv: string,
  timeoutMs: number,
  reference: JsonObject | undefined,
  leaseBefore: string | null | undefined,
): Promise<boolean> {
  const nowMs = service.now();
  const at = { ts: new Date(nowMs).toISOString(), leaseUntil: leaseEnd(nowMs, timeoutMs) };
  const done = await service.store.run<boolean>({
    name: reference === undefined ? 'resume job' : 'job submitted',
    keys: [writes(openInvocationTable.name, inv)],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open?.status !== 'running') return false;
      if (leaseBefore !== undefined && open.lease_until !== leaseBefore) return false;
      tx.append(submittedEvent(inv, open.head, at, reference));
      return true;
    },
  });
  if (isFault(done)) throw new Error(done.message);
  return done.answer;
}
