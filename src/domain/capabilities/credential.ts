/** The authenticated caller (contract §4). */
import type { AssignmentRecord } from '../landscape/tables.ts';
import type { Binding } from './binding.ts';
import type { CapabilityRecord, CapabilityRow } from './tables.ts';

export type Credential =
  | { readonly kind: 'owner' }
  | { readonly kind: 'anonymous' }
  /** The capability first, then its ancestors up to the root. `unused`: cut by its holder and not on the ledger yet. */
  | {
      readonly kind: 'share';
      readonly fingerprint: string;
      readonly chain: readonly CapabilityRow[];
      readonly unused?: CapabilityRecord | undefined;
      /** A lease cut it, or what it was cut from. */
      readonly binding?: Binding | undefined;
    };

/** Whether the root of the chain is a self-issued share, for which the owner was not asked. */
export function isSelfIssued(credential: Credential): boolean {
  return credential.kind === 'share' && credential.chain.at(-1)?.record.origin === 'self';
}

/** The `actor` of ledger entries. */
export function actorOf(credential: Credential): string {
  return credential.kind === 'share' ? credential.fingerprint : credential.kind;
}

/**
 * Whether a credential may give the lease back: the one that leased it, the one whose leases it counts among, the share
 * of the assignment, and the owner. Shares cut from these may not.
 */
export function holdsLease(
  { actor, holder, capability_fingerprint: own }: AssignmentRecord,
  credential: Credential,
): boolean {
  if (credential.kind === 'owner') return true;
  return credential.kind === 'share' && [actor, holder, own].includes(credential.fingerprint);
}
