/**
 * A token of this service that appears in public text is scrubbed and revoked (contract §4): readers of the text or
 * of the fetched page may have copied it. Only a text with the token itself yields its fingerprint.
 */
import { mintEvent, revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { type CapabilityRecord, capabilityTable } from '../../domain/capabilities/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { unusedSelfCut } from '../credentials/authenticate.ts';
import type { Service } from '../service.ts';

/** A text with more tokens is refused: each costs a lookup, and fake tokens are easy to make. */
export const leakedMax = 32;

/** The records of self-cut tokens that were not used yet; the ledger has none of them. */
export async function findUnusedTokens(
  service: Service,
  leaked: readonly string[],
): Promise<readonly CapabilityRecord[]> {
  const rows = await Promise.all(leaked.map((fingerprint) => unusedSelfCut(service, fingerprint)));
  return rows.flatMap((row) => (row === undefined ? [] : [row.record]));
}

/** Revokes capabilities of this ledger that are in force; those of `unused` enter the ledger with it. */
export function revokeLeaked(
  tx: Tx,
  leaked: readonly string[],
  unused: readonly CapabilityRecord[],
  by: { readonly now: string; readonly inv: string },
): void {
  for (const record of unused)
    if (tx.row(capabilityTable, record.fingerprint) === undefined)
      tx.append(mintEvent(record, { ...by, actor: 'anonymous' }));
  for (const fingerprint of leaked) {
    const row = tx.row(capabilityTable, fingerprint);
    const event = row === undefined ? undefined : revokeEvent(row, { ...by, actor: 'system' });
    if (event !== undefined && !isFault(event)) tx.append(event);
  }
}
