/** The owner's list of shares and keys for the console (contract §8): fingerprints and their state. */
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { noExpiry } from '../../domain/capabilities/key-mint.ts';
import { capabilityStatus, usesLeft, type CapabilityStatus } from '../../domain/capabilities/life-cycle.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import type { Grant } from '../../model/capability.ts';
import type { Service } from '../service.ts';
import { links } from '../../domain/links.ts';
import type { JsonObject } from '../../kernel/json.ts';

export interface ListedCapability {
  readonly fingerprint: string;
  readonly isKey: boolean;
  readonly scopes: string;
  readonly purpose: string;
  readonly actor: string | null;
  readonly mintedAt: string;
  /** Null for a key without an end. */
  readonly expiresAt: string | null;
  /** Uses left, its ancestors included; null if uncounted. */
  readonly usesLeft: number | null;
  readonly state: CapabilityStatus;
}

const listedMax = 200;

/** Those in force first, then the newest; self-cut shares are left out. */
export async function listCapabilities(
  service: Service,
  tenant: string,
): Promise<{ readonly items: readonly ListedCapability[]; readonly more: boolean }> {
  const now = new Date(service.now()).toISOString();
  const rows = new Map<string, CapabilityRow>();
  for await (const each of service.store.read.scan(capabilityTable)) {
    const row = each as unknown as CapabilityRow;
    if (row.record.tenant === tenant && row.record.origin === 'owner') rows.set(row.fingerprint, row);
  }
  const all = [...rows.values()].map((row) => listed(row, ancestorsOf(row, rows), now));
  all.sort((a, b) => rank(a) - rank(b) || (a.mintedAt < b.mintedAt ? 1 : -1));
  return { items: all.slice(0, listedMax), more: all.length > listedMax };
}

function rank({ state }: ListedCapability): number {
  return state === 'valid' ? 0 : 1;
}

/** Ancestors up to the root; a cut has the tenant and origin of its parent. */
function ancestorsOf(row: CapabilityRow, rows: ReadonlyMap<string, CapabilityRow>): CapabilityRow[] {
  const ancestors: CapabilityRow[] = [];
  for (let next = row.record.parent; next !== null;) {
    const parent = rows.get(next);
    if (parent === undefined) break;
    ancestors.push(parent);
    next = parent.record.parent;
  }
  return ancestors;
}

function listed(row: CapabilityRow, ancestors: readonly CapabilityRow[], now: string): ListedCapability {
  const { record } = row;
  return {
    fingerprint: record.fingerprint,
    isKey: record.kind === 'key',
    scopes: grantsOf(record).map(scopeText).join(' '),
    purpose: record.purpose,
    actor: record.actor,
    mintedAt: record.minted_at,
    expiresAt: record.expires_at === noExpiry ? null : record.expires_at,
    usesLeft: usesLeft(row, ancestors),
    state: capabilityStatus(row, ancestors, now),
  };
}

/** The owner's list of API keys: fingerprints, scopes and state, never a key. */
export async function listKeys(service: Service, tenant: string): Promise<JsonObject> {
  const now = new Date(service.now()).toISOString();
  const keys: JsonObject[] = [];
  for await (const each of service.store.read.scan(capabilityTable)) {
    const row = each as unknown as CapabilityRow;
    if (row.record.kind === 'key' && row.record.tenant === tenant) keys.push(keyJson(service.base, row, now));
  }
  keys.sort((a, b) => (String(a['minted_at']) < String(b['minted_at']) ? -1 : 1));
  return { count: keys.length, keys };
}

function keyJson(base: string, { record, revoked_at }: CapabilityRow, now: string): JsonObject {
  return {
    fingerprint: record.fingerprint,
    scopes: grantsOf(record).map(scopeText),
    purpose: record.purpose,
    actor: record.actor,
    minted_at: record.minted_at,
    expires_at: record.expires_at === noExpiry ? null : record.expires_at,
    revoked_at,
    state: revoked_at !== null ? 'revoked' : record.expires_at <= now ? 'expired' : 'valid',
    page: links.capability(base, record.fingerprint),
  };
}

export function scopeText({ scope, keys, article }: Grant): string {
  return `${scope}${keys.length === 0 ? '' : `:${keys.join(',')}`}${article === null ? '' : `@${article}`}`;
}
