/**
 * A token of ours found in a public text is scrubbed and revoked (contract §4): whoever read the text before it was
 * scrubbed, or the page that it was fetched from, may have it. Only who holds a token can name its fingerprint.
 */
import { revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';

/** `fingerprintOf` that remembers what it was asked for. */
export function ownTokens(): { fingerprintOf(token: string): string; found(): readonly string[] } {
  const found = new Set<string>();
  return {
    fingerprintOf(token) {
      const fingerprint = fingerprintOf(token);
      found.add(fingerprint);
      return fingerprint;
    },
    found: () => [...found],
  };
}

/** Revokes those that are capabilities of this ledger and still stand. */
export function revokeLeaked(
  tx: Tx,
  leaked: readonly string[],
  by: { readonly now: string; readonly inv: string },
): void {
  for (const fingerprint of leaked) {
    const row = tx.row(capabilityTable, fingerprint);
    const event = row === undefined ? undefined : revokeEvent(row, { ...by, actor: 'system' });
    if (event !== undefined && !isFault(event)) tx.append(event);
  }
}
