/** What a request is told that failed on this side, the same through every door. */
import { LedgerRolledBack, StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';

const unreachable = fault(
  'overloaded',
  'The ledger cannot be reached right now.',
  'Wait a few seconds and send the same request again.',
);
export const internal = fault(
  'internal',
  'Something went wrong on this side.',
  'Try again; if it stays, tell the operator the time of the request.',
);

/**
 * A store that does not answer is told as that, and to the operator where waiting is no help; anything else is told
 * to the operator, and of it to the caller only that it is so.
 */
export function failureOf(error: unknown, onError: (error: unknown) => void): Fault {
  const isAway = error instanceof StoreUnreachable;
  if (!isAway || error.fix !== undefined) onError(error);
  // Waiting is no help, and who sends it again should know.
  if (error instanceof LedgerRolledBack)
    return fault('overloaded', `The ledger cannot be vouched for: ${error.message}.`, error.fix as string);
  if (isAway) return unreachable;
  return internal;
}
