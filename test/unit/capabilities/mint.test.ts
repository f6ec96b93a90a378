import { describe, expect, it } from 'vitest';
import { planMint, type KnownRow } from '../../../src/domain/capabilities/mint.ts';
import type { CapabilityGrant, CapabilityRow } from '../../../src/domain/capabilities/tables.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const now = '2026-01-01T00:00:00.000Z';
const context = { now, tenant: 'main', actor: 'owner' };
const rows: Readonly<Record<string, Partial<KnownRow>>> = {
  MIRROR_APPEND: { inAct: true },
  MIRROR_FEED: { inAct: true, safe: true },
  VOXEL_EDIT: {},
  VOXEL_BURN: { prefixable: false },
  KEY_MINT: { auth: 'owner' },
  KEY_LIST: { auth: 'owner', safe: true },
  CAP_REVOKE: { auth: 'owner', selfLimiting: true },
};
const known: ReadonlyMap<string, KnownRow> = new Map(
  Object.entries(rows).map(([key, row]) => [
    key,
    { key, contractHash: 'h', inAct: false, safe: false, prefixable: true, auth: 'share', ...row },
  ]),
);

const grant: CapabilityGrant = {
  tenant: 'main',
  origin: 'owner',
  scope: 'rows',
  keys: ['MIRROR_APPEND', 'VOXEL_EDIT'],
  article: null,
  ttl: 3600,
  expires_at: '2026-01-01T01:00:00.000Z',
  max_uses: 5,
  purpose: 'work',
  risk_ceiling: 'low',
  owner_gate: false,
  body_fixed: null,
  max_body_bytes: 1000,
  parent: null,
  depth: 0,
  issuer: 'owner',
  actor: null,
  minted_at: now,
  contract_hash: null,
};
const parent = (change: Partial<CapabilityGrant> = {}, uses = 2): CapabilityRow[] => [
  {
    fingerprint: 'cap_0',
    record: { ...grant, ...change, fingerprint: 'cap_0' },
    uses,
    denials: 0,
    revoked_at: null,
    head: { n: 0, hash: 'x', ts: now },
  },
];
const cut = (input: Parameters<typeof planMint>[0], of: CapabilityRow[] = parent()) => {
  const plan = planMint(input, of, known, { ...context, actor: 'cap_0' });
  return isFault(plan) ? plan.fault : plan;
};

describe('minting as the owner', () => {
  it('uses the defaults of the specification: 600 seconds, one use, low risk, no gate', () => {
    expect(planMint({ key: 'MIRROR_APPEND' }, [], known, context)).toMatchObject({
      scope: 'row',
      keys: ['MIRROR_APPEND'],
      ttl: 600,
      expires_at: '2026-01-01T00:10:00.000Z',
      max_uses: 1,
      risk_ceiling: 'low',
      owner_gate: false,
      depth: 0,
      origin: 'owner',
    });
  });

  it.each([
    [{ key: 'NO_SUCH_ROW' }, 'unknown_key'],
    [{ scope: 'row' }, 'body_mismatch'],
    [{ scope: 'galaxy', key: 'VOXEL_EDIT' }, 'body_mismatch'],
    [{ key: 'VOXEL_EDIT', ttl: 0 }, 'body_mismatch'],
    [{ key: 'VOXEL_EDIT', ttl: 30 * 86_400 + 1 }, 'body_mismatch'],
    [{ key: 'VOXEL_EDIT', max_uses: -1 }, 'body_mismatch'],
    [{ key: 'VOXEL_EDIT', risk_ceiling: 'extreme' }, 'body_mismatch'],
    [{ scope: 'row', keys: ['VOXEL_EDIT', 'MIRROR_FEED'] }, 'body_mismatch'],
    [{ key: 'KEY_MINT' }, 'body_mismatch'],
    [{ scope: 'rows', keys: ['VOXEL_EDIT', 'KEY_LIST'] }, 'body_mismatch'],
    [{ scope: 'pfx', keys: ['KEY_'] }, 'body_mismatch'],
    [{ scope: 'pfx', keys: ['VOXEL_', 'KEY_'] }, 'body_mismatch'],
  ])('refuses %j as %s', (input, code) => {
    const plan = planMint(input, [], known, context);
    expect(isFault(plan) ? plan.fault : 'minted').toBe(code);
  });

  it('covers an owner row that only delegates or revokes authority', () => {
    expect(planMint({ key: 'CAP_REVOKE' }, [], known, context)).toMatchObject({ keys: ['CAP_REVOKE'] });
  });
});

describe('a delegated share', () => {
  it('inherits unnamed members, clamped to what its parent has left', () => {
    expect(cut({})).toMatchObject({
      scope: 'rows',
      keys: ['MIRROR_APPEND', 'VOXEL_EDIT'],
      ttl: 3600,
      max_uses: 3,
      purpose: 'work',
      max_body_bytes: 1000,
      parent: 'cap_0',
      depth: 1,
    });
  });

  it('may have exactly what its parent has left', () => {
    expect(cut({ ttl: 3600, max_uses: 3 })).toMatchObject({ ttl: 3600, max_uses: 3 });
  });

  it.each([
    ['more time', { ttl: 3601 }],
    ['more uses', { max_uses: 4 }],
    ['unlimited uses', { max_uses: 0 }],
    ['another row', { scope: 'row', key: 'MIRROR_FEED' }],
    ['a whole tier', { scope: 'act' }],
    ['a prefix', { scope: 'pfx', keys: ['VOXEL_'] }],
    ['a higher ceiling', { risk_ceiling: 'high' }],
    ['a larger body', { max_body_bytes: 1001 }],
  ])('asking for %s is refused', (_, input) => {
    expect(cut(input)).toBe('scope_denied');
  });

  it.each([
    ['act', 'a row beyond act', { scope: 'row', key: 'VOXEL_EDIT' }],
    ['read', 'a row that writes', { scope: 'row', key: 'MIRROR_APPEND' }],
    ['pfx', 'another prefix', { scope: 'pfx', keys: ['MIRROR_'] }],
    ['pfx', 'a prefix beside its own', { scope: 'pfx', keys: ['VOXEL_', 'MIRROR_'] }],
  ])('of scope %s never reaches %s', (scope, _, asks) => {
    const keys = scope === 'pfx' ? ['VOXEL_'] : [];
    expect(cut(asks, parent({ scope: scope as CapabilityGrant['scope'], keys }))).toBe('scope_denied');
  });

  it.each([
    ['a gate', { owner_gate: true }, { owner_gate: false }],
    ['its article', { article: 'one' }, { article: 'two' }],
    ['its fixed body', { body_fixed: 'x' }, { body_fixed: 'y' }],
  ])('cannot drop %s', (_, has, asks) => {
    expect(cut(asks, parent(has))).toBe('scope_denied');
  });

  it('cannot invite to a role', () => {
    const all = parent({ keys: ['MIRROR_APPEND', 'MIRROR_FEED', 'VOXEL_EDIT'], max_uses: 0 });
    expect(cut({ role: 'contributor', ttl: 60, max_uses: 1 }, all)).toBe('scope_denied');
  });

  it('of an exhausted share is refused', () => {
    expect(cut({}, parent({}, 5))).toBe('scope_denied');
  });

  it('of a prefix never reaches rows that only an explicit scope covers', () => {
    const prefix = parent({ scope: 'pfx', keys: ['VOXEL_'] });
    expect(cut({ scope: 'row', key: 'VOXEL_EDIT' }, prefix)).toMatchObject({ keys: ['VOXEL_EDIT'] });
    expect(cut({ scope: 'row', key: 'VOXEL_BURN' }, prefix)).toBe('scope_denied');
  });

  it('is at most eight deep', () => {
    expect(cut({}, parent({ depth: 7 }))).toMatchObject({ depth: 8 });
    expect(cut({}, parent({ depth: 8 }))).toBe('scope_denied');
  });
});
