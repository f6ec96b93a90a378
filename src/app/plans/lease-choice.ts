/**
 * What a call may lease (contract §4, §7): the free items of cohorts, and how many leases its client address has open.
 * Contributor credentials are free, so counting by credential would let one address lease a whole cohort. The record
 * of an address is operational and shared by all nodes; its name is a keyed hash of the address, and it expires with
 * the last lease.
 */
import { isSelfIssued } from '../../domain/capabilities/credential.ts';
import type { PlanOf } from '../../domain/capabilities/plan.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { nextItem, cohortNotOpen, noFreeItem } from '../../domain/landscape/lease.ts';
import { nameOfCohort } from '../../domain/landscape/queue.ts';
import {
  assignmentTable,
  cohortIndexTable,
  cohortPlace,
  cohortTable,
  itemTable,
  openCohortTable,
  type ItemRow,
} from '../../domain/landscape/tables.ts';
import type { View } from '../../engine/act.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import { nameOfTenant } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import type { PreparedCall, Answer } from './call.ts';
import type { Lane } from '../../model/vocabulary.ts';
import { clientKey } from '../../guard/client-address.ts';

/** Cohorts to lease from, those with a free item first. */
interface CohortChoice {
  readonly places: readonly string[];
  /** When the first of the blocking leases ends, ISO 8601. */
  readonly nextFree: string | null;
}

/** Number of cohorts that a lease tries, as concurrent leases may empty the first ones. */
const triedMax = 8;

/** The cohorts that a call may lease from, found before its act. */
export async function findCohorts(
  service: Service,
  call: PreparedCall,
  { lane, cohort }: PlanOf<'lease-item'>,
): Promise<CohortChoice> {
  if (cohort !== undefined) {
    const name = nameOfCohort(await nameOfTenant(service, call.tenant), cohort);
    return { places: [cohortPlace(call.tenant, name)], nextFree: null };
  }
  const { read } = service.store;
  const free = isSelfIssued(call.credential);
  const index = [...(await read.rows(cohortIndexTable, call.tenant)).values()]
    .filter(({ left }) => left[lane] > 0)
    .sort((a, b) => (a.since === b.since ? (a.name < b.name ? -1 : 1) : a.since < b.since ? -1 : 1));
  const places: string[] = [];
  let nextFree: string | null = null;
  for (const { place } of index) {
    if (free && (await read.row(openCohortTable, place)) === undefined) continue;
    const items = [...(await read.rows(itemTable, place)).values()];
    if (nextItem(items, lane, call.now, () => true) === undefined) {
      nextFree = earlier(nextFree, firstEnd(items, lane, call.now));
      continue;
    }
    places.push(place);
    if (places.length === triedMax) break;
  }
  return { places, nextFree };
}

/** The item that a call gets, in the state of its act. */
export function freeItem(
  tx: View,
  { places, nextFree }: CohortChoice,
  { lane, cohort }: PlanOf<'lease-item'>,
  now: string,
  free: boolean,
): { readonly place: string; readonly row: ItemRow } | Fault {
  const known = new Map<string, boolean>();
  const isBacked = (queuedBy: string): boolean => {
    let backed = known.get(queuedBy);
    if (backed === undefined) known.set(queuedBy, (backed = isInForce(tx, queuedBy)));
    return backed;
  };
  let end = nextFree;
  for (const place of places) {
    if (cohort !== undefined && tx.row(cohortTable, place) === undefined)
      return about(
        fault(
          'not_found',
          `There is no cohort ${cohort}.`,
          'Read /api/build-landscape for those that there are.',
        ),
        { kind: 'cohort', id: cohort },
      );
    if (free && tx.row(openCohortTable, place) === undefined) {
      if (cohort !== undefined) return cohortNotOpen(cohort);
      continue;
    }
    const items = tx.rows(itemTable, place);
    const row = nextItem(items.values(), lane, now, isBacked);
    if (row !== undefined) return { place, row };
    end = earlier(end, firstEnd(items.values(), lane, now));
  }
  return noFreeItem(lane, cohort, end);
}

/** Whether the authority that queued the item is still in force. */
function isInForce(tx: View, queuedBy: string): boolean {
  for (let next: string | null = queuedBy.startsWith('cap_') ? queuedBy : null; next !== null;) {
    const link = tx.row(capabilityTable, next);
    if (link === undefined || link.revoked_at !== null) return false;
    next = link.record.parent;
  }
  return true;
}

function firstEnd(items: Iterable<ItemRow>, lane: Lane, now: string): string | null {
  let first: string | null = null;
  for (const { lanes } of items) {
    const lease = lanes[lane];
    if (lease !== undefined && !lease.done && lease.until > now) first = earlier(first, lease.until);
  }
  return first;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

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
  return leases.filter((_lease, i) => rows[i]?.completed_at === null && rows[i].returned_at === null);
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
