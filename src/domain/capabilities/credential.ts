/** Who calls, once a door has read what was presented and the application has looked it up (contract §4). */
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

/** Whether nobody had to be asked for the credential: it was cut by its holder, or from such a share. */
export function isFree(credential: Credential): boolean {
  return credential.kind === 'share' && credential.chain.at(-1)?.record.origin === 'self';
}

/** What entries name as their actor. */
export function actorOf(credential: Credential): string {
  return credential.kind === 'share' ? credential.fingerprint : credential.kind;
}
