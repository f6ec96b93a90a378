/**
 * Events of a capability's own chain (spec §2.9): minted, denied, revoked at most once. Also its projection and its status
 * at a given time (spec §3, contract §4).
 */
import { headOf } from '../../ledger/entry.ts';
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context } from '../context.ts';
import { capabilityTable, type CapabilityRecord, type CapabilityRow } from './tables.ts';

export function mintEvent(
  record: CapabilityRecord,
  context: Pick<Context, 'now' | 'actor' | 'inv'>,
): EventDraft {
  return actEntry(context, record.fingerprint, null, 'mint', record);
}

/** Idempotent: a second revocation is a `conflict` and appends nothing. */
export function revokeEvent(
  row: CapabilityRow,
  context: Pick<Context, 'now' | 'actor' | 'inv'>,
): EventDraft | Fault {
  if (row.revoked_at !== null)
    return fault(
      'conflict',
      `${row.record.fingerprint} was revoked at ${row.revoked_at}.`,
      'Nothing is left to do.',
    );
  return actEntry(context, row.record.fingerprint, row.head, 'revoke');
}

export function projectCapability(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith('cap_')) return;
  const head = headOf(event.sealed);
  if (entry['action'] === 'mint') {
    const record = event.contents['content_sha'] as CapabilityRecord;
    to.put(capabilityTable, {
      fingerprint: entry.chain,
      record,
      uses: 0,
      denials: 0,
      revoked_at: null,
      head,
    });
    return;
  }
  const row = to.row(capabilityTable, entry.chain);
  if (row === undefined) throw new Error(`there is no capability ${entry.chain}`);
  to.put(capabilityTable, {
    ...row,
    revoked_at: entry['action'] === 'revoke' ? entry.ts : row.revoked_at,
    head,
  });
}

/** What lists and explanations show as `state`; the gates judge the same facts. */
export type CapabilityStatus =
  'valid' | 'revoked' | 'ancestor_revoked' | 'expired' | 'ancestor_expired' | 'exhausted';

/** `ancestors` from the parent to the root; `now` is ISO 8601. */
export function capabilityStatus(
  row: CapabilityRow,
  ancestors: readonly CapabilityRow[],
  now: string,
): CapabilityStatus {
  if (row.revoked_at !== null) return 'revoked';
  if (ancestors.some((each) => each.revoked_at !== null)) return 'ancestor_revoked';
  if (row.record.expires_at <= now) return 'expired';
  if (ancestors.some((each) => each.record.expires_at <= now)) return 'ancestor_expired';
  return usesLeft(row, ancestors) === 0 ? 'exhausted' : 'valid';
}

/** Uses left, limited by all ancestors; null if none of them is limited. */
export function usesLeft(row: CapabilityRow, ancestors: readonly CapabilityRow[]): number | null {
  const left = [row, ...ancestors]
    .filter(({ record }) => record.max_uses > 0)
    .map(({ record, uses }) => Math.max(0, record.max_uses - uses));
  return left.length === 0 ? null : Math.min(...left);
}
