/**
 * Handles calls that a stopped process left open: work that a provider accepted is resumed; everything else is closed
 * as `interrupted` and never started again (contract §3). Runs at start, and regularly where nodes share a ledger.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import { closingEvent } from '../../domain/capabilities/invocation.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { Effect } from '../../domain/outside/outside.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { writes, type Appended } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { effectIn } from '../plans/effect.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { readInvocation, recordedUnder, type Invocation } from '../reads/invocation.ts';
import type { Service } from '../service.ts';
import { appendProgress, completeEffect, jobOf } from './effects.ts';
import type { RowOf } from '../../engine/tables.ts';

type Open = RowOf<typeof openInvocationTable>;

/**
 * `alone`: no other process shares the store, so every open call is abandoned; otherwise only those with expired
 * leases. Returns how many were closed; resumed ones run among the service's jobs.
 */
export async function closeInterrupted(deployed: Service, alone: boolean): Promise<number> {
  let closed = 0;
  for await (const open of deployed.store.read.scan(openInvocationTable)) {
    const now = new Date(deployed.now()).toISOString();
    if (open.status !== 'running' || (!alone && open.lease_until !== null && open.lease_until > now))
      continue;
    const service = await withWorkspaceRows(deployed, open.tenant);
    if (await resumeJob(service, open)) continue;
    if (await interrupt(service, open.inv, now)) closed++;
  }
  return closed;
}

async function interrupt(service: Service, inv: string, ts: string): Promise<boolean> {
  const done = await service.store.run<Appended | undefined>({
    name: 'close interrupted',
    keys: [writes(openInvocationTable.name, inv)],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined || open.status !== 'running') return undefined;
      return tx.append(
        closingEvent(
          inv,
          open.head,
          { ts, actor: 'system' },
          { status: 'failed', error: 'interrupted', response: { error: 'interrupted' } },
        ),
      );
    },
  });
  return !isFault(done) && done.answer !== undefined;
}

/** Resumes what a provider accepted, if the row can. False: it must be closed. */
async function resumeJob(service: Service, open: Open): Promise<boolean> {
  const found = await resumable(service, open.inv);
  if (found === undefined) return false;
  const { row, plan, resume, reference, invocation } = found;
  // Another process may have found the same expired lease.
  if (!(await appendProgress(service, open.inv, plan.timeoutMs, undefined, open.lease_until))) return true;
  const call = {
    inv: open.inv,
    row,
    startedMs: Date.parse(invocation.startedAt),
    repairs: invocation.repairs ?? undefined,
    repeatable: invocation.idempotencyKey !== null,
  };
  const job = jobOf(service, { ...invocation, inv: open.inv, channel: 'resumed' }, plan.timeoutMs);
  service.jobs.add(
    completeEffect(service, call, plan, job, (signal, outside) => resume(reference, signal, outside, job)),
  );
  return true;
}

interface Resumable {
  readonly row: Row;
  readonly plan: Effect;
  readonly resume: NonNullable<Effect['resume']>;
  readonly reference: JsonObject;
  readonly invocation: Invocation;
}

async function resumable(service: Service, inv: string): Promise<Resumable | undefined> {
  const invocation = await readInvocation(service, inv);
  if (invocation === undefined) return undefined;
  const reference = recordedUnder(await service.store.read.chain(inv), 'job_sha');
  const row = service.rows.get(invocation.key);
  if (reference === undefined || row === undefined || typeof invocation.request.value !== 'string')
    return undefined;
  const args = argumentsOf(row, invocation.request.value, service.limits, invocation.bodyRule);
  const plan = effectIn(isFault(args) ? args : row.plan(args));
  if (plan?.resume === undefined) return undefined;
  return { row, plan, resume: plan.resume, reference: reference as JsonObject, invocation };
}
