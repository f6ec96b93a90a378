/**
 * Leases of background jobs: of several nodes over one store, one does the work of a round. Taking a lease is
 * an act like any other, so that two nodes cannot both have it; it lapses by itself with the node that held it.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { json, table, text, type RowOf } from '../../engine/tables.ts';
import { headOf, type Head } from '../../ledger/entry.ts';

export type Job = 'link_check' | 'notify';

export const leaseTable = table('job_lease', {
  key: { job: text() },
  columns: { holder: text(), until: text(), head: json<Head>() },
  aggregate: 'job_lease',
});
export type LeaseRow = RowOf<typeof leaseTable>;

const prefix = 'job_';

/** The entry that takes or renews the lease, or nothing while another holder has it. Times are ISO 8601. */
export function takeLease(
  current: LeaseRow | undefined,
  job: Job,
  holder: string,
  now: string,
  until: string,
): EventDraft | undefined {
  if (current !== undefined && current.holder !== holder && current.until > now) return undefined;
  return {
    draft: { chain: `${prefix}${job}`, ts: now, actor: 'system', action: 'lease', holder, until },
    head: current?.head ?? null,
  };
}

export function projectLease(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith(prefix) || entry['action'] !== 'lease') return;
  to.put(leaseTable, {
    job: entry.chain.slice(prefix.length),
    holder: String(entry['holder']),
    until: String(entry['until']),
    head: headOf(event.sealed),
  });
}
