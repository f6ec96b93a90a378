/**
 * Leasing (contract §7): which item comes next in a lane, and the entry that gives it out for a day. Items are free
 * that is neither leased nor completed; a lease that has ended frees its item by itself.
 */
import { actEntry } from '../entries.ts';
import type { EventDraft } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Sub } from '../../engine/tables.ts';
import type { Context } from '../context.ts';
import { type AssignmentRecord, type ItemRow, type LeaseState } from './tables.ts';
import { type Lane, lanes } from '../../model/vocabulary.ts';

/** A day; an hour for a free credential. */
export const leaseSeconds = { ownerMinted: 86_400, free: 3600 } as const;
/** Open leases of one credential; the owner may have any number. */
export const leasesMax = { ownerMinted: 3, free: 1 } as const;

export type LaneState = 'open' | 'leased' | 'complete';

/** `now` is ISO 8601, as are all times that are compared here. */
export function laneState(current: LeaseState | undefined, now: string): LaneState {
  if (current === undefined) return 'open';
  if (current.done) return 'complete';
  return current.until > now ? 'leased' : 'open';
}

/**
 * The next free item: by rank, then in the order of queueing. Opposition and synthesis work on what the field lane
 * filed, so items that it has completed come before all others there. `isBacked` says whether the authority that
 * queued an item still stands.
 */
export function nextItem(
  items: Iterable<ItemRow>,
  lane: Lane,
  now: string,
  isBacked: (queuedBy: string) => boolean,
): ItemRow | undefined {
  let best: ItemRow | undefined;
  for (const row of items) {
    if (laneState(row.lanes[lane], now) !== 'open' || !isBacked(row.item.queued_by)) continue;
    if (best === undefined || comesBefore(row, best, lane)) best = row;
  }
  return best;
}

function comesBefore(a: ItemRow, b: ItemRow, lane: Lane): boolean {
  if (lane === 'opposition' || lane === 'synthesis') {
    const [left, right] = [a.lanes.field?.done === true, b.lanes.field?.done === true];
    if (left !== right) return left;
  }
  const [left, right] = [a.item.target.rank ?? Infinity, b.item.target.rank ?? Infinity];
  return left === right ? a.n < b.n : left < right;
}

/** Refuses a further lease to who has enough of them. `held` are the ends of those neither completed nor returned. */
export function tooManyLeases(
  held: ReadonlyMap<Sub, { readonly id: string; readonly expires_at: string }>,
  now: string,
  max: number,
) {
  const open = [...held.values()].filter((each) => each.expires_at > now);
  if (open.length < max) return undefined;
  return fault(
    'conflict',
    `The credential holds ${open.length} open assignments; at most ${max} ${max === 1 ? 'is' : 'are'} allowed.`,
    'Complete one of them, or give one back with LANDSCAPE_RETURN.',
    { open: open.map(({ id }) => id), max },
  );
}

/** Refuses a further free lease to an address that holds enough of them, by whatever credentials. */
export function tooManyFromAddress(
  { open, max }: { readonly open: readonly { readonly untilMs: number }[]; readonly max: number },
  nowMs: number,
): Fault {
  const seconds = (untilMs: number): number => Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  const ends = open.map(({ untilMs }) => seconds(untilMs));
  return fault(
    'rate_limited',
    `${open.length} assignments are open from here by free credentials; at most ${max} are allowed.`,
    'Complete one of them, give one back with LANDSCAPE_RETURN, or ask the owner for a credential.',
    { retry_after: Math.min(...ends), limit: max, remaining: 0, reset: Math.max(...ends) },
  );
}

/** Refuses a free credential the items of a cohort that is not open to contributors. */
export function cohortNotOpen(cohort: string): Fault {
  return fault(
    'scope_denied',
    `The owner has not opened the cohort ${cohort} to contributors.`,
    'Leave cohort out for one that is open, or ask the owner for a credential with LANDSCAPE_NEXT.',
  );
}

export function noFreeItem(lane: Lane, cohort: string | undefined, next: string | null): Fault {
  return fault(
    'not_found',
    `No item is free in the lane ${lane}${cohort === undefined ? '' : ` of ${cohort}`}.`,
    next === null
      ? `Try another lane of ${lanes.join(', ')}, or wait until targets are queued; a further try takes another n.`
      : `A lease ends at ${next}: ask again then, with another n.`,
    { lane, next_free_at: next },
  );
}

export function leaseEvent(record: AssignmentRecord, context: Context): EventDraft {
  return actEntry(context, record.id, null, 'lease', record);
}
