import { describe, expect, it } from 'vitest';
import { checkExpiry } from '../../../src/domain/capabilities/gates.ts';
import type { CapabilityGrant, CapabilityRow } from '../../../src/domain/capabilities/tables.ts';

const grant: CapabilityGrant = {
  tenant: 'main',
  origin: 'owner',
  scope: 'act',
  keys: [],
  article: null,
  ttl: 600,
  expires_at: '2026-01-01T00:10:00.000Z',
  max_uses: 0,
  purpose: '',
  risk_ceiling: 'low',
  owner_gate: false,
  body_fixed: null,
  max_body_bytes: null,
  parent: null,
  depth: 0,
  issuer: 'owner',
  actor: null,
  minted_at: '2026-01-01T00:00:00.000Z',
  contract_hash: null,
};

function link(fingerprint: string, expires: string, revoked: string | null = null): CapabilityRow {
  return {
    fingerprint,
    record: { ...grant, fingerprint, expires_at: expires },
    uses: 0,
    denials: 0,
    revoked_at: revoked,
    head: { n: 0, hash: 'x', ts: grant.minted_at },
  };
}

const early = '2026-01-01T00:05:00.000Z';
const late = '2026-01-01T00:20:00.000Z';
const at = (now: string, ...chain: readonly CapabilityRow[]) =>
  checkExpiry({ kind: 'share', fingerprint: 'cap_0', chain }, now);

describe('checkExpiry of a share with ancestors', () => {
  it('returns nothing while the share and all ancestors are in force', () => {
    expect(at(early, link('cap_0', late), link('cap_1', late), link('cap_2', late))).toBeUndefined();
  });

  it('expires with any ancestor, at the instant of its expiry', () => {
    const now = '2026-01-01T00:10:00.000Z';
    expect(at(now, link('cap_0', late), link('cap_1', late), link('cap_2', now))).toMatchObject({
      fault: 'ancestor_expired',
      gate: 'ancestor',
    });
    expect(at(now, link('cap_0', now), link('cap_1', now))).toMatchObject({
      fault: 'token_expired',
      gate: 'credential',
    });
    expect(at(early, link('cap_0', late), link('cap_1', late, early))).toMatchObject({
      fault: 'ancestor_revoked',
    });
  });
});
