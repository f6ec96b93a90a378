/**
 * Minting API keys (spec §5, contract §4): the owner's alone, shown once, revocable, without an end unless one
 * is named. A key is a capability without a budget; it cannot be cut.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { Context } from '../context.ts';
import type { ApiKey } from './api-key-codec.ts';
import { parseGrants, type Rows } from './grants.ts';
import type { CapabilityRecord } from './tables.ts';
import type { Grant } from '../../model/capability.ts';

export interface KeyMintInput {
  readonly scopes: string;
  readonly purpose?: string | undefined;
  readonly ttl?: number | undefined;
  readonly actor?: string | undefined;
}

/** Expiry of keys that do not expire. */
export const noExpiry = '9999-12-31T23:59:59.999Z';

export function planKey(
  input: KeyMintInput,
  key: ApiKey,
  rows: Rows,
  context: Context,
): CapabilityRecord | Fault {
  const grants = parseGrants(input.scopes, rows);
  if (isFault(grants)) return grants;
  const first = grants[0] as Grant;
  const ttl = input.ttl ?? 0;
  return {
    kind: 'key',
    digest: key.digest,
    grants,
    fingerprint: key.fingerprint,
    tenant: context.tenant,
    origin: 'owner',
    scope: first.scope,
    keys: [...new Set(grants.flatMap(({ keys }) => keys))],
    article: grants.length === 1 ? first.article : null,
    ttl,
    expires_at: ttl === 0 ? noExpiry : new Date(Date.parse(context.now) + ttl * 1000).toISOString(),
    max_uses: 0,
    purpose: input.purpose ?? '',
    // Only a row that is named reaches above the ceiling; no tier and no prefix does.
    risk_ceiling: grants.some(({ scope }) => scope === 'rows') ? 'high' : 'low',
    owner_gate: false,
    body_fixed: null,
    max_body_bytes: null,
    parent: null,
    depth: 0,
    issuer: context.actor,
    actor: input.actor ?? null,
    minted_at: context.now,
    contract_hash: null,
  };
}
