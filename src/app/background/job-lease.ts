/** Takes the lease of a background job, so that of several nodes one does the work (domain/jobs/lease.ts). */
import { leaseTable, takeLease, type Job } from '../../domain/jobs/lease.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';

/** Whether `holder` holds the lease of `job` until `endMs`. */
export async function holdsJobLease(
  service: Service,
  job: Job,
  holder: string,
  endMs: number,
): Promise<boolean> {
  const now = new Date(service.now()).toISOString();
  const until = new Date(endMs).toISOString();
  const taken = await service.store.run({
    name: `lease ${job}`,
    keys: [writes(leaseTable.name, job)],
    decide(tx) {
      const event = takeLease(tx.row(leaseTable, job), job, holder, now, until);
      if (event === undefined) return false;
      tx.append(event);
      return true;
    },
  });
  return !isFault(taken) && taken.answer;
}
