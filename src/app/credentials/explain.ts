/** What a capability may do and what became of it (spec §2.6.1 CAP_EXPLAIN, contract §4). Never the token. */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { canInvoke } from '../../domain/capabilities/gates.ts';
import { covers, grantsOf } from '../../domain/capabilities/grants.ts';
import { capabilityStatus, usesLeft } from '../../domain/capabilities/life-cycle.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import type { Binding } from '../../domain/capabilities/binding.ts';
import { links } from '../../domain/links.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { leafHash } from '../../ledger/entry.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { isOpenTo } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { findCapability } from './authenticate.ts';
import { readBinding } from './binding.ts';
import { Explained } from '../../model/capability.ts';
import { exactly } from '../../model/exact.ts';

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
): Promise<JsonObject | Fault> {
  const row = await findCapability(service, fingerprint);
  if (row === undefined || !(await isOpenTo(service, viewer, row.record.tenant)))
    return fault(
      'not_found',
      `There is no capability ${fingerprint.slice(0, 40)}.`,
      'Send the whole token, or its cap_ fingerprint.',
    );
  const explained = await explain(await withWorkspaceRows(service, row.record.tenant), row);
  if (maySeePurpose(viewer, fingerprint)) return explained;
  return Object.fromEntries(Object.entries(explained).filter(([name]) => !privateMembers.has(name)));
}

/**
 * Whether the viewer is the owner, the holder, or has an owner-minted credential of the workspace. Free shares
 * anybody can have.
 */
function maySeePurpose(viewer: Credential, fingerprint: string): boolean {
  if (viewer.kind !== 'share') return viewer.kind === 'owner';
  return viewer.fingerprint === fingerprint || viewer.chain.every(({ record }) => record.origin === 'owner');
}

/** Members of a record that say what it is for and for whom; private to its holder. */
const privateMembers: ReadonlySet<string> = new Set([
  'purpose',
  'actor',
  'article',
  'grants',
  'body_fixed',
  'max_body_bytes',
  'role',
  'assignment',
]);

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
