/**
 * Giving a lease back (contract §7): the item is free again at once, and the share of the work ends with it. What
 * landed stays. `capabilities/credential.ts` says which credentials hold a lease.
 */
import { actEntry } from '../entries.ts';
import type { EventDraft } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context } from '../context.ts';
import { closedFault } from './complete.ts';
import type { AssignmentRow } from './tables.ts';

/** `isHeld`: the caller holds the lease. `isCurrent`: the item is still leased by this assignment. */
export function returnAssignment(
  row: AssignmentRow,
  { isHeld, isCurrent }: { readonly isHeld: boolean; readonly isCurrent: boolean },
  context: Context,
): EventDraft | Fault {
  const { id } = row.record;
  if (!isHeld)
    return {
      ...fault(
        'scope_denied',
        `${id} was leased by another credential.`,
        'Send the credential that leased it, or the share of the assignment.',
      ),
      gate: 'scope',
    };
  return closedFault(row, isCurrent, context.now) ?? actEntry(context, id, row.head, 'return', {});
}
