/**
 * Open leases by client address (contract §4, §7): contributor credentials are free, so counting by credential would
 * let one address lease a whole cohort. The record is operational and shared by all nodes; its name is a keyed hash
 * of the address, and it expires with the last lease.
 */
import { isSelfIssued } from '../../domain/capabilities/credential.ts';
import { assignmentTable } from '../../domain/landscape/tables.ts';
import { clientKey } from '../../guard/client-address.ts';
import type { Service } from '../service.ts';
import type { Answer, PreparedCall } from './call.ts';

export interface OpenLease {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
}

/** The name of the record that limits this call; undefined if the call is not limited. */
export function clientRecord(
  service: Service,
  { client, credential, approved }: PreparedCall,
): string | undefined {
  const isUnlimited = service.limits.openLeasesPerClientMax === Number.POSITIVE_INFINITY;
  // An approved call comes from the owner's address.
  if (isUnlimited || approved === true || !isSelfIssued(credential)) return undefined;
  return `leases/${service.secrets.clientScope(clientKey(client))}`;
}

export async function openLeases(service: Service, record: string, nowMs: number): Promise<OpenLease[]> {
  const held = await service.store.ephemeral.get(record, nowMs);
  if (held === undefined) return [];
  const leases = (JSON.parse(held) as OpenLease[]).filter(({ untilMs }) => untilMs > nowMs);
  const rows = await Promise.all(leases.map(({ id }) => service.store.read.row(assignmentTable, id)));
  return leases.filter((_lease, i) => rows[i]?.completed_at === null);
}

/** Adds the lease of the answer to the open ones. */
export async function recordLease(
  service: Service,
  record: string,
  open: readonly OpenLease[],
  answer: Answer,
): Promise<void> {
  if (answer.kind !== 'called' || answer.repeated || !answer.ran) return;
  const assignment = answer.result?.result['assignment'] as { id: string; expires_at: string } | undefined;
  if (assignment === undefined) return;
  const leases = [...open, { id: assignment.id, untilMs: Date.parse(assignment.expires_at) }];
  const untilMs = Math.max(...leases.map((each) => each.untilMs));
  await service.store.ephemeral.put(record, JSON.stringify(leases), untilMs);
}
