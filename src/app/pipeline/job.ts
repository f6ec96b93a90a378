/**
 * Work that outlasts its request (contract §3 "Intent before effect"): running → submitted → outcome, each the next
 * entry of the invocation's chain. After a crash, work that a provider accepted is found by its reference and never
 * sent twice.
 */
import { leaseEnd, submittedEvent } from '../../domain/capabilities/invocation.ts';
import type { Job } from '../../domain/job.ts';
import { addUsage, noUsage, type Usage } from '../../domain/yield.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';

/** The job that an effect gets, with its usage so far. */
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
      if (!(await appendProgress(service, inv, timeoutMs, reference, undefined)))
        throw new Error('the invocation was closed by somebody else');
    },
    spent(more) {
      usage = addUsage(usage, more);
    },
    usage: () => usage,
  };
}

/**
 * Records that a provider accepted the work (`reference`), or that this process resumes it. `leaseBefore` lets one
 * process win among those that found the same expired lease. Returns whether this process has the work.
 */
export async function appendProgress(
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
