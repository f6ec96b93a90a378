/**
 * Leases that one client address holds open (contract §4, §7). A contributor's credential is free, so that counting
 * by credential alone would let one address hold a whole cohort. The record is operational: all nodes
 * share it, it names the address by a keyed hash, and is gone when the last of the leases has ended.
 */
import { isFree } from '../../domain/capabilities/credential.ts';
import { assignmentTable } from '../../domain/landscape/tables.ts';
import { clientKey } from '../../guard/client-address.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import type { Answer } from './answer.ts';
import type { HeldLease } from './before.ts';
import type { PreparedCall } from './call.ts';

/** A lease at a time from each address: two at once would both find room for one. */
const turns = new Map<string, Promise<unknown>>();

/** `take` decides the lease with what is open, and answers it. */
export async function leaseFromClient(
  service: Service,
  client: string,
  call: PreparedCall,
  take: (call: PreparedCall) => Promise<Answer | Fault>,
): Promise<Answer | Fault> {
  const max = service.limits.openLeasesPerClientMax;
  if (max === Number.POSITIVE_INFINITY || !isFree(call.credential)) return take(call);
  const name = `leases/${service.secrets.clientScope(clientKey(client))}`;
  return inTurn(name, async () => {
    const open = await openLeases(service, name, call.nowMs);
    const answer = await take({ ...call, clientLeases: { open, max } });
    const taken = leaseIn(answer);
    if (taken !== undefined) {
      const leases = [...open, taken];
      const untilMs = Math.max(...leases.map((each) => each.untilMs));
      await service.store.held.put(name, JSON.stringify(leases), untilMs);
    }
    return answer;
  });
}

async function openLeases(service: Service, name: string, nowMs: number): Promise<HeldLease[]> {
  const held = await service.store.held.get(name, nowMs);
  if (held === undefined) return [];
  const leases = (JSON.parse(held) as HeldLease[]).filter(({ untilMs }) => untilMs > nowMs);
  const rows = await Promise.all(leases.map(({ id }) => service.store.read.row(assignmentTable, id)));
  return leases.filter((_lease, i) => rows[i]?.completed_at === null);
}

function leaseIn(answer: Answer | Fault): HeldLease | undefined {
  if (isFault(answer) || answer.kind !== 'called' || answer.repeated || !answer.ran) return undefined;
  const assignment = answer.result?.result['assignment'] as { id: string; expires_at: string } | undefined;
  return assignment && { id: assignment.id, untilMs: Date.parse(assignment.expires_at) };
}

async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(name) ?? Promise.resolve()).then(work);
  const turn = done.catch(() => undefined);
  turns.set(name, turn);
  try {
    return await done;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}
