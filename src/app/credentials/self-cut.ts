/**
 * Self-cut shares (contract §4): a capability without a key, for the open rows alone. Until its first use it is
 * an operational record that all nodes share; then it enters the ledger with that use. Under another share,
 * cutting is CAP_MINT like any other.
 */
import { encodeShare } from '../../domain/capabilities/share-codec.ts';
import { publicKeys } from '../../domain/workspaces/roles.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { renderDrop } from '../../domain/drops/render.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { links } from '../../domain/links.ts';
import { scrubText } from '../../guard/secrets.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { randomBytes } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { heldName } from './authenticate.ts';
import type { Service } from '../service.ts';
import { shareAddresses } from './share-addresses.ts';

const ttlSeconds = 86_400;
const usesMax = 25;

export interface SelfCut {
  /** Wanted keys; all of the public ones when left out. */
  readonly keys: readonly string[] | undefined;
  readonly purpose: string;
  readonly actor: string | null;
  readonly tenant: string;
  /** Rows that the role which is entered opens beside the public ones. */
  readonly also?: readonly string[] | undefined;
}

export async function selfCut(service: Service, wanted: SelfCut): Promise<JsonObject | Fault> {
  const asked = wanted.keys ?? publicKeys;
  const open = [...new Set([...publicKeys, ...(wanted.also ?? [])])];
  const keys = open.filter((key) => asked.includes(key));
  const refused = asked.filter((key) => !open.includes(key)).map((key) => key.slice(0, 80));
  if (keys.length === 0) {
    return fault(
      'keys_not_public',
      'None of these rows is one that anybody may cut a share for.',
      `Name some of ${publicKeys.join(', ')}, or ask the owner for a share.`,
      { refused, public_keys: publicKeys },
    );
  }
  const nowMs = service.now();
  const expiresSeconds = Math.floor(nowMs / 1000) + ttlSeconds;
  const share = encodeShare(service.secrets.macKeys[0], expiresSeconds, randomBytes(10));
  const clean = (text: string): string => scrubText(text, fingerprintOf).value;
  const record: CapabilityRecord = {
    fingerprint: share.fingerprint,
    tenant: wanted.tenant,
    origin: 'self',
    scope: 'rows',
    keys,
    article: null,
    ttl: ttlSeconds,
    expires_at: new Date(expiresSeconds * 1000).toISOString(),
    max_uses: usesMax,
    purpose: clean(wanted.purpose),
    risk_ceiling: 'low',
    owner_gate: false,
    body_fixed: null,
    max_body_bytes: null,
    parent: null,
    depth: 0,
    issuer: 'anonymous',
    actor: wanted.actor === null ? null : clean(wanted.actor),
    minted_at: new Date(nowMs).toISOString(),
    contract_hash: null,
  };
  await service.store.ephemeral.put(
    heldName(share.fingerprint),
    JSON.stringify(record),
    expiresSeconds * 1000,
  );
  return { capability: record, granted: keys, refused, ...shareAnswer(service, share.token, record) };
}

/** A token as it is handed out: once, with ready addresses and the drop that a person may pass on. */
export function shareAnswer(service: Service, share: string, record: CapabilityRecord): JsonObject {
  const dispatch = links.dispatch(service.base);
  return {
    share,
    fingerprint: record.fingerprint,
    expires_at: record.expires_at,
    max_uses: record.max_uses,
    ...shareAddresses(service, share, record),
    next: [
      `${dispatch}?explain=1&share=${share}`,
      ...record.keys.map((key) => links.contract(service.base, key)),
    ],
    drop: renderDrop(service.base, share, record, service.ownerName),
  };
}
