import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { contract, gates } from './contract-rows.ts';

type Outcome = 'passes' | 'waits' | `${string}: ${string}`;

const stores = storeKinds().map(({ name }) => name);
describe.each(stores)('the gates of every row on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    for (const slug of ['alpha', 'beta']) {
      await server.deployment.did('VOXEL_BATCH', {
        document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n` },
      });
    }
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const rows = (): string[] => [...server.deployment.service.rows.keys()];
  /** No share can be minted for what is the owner's alone. */
  const opens = (key: string): boolean => rule(key).auth !== 'owner' || rule(key).narrows === true;
  const openable = (): string[] => rows().filter(opens);

  it('have a contract rule for every built-in row', () => {
    expect(rows().filter((key) => contract[key] === undefined)).toEqual([]);
    expect(rows().length).toBeGreaterThanOrEqual(26);
  });

  /** A dry run: the trace up to the gate that refused. */
  async function judged(
    key: string,
    more: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<Outcome> {
    const { json, status, body } = await server.call(key, '{}', { ...more, shape: true }, headers);
    if (status !== 200) throw new Error(`${key}: ${body}`);
    const trace = json['gates'] as { gate: string; ok: boolean; note: string }[];
    expect([key, trace.map(({ gate }) => gate)]).toEqual([key, gates.slice(0, trace.length)]);
    const last = trace.at(-1);
    expect([key, trace.slice(0, -1).every(({ ok }) => ok)]).toEqual([key, true]);
    if (last?.ok === false) return `${last.gate}: ${last.note}`;
    expect([key, trace.length]).toEqual([key, 9]);
    return trace.find(({ gate }) => gate === 'owner_gate')?.note === 'waits for the owner'
      ? 'waits'
      : 'passes';
  }

  async function expectGates(
    credential: (key: string) => Promise<[Record<string, unknown>, Record<string, string>?]>,
    expected: (key: string) => Outcome,
  ): Promise<void> {
    const before = await server.size();
    const found: Record<string, Outcome> = {};
    const minted = new Map<string, [Record<string, unknown>, Record<string, string>?]>();
    for (const key of rows()) minted.set(key, await credential(key));
    const after = await server.size();
    for (const key of rows())
      found[key] = await judged(
        key,
        ...(minted.get(key) as [Record<string, unknown>, Record<string, string>?]),
      );
    expect(found).toEqual(Object.fromEntries(rows().map((key) => [key, expected(key)])));
    expect(await server.size()).toBe(after);
    expect(after).toBeGreaterThanOrEqual(before);
  }

  const rule = (key: string): (typeof contract)[string] => contract[key] as (typeof contract)[string];
  const shared = (share: string) => async (): Promise<[Record<string, unknown>]> => [{ share }];

  it('admit a caller without a credential only to rows that require none', () =>
    expectGates(
      async () => [{}],
      (key) => {
        const { auth, approval } = rule(key);
        if (approval === true) return 'credential: owner_gate_required';
        return auth === 'none'
          ? 'passes'
          : auth === 'share'
            ? 'credential: credential_required'
            : 'credential: owner_only';
      },
    ));

  it('admit the owner to every row', () =>
    expectGates(
      async () => [{}, { ...owner }],
      () => 'passes',
    ));

  it('admit a share of scope act to act rows only', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    await expectGates(shared(share), (key) => {
      const { auth, act, narrows } = rule(key);
      if (narrows === true || act === true) return 'passes';
      if (auth === 'owner') return 'scope: owner_only';
      return key.startsWith('VOXEL_') ? 'scope: voxel_scope_required' : 'scope: scope_denied';
    });
  });

  it('admit a share of scope read to safe rows only', async () => {
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    await expectGates(shared(share), (key) => {
      const { auth, act, safe, narrows } = rule(key);
      if (narrows === true || safe === true) return 'passes';
      if (auth === 'owner') return 'scope: owner_only';
      return key.startsWith('VOXEL_') && act !== true ? 'scope: voxel_scope_required' : 'scope: scope_denied';
    });
  });

  it('admit a share of scope pfx:VOXEL_ to all VOXEL_ rows but burn and ratify, at either risk ceiling', async () => {
    for (const risk of ['low', 'high']) {
      const { share } = await server.mint({
        scope: 'pfx',
        keys: ['VOXEL_'],
        max_uses: 0,
        risk_ceiling: risk,
      });
      await expectGates(shared(share), (key) => {
        const { auth, alone, narrows } = rule(key);
        if (narrows === true || (key.startsWith('VOXEL_') && alone !== true)) return 'passes';
        return auth === 'owner' ? 'scope: owner_only' : 'scope: scope_denied';
      });
    }
  });

  /** A share for exactly the row; where there can be none, one for another row. */
  const mintFor = (key: string, more: Record<string, unknown> = {}) =>
    server.mint({ scope: 'row', key: opens(key) ? key : 'MIRROR_FEED', ...more });

  it('admit a share for one row with the default risk ceiling unless the row is high-risk', () =>
    expectGates(
      async (key) => [{ share: (await mintFor(key)).share }],
      (key) => {
        const { auth, high, narrows } = rule(key);
        if (narrows === true) return 'passes';
        if (auth === 'owner') return 'scope: owner_only';
        return high === true ? 'risk: risk_ceiling' : 'passes';
      },
    ));

  it('admit a share for one row with a high risk ceiling unless the row is owner-only', () =>
    expectGates(
      async (key) => [{ share: (await mintFor(key, { risk_ceiling: 'high' })).share }],
      (key) => (rule(key).auth === 'owner' && rule(key).narrows !== true ? 'scope: owner_only' : 'passes'),
    ));

  it('hold the writes of a share with owner_gate for approval', () =>
    expectGates(
      async (key) => [{ share: (await mintFor(key, { risk_ceiling: 'high', owner_gate: true })).share }],
      (key) => {
        const { auth, safe, narrows, delegates } = rule(key);
        if (narrows === true || safe === true || delegates === true) return 'passes';
        return auth === 'owner' ? 'scope: owner_only' : 'waits';
      },
    ));

  const keyed = async (scopes: string): Promise<[Record<string, unknown>, Record<string, string>]> => {
    const { key } = await server.deployment.did('KEY_MINT', { scopes });
    return [{}, { authorization: `Bearer ${String(key)}` }];
  };

  it('treat an API key of scope act or read like a share of that scope', async () => {
    for (const tier of ['act', 'read'] as const) {
      const credential = await keyed(tier);
      await expectGates(
        async () => credential,
        (key) => {
          const { auth, act, safe, narrows } = rule(key);
          if (narrows === true || (tier === 'act' ? act : safe) === true) return 'passes';
          if (auth === 'owner') return 'scope: owner_only';
          return key.startsWith('VOXEL_') && act !== true
            ? 'scope: voxel_scope_required'
            : 'scope: scope_denied';
        },
      );
    }
  });

  it('admit an API key for one row at any risk unless the row is owner-only', () =>
    expectGates(
      (key) => keyed(`rows:${opens(key) ? key : 'MIRROR_FEED'}`),
      (key) => (rule(key).auth === 'owner' && rule(key).narrows !== true ? 'scope: owner_only' : 'passes'),
    ));

  it('admit an API key of scope pfx:VOXEL_ to all VOXEL_ rows but burn and ratify', async () => {
    const credential = await keyed('pfx:VOXEL_');
    await expectGates(
      async () => credential,
      (key) => {
        const { auth, alone, narrows } = rule(key);
        if (narrows === true || (key.startsWith('VOXEL_') && alone !== true)) return 'passes';
        return auth === 'owner' ? 'scope: owner_only' : 'scope: scope_denied';
      },
    );
  });

  it('admit an API key of scope act with a second scope for another article to act rows only', async () => {
    const credential = await keyed('rows:VOXEL_EDIT@alpha act');
    await expectGates(
      async () => credential,
      (key) => {
        const { auth, act, narrows } = rule(key);
        if (narrows === true || act === true) return 'passes';
        if (auth === 'owner') return 'scope: owner_only';
        return 'scope: scope_denied';
      },
    );
  });

  it('admit a self-cut share to the four open rows only', async () => {
    const { json } = await server.get({ self_scope: '1' });
    const open = new Set(['OBJECTION_LOG', 'OIP_ARTICLE_REVIEW', 'MODEL_CHAT_INTAKE', 'ARTICLE_INSPECT']);
    await expectGates(shared(String(json['share'])), (key) => {
      if (rule(key).narrows === true || open.has(key)) return 'passes';
      return rule(key).auth === 'owner' ? 'scope: owner_only' : 'scope: scope_denied';
    });
  });

  it('refuse a revoked share', () =>
    expectGates(
      async (key) => {
        const { share, fingerprint } = await mintFor(key, { risk_ceiling: 'high' });
        await server.deployment.did('CAP_REVOKE', fingerprint);
        return [{ share }];
      },
      () => 'credential: token_revoked',
    ));

  it('refuse a share whose grandparent was revoked', async () => {
    const top = await server.mint({ scope: 'rows', keys: openable(), risk_ceiling: 'high', max_uses: 0 });
    const middle = await server.mint({ max_uses: 0 }, top.share);
    const { share } = await server.mint({ max_uses: 0 }, middle.share);
    await server.deployment.did('CAP_REVOKE', top.fingerprint);
    await expectGates(shared(share), (key) =>
      rule(key).auth === 'owner' && rule(key).narrows !== true
        ? 'scope: owner_only'
        : 'ancestor: ancestor_revoked',
    );
  });

  it('refuse a share bound to another article, another body or a smaller body size', async () => {
    const keys = openable();
    const bound = await server.mint({
      scope: 'rows',
      keys,
      risk_ceiling: 'high',
      max_uses: 0,
      article: 'alpha',
    });
    await expectGates(shared(bound.share), (key) => {
      if (!opens(key)) return 'scope: owner_only';
      return rule(key).narrows === true || rule(key).delegates === true ? 'passes' : 'scope: scope_denied';
    });
    const fixed = await server.mint({
      scope: 'rows',
      keys,
      risk_ceiling: 'high',
      max_uses: 0,
      body_fixed: 'only this',
    });
    await expectGates(shared(fixed.share), (key) =>
      rule(key).narrows === true || rule(key).delegates === true
        ? 'passes'
        : rule(key).auth === 'owner'
          ? 'scope: owner_only'
          : 'fixed_body: fixed_body_only',
    );
    const small = await server.mint({
      scope: 'rows',
      keys,
      risk_ceiling: 'high',
      max_uses: 0,
      max_body_bytes: 1,
    });
    await expectGates(shared(small.share), (key) =>
      rule(key).auth === 'owner' && rule(key).narrows !== true
        ? 'scope: owner_only'
        : 'payload_ceiling: payload_ceiling',
    );
  });

  it('refuse a share without uses left', async () => {
    const { share } = await server.mint({
      scope: 'rows',
      keys: openable(),
      risk_ceiling: 'high',
      max_uses: 1,
    });
    expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
    await expectGates(shared(share), (key) => {
      const { auth, narrows } = rule(key);
      if (narrows === true) return 'passes';
      return auth === 'owner' ? 'scope: owner_only' : 'use_budget: token_exhausted';
    });
  });

  it('refuse an expired share', async () => {
    const { share } = await server.mint({
      scope: 'rows',
      keys: openable(),
      risk_ceiling: 'high',
      max_uses: 0,
      ttl: 5,
    });
    server.advance(6000);
    await expectGates(shared(share), () => 'credential: token_expired');
  });
});
