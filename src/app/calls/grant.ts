/** Minting and revoking shares and keys inside the act (contract §4): authority is judged over the state that the act holds. */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { encodeApiKey } from '../../domain/capabilities/api-key-codec.ts';
import { planKey } from '../../domain/capabilities/key-mint.ts';
import { mintEvent, revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { planMint } from '../../domain/capabilities/mint.ts';
import { encodeShare } from '../../domain/capabilities/share-codec.ts';
import { capabilityTable, type CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { renderDrop } from '../../domain/drops/render.ts';
import type { Context, Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import type { Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { PreparedCall } from './call.ts';
import { shareAddresses } from '../credentials/share-addresses.ts';
import type { Service } from '../service.ts';

export function mint(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  input: Parameters<typeof planMint>[0],
  credential: Credential,
  context: Context,
): Result | Fault {
  const parent = credential.kind === 'share' ? credential.chain : [];
  if (parent[0]?.record.kind === 'key')
    return fault('owner_only', 'An API key cuts no shares.', 'Ask the owner for a share.');
  const plan = planMint(input, parent, service.rows, context);
  if (isFault(plan)) return plan;
  const share = encodeShare(
    service.secrets.macKeys[0],
    Math.floor(Date.parse(plan.expires_at) / 1000),
    call.draw.bytes(10),
  );
  const record: CapabilityRecord = { ...plan, fingerprint: share.fingerprint };
  tx.append(mintEvent(record, context));
  return {
    result: {
      capability: record,
      fingerprint: record.fingerprint,
      expires_at: record.expires_at,
      max_uses: record.max_uses,
    },
    text: `Minted ${record.fingerprint} for ${[record.scope, record.keys.join(', ')].join(' ').trimEnd()}, until ${record.expires_at}.`,
    material: [
      { kind: 'capability', id: record.fingerprint, url: links.capability(service.base, record.fingerprint) },
    ],
    reveal: {
      share: share.token,
      ...shareAddresses(service, share.token, record),
      drop: renderDrop(service.base, share.token, record, service.ownerName),
    },
  };
}

export function mintKey(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  input: Parameters<typeof planKey>[0],
  context: Context,
): Result | Fault {
  const key = encodeApiKey(call.draw.bytes(32));
  const record = planKey(input, key, service.rows, context);
  if (isFault(record)) return record;
  tx.append(mintEvent(record, context));
  const { digest: _digest, ...shown } = record;
  return {
    result: { capability: shown, fingerprint: key.fingerprint, scopes: input.scopes },
    text: `Minted the API key ${key.fingerprint} for ${input.scopes}.`,
    material: [
      { kind: 'capability', id: key.fingerprint, url: links.capability(service.base, key.fingerprint) },
    ],
    reveal: { key: key.token },
  };
}

/** The owner, an ancestor's holder, or the token itself (contract §3). */
export function revoke(
  tx: Tx,
  fingerprint: string,
  credential: Credential,
  context: Context,
): Result | Fault {
  const row = tx.row(capabilityTable, fingerprint);
  if (row === undefined || !holds(tx, fingerprint, credential)) {
    return fault(
      'not_found',
      `There is no capability ${fingerprint} that you could revoke.`,
      'Revoke your own share, or one that was cut from it.',
    );
  }
  const event = revokeEvent(row, context);
  if (isFault(event)) return event;
  const appended = tx.append(event);
  return {
    result: { fingerprint, state: 'revoked', revoked_at: appended.sealed.entry.ts },
    text: `Revoked ${fingerprint} and everything cut from it.`,
    material: [],
  };
}

function holds(tx: Tx, fingerprint: string, credential: Credential): boolean {
  if (credential.kind === 'owner') return true;
  if (credential.kind === 'anonymous') return false;
  for (
    let next: string | null = fingerprint;
    next !== null;
    next = tx.row(capabilityTable, next)?.record.parent ?? null
  ) {
    if (next === credential.fingerprint) return true;
  }
  return false;
}
