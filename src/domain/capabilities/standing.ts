/**
 * How a capability stands at a moment (spec §3, contract §4): valid, or why not, by itself or by what it was cut from. What
 * lists and explanations say of a share is what the gates would say of it.
 */
import type { CapabilityRow } from './tables.ts';

export type Standing =
  'valid' | 'revoked' | 'ancestor_revoked' | 'expired' | 'ancestor_expired' | 'exhausted';

/** `ancestors` from the parent to the root; `now` is ISO 8601. */
export function standingOf(row: CapabilityRow, ancestors: readonly CapabilityRow[], now: string): Standing {
  if (row.revoked_at !== null) return 'revoked';
  if (ancestors.some((each) => each.revoked_at !== null)) return 'ancestor_revoked';
  if (row.record.expires_at <= now) return 'expired';
  if (ancestors.some((each) => each.record.expires_at <= now)) return 'ancestor_expired';
  return usesLeft(row, ancestors) === 0 ? 'exhausted' : 'valid';
}

/** What it and all that it was cut from have left together; null where none of them is counted. */
export function usesLeft(row: CapabilityRow, ancestors: readonly CapabilityRow[]): number | null {
  const left = [row, ...ancestors]
    .filter(({ record }) => record.max_uses > 0)
    .map(({ record, uses }) => Math.max(0, record.max_uses - uses));
  return left.length === 0 ? null : Math.min(...left);
}
