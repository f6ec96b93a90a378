/** Who calls, once a door has read what was presented and the application has looked it up (contract §4). */
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
    };

/** What entries name as their actor. */
export function actorOf(credential: Credential): string {
  return credential.kind === 'share' ? credential.fingerprint : credential.kind;
}
