/** The owner's list of shares and keys for the console (contract §8): by fingerprint, with what became of each. */
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { neverExpires } from '../../domain/capabilities/key-mint.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import type { Service } from '../service.ts';
import { scopeText } from './keys.ts';

export interface ListedCapability {
  readonly fingerprint: string;
  readonly isKey: boolean;
  readonly scopes: string;
  readonly purpose: string;
  readonly actor: string | null;
  readonly mintedAt: string;
  /** Null for a key without an end. */
  readonly expiresAt: string | null;
  /** Null where they are not counted. */
  readonly usesLeft: number | null;
  readonly state: 'valid' | 'revoked' | 'expired' | 'exhausted';
}

const listedMax = 200;

/** Those in force first, then the newest; free shares, which anybody cuts, are left out. */
export async function listCapabilities(
  service: Service,
  tenant: string,
): Promise<{ readonly items: readonly ListedCapability[]; readonly more: boolean }> {
  const now = new Date(service.now()).toISOString();
  const all: ListedCapability[] = [];
  for await (const each of service.store.read.scan(capabilityTable)) {
    const row = each as unknown as CapabilityRow;
    if (row.record.tenant === tenant && row.record.origin === 'owner') all.push(listed(row, now));
  }
  all.sort((a, b) => rank(a) - rank(b) || (a.mintedAt < b.mintedAt ? 1 : -1));
  return { items: all.slice(0, listedMax), more: all.length > listedMax };
}

function rank({ state }: ListedCapability): number {
  return state === 'valid' ? 0 : 1;
}

function listed({ record, uses, revoked_at: revokedAt }: CapabilityRow, now: string): ListedCapability {
  const usesLeft = record.max_uses === 0 ? null : Math.max(0, record.max_uses - uses);
  return {
    fingerprint: record.fingerprint,
    isKey: record.kind === 'key',
    scopes: grantsOf(record).map(scopeText).join(' '),
    purpose: record.purpose,
    actor: record.actor,
    mintedAt: record.minted_at,
    expiresAt: record.expires_at === neverExpires ? null : record.expires_at,
    usesLeft,
    state:
      revokedAt !== null
        ? 'revoked'
        : record.expires_at <= now
          ? 'expired'
          : usesLeft === 0
            ? 'exhausted'
            : 'valid',
  };
}
