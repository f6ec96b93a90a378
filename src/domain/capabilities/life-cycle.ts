/**
 * The life of a capability on its own chain (spec §2.9): minted, at times denied, revoked at most once; and its row, which
 * that chain alone makes.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context } from '../context.ts';
import { capabilityTable, type CapabilityRecord, type CapabilityRow } from './tables.ts';

export function mintEvent(
  record: CapabilityRecord,
  context: Pick<Context, 'now' | 'actor' | 'inv'>,
): EventDraft {
  return {
    draft: {
      chain: record.fingerprint,
      ts: context.now,
      actor: context.actor,
      action: 'mint',
      inv: context.inv,
    },
    head: null,
    contents: [{ field: 'content_sha', value: record }],
  };
}

/** A second revocation finds the first and changes nothing. */
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
  return {
    draft: {
      chain: row.record.fingerprint,
      ts: context.now,
      actor: context.actor,
      action: 'revoke',
      inv: context.inv,
    },
    head: row.head,
  };
}

export function projectCapability(event: Event, to: Projection): void {
  const { entry, hash } = event.sealed;
  if (!entry.chain.startsWith('cap_')) return;
  const head = { n: entry.n, hash, ts: entry.ts };
  if (entry['action'] === 'mint') {
    const record = event.contents['content_sha'] as unknown as CapabilityRecord;
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
