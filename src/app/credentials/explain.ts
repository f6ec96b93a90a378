/**
 * Capabilities as their holders and the owner see them (spec §2.6.1 CAP_EXPLAIN, contract §4, §8): what one may do
 * and what became of it, and the lists of shares and API keys. Never a token.
 */
import { about, fault, type Fault, isFault } from '../../kernel/fault.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { canInvoke } from '../../domain/capabilities/gates.ts';
import { covers, grantsOf } from '../../domain/capabilities/grants.ts';
import { capabilityStatus, type CapabilityStatus, usesLeft } from '../../domain/capabilities/life-cycle.ts';
import {
  type CapabilityRecord,
  type CapabilityRow,
  capabilityTable,
  invocationTable,
} from '../../domain/capabilities/tables.ts';
import { objectOf } from '../../domain/capabilities/invocation.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Binding } from '../../domain/capabilities/binding.ts';
import { links } from '../../domain/links.ts';
import { leafHash } from '../../ledger/entry.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { isOpenTo } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { findCapability, readBinding } from './authenticate.ts';
import {
  Explained,
  isPrivateMember,
  KeyList,
  type Grant,
  type ListedKey,
  type PublicExplained,
} from '../../model/capability.ts';
import { defineRead } from '../reads/define-read.ts';
import { exactly } from '../../model/exact.ts';
import { noExpiry } from '../../domain/capabilities/key-mint.ts';

export async function explain(service: Service, row: CapabilityRow): Promise<Explained> {
  const now = service.now();
  const ancestors: CapabilityRow[] = [];
  for (let next = row.record.parent; next !== null;) {
    const parent: CapabilityRow | undefined = await service.store.read.row(capabilityTable, next);
    if (parent === undefined) break;
    ancestors.push(parent);
    next = parent.record.parent;
  }
  const binding = await readBinding(service.store, [row, ...ancestors]);
  const trail = await service.store.read.chain(row.record.fingerprint);
  const { digest: _digest, ...shown } = row.record;
  return exactly(Explained, {
    ...shown,
    verbs: isFault(binding) ? [] : verbsOf(service, row, ancestors, binding),
    uses: row.uses,
    uses_left: usesLeft(row, ancestors),
    ttl_left: Math.max(0, Math.floor((Date.parse(row.record.expires_at) - now) / 1000)),
    state: capabilityStatus(row, ancestors, new Date(now).toISOString()),
    revoked: row.revoked_at !== null,
    revoked_at: row.revoked_at,
    denials: row.denials,
    ancestors: ancestors.map((each) => ({
      fingerprint: each.record.fingerprint,
      expires_at: each.record.expires_at,
      revoked_at: each.revoked_at,
      max_uses: each.record.max_uses,
      uses: each.uses,
    })),
    ledger: trail.map(({ text }) => ({
      ...(JSON.parse(text) as Explained['ledger'][number]),
      hash: Buffer.from(leafHash(text)).toString('hex'),
    })),
    page: links.capability(service.base, row.record.fingerprint),
  });
}

/**
 * Explains a capability named by its public fingerprint. Credentials that the owner gave for the workspace see
 * everything; others do not see its purpose and restrictions.
 */
export async function explainNamed(
  service: Service,
  viewer: Credential,
  fingerprint: string,
): Promise<PublicExplained | Fault> {
  const row = await findCapability(service, fingerprint);
  if (row === undefined || !(await isOpenTo(service, viewer, row.record.tenant)))
    return about(
      fault(
        'not_found',
        `There is no capability ${fingerprint.slice(0, 40)}.`,
        'Send the whole token, or its cap_ fingerprint.',
      ),
      { kind: 'capability', id: fingerprint },
    );
  const explained = await explain(await withWorkspaceRows(service, row.record.tenant), row);
  if (maySeePurpose(viewer, fingerprint)) return explained;
  return Object.fromEntries(
    Object.entries(explained).filter(([name]) => !isPrivateMember(name)),
  ) as PublicExplained;
}

/**
 * Whether the viewer is the owner, the holder, or has an owner-minted credential of the workspace. Free shares
 * anybody can have.
 */
function maySeePurpose(viewer: Credential, fingerprint: string): boolean {
  if (viewer.kind !== 'share') return viewer.kind === 'owner';
  return viewer.fingerprint === fingerprint || viewer.chain.every(({ record }) => record.origin === 'owner');
}

/** What a capability that is not minted yet would permit. */
export function permitted(
  service: Service,
  record: CapabilityRecord,
  ancestors: readonly CapabilityRow[],
): JsonObject {
  const head = { n: -1, hash: '', ts: record.minted_at };
  const row = { fingerprint: '', record, uses: 0, denials: 0, revoked_at: null, head };
  const { scope, keys, article, expires_at, max_uses, risk_ceiling, owner_gate } = record;
  return {
    scope,
    keys: [...keys],
    article,
    verbs: verbsOf(service, row, ancestors, undefined),
    expires_at: expires_at === noExpiry ? null : expires_at,
    max_uses,
    risk_ceiling,
    owner_gate,
  };
}

/** One call made with a capability. */
export interface MadeCall {
  readonly inv: string;
  readonly key: string;
  readonly status: string;
  readonly ts: string;
}

const callsMax = 50;

/** What a capability did: its newest calls of the rows that it covers. */
export async function callsBy(
  service: Service,
  { tenant, fingerprint, verbs }: Pick<Explained, 'tenant' | 'fingerprint' | 'verbs'>,
): Promise<MadeCall[]> {
  const rows = await service.store.read.select(invocationTable, {
    ids: verbs.map((key) => objectOf(tenant, key)),
    where: [{ column: 'actor', op: '=', value: fingerprint }],
    order: 'seq',
    reverse: true,
    limit: callsMax,
  });
  return rows.map(({ object, inv, status, ts }) => ({
    inv,
    key: object.slice(object.indexOf('/') + 1),
    status,
    ts,
  }));
}

/** The keys of the rows that a share can invoke. */
export function invocableKeys(
  service: Service,
  { chain, binding }: Extract<Credential, { kind: 'share' }>,
): readonly string[] {
  const [own, ...ancestors] = chain;
  return own === undefined ? [] : verbsOf(service, own, ancestors, binding);
}

/**
 * Rows that the scope covers and the capability can invoke while in force; owner rows and rows above its risk ceiling
 * excluded.
 */
function verbsOf(
  service: Service,
  own: CapabilityRow,
  ancestors: readonly CapabilityRow[],
  binding: Binding | undefined,
): string[] {
  const { record } = own;
  const inForce: Credential = {
    kind: 'share',
    fingerprint: record.fingerprint,
    chain: [own, ...ancestors].map((link) => ({ ...link, revoked_at: null })),
    binding,
  };
  return [...service.rows.values()]
    .filter((row) => grantsOf(record).some((grant) => covers(grant, row)))
    .filter((row) => canInvoke(row, inForce, record.minted_at))
    .map((row) => row.key);
}

export interface ListedCapability {
  readonly fingerprint: string;
  readonly isKey: boolean;
  readonly scopes: string;
  readonly purpose: string;
  readonly actor: string | null;
  readonly mintedAt: string;
  /** Null for a key without an end. */
  readonly expiresAt: string | null;
  /** How often it was used; null if uncounted. */
  readonly uses: number | null;
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
  for await (const row of service.store.read.scan(capabilityTable)) {
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
    uses: record.kind === 'key' || record.max_uses === 0 ? null : row.uses,
    usesLeft: usesLeft(row, ancestors),
    state: capabilityStatus(row, ancestors, now),
  };
}

/** The owner's list of API keys: fingerprints, scopes and state, never a key. */
export const listKeys = defineRead(KeyList, async (service: Service, tenant: string) => {
  const now = new Date(service.now()).toISOString();
  const keys: ListedKey[] = [];
  for await (const row of service.store.read.scan(capabilityTable)) {
    if (row.record.kind === 'key' && row.record.tenant === tenant) keys.push(keyJson(service.base, row, now));
  }
  keys.sort((a, b) => (a.minted_at < b.minted_at ? -1 : 1));
  return { count: keys.length, keys };
});

function keyJson(base: string, { record, revoked_at }: CapabilityRow, now: string): ListedKey {
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

function scopeText({ scope, keys, article }: Grant): string {
  return `${scope}${keys.length === 0 ? '' : `:${keys.join(',')}`}${article === null ? '' : `@${article}`}`;
}
