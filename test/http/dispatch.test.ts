import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeShare } from '../../src/domain/capabilities/share-codec.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  for (const slug of ['alpha', 'beta']) {
    await server.deployment.did('VOXEL_BATCH', { document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n` } });
  }
});

afterAll(async () => {
  await server.end();
});

const gates = ['credential', 'scope', 'ancestor', 'tenant', 'risk', 'owner_gate', 'fixed_body', 'use_budget', 'payload_ceiling'];

/** Rows as contract §3 has them: who may call, risk, in `act`, a read, whether a prefix reaches it. */
const contract: Readonly<Record<string, { readonly auth: 'none' | 'share' | 'owner'; readonly high?: true; readonly act?: true; readonly safe?: true; readonly alone?: true; readonly narrows?: true }>> = {
  MIRROR_FEED: { auth: 'none', safe: true, act: true }, PAPER_STATE: { auth: 'none', safe: true, act: true }, ARTICLE_INSPECT: { auth: 'none', safe: true, act: true },
  OIP_TREE: { auth: 'share', safe: true, act: true }, CAP_EXPLAIN: { auth: 'share', safe: true, act: true }, OIP_RECEIPT: { auth: 'share', safe: true, act: true }, REPO_TAIL: { auth: 'share', safe: true, act: true },
  MIRROR_APPEND: { auth: 'none', act: true }, OBJECTION_LOG: { auth: 'none', act: true }, OIP_ARTICLE_REVIEW: { auth: 'none', act: true }, MODEL_CHAT_INTAKE: { auth: 'none', act: true },
  VOXEL_CHALLENGE: { auth: 'none', act: true }, VOXEL_ATTEST: { auth: 'none', act: true }, VOXEL_VOTE: { auth: 'none', act: true }, THREAD_UPDATE: { auth: 'none', act: true },
  CLAIM_POST: { auth: 'share', act: true }, SOURCE_POST: { auth: 'share', act: true }, ARTICLE_INGEST: { auth: 'share', act: true }, ARTICLE_META: { auth: 'share', act: true }, VOXEL_DIVIDE: { auth: 'share', act: true },
  VOXEL_BATCH: { auth: 'share', act: true }, OIP_REPLAY: { auth: 'share', act: true }, OIP_REPAIR: { auth: 'share', act: true }, PAPER_GROW: { auth: 'share', act: true }, WEB_FETCH: { auth: 'share', act: true }, LANDSCAPE_NEXT: { auth: 'share', act: true },
  CLAIM_RETRACT: { auth: 'share' }, CLAIM_REPAIR: { auth: 'share' }, VOXEL_EDIT: { auth: 'share' }, VOXEL_MOVE: { auth: 'share' }, VOXEL_CONSOLIDATE: { auth: 'share' },
  VOXEL_BURN: { auth: 'share', high: true, alone: true }, VOXEL_RATIFY: { auth: 'share', high: true, alone: true }, LANDSCAPE_QUEUE: { auth: 'share', high: true },
  ARTICLE_ASK: { auth: 'owner', high: true }, KEY_MINT: { auth: 'owner', high: true }, KEY_REVOKE: { auth: 'owner', high: true }, OIP_APPROVE: { auth: 'owner', high: true }, MIRROR_RESOLVE: { auth: 'owner', high: true }, SECRET_SCRUB: { auth: 'owner', high: true },
  // Not in the contract's table: whole articles from elsewhere are the owner's to let in.
  ARTICLE_IMPORT: { auth: 'owner', high: true },
  CAP_MINT: { auth: 'owner', high: true, narrows: true }, CAP_REVOKE: { auth: 'share', narrows: true },
};

type Outcome = 'passes' | 'waits' | `${string}: ${string}`;

describe('the gates, for every kind of credential and every row', () => {
  const rows = (): string[] => [...server.deployment.service.rows.keys()];

  it('know every built row from the contract', () => {
    expect(rows().filter((key) => contract[key] === undefined)).toEqual([]);
    expect(rows().length).toBeGreaterThanOrEqual(26);
  });

  /** A dry run: the trace up to the gate that refused. */
  async function judged(key: string, more: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Outcome> {
    const { json, status, body } = await server.call(key, '{}', { ...more, shape: true }, headers);
    if (status !== 200) throw new Error(`${key}: ${body}`);
    const trace = json['gates'] as { gate: string; ok: boolean; note: string }[];
    expect(trace.map(({ gate }) => gate), key).toEqual(gates.slice(0, trace.length));
    const last = trace.at(-1);
    expect(trace.slice(0, -1).every(({ ok }) => ok), key).toBe(true);
    if (last?.ok === false) return `${last.gate}: ${last.note}`;
    expect(trace, key).toHaveLength(9);
    return trace.find(({ gate }) => gate === 'owner_gate')?.note === 'waits for the owner' ? 'waits' : 'passes';
  }

  async function compare(credential: (key: string) => Promise<[Record<string, unknown>, Record<string, string>?]>, expected: (key: string) => Outcome): Promise<void> {
    const before = await server.size();
    const found: Record<string, Outcome> = {};
    const minted = new Map<string, [Record<string, unknown>, Record<string, string>?]>();
    for (const key of rows()) minted.set(key, await credential(key));
    const after = await server.size();
    for (const key of rows()) found[key] = await judged(key, ...(minted.get(key) as [Record<string, unknown>, Record<string, string>?]));
    expect(found).toEqual(Object.fromEntries(rows().map((key) => [key, expected(key)])));
    expect(await server.size()).toBe(after);
    expect(after).toBeGreaterThanOrEqual(before);
  }

  const rule = (key: string): (typeof contract)[string] => contract[key] as (typeof contract)[string];
  const shared = (share: string) => async (): Promise<[Record<string, unknown>]> => [{ share }];

  it('nobody', () =>
    compare(async () => [{}], (key) => {
      const { auth } = rule(key);
      return auth === 'none' ? 'passes' : auth === 'share' ? 'credential: credential_required' : 'credential: owner_only';
    }));

  it('the owner', () => compare(async () => [{}, { ...owner }], () => 'passes'));

  it('a share of scope act', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    await compare(shared(share), (key) => {
      const { auth, act, narrows } = rule(key);
      if (narrows === true || act === true) return 'passes';
      if (auth === 'owner') return 'scope: owner_only';
      return key.startsWith('VOXEL_') ? 'scope: voxel_scope_required' : 'scope: scope_denied';
    });
  });

  it('a share of scope read', async () => {
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    await compare(shared(share), (key) => {
      const { auth, act, safe, narrows } = rule(key);
      if (narrows === true || safe === true) return 'passes';
      if (auth === 'owner') return 'scope: owner_only';
      return key.startsWith('VOXEL_') && act !== true ? 'scope: voxel_scope_required' : 'scope: scope_denied';
    });
  });

  it('a share of scope pfx:VOXEL_, at either risk ceiling', async () => {
    for (const risk of ['low', 'high']) {
      const { share } = await server.mint({ scope: 'pfx', keys: ['VOXEL_'], max_uses: 0, risk_ceiling: risk });
      await compare(shared(share), (key) => {
        const { auth, alone, narrows } = rule(key);
        if (narrows === true || (key.startsWith('VOXEL_') && alone !== true)) return 'passes';
        return auth === 'owner' ? 'scope: owner_only' : 'scope: scope_denied';
      });
    }
  });

  it('a share for exactly the row, with the default risk ceiling', () =>
    compare(
      async (key) => [{ share: (await server.mint({ scope: 'row', key })).share }],
      (key) => {
        const { auth, high, narrows } = rule(key);
        if (narrows === true) return 'passes';
        if (auth === 'owner') return 'scope: owner_only';
        return high === true ? 'risk: risk_ceiling' : 'passes';
      },
    ));

  it('a share for exactly the row, with a high risk ceiling: never what is the owner\'s alone', () =>
    compare(
      async (key) => [{ share: (await server.mint({ scope: 'row', key, risk_ceiling: 'high' })).share }],
      (key) => (rule(key).auth === 'owner' && rule(key).narrows !== true ? 'scope: owner_only' : 'passes'),
    ));

  it('a share whose calls wait for the owner', () =>
    compare(
      async (key) => [{ share: (await server.mint({ scope: 'row', key, risk_ceiling: 'high', owner_gate: true })).share }],
      (key) => {
        const { auth, safe, narrows } = rule(key);
        if (narrows === true || safe === true) return 'passes';
        return auth === 'owner' ? 'scope: owner_only' : 'waits';
      },
    ));

  it('a revoked share', () =>
    compare(
      async (key) => {
        const { share, fingerprint } = await server.mint({ scope: 'row', key, risk_ceiling: 'high' });
        await server.deployment.did('CAP_REVOKE', fingerprint);
        return [{ share }];
      },
      () => 'credential: token_revoked',
    ));

  it('a share whose ancestor, two above, was revoked', async () => {
    const top = await server.mint({ scope: 'rows', keys: rows(), risk_ceiling: 'high', max_uses: 0 });
    const middle = await server.mint({ max_uses: 0 }, top.share);
    const { share } = await server.mint({ max_uses: 0 }, middle.share);
    await server.deployment.did('CAP_REVOKE', top.fingerprint);
    await compare(shared(share), (key) => (rule(key).auth === 'owner' && rule(key).narrows !== true ? 'scope: owner_only' : 'ancestor: ancestor_revoked'));
  });

  it('a share bound to another article, another body, or a single byte', async () => {
    const keys = rows();
    const bound = await server.mint({ scope: 'rows', keys, risk_ceiling: 'high', max_uses: 0, article: 'alpha' });
    await compare(shared(bound.share), (key) => (rule(key).narrows === true ? 'passes' : 'scope: scope_denied'));
    const fixed = await server.mint({ scope: 'rows', keys, risk_ceiling: 'high', max_uses: 0, body_fixed: 'only this' });
    await compare(shared(fixed.share), (key) => (rule(key).narrows === true ? 'passes' : rule(key).auth === 'owner' ? 'scope: owner_only' : 'fixed_body: fixed_body_only'));
    const small = await server.mint({ scope: 'rows', keys, risk_ceiling: 'high', max_uses: 0, max_body_bytes: 1 });
    await compare(shared(small.share), (key) => (rule(key).auth === 'owner' && rule(key).narrows !== true ? 'scope: owner_only' : 'payload_ceiling: payload_ceiling'));
  });

  it('a share without uses left', async () => {
    const { share } = await server.mint({ scope: 'rows', keys: rows(), risk_ceiling: 'high', max_uses: 1 });
    expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
    await compare(shared(share), (key) => {
      const { auth, narrows } = rule(key);
      if (narrows === true) return 'passes';
      return auth === 'owner' ? 'scope: owner_only' : 'use_budget: token_exhausted';
    });
  });

  it('an expired share', async () => {
    const { share } = await server.mint({ scope: 'rows', keys: rows(), risk_ceiling: 'high', max_uses: 0, ttl: 5 });
    server.advance(6000);
    await compare(shared(share), () => 'credential: token_expired');
  });
});

describe('a credential that is none', () => {
  it('is refused on every row and way of sending it, even where none would be needed', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const flipped = share.slice(0, 20) + (share[20] === 'A' ? 'B' : 'A') + share.slice(21);
    const forged = encodeShare({ id: 1, secret: new Uint8Array(32) }, Math.floor(Date.now() / 1000) + 600, new Uint8Array(10)).token;
    const unknown = encodeShare(server.deployment.service.secrets.macKeys[0], Math.floor(Date.now() / 1000) + 600, new Uint8Array(10)).token;
    const cases: [string, string][] = [['sh.short', 'token_malformed'], ['', 'token_malformed'], [`${share}A`, 'token_malformed'], [flipped, 'token_corrupted'], [forged, 'token_corrupted'], [unknown, 'token_revoked'], ['ck_AAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'token_malformed']];
    const before = await server.size();
    for (const [token, code] of cases) {
      const replies = [
        await server.call('MIRROR_FEED', 'alpha', { share: token }),
        await server.call('MIRROR_FEED', 'alpha', {}, { authorization: `Bearer ${token === '' ? ' ' : token}` }),
        await server.send({ path: '/api/articles/alpha/mirror', body: { kind: 'question', actor: 'a', body: 'b', key: token } }),
        ...(token.startsWith('ck_') ? [] : [await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share: token }), await server.send({ path: `/api/articles/alpha?share=${token}` })]),
      ];
      for (const reply of replies) expect(expectProblem(reply, code).gate === 'credential' || code === 'token_malformed').toBe(true);
    }
    expect(await server.size()).toBe(before);
  });

  it('the terminal key counts in its own header alone, and no key may stand in a URL', async () => {
    const key = owner['x-terminal-key'];
    const before = await server.size();
    expectProblem(await server.call('CAP_MINT', {}, { share: key }), 'credential_required');
    expectProblem(await server.call('CAP_MINT', {}, {}, { authorization: `Bearer ${key}` }), 'credential_required');
    expectProblem(await server.send({ path: '/api/protocol/claim', body: { slug: 'alpha', key } }), 'credential_required');
    expectProblem(await server.call('CAP_MINT', {}, {}, { 'x-terminal-key': `${key}x` }), 'credential_required');
    for (const name of ['share', 'key', 'ask', 'body']) {
      for (const value of [key, 'ck_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
        const reply = await server.get({ [name]: value });
        expectProblem(reply, 'invalid_request');
        expect(reply.body).not.toContain(value);
      }
    }
    expectProblem(await server.send({ path: `/api/articles?share=${key}` }), 'invalid_request');
    expect(await server.size()).toBe(before);
  });
});

describe('a refusal', () => {
  it('names the first of several gates that would refuse, costs nothing and is recorded with its trace', async () => {
    const body = 'alpha||question|ada|One body.';
    const { share, fingerprint } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 1, body_fixed: body, max_body_bytes: body.length });
    expect((await server.call('MIRROR_APPEND', body, { share })).status).toBe(200);
    for (const [key, sent, code, gate] of [
      ['MIRROR_FEED', `${body} and more`, 'scope_denied', 'scope'],
      ['MIRROR_APPEND', `${body} and more`, 'fixed_body_only', 'fixed_body'],
      ['MIRROR_APPEND', body, 'token_exhausted', 'use_budget'],
    ] as const) {
      const problem = expectProblem(await server.call(key, sent, { share }), code);
      expect(problem.gate).toBe(gate);
      const { json } = await server.get({ receipt: (problem.invocation as { id: string }).id }, owner);
      expect(json).toMatchObject({ status: 'denied', ok: false, ran: false, error: code, actor: fingerprint });
      const trace = json['gates'] as { gate: string; ok: boolean }[];
      expect(trace.map((mark) => mark.gate)).toEqual(gates.slice(0, gates.indexOf(gate) + 1));
      expect(trace.map((mark) => mark.ok)).toEqual([...Array.from({ length: gates.indexOf(gate) }, () => true), false]);
    }
    expect(await server.explain(share)).toMatchObject({ uses: 1, uses_left: 0, denials: 3 });
    expect(await server.get({ confirm: 'inv_aaaaaaaaaaaaaaaa' })).toMatchObject({ status: 404, json: { confirmed: false } });
  });

  it('is recorded up to 25 times for one token', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
    const before = await server.size();
    const recorded: boolean[] = [];
    for (let i = 0; i < 30; i++) recorded.push(expectProblem(await server.call('OIP_TREE', '', { share }), 'scope_denied').invocation !== null);
    expect(recorded).toEqual([...Array.from({ length: 25 }, () => true), ...Array.from({ length: 5 }, () => false)]);
    expect(await server.size()).toBe(before + 25);
    expect(await server.explain(share)).toMatchObject({ denials: 25, uses: 0 });
    expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
  });

  it('of arguments takes no use either', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 2 });
    expectProblem(await server.call('MIRROR_APPEND', 'alpha', { share }), 'body_mismatch');
    expectProblem(await server.call('MIRROR_APPEND', 'nowhere||question|ada|x', { share }), 'not_found');
    expect(await server.explain(share)).toMatchObject({ uses: 0, denials: 0 });
  });
});

describe('a key', () => {
  it('that no row has is answered with the nearest, and never guessed', async () => {
    const before = await server.size();
    for (const [key, near] of [['MIROR_APPEND', 'MIRROR_APPEND'], ['mirror_feed', 'MIRROR_FEED'], ['VOXEL_EDITS', 'VOXEL_EDIT']] as const) {
      for (const reply of [await server.call(key, 'alpha||question|ada|Guessed?'), await server.get({ invoke: key, body: 'alpha' })]) {
        const problem = expectProblem(reply, 'unknown_key');
        expect((problem['did_you_mean'] as { key: string }[]).map((each) => each.key)).toContain(near);
        expect(problem['ask']).toMatch(/\?ask=/);
      }
    }
    for (const key of ['', ' ', 'constructor', '__proto__', 'toString', 'x'.repeat(5000), '🙂']) expectProblem(await server.call(key, ''), 'unknown_key');
    expect(await server.size()).toBe(before);
  });

  it('that is planned says so', async () => {
    const { planned } = server.deployment.service;
    for (const key of planned) {
      expectProblem(await server.call(key, '{}', {}, owner), 'not_implemented');
      expectProblem(await server.send({ path: `/api/directory/${key}` }), 'not_implemented');
    }
    expect([...planned].filter((key) => server.deployment.service.rows.has(key))).toEqual([]);
  });
});

describe('a GET', () => {
  it('of a row that writes fires nothing without a credential', async () => {
    const before = await server.size();
    for (const key of server.deployment.service.rows.keys()) {
      const { safe, auth } = contract[key] as { safe?: true; auth: string };
      if (safe === true) continue;
      expectProblem(await server.get({ invoke: key, body: 'alpha||question|ada|x' }), auth === 'owner' ? 'owner_only' : 'credential_required');
    }
    expect(await server.size()).toBe(before);
  });

  it('fires once: again it gives the first answer, uncharged, also at the same moment', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 3 });
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|Asked by URL.', share };
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => server.get(url)));
    const fired = [first, ...others].filter((reply) => reply?.json['idempotent_replay'] === undefined);
    expect(fired).toHaveLength(1);
    for (const reply of [first, ...others] as Reply[]) {
      expect(reply.status).toBe(200);
      expect(reply.json['receipt']).toEqual(fired[0]?.json['receipt']);
      expect(reply.json['result']).toEqual(fired[0]?.json['result']);
      expect(reply.json['proof']).toMatchObject({ ok: true, entry_hash: (fired[0]?.json['proof'] as { entry_hash: string }).entry_hash });
    }
    expect(await server.explain(share)).toMatchObject({ uses: 1 });
    const another = await server.get({ ...url, n: '2' });
    expect(another.json['receipt']).not.toEqual(fired[0]?.json['receipt']);
    expect(another.json).not.toHaveProperty('idempotent_replay');
    expect(await server.explain(share)).toMatchObject({ uses: 2 });
  });

  it('finds its receipt after the share expired or was used up, and not after it was revoked', async () => {
    const { share, fingerprint } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 1, ttl: 30 });
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|Fetched late.', share };
    const first = await server.get(url);
    expect((await server.get(url)).json).toMatchObject({ idempotent_replay: true, receipt: first.json['receipt'] });
    server.advance(31_000);
    expect((await server.get(url)).json).toMatchObject({ ok: true, idempotent_replay: true, receipt: first.json['receipt'] });
    expectProblem(await server.get({ ...url, n: '2' }), 'token_expired');
    await server.deployment.did('CAP_REVOKE', fingerprint);
    expectProblem(await server.get(url), 'token_revoked');
  });

  it('that failed is not fired again, one that was denied is judged anew', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 });
    const url = { invoke: 'MIRROR_APPEND', body: 'later-made||question|ada|Too early.', share };
    const first = expectProblem(await server.get(url), 'not_found');
    await server.deployment.did('VOXEL_BATCH', { document: { slug: 'later-made', markdown: 'x\n' } });
    const second = await server.get(url);
    expect(expectProblem(second, 'not_found').invocation).toMatchObject({ id: first.invocation?.id });
    expect(second.json['idempotent_replay']).toBe(true);
    const denied = { invoke: 'OIP_TREE', share };
    const denials = [expectProblem(await server.get(denied), 'scope_denied'), expectProblem(await server.get(denied), 'scope_denied')];
    expect(denials.map(({ invocation }) => invocation)).not.toContain(null);
    const write = { invoke: 'CLAIM_POST', body: '{}', share };
    expect(expectProblem(await server.get(write), 'scope_denied').invocation?.id).not.toBe(expectProblem(await server.get(write), 'scope_denied').invocation?.id);
  });

  it('of a read runs anew each time, and is charged', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 3 });
    const ids = new Set<unknown>();
    for (let i = 0; i < 3; i++) ids.add(((await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share })).json['receipt'] as { id: string }).id);
    expect(ids.size).toBe(3);
    expectProblem(await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share }), 'token_exhausted');
  });

  it('that mints shows the token once', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const url = { invoke: 'CAP_MINT', body: '{"scope":"row","key":"MIRROR_FEED"}', share };
    const first = await server.get(url);
    expect(first.json['share']).toMatch(/^sh\./);
    const again = await server.get(url);
    expect(again.json).toMatchObject({ idempotent_replay: true, result: { fingerprint: (first.json['result'] as { fingerprint: string }).fingerprint } });
    expect(again.body).not.toContain(first.json['share']);
    expect(again.body).not.toMatch(/sh\.[A-Za-z0-9_-]{48}/);
  });
});

describe('an idempotency key', () => {
  it('gives the same request the same receipt, and refuses another request', async () => {
    const body = 'beta||question|ada|Sent twice.';
    const send = (text: string, key: string): Promise<Reply> => server.call('MIRROR_APPEND', text, {}, { 'idempotency-key': key });
    const replies = await Promise.all(Array.from({ length: 30 }, () => send(body, 'one')));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.json['receipt']))).size).toBe(1);
    expect(replies.filter((reply) => reply.json['idempotent_replay'] !== true)).toHaveLength(1);
    const before = await server.size();
    expectProblem(await send(`${body} Changed.`, 'one'), 'idempotency_conflict');
    expectProblem(await server.call('MIRROR_FEED', 'beta', { idem: 'one' }), 'idempotency_conflict');
    expect(await server.size()).toBe(before);
    expect((await server.call('MIRROR_APPEND', body, { idem: 'one' })).json).toMatchObject({ idempotent_replay: true, receipt: replies[0]?.json['receipt'] });
  });

  it('may be long, and differs from another that begins alike', async () => {
    const long = 'k'.repeat(500);
    const one = await server.call('MIRROR_APPEND', 'beta||question|ada|Long key one.', { idem: `${long}1` });
    const two = await server.call('MIRROR_APPEND', 'beta||question|ada|Long key two.', { idem: `${long}2` });
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.json['receipt']).not.toEqual(two.json['receipt']);
  });

  it('belongs to its credential, and lasts a day', async () => {
    const [one, two] = [await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0, ttl: 200_000 }), await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 })];
    const send = (share: string, text: string): Promise<Reply> => server.call('MIRROR_APPEND', `beta||question|ada|${text}`, { share, idem: 'shared key' });
    const first = await send(one.share, 'By one.');
    expect((await send(two.share, 'By two.')).status).toBe(200);
    server.advance(24 * 3_600_000 - 60_000);
    expect((await send(one.share, 'By one.')).json['receipt']).toEqual(first.json['receipt']);
    server.advance(120_000);
    const anew = await send(one.share, 'By one, a day later.');
    expect(anew.status).toBe(200);
    expect(anew.json).not.toHaveProperty('idempotent_replay');
  });

  it('works on protocol writes, and marks a repeated refusal', async () => {
    const claim = { slug: 'beta', text: 'The checkpoint covers every entry before it.', tier: 'system', who_claims: 'ada', why_material: 'x' };
    const post = (body: object): Promise<Reply> => server.send({ path: '/api/protocol/claim', headers: { ...owner, 'idempotency-key': 'claim' }, body });
    const first = await post(claim);
    expect((await post(claim)).json).toMatchObject({ idempotent_replay: true, claim_id: first.json['claim_id'], receipt: first.json['receipt'] });
    expectProblem(await post({ ...claim, tier: 'human' }), 'idempotency_conflict');
    const stale = { slug: 'beta', div_id: 'd2', expected_hash: 'old', text: 'x' };
    const edit = (): Promise<Reply> => server.send({ path: '/api/protocol/voxel-edit', headers: { ...owner, 'idempotency-key': 'edit' }, body: stale });
    const refused = expectProblem(await edit(), 'hash_stale');
    const repeated = await edit();
    expect(expectProblem(repeated, 'hash_stale').invocation?.id).toBe(refused.invocation?.id);
    expect(repeated.json['idempotent_replay']).toBe(true);
  });
});

describe('a dry run', () => {
  it('shows what would happen and leaves no trace, by POST and by GET', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 1 });
    const before = await server.size();
    const body = 'alpha||question|ada|Dry.';
    const replies = [await server.call('MIRROR_APPEND', body, { share, shape: true }), await server.get({ invoke: 'MIRROR_APPEND', body, share, shape: '1' }), await server.get({ invoke: 'MIRROR_APPEND', body, share, shape: 'true' })];
    for (const { json } of replies) {
      expect(json).toMatchObject({ ok: true, would_run: true, charged: false, arguments: { slug: 'alpha', kind: 'question', body: 'Dry.' } });
      expect((json['gates'] as { gate: string }[]).map(({ gate }) => gate)).toEqual(gates);
    }
    const wrong = await server.call('MIRROR_APPEND', 'alpha', { share, shape: true });
    expect(wrong.json).toMatchObject({ would_run: false, arguments: null });
    expect(await server.size()).toBe(before);
    expect(await server.explain(share)).toMatchObject({ uses: 0 });
  });
});

describe('a receipt', () => {
  it('is read by the owner, by the token that made it, and by an owner-minted share with read or the row', async () => {
    const maker = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 });
    const made = await server.call('MIRROR_APPEND', 'alpha||question|ada|Whose receipt?', { share: maker.share });
    const { id } = made.json['receipt'] as { id: string };
    const act = await server.mint({ scope: 'act', max_uses: 0 });
    const read = await server.mint({ scope: 'read', max_uses: 0 });
    const readers: [string, Record<string, string>, string | undefined, boolean][] = [
      ['the owner', owner, undefined, true],
      ['its maker', {}, maker.share, true],
      ['a reader', {}, read.share, true],
      ['a reader cut from a reader', {}, (await server.mint({ scope: 'row', key: 'MIRROR_FEED' }, read.share)).share, false],
      ['another share for the row', {}, (await server.mint({ scope: 'rows', keys: ['MIRROR_APPEND', 'MIRROR_FEED'] })).share, true],
      ['nobody', {}, undefined, false],
      ['a share for another row', {}, (await server.mint({ scope: 'row', key: 'MIRROR_FEED' })).share, false],
      ['a share of scope act', {}, act.share, false],
      ['a reader cut from a share of scope act', {}, (await server.mint({ scope: 'read' }, act.share)).share, false],
      ['a share for the row cut from a share of scope act', {}, (await server.mint({ scope: 'row', key: 'MIRROR_APPEND' }, act.share)).share, false],
      ['a reader bound to one article', {}, (await server.mint({ scope: 'read', article: 'alpha' })).share, false],
    ];
    for (const [who, headers, share, may] of readers) {
      const reply = await server.get({ receipt: id, ...(share === undefined ? {} : { share }) }, headers);
      expect(reply.status, who).toBe(may ? 200 : 404);
      if (!may) expectProblem(reply, 'not_found');
      const { json } = await server.send({ path: `/api/invocations?object_id=MIRROR_APPEND&limit=1${share === undefined ? '' : `&share=${share}`}`, headers });
      const [item] = json['invocations'] as Record<string, unknown>[];
      expect([item?.['id'], Object.hasOwn(item ?? {}, 'request')], who).toEqual([id, may]);
    }
    const absent = await server.get({ receipt: 'inv_aaaaaaaaaaaaaaaa' });
    const foreign = await server.get({ receipt: id });
    expect(absent.json['detail']).toBe((foreign.json['detail'] as string).replace(id, 'inv_aaaaaaaaaaaaaaaa'));
  });

  it('is closed to a share that was revoked, and to one whose ancestor was', async () => {
    const parent = await server.mint({ scope: 'read', max_uses: 0 });
    const cut = await server.mint({ max_uses: 0 }, parent.share);
    const { id } = (await server.call('MIRROR_FEED', 'alpha', {}, owner)).json['receipt'] as { id: string };
    for (const { share } of [parent, cut]) expect((await server.get({ receipt: id, share })).status).toBe(200);
    await server.deployment.did('CAP_REVOKE', parent.fingerprint);
    expectProblem(await server.get({ receipt: id, share: parent.share }), 'token_revoked');
    expectProblem(await server.get({ receipt: id, share: cut.share }), 'ancestor_revoked');
    expectProblem(await server.send({ path: `/api/invocations?object_id=MIRROR_FEED&share=${cut.share}` }), 'ancestor_revoked');
    expectProblem(await server.send({ path: `/api/articles/alpha?share=${parent.share}` }), 'token_revoked');
    expect((await server.get({ explain: '1', share: cut.share })).json).toMatchObject({ ok: true, state: 'ancestor_revoked' });
  });

  it('is confirmed to anybody, and only an invocation is one', async () => {
    const made = await server.call('MIRROR_APPEND', 'alpha||question|ada|Confirm me.');
    const { id } = made.json['receipt'] as { id: string };
    const confirmation = await server.get({ confirm: id });
    expect(confirmation.json).toMatchObject({ confirmed: true, id, key: 'MIRROR_APPEND', status: 'success', ran: true });
    expect(confirmation.body).not.toContain('Confirm me.');
    const aid = ((await server.send({ path: '/api/articles/alpha' })).json['object'] as { identity: { id: string } }).identity.id;
    const { fingerprint } = await server.mint({ scope: 'act' });
    for (const other of ['inv_aaaaaaaaaaaaaaaa', 'inv_', '', 'x', `${aid}.provenance`, `${aid}.d1`, `${aid}.mirror`, fingerprint, `${id} `, id.toUpperCase(), '__proto__']) {
      const reply = await server.get({ confirm: other });
      expect(expectProblem(reply, 'not_found')['confirmed']).toBe(false);
      expectProblem(await server.get({ receipt: other }, owner), 'not_found');
    }
  });
});

describe('a cut', () => {
  it('is never wider than its parent, in any dimension', async () => {
    const parent = await server.mint({ scope: 'rows', keys: ['MIRROR_APPEND', 'MIRROR_FEED'], ttl: 600, max_uses: 5, risk_ceiling: 'low', owner_gate: true, article: 'alpha', body_fixed: 'fixed', max_body_bytes: 100 });
    const wider: Record<string, unknown>[] = [
      { scope: 'act' }, { scope: 'read' }, { scope: 'pfx', keys: ['MIRROR_'] }, { scope: 'pfx', keys: [''] }, { scope: 'row', key: 'CLAIM_POST' }, { scope: 'rows', keys: ['MIRROR_FEED', 'CLAIM_POST'] }, { scope: 'row', key: 'CAP_MINT' },
      { ttl: 601 }, { max_uses: 6 }, { max_uses: 0 }, { risk_ceiling: 'high' }, { owner_gate: false }, { article: 'beta' }, { article: '' }, { body_fixed: 'other' }, { max_body_bytes: 101 },
    ];
    for (const grant of wider) {
      const problem = expectProblem(await server.call('CAP_MINT', grant, { share: parent.share }), 'scope_denied');
      expect(problem.gate, JSON.stringify(grant)).toBe('scope');
    }
    for (const grant of [{ ttl: 0 }, { ttl: -5 }, { max_uses: -1 }, { scope: 'constructor' }, { risk_ceiling: 'none' }, { max_body_bytes: 0 }, { keys: [] }]) {
      expectProblem(await server.call('CAP_MINT', grant, { share: parent.share }), 'body_mismatch');
    }
    expectProblem(await server.call('CAP_MINT', { scope: 'row', key: 'NOTHING' }, { share: parent.share }), 'unknown_key');
    const cut = await server.mint({}, parent.share);
    expect(await server.explain(cut.share)).toMatchObject({
      scope: 'rows', keys: ['MIRROR_APPEND', 'MIRROR_FEED'], risk_ceiling: 'low', owner_gate: true, article: 'alpha', body_fixed: 'fixed', max_body_bytes: 100, parent: parent.fingerprint, depth: 1,
    });
    expect(await server.explain(parent.share)).toMatchObject({ uses: 0 });
    const pfx = await server.mint({ scope: 'pfx', keys: ['VOXEL_'], max_uses: 0, risk_ceiling: 'high' });
    for (const grant of [{ scope: 'pfx', keys: ['V'] }, { scope: 'pfx', keys: ['VOXEL_', 'CLAIM_'] }, { scope: 'row', key: 'VOXEL_BURN' }, { scope: 'row', key: 'VOXEL_RATIFY' }, { scope: 'act' }, { scope: 'read' }]) {
      expectProblem(await server.call('CAP_MINT', grant, { share: pfx.share }), 'scope_denied');
    }
    expect((await server.call('CAP_MINT', { scope: 'row', key: 'VOXEL_EDIT' }, { share: pfx.share })).status).toBe(200);
  });

  it('is at most eight deep, and dies with any ancestor', async () => {
    const chain = [await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 })];
    for (let depth = 1; depth <= 8; depth++) chain.push(await server.mint({ max_uses: 0 }, chain.at(-1)?.share));
    expectProblem(await server.call('CAP_MINT', { max_uses: 0 }, { share: chain.at(-1)?.share }), 'scope_denied');
    for (const { share } of chain) expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
    await server.call('CAP_REVOKE', chain[4]?.fingerprint ?? '', { share: chain[2]?.share });
    for (const [depth, { share }] of chain.entries()) {
      const reply = await server.call('MIRROR_FEED', 'alpha', { share });
      if (depth < 4) expect(reply.status).toBe(200);
      else expectProblem(reply, depth === 4 ? 'token_revoked' : 'ancestor_revoked');
      if (depth >= 4) expectProblem(await server.call('CAP_MINT', {}, { share }), depth === 4 ? 'token_revoked' : 'ancestor_revoked');
    }
  });

  it('is revoked by itself, an ancestor or the owner, by nobody beside it', async () => {
    const parent = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
    const [one, two, three] = [await server.mint({ max_uses: 0 }, parent.share), await server.mint({ max_uses: 0 }, parent.share), await server.mint({ max_uses: 0 }, parent.share)];
    expectProblem(await server.call('CAP_REVOKE', two.fingerprint, { share: one.share }), 'not_found');
    expectProblem(await server.call('CAP_REVOKE', parent.fingerprint, { share: one.share }), 'not_found');
    expectProblem(await server.call('CAP_REVOKE', 'cap_0123456789abcdef', { share: one.share }), 'not_found');
    expectProblem(await server.call('CAP_REVOKE', one.fingerprint), 'credential_required');
    expect((await server.call('CAP_REVOKE', one.fingerprint, { share: one.share })).status).toBe(200);
    expect((await server.call('CAP_REVOKE', two.fingerprint, { share: parent.share })).status).toBe(200);
    expect((await server.call('CAP_REVOKE', three.fingerprint, {}, owner)).status).toBe(200);
    expectProblem(await server.call('CAP_REVOKE', three.fingerprint, {}, owner), 'conflict');
  });

  it('of a share that is bound to an article reaches no other, whatever the batch says beside it', async () => {
    const { share } = await server.mint({ scope: 'rows', keys: ['VOXEL_BATCH', 'CLAIM_POST', 'MIRROR_APPEND', 'VOXEL_EDIT', 'ARTICLE_META'], article: 'alpha', max_uses: 0 });
    const beta = await server.send({ path: '/api/articles/beta' });
    const claim = { text: 'A claim that must not land elsewhere stands here.', tier: 'system', who_claims: 'ada', why_material: 'x' };
    for (const body of [{ slug: 'alpha', document: { slug: 'beta', markdown: 'Sneaked in.\n' } }, { document: { slug: 'beta', markdown: 'x\n' } }, { document: { markdown: '# New\n' } }, { slug: 'alpha', document: { markdown: '# New\n' } }]) {
      expectProblem(await server.call('VOXEL_BATCH', body, { share }), 'scope_denied');
    }
    const mixed = await server.call('VOXEL_BATCH', { slug: 'alpha', operations: [{ op: 'claim', ...claim }, { op: 'claim', slug: 'beta', ...claim }] }, { share });
    expect(mixed.json['result']).toMatchObject({ ok: false, landed: 1, results: [{ ok: true }, { ok: false, error: 'scope_denied' }] });
    expectProblem(await server.call('MIRROR_APPEND', 'beta||question|ada|x', { share }), 'scope_denied');
    expectProblem(await server.call('VOXEL_BATCH', { slug: 'beta', operations: [{ op: 'claim', ...claim }] }, { share }), 'scope_denied');
    expect((await server.send({ path: '/api/articles/beta' })).json['content_hash']).toBe(beta.json['content_hash']);
    expect((await server.send({ path: '/api/articles/beta' })).json['version']).toBe(beta.json['version']);
    expect((await server.call('VOXEL_BATCH', { document: { slug: 'alpha', markdown: 'Rightly added.\n' } }, { share })).status).toBe(200);
  });
});

describe('uses', () => {
  it('of a hundred parallel calls over a three-deep chain are charged exactly to the budget, everywhere above', async () => {
    const top = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 60 });
    const middle = await server.mint({ max_uses: 50 }, top.share);
    const bottom = await server.mint({ max_uses: 37 }, middle.share);
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => server.call('MIRROR_APPEND', `alpha||audit|ada|Race ${i}.`, { share: bottom.share })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(37);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectProblem(reply, 'token_exhausted');
    expect(await server.explain(bottom.share)).toMatchObject({ uses: 37, uses_left: 0, state: 'exhausted' });
    expect(await server.explain(middle.share)).toMatchObject({ uses: 37, uses_left: 13 });
    expect(await server.explain(top.share)).toMatchObject({ uses: 37, uses_left: 23 });
  });

  it('taken through one branch are gone for the other: the ancestor\'s budget holds for both', async () => {
    const top = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 10 });
    const [left, right] = [await server.mint({ max_uses: 8 }, top.share), await server.mint({ max_uses: 8 }, top.share)];
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => server.call('MIRROR_APPEND', `alpha||audit|ada|Branch ${i}.`, { share: i % 2 === 0 ? left.share : right.share })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    const uses = [await server.explain(left.share), await server.explain(right.share)].map((each) => each['uses'] as number);
    expect((uses[0] as number) + (uses[1] as number)).toBe(10);
    expect(await server.explain(top.share)).toMatchObject({ uses: 10, uses_left: 0 });
    expectProblem(await server.call('CAP_MINT', { max_uses: 1 }, { share: top.share }), 'scope_denied');
  });

  it('of a batch are taken operation by operation, and an atomic batch that fails takes none', async () => {
    const { share } = await server.mint({ scope: 'rows', keys: ['VOXEL_BATCH', 'CLAIM_POST'], max_uses: 3 });
    const claim = (word: string): object => ({ op: 'claim', text: `The ${word} ledger keeps its own ${word}.`, tier: 'system', who_claims: 'ada', why_material: 'x' });
    const failed = await server.call('VOXEL_BATCH', { slug: 'beta', atomic: true, operations: [claim('first'), claim('second'), { ...claim('third'), tier: 'none' }] }, { share });
    expectProblem(failed, 'content_rule');
    expect(await server.explain(share)).toMatchObject({ uses: 0 });
    const landed = await server.call('VOXEL_BATCH', { slug: 'beta', operations: ['red', 'green', 'blue', 'white', 'black'].map(claim) }, { share });
    expect(landed.json['result']).toMatchObject({ landed: 3, of: 5 });
    expect((landed.json['result'] as { results: { error?: string }[] }).results.slice(3).map(({ error }) => error)).toEqual(['token_exhausted', 'token_exhausted']);
    expect(await server.explain(share)).toMatchObject({ uses: 3 });
  });
});

describe('caches', () => {
  it('are told to keep nothing of an answer to a credential', async () => {
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    const { id } = (await server.call('MIRROR_FEED', 'alpha', {}, owner)).json['receipt'] as { id: string };
    for (const path of ['/api/articles/alpha', '/api/articles/alpha/voxels', '/api/articles/alpha?format=markdown', '/api/dispatch?invoke=MIRROR_FEED&body=alpha', `/api/dispatch?receipt=${id}`, '/api/dispatch?explain=1', '/api/invocations?object_id=MIRROR_FEED', '/api/articles/nowhere']) {
      const url = `${path}${path.includes('?') ? '&' : '?'}share=${share}`;
      const reply = await server.send({ path: url });
      expect(reply.headers['cache-control'], url).toBe('private, no-store');
      expect(reply.headers['referrer-policy'], url).toBe('no-referrer');
      const inHeader = await server.send({ path, headers: { authorization: `Bearer ${share}` } });
      expect(inHeader.headers['cache-control'], path).toBe('private, no-store');
    }
    expect((await server.send({ path: '/api/articles/alpha', headers: owner })).headers['cache-control']).toBe('private, no-store');
    expect((await server.call('MIRROR_FEED', 'alpha', { share })).headers['cache-control']).toBe('private, no-store');
    expect((await server.send({ path: '/api/articles/alpha' })).headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    expect((await server.send({ path: '/api/articles/alpha?soft=1&share=sh.x' })).headers['cache-control']).toBe('private, no-store');
  });
});
