/** Every kind of credential for the table of access (`access-table.test.ts`), as a caller gets and sends it. */
import { expect } from 'vitest';
import { owner, type LocalServer } from './local.ts';

export interface Caller {
  readonly name: string;
  /** Members of the dispatch body, such as the share. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The article that the credential is for, or `alpha`. */
  readonly own?: string;
}

const lanes = ['field', 'build', 'opposition', 'synthesis'] as const;

/** Articles `alpha`, `beta`, and `survey--notes` in the closed workspace `survey`. */
export async function prepareArticles(server: LocalServer): Promise<void> {
  await server.deployment.did('WORKSPACE_CREATE', {
    name: 'survey',
    title: 'Survey',
    purpose: 'A test',
    status: 'closed',
  });
  for (const slug of ['alpha', 'beta'])
    await server.deployment.did('VOXEL_BATCH', { document: { slug, markdown: '# One\n\nText.\n' } });
  const document = { slug: 'survey--notes', markdown: '# One\n\nText.\n' };
  const made = await server.call('VOXEL_BATCH', { document }, {}, owner);
  if (made.status !== 200) throw new Error(made.body);
  // A claim c1 that rows about claims name.
  for (const slug of ['alpha', 'beta', 'survey--notes']) {
    const claim = {
      slug,
      text: 'A sundial shows the hour.',
      tier: 'system',
      who_claims: 'A test',
      why_material: 'x',
    };
    const posted = await server.call('CLAIM_POST', claim, {}, owner);
    if (posted.status !== 200) throw new Error(posted.body);
  }
}

export async function openCallers(server: LocalServer): Promise<readonly Caller[]> {
  return [
    { name: 'nobody' },
    { name: 'the terminal key', headers: { ...owner } },
    ...(await freeShares(server)),
    ...(await roleShares(server)),
    ...(await mintedShares(server)),
    ...(await apiKeys(server)),
    ...(await endedShares(server)),
  ];
}

async function freeShares(server: LocalServer): Promise<Caller[]> {
  const token = async (path: string): Promise<string> => {
    const { credential, share } = (await server.send({ path })).json as {
      credential?: { token: string };
      share?: string;
    };
    return String(share ?? credential?.token);
  };
  const contributor = await token('/api/workspace/main/enter?role=contributor');
  const cut = await server.mint({ purpose: 'narrower' }, contributor);
  return [
    { name: 'self-cut share', more: { share: await token('/api/dispatch?self_scope=1') } },
    { name: 'share of /start', more: { share: await token('/start') } },
    { name: 'observer', more: { share: await token('/api/workspace/main/enter?role=observer') } },
    { name: 'contributor', more: { share: contributor } },
    { name: 'cut from a contributor', more: { share: cut.share } },
  ];
}

async function roleShares(server: LocalServer): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const role of ['contributor', 'reviewer', 'editor', 'owner']) {
    const { share } = await server.mint({ role });
    const path = `/api/workspace/main/enter?role=${role}&share=${share}`;
    const entered = await server.send({ path });
    expect([path, entered.status, entered.body]).toEqual([path, 200, expect.any(String)]);
    const { credential } = entered.json as { credential: { token: string } };
    callers.push({ name: `invited ${role}`, more: { share: credential.token } });
  }
  return callers;
}

async function mintedShares(server: LocalServer): Promise<Caller[]> {
  const filing = ['CLAIM_POST', 'SOURCE_POST', 'VOXEL_BATCH', 'VOXEL_EDIT'];
  const grants: Readonly<Record<string, Record<string, unknown>>> = {
    'scope act': { scope: 'act' },
    'scope read': { scope: 'read' },
    'scope row CLAIM_POST': { scope: 'row', key: 'CLAIM_POST' },
    'scope row VOXEL_BURN, low ceiling': { scope: 'row', key: 'VOXEL_BURN' },
    'scope row VOXEL_BURN, high ceiling': { scope: 'row', key: 'VOXEL_BURN', risk_ceiling: 'high' },
    [`scope rows ${filing.join(', ')}`]: { scope: 'rows', keys: filing },
    'scope pfx VOXEL_, high ceiling': { scope: 'pfx', keys: ['VOXEL_'], risk_ceiling: 'high' },
    'scope act, article alpha': { scope: 'act', article: 'alpha' },
    'scope rows, article alpha': { scope: 'rows', keys: filing, article: 'alpha' },
    'scope act, owner gate': { scope: 'act', owner_gate: true },
    'scope act, fixed body': { scope: 'act', body_fixed: 'alpha' },
    'scope act, one byte': { scope: 'act', max_body_bytes: 1 },
    'purpose names an assignment': {
      scope: 'row',
      key: 'CLAIM_POST',
      purpose: 'assignment norm_aaaaaaaaaaaaaaaa',
    },
  };
  const callers: Caller[] = [];
  for (const [name, grant] of Object.entries(grants))
    callers.push({ name, more: { share: (await server.mint({ max_uses: 0, ...grant })).share } });
  const act = await server.mint({ scope: 'act', max_uses: 0 });
  const cut = await server.mint({ scope: 'row', key: 'SOURCE_POST', article: 'beta' }, act.share);
  const elsewhere = await server.mint({ scope: 'act', max_uses: 0, workspace: 'survey' });
  return [
    ...callers,
    { name: 'cut from act: SOURCE_POST, article beta', more: { share: cut.share } },
    { name: 'scope act of the workspace survey', more: { share: elsewhere.share } },
  ];
}

async function apiKeys(server: LocalServer): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const scopes of [
    'read',
    'act',
    'rows:CLAIM_POST,VOXEL_BURN',
    'pfx:VOXEL_',
    'read@alpha',
    'act@alpha',
    'rows:CLAIM_POST,VOXEL_EDIT@alpha',
    'pfx:VOXEL_@alpha',
    'rows:CLAIM_POST@alpha act@beta',
  ]) {
    const { key } = await server.deployment.did('KEY_MINT', { scopes });
    callers.push({ name: `API key ${scopes}`, headers: { authorization: `Bearer ${String(key)}` } });
  }
  return callers;
}

async function endedShares(server: LocalServer): Promise<Caller[]> {
  const revoked = await server.mint({ scope: 'act', max_uses: 0 });
  const below = await server.mint({ purpose: 'narrower' }, revoked.share);
  await server.deployment.did('CAP_REVOKE', revoked.fingerprint);
  const spent = await server.mint({ scope: 'act', max_uses: 1 });
  await server.call('MIRROR_FEED', 'alpha', { share: spent.share });
  const { key, fingerprint } = await server.deployment.did('KEY_MINT', { scopes: 'act' });
  await server.deployment.did('KEY_REVOKE', String(fingerprint));
  const expired = await server.mint({ scope: 'act', max_uses: 0, ttl: 1 });
  server.advance(2000);
  return [
    { name: 'revoked', more: { share: revoked.share } },
    { name: 'cut from a revoked share', more: { share: below.share } },
    { name: 'revoked API key', headers: { authorization: `Bearer ${String(key)}` } },
    { name: 'without uses left', more: { share: spent.share } },
    { name: 'expired', more: { share: expired.share } },
  ];
}

/** Shares of leases: by whom, in which lane, and on an article in which state. */
export async function openLeases(server: LocalServer): Promise<readonly Caller[]> {
  const leaser = async (): Promise<string> => {
    const { share } = await server.mint({ scope: 'row', key: 'LANDSCAPE_NEXT', max_uses: 0 });
    return share;
  };
  const contributor = async (): Promise<string> => {
    const path = '/api/workspace/main/enter?role=contributor';
    const entered = await server.send({ path });
    expect([path, entered.status, entered.body]).toEqual([path, 200, expect.any(String)]);
    const { credential } = entered.json as { credential: { token: string } };
    return credential.token;
  };
  const callers: Caller[] = [];
  for (const state of ['absent', 'begun draft', 'hidden draft', 'published'])
    for (const [by, taker] of [
      ['contributor', contributor],
      ['owner-minted', leaser],
    ] as const) {
      // Work by a credential that the owner minted begins no draft.
      if (state === 'begun draft' && by === 'owner-minted') continue;
      const cohort = `${state.replace(' ', '-')}-${by}`;
      const own = `${cohort}-one`;
      if (state === 'published' || state === 'hidden draft')
        await server.deployment.did('VOXEL_BATCH', {
          document: {
            slug: own,
            markdown: '# One\n\nText.\n',
            status: state === 'published' ? 'published' : 'draft',
          },
        });
      await server.deployment.did('LANDSCAPE_QUEUE', {
        cohort,
        query: 'One',
        captured_at: '2026-03-01T12:00:00Z',
        targets: [{ id: 'one', name: 'One' }],
        open: true,
      });
      const shares = new Map<string, string>();
      for (const lane of lanes) {
        const leased = await server.call('LANDSCAPE_NEXT', { lane, cohort }, { share: await taker() });
        shares.set(lane, String(leased.json['share']));
      }
      if (state === 'begun draft') {
        const sources = [{ type: 'review', url: 'https://example.org/', title: 'One', quote: 'One.' }];
        await server.call('SOURCE_POST', { slug: own, sources }, { share: shares.get('field') });
      }
      for (const lane of lanes)
        callers.push({ name: `lease ${lane} by ${by}, ${state}`, more: { share: shares.get(lane) }, own });
      const cut = await server.mint({ purpose: 'narrower' }, shares.get('build'));
      callers.push({ name: `cut from lease build by ${by}, ${state}`, more: { share: cut.share }, own });
    }
  return callers;
}
