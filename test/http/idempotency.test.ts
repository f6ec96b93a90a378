import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { contract } from './contract-rows.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  for (const slug of ['alpha', 'beta']) {
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n` },
    });
  }
});

afterAll(async () => {
  await server.end();
});

describe('a GET call', () => {
  it('of a writing row is refused without a credential', async () => {
    const before = await server.size();
    for (const key of server.deployment.service.rows.keys()) {
      const { safe, auth } = contract[key] as { safe?: true; auth: string };
      if (safe === true) continue;
      expectProblem(
        await server.get({ invoke: key, body: 'alpha||question|ada|x' }),
        auth === 'owner' ? 'owner_only' : 'credential_required',
      );
    }
    expect(await server.size()).toBe(before);
  });

  it('of an open row without a credential names the URL that issues one, and runs with that credential', async () => {
    const asked = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|What opens this?' };
    const { fix, next } = expectProblem(await server.get(asked), 'credential_required');
    expect(next).toEqual([
      'http://127.0.0.1:8787/start',
      'http://127.0.0.1:8787/api/dispatch?key=MIRROR_APPEND',
      'http://127.0.0.1:8787/api/workspace/main',
      'http://127.0.0.1:8787/docs/errors#credential_required',
    ]);
    expect(fix).toContain('the first address in next');
    const entered = await server.send({ path: '/start' });
    const { token } = entered.json['credential'] as { token: string };
    expect((await server.get({ ...asked, share: token })).status).toBe(200);
  });

  it('runs once: repeated and concurrent requests get the first answer uncharged', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 3 });
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|Asked by URL.', share };
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => server.get(url)));
    const fired = [first, ...others].filter((reply) => reply?.json['idempotent_replay'] === undefined);
    expect(fired).toHaveLength(1);
    for (const reply of [first, ...others] as Reply[]) {
      expect(reply.status).toBe(200);
      expect(reply.json['receipt']).toEqual(fired[0]?.json['receipt']);
      expect(reply.json['result']).toEqual(fired[0]?.json['result']);
      expect(reply.json['proof']).toMatchObject({
        ok: true,
        entry_hash: ((fired[0] as Reply).json['proof'] as { entry_hash: string }).entry_hash,
      });
    }
    expect(await server.explain(share)).toMatchObject({ uses: 1 });
    const another = await server.get({ ...url, n: '2' });
    expect(another.json['receipt']).not.toEqual(fired[0]?.json['receipt']);
    expect(another.json).not.toHaveProperty('idempotent_replay');
    expect(await server.explain(share)).toMatchObject({ uses: 2 });
  });

  it('replays its answer after the share expired or was used up, but not after it was revoked', async () => {
    const { share, fingerprint } = await server.mint({
      scope: 'row',
      key: 'MIRROR_APPEND',
      max_uses: 1,
      ttl: 30,
    });
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|Fetched late.', share };
    const first = await server.get(url);
    expect((await server.get(url)).json).toMatchObject({
      idempotent_replay: true,
      receipt: first.json['receipt'],
    });
    server.advance(31_000);
    expect((await server.get(url)).json).toMatchObject({
      ok: true,
      idempotent_replay: true,
      receipt: first.json['receipt'],
    });
    expectProblem(await server.get({ ...url, n: '2' }), 'token_expired');
    await server.deployment.did('CAP_REVOKE', fingerprint);
    expectProblem(await server.get(url), 'token_revoked');
  });

  it('does not replay its answer after an ancestor of its share was revoked', async () => {
    const parent = await server.mint({ scope: 'act', max_uses: 0 });
    const middle = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 }, parent.share);
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 }, middle.share);
    const url = { invoke: 'MIRROR_APPEND', body: 'alpha||question|ada|Asked by a grandchild.', share };
    const first = await server.get(url);
    expect((await server.get(url)).json).toMatchObject({
      idempotent_replay: true,
      receipt: first.json['receipt'],
    });
    await server.deployment.did('CAP_REVOKE', parent.fingerprint);
    expectProblem(await server.get(url), 'ancestor_revoked');
  });

  it('replays a failure, but authorizes a denied call again', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 });
    const url = { invoke: 'MIRROR_APPEND', body: 'later-made||question|ada|Too early.', share };
    const first = expectProblem(await server.get(url), 'not_found');
    await server.deployment.did('VOXEL_BATCH', { document: { slug: 'later-made', markdown: 'x\n' } });
    const second = await server.get(url);
    expect(expectProblem(second, 'not_found').invocation).toMatchObject({ id: first.invocation?.id });
    expect(second.json['idempotent_replay']).toBe(true);
    const denied = { invoke: 'OIP_TREE', share };
    const denials = [
      expectProblem(await server.get(denied), 'scope_denied'),
      expectProblem(await server.get(denied), 'scope_denied'),
    ];
    expect(denials.map(({ invocation }) => invocation)).not.toContain(null);
    const write = { invoke: 'CLAIM_POST', body: '{}', share };
    expect(expectProblem(await server.get(write), 'scope_denied').invocation?.id).not.toBe(
      expectProblem(await server.get(write), 'scope_denied').invocation?.id,
    );
  });

  it('of a read runs and is charged each time', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 3 });
    const ids = new Set<unknown>();
    for (let i = 0; i < 3; i++)
      ids.add(
        (
          (await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share })).json['receipt'] as {
            id: string;
          }
        ).id,
      );
    expect(ids.size).toBe(3);
    expectProblem(await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share }), 'token_exhausted');
  });

  it('that mints a share shows its token in the first answer only', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const url = { invoke: 'CAP_MINT', body: '{"scope":"row","key":"MIRROR_FEED"}', share };
    const first = await server.get(url);
    expect(first.json['share']).toMatch(/^sh\./);
    const again = await server.get(url);
    expect(again.json).toMatchObject({
      idempotent_replay: true,
      result: { fingerprint: (first.json['result'] as { fingerprint: string }).fingerprint },
    });
    expect(again.body).not.toContain(first.json['share']);
    expect(again.body).not.toMatch(/sh\.[A-Za-z0-9_-]{48}/);
  });
});

describe('an idempotency key', () => {
  it('returns the same receipt for the same request, and rejects a different request', async () => {
    const body = 'beta||question|ada|Sent twice.';
    const send = (text: string, key: string): Promise<Reply> =>
      server.call('MIRROR_APPEND', text, {}, { 'idempotency-key': key });
    const replies = await Promise.all(Array.from({ length: 30 }, () => send(body, 'one')));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.json['receipt']))).size).toBe(1);
    expect(replies.filter((reply) => reply.json['idempotent_replay'] !== true)).toHaveLength(1);
    const before = await server.size();
    expectProblem(await send(`${body} Changed.`, 'one'), 'idempotency_conflict');
    expectProblem(await server.call('MIRROR_FEED', 'beta', { idem: 'one' }), 'idempotency_conflict');
    expect(await server.size()).toBe(before);
    expect((await server.call('MIRROR_APPEND', body, { idem: 'one' })).json).toMatchObject({
      idempotent_replay: true,
      receipt: replies[0]?.json['receipt'],
    });
  });

  it('may be long, and differs from another with the same first 500 characters', async () => {
    const long = 'k'.repeat(500);
    const one = await server.call('MIRROR_APPEND', 'beta||question|ada|Long key one.', { idem: `${long}1` });
    const two = await server.call('MIRROR_APPEND', 'beta||question|ada|Long key two.', { idem: `${long}2` });
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.json['receipt']).not.toEqual(two.json['receipt']);
  });

  it('is scoped to its credential, and expires after a day', async () => {
    const [one, two] = [
      await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0, ttl: 200_000 }),
      await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 }),
    ];
    const send = (share: string, text: string): Promise<Reply> =>
      server.call('MIRROR_APPEND', `beta||question|ada|${text}`, { share, idem: 'shared key' });
    const first = await send(one.share, 'By one.');
    expect((await send(two.share, 'By two.')).status).toBe(200);
    server.advance(24 * 3_600_000 - 60_000);
    expect((await send(one.share, 'By one.')).json['receipt']).toEqual(first.json['receipt']);
    server.advance(120_000);
    const anew = await send(one.share, 'By one, a day later.');
    expect(anew.status).toBe(200);
    expect(anew.json).not.toHaveProperty('idempotent_replay');
  });

  it('works on protocol writes, and marks a replayed refusal', async () => {
    const claim = {
      slug: 'beta',
      text: 'The checkpoint covers every entry before it.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'x',
    };
    const post = (body: object): Promise<Reply> =>
      server.send({ path: '/api/protocol/claim', headers: { ...owner, 'idempotency-key': 'claim' }, body });
    const first = await post(claim);
    expect((await post(claim)).json).toMatchObject({
      idempotent_replay: true,
      claim_id: first.json['claim_id'],
      receipt: first.json['receipt'],
    });
    expectProblem(await post({ ...claim, tier: 'human' }), 'idempotency_conflict');
    const stale = { slug: 'beta', div_id: 'd2', expected_hash: 'old', text: 'x' };
    const edit = (): Promise<Reply> =>
      server.send({
        path: '/api/protocol/voxel-edit',
        headers: { ...owner, 'idempotency-key': 'edit' },
        body: stale,
      });
    const refused = expectProblem(await edit(), 'hash_stale');
    const repeated = await edit();
    expect(expectProblem(repeated, 'hash_stale').invocation?.id).toBe(refused.invocation?.id);
    expect(repeated.json['idempotent_replay']).toBe(true);
  });
});
