/** The authenticated caller (contract §4). */
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
