/**
 * The nine gates as a table (contract §3): each refuses under its own condition, for every link of a share's chain,
 * and in the order of the specification.
 */
import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/domain/capabilities/credential.ts';
import { judge, type GateCall } from '../../src/domain/capabilities/gates.ts';
import type { Row } from '../../src/domain/capabilities/row.ts';
import type {
  CapabilityGrant,
  CapabilityRecord,
  CapabilityRow,
} from '../../src/domain/capabilities/tables.ts';
import { builtInRows } from '../../src/rows/index.ts';

const now = '2026-01-01T00:05:00.000Z';
const later = '2026-01-01T00:10:00.000Z';

const grant: CapabilityGrant = {
  tenant: 'main',
  origin: 'owner',
  scope: 'rows',
  keys: ['VOXEL_EDIT', 'VOXEL_BATCH', 'MIRROR_APPEND', 'MIRROR_FEED'],
  article: null,
  ttl: 600,
  expires_at: later,
  max_uses: 0,
  purpose: '',
  risk_ceiling: 'high',
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

interface Link {
  readonly grant?: Partial<CapabilityGrant & Pick<CapabilityRecord, 'grants'>>;
  readonly revoked?: boolean;
  readonly uses?: number;
}

/** A share of these links: the share itself first, then what it was cut from. */
function share(...links: readonly Link[]): Credential {
  const chain = links.map(({ grant: more = {}, revoked = false, uses = 0 }, i): CapabilityRow => ({
    fingerprint: `cap_${i}`,
    record: { ...grant, ...more, fingerprint: `cap_${i}` },
    uses,
    denials: 0,
    revoked_at: revoked ? grant.minted_at : null,
    head: { n: 0, hash: 'x', ts: grant.minted_at },
  }));
  return { kind: 'share', fingerprint: 'cap_0', chain };
}

const row = (key: string): Row => {
  const found = builtInRows.find((each) => each.key === key);
  if (found === undefined) throw new Error(`there is no row ${key}`);
  return found;
};

const call = (credential: Credential, more: Partial<GateCall> = {}): GateCall => ({
  row: row('VOXEL_EDIT'),
  credential,
  tenant: 'main',
  slug: 'notes',
  body: 'body',
  now,
  bodyBytesMax: 100,
  ...more,
});

const owner: Credential = { kind: 'owner' };
const anonymous: Credential = { kind: 'anonymous' };
const sound: Link = {};

const refusals: readonly (readonly [condition: string, call: GateCall, gate: string, fault: string])[] = [
  ['nobody calls a row for shares', call(anonymous), 'credential', 'credential_required'],
  [
    'nobody calls a row of the owner',
    call(anonymous, { row: row('SECRET_SCRUB') }),
    'credential',
    'owner_only',
  ],
  ['the share was revoked', call(share({ revoked: true })), 'credential', 'token_revoked'],
  [
    'the share expires at this instant',
    call(share({ grant: { expires_at: now } })),
    'credential',
    'token_expired',
  ],
  ['the share names other rows', call(share({ grant: { keys: ['VOXEL_MOVE'] } })), 'scope', 'scope_denied'],
  [
    'a parent names other rows',
    call(share(sound, { grant: { keys: ['VOXEL_MOVE'] } })),
    'scope',
    'scope_denied',
  ],
  [
    'the share may act and the row edits text',
    call(share({ grant: { scope: 'act' } })),
    'scope',
    'voxel_scope_required',
  ],
  [
    'the share is for another article',
    call(share({ grant: { article: 'essays' } })),
    'scope',
    'scope_denied',
  ],
  [
    'a parent is for another article',
    call(share(sound, { grant: { article: 'essays' } })),
    'scope',
    'scope_denied',
  ],
  [
    'a share names a row of the owner',
    call(share({ grant: { keys: ['SECRET_SCRUB'] } }), { row: row('SECRET_SCRUB') }),
    'scope',
    'owner_only',
  ],
  [
    'the row is switched off',
    call(share(sound), {
      row: {
        ...row('VOXEL_EDIT'),
        rowOverride: {
          version: 1,
          enabled: false,
          ledgerEnabled: true,
          authorityRequired: false,
          type: 'fn',
          method: null,
        },
      },
    }),
    'scope',
    'row_disabled',
  ],
  [
    'a document is appended and one parent of two may only begin articles',
    call(share({ grant: { keys: ['VOXEL_BATCH'] } }, { grant: { scope: 'act' } }), {
      row: { ...row('VOXEL_BATCH'), inAct: true },
      appends: true,
    }),
    'scope',
    'voxel_scope_required',
  ],
  [
    'a document is appended and the scope that writes text is for another article',
    call(
      share({
        grant: {
          grants: [
            { scope: 'act', keys: [], article: null },
            { scope: 'rows', keys: ['VOXEL_BATCH'], article: 'essays' },
          ],
        },
      }),
      { row: { ...row('VOXEL_BATCH'), inAct: true }, appends: true },
    ),
    'scope',
    'voxel_scope_required',
  ],
  ['a parent was revoked', call(share(sound, { revoked: true })), 'ancestor', 'ancestor_revoked'],
  [
    'the first of three links was revoked',
    call(share(sound, sound, { revoked: true })),
    'ancestor',
    'ancestor_revoked',
  ],
  [
    'a parent expires at this instant',
    call(share(sound, { grant: { expires_at: now } })),
    'ancestor',
    'ancestor_expired',
  ],
  [
    'the share is of another workspace',
    call(share({ grant: { tenant: 'ws_other' } })),
    'tenant',
    'scope_denied',
  ],
  [
    'a parent is of another workspace',
    call(share(sound, { grant: { tenant: 'ws_other' } })),
    'tenant',
    'scope_denied',
  ],
  [
    'the ceiling is low and the risk high',
    call(share({ grant: { risk_ceiling: 'low' } }), { row: { ...row('VOXEL_EDIT'), risk: 'high' } }),
    'risk',
    'risk_ceiling',
  ],
  [
    'the ceiling of a parent is low',
    call(share(sound, { grant: { risk_ceiling: 'low' } }), { row: { ...row('VOXEL_EDIT'), risk: 'high' } }),
    'risk',
    'risk_ceiling',
  ],
  [
    'the body is fixed to another',
    call(share({ grant: { body_fixed: 'this' } })),
    'fixed_body',
    'fixed_body_only',
  ],
  [
    'the body of a parent is fixed to another',
    call(share(sound, { grant: { body_fixed: 'this' } })),
    'fixed_body',
    'fixed_body_only',
  ],
  ['all uses are taken', call(share({ grant: { max_uses: 2 }, uses: 2 })), 'use_budget', 'token_exhausted'],
  [
    'all uses of a parent are taken',
    call(share(sound, { grant: { max_uses: 2 }, uses: 2 })),
    'use_budget',
    'token_exhausted',
  ],
  [
    'the body is a byte too long',
    call(owner, { body: 'é'.repeat(51) }),
    'payload_ceiling',
    'payload_ceiling',
  ],
  [
    'the ceiling of a parent is lower',
    call(share(sound, { grant: { max_body_bytes: 3 } })),
    'payload_ceiling',
    'payload_ceiling',
  ],
];

describe('the gates', () => {
  it.each(refusals)('refuse when %s', (_condition, refused, gate, code) => {
    const { refused: refusal, trace } = judge(refused);
    expect([refusal?.gate, refusal?.fault]).toEqual([gate, code]);
    expect(trace.at(-1)).toMatchObject({ gate, ok: false });
    expect(trace.slice(0, -1).every(({ ok }) => ok)).toBe(true);
  });

  it.each([
    ['the owner', call(owner), []],
    ['a share within its scope, time, workspace, ceiling and budget', call(share(sound, sound)), []],
    [
      'a share with uses left, charging each link with a use limit',
      call(share({ grant: { max_uses: 2 }, uses: 1 }, sound, { grant: { max_uses: 9 } })),
      ['cap_0', 'cap_2'],
    ],
    ['a share that sends the fixed body', call(share({ grant: { body_fixed: 'body' } })), []],
    [
      'a key whose scopes cover the row for this article and for another',
      call(
        share({
          grant: {
            grants: [
              { scope: 'rows', keys: ['VOXEL_EDIT'], article: 'essays' },
              { scope: 'rows', keys: ['VOXEL_EDIT'], article: 'notes' },
            ],
          },
        }),
      ),
      [],
    ],
    ['an anonymous caller on a public row', call(anonymous, { row: row('MIRROR_APPEND') }), []],
    ['a body of exactly the ceiling', call(owner, { body: 'é'.repeat(50) }), []],
  ] as const)('allow %s', (_who, allowed, charged) => {
    const judgement = judge(allowed);
    expect(judgement.refused).toBeUndefined();
    expect(judgement.trace.map(({ gate }) => gate)).toEqual([
      'credential',
      'scope',
      'ancestor',
      'tenant',
      'risk',
      'owner_gate',
      'fixed_body',
      'use_budget',
      'payload_ceiling',
    ]);
    expect(judgement.charged.map(({ record }) => record.fingerprint)).toEqual(charged);
  });

  it.each([
    ['a gated share', call(share({ grant: { owner_gate: true } })), true],
    ['a share whose parent is gated', call(share(sound, { grant: { owner_gate: true } })), true],
    [
      'an approved call of a gated share',
      call(share({ grant: { owner_gate: true } }), { approved: true }),
      false,
    ],
    [
      'a gated share that only reads',
      call(share({ grant: { owner_gate: true } }), { row: row('MIRROR_FEED') }),
      false,
    ],
    ['a share without a gate', call(share(sound)), false],
    ['the owner', call(owner), false],
  ] as const)('apply the owner gate to %s as the contract requires', (_who, asked, gated) => {
    expect(judge(asked)).toMatchObject({ refused: undefined, gated });
  });

  it('charge nothing for a refused call', () => {
    const { charged, refused } = judge(call(share({ grant: { max_uses: 5 } }), { body: 'x'.repeat(101) }));
    expect([charged, refused?.fault]).toEqual([[], 'payload_ceiling']);
  });
});
