/** The owner's list of API keys (contract §4): fingerprints, scopes and what became of them, never a key. */
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { neverExpires } from '../../domain/capabilities/key-mint.ts';
import { capabilityTable, type CapabilityRow, type Grant } from '../../domain/capabilities/tables.ts';
import { links } from '../../domain/links.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';

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
    expires_at: record.expires_at === neverExpires ? null : record.expires_at,
    revoked_at,
    state: revoked_at !== null ? 'revoked' : record.expires_at <= now ? 'expired' : 'valid',
    page: links.capability(base, record.fingerprint),
  };
}

export function scopeText({ scope, keys, article }: Grant): string {
  return `${scope}${keys.length === 0 ? '' : `:${keys.join(',')}`}${article === null ? '' : `@${article}`}`;
}
