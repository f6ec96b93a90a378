import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeShare } from '../../src/domain/capabilities/share-codec.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectProblem } from './problem.ts';
import { gates } from './contract-rows.ts';

describe.each(storeEnvironments())('dispatch, on $name', (store) => {
  let server: LocalServer;

  beforeAll(async () => {
    await store.start();
    server = await openLocal({ env: await store.env() });
    for (const slug of ['alpha', 'beta']) {
      await server.deployment.did('VOXEL_BATCH', {
        document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n` },
      });
    }
  });

  afterAll(async () => {
    await server.end();
    await store.stop();
  });

  describe('an invalid credential', () => {
    it('is refused on every row and in every place, even where no credential is required', async () => {
      const { share } = await server.mint({ scope: 'act', max_uses: 0 });
      const flipped = share.slice(0, 20) + (share[20] === 'A' ? 'B' : 'A') + share.slice(21);
      const forged = encodeShare(
        { id: 1, secret: new Uint8Array(32) },
        Math.floor(Date.now() / 1000) + 600,
        new Uint8Array(10),
      ).token;
      const unknown = encodeShare(
        server.deployment.service.secrets.macKeys[0],
        Math.floor(Date.now() / 1000) + 600,
        new Uint8Array(10),
      ).token;
      const cases: [string, string][] = [
        ['sh.short', 'token_malformed'],
        ['', 'token_malformed'],
        [`${share}A`, 'token_malformed'],
        [flipped, 'token_corrupted'],
        [forged, 'token_corrupted'],
        [unknown, 'token_revoked'],
        ['ck_AAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'token_malformed'],
      ];
      const before = await server.size();
      for (const [token, code] of cases) {
        const replies = [
          await server.call('MIRROR_FEED', 'alpha', { share: token }),
          await server.call(
            'MIRROR_FEED',
            'alpha',
            {},
            { authorization: `Bearer ${token === '' ? ' ' : token}` },
          ),
          await server.send({
            path: '/api/articles/alpha/mirror',
            body: { kind: 'question', actor: 'a', body: 'b', key: token },
          }),
          ...(token.startsWith('ck_')
            ? []
            : [
                await server.get({ invoke: 'MIRROR_FEED', body: 'alpha', share: token }),
                await server.send({ path: `/api/articles/alpha?share=${token}` }),
              ]),
        ];
        for (const reply of replies)
          expect(expectProblem(reply, code).gate === 'credential' || code === 'token_malformed').toBe(true);
      }
      expect(await server.size()).toBe(before);
    });

    it('is the terminal key outside its own header, or any key in a URL', async () => {
      const key = owner['x-terminal-key'];
      const before = await server.size();
      expectProblem(await server.call('CAP_MINT', {}, { share: key }), 'credential_required');
      expectProblem(
        await server.call('CAP_MINT', {}, {}, { authorization: `Bearer ${key}` }),
        'credential_required',
      );
      expectProblem(
        await server.send({ path: '/api/protocol/claim', body: { slug: 'alpha', key } }),
        'credential_required',
      );
      expectProblem(
        await server.call('CAP_MINT', {}, {}, { 'x-terminal-key': `${key}x` }),
        'credential_required',
      );
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
    it('names the first refusing gate, is uncharged and is recorded with its trace', async () => {
      const body = 'alpha||question|ada|One body.';
      const { share, fingerprint } = await server.mint({
        scope: 'row',
        key: 'MIRROR_APPEND',
        max_uses: 1,
        body_fixed: body,
        max_body_bytes: body.length,
      });
      expect((await server.call('MIRROR_APPEND', body, { share })).status).toBe(200);
      for (const [key, sent, code, gate] of [
        ['MIRROR_FEED', `${body} and more`, 'scope_denied', 'scope'],
        ['MIRROR_APPEND', `${body} and more`, 'fixed_body_only', 'fixed_body'],
        ['MIRROR_APPEND', body, 'token_exhausted', 'use_budget'],
      ] as const) {
        const problem = expectProblem(await server.call(key, sent, { share }), code);
        expect(problem.gate).toBe(gate);
        const { json } = await server.get({ receipt: (problem.invocation as { id: string }).id }, owner);
        expect(json).toMatchObject({
          status: 'denied',
          ok: false,
          ran: false,
          error: code,
          actor: fingerprint,
        });
        const trace = json['gates'] as { gate: string; ok: boolean }[];
        expect(trace.map((mark) => mark.gate)).toEqual(gates.slice(0, gates.indexOf(gate) + 1));
        expect(trace.map((mark) => mark.ok)).toEqual([
          ...Array.from({ length: gates.indexOf(gate) }, () => true),
          false,
        ]);
      }
      expect(await server.explain(share)).toMatchObject({ uses: 1, uses_left: 0, denials: 3 });
      expect(await server.get({ confirm: 'inv_aaaaaaaaaaaaaaaa' })).toMatchObject({
        status: 404,
        json: { confirmed: false },
      });
    });

    it('is recorded up to 25 times for one token', async () => {
      const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
      const before = await server.size();
      const recorded: boolean[] = [];
      for (let i = 0; i < 30; i++)
        recorded.push(
          expectProblem(await server.call('OIP_TREE', '', { share }), 'scope_denied').invocation !== null,
        );
      expect(recorded).toEqual([
        ...Array.from({ length: 25 }, () => true),
        ...Array.from({ length: 5 }, () => false),
      ]);
      expect(await server.size()).toBe(before + 25);
      expect(await server.explain(share)).toMatchObject({ denials: 25, uses: 0 });
      expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
    });

    it('of a body shows the accepted input, whether its shape or its values are wrong', async () => {
      for (const [key, body] of [
        ['MIRROR_APPEND', 'alpha'],
        ['MIRROR_APPEND', 'alpha||query|ada|No kind of contribution.'],
        ['CAP_MINT', 'everything'],
        ['CREATIVE_GENERATE', '{"engine":"nobody","prompt":"A ledger"}'],
      ] as const) {
        const problem = expectProblem(await server.call(key, body, {}, owner), 'body_mismatch');
        expect(problem).toMatchObject({
          inputs: { type: 'object', properties: expect.anything() },
          example: expect.stringMatching(/./),
          invocation: { key, status: 'failed' },
        });
      }
    });

    it('of a boolean names the accepted values, including 0 and 1, by name and by position', async () => {
      for (const [owner_gate, on] of [
        [1, true],
        [0, false],
        [true, true],
      ] as const) {
        const minted = await server.call('CAP_MINT', { key: 'OIP_TREE', owner_gate }, {}, owner);
        expect(minted.json['result']).toMatchObject({ capability: { owner_gate: on } });
      }
      const placed = await server.call('CAP_MINT', 'row|OIP_TREE|600|1|x|low|1', {}, owner);
      expect(placed.json['result']).toMatchObject({ capability: { owner_gate: true } });
      for (const body of [{ key: 'OIP_TREE', owner_gate: 2 }, 'row|OIP_TREE|600|1|x|low|2']) {
        const problem = expectProblem(await server.call('CAP_MINT', body, {}, owner), 'body_mismatch');
        expect(problem['detail']).toContain('owner_gate must be true or false (1 or 0)');
      }
    });

    it('of arguments consumes no use', async () => {
      const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 2 });
      expectProblem(await server.call('MIRROR_APPEND', 'alpha', { share }), 'body_mismatch');
      expectProblem(await server.call('MIRROR_APPEND', 'nowhere||question|ada|x', { share }), 'not_found');
      expect(await server.explain(share)).toMatchObject({ uses: 0, denials: 0 });
    });
  });

  describe('a key', () => {
    it('without a row is refused with the nearest keys, and never guessed', async () => {
      const before = await server.size();
      for (const [key, near] of [
        ['MIROR_APPEND', 'MIRROR_APPEND'],
        ['mirror_feed', 'MIRROR_FEED'],
        ['VOXEL_EDITS', 'VOXEL_EDIT'],
      ] as const) {
        for (const reply of [
          await server.call(key, 'alpha||question|ada|Guessed?'),
          await server.get({ invoke: key, body: 'alpha' }),
          await server.get({ key }),
          await server.send({ path: `/api/directory/${key}` }),
          await server.send({ path: `/api/invocations?object_id=${key}` }),
        ]) {
          const problem = expectProblem(reply, 'unknown_key');
          expect((problem['did_you_mean'] as { key: string }[]).map((each) => each.key)).toContain(near);
          expect(problem['ask']).toMatch(/\?ask=/);
        }
      }
      for (const key of ['', ' ', 'constructor', '__proto__', 'toString', 'x'.repeat(5000), '🙂'])
        expectProblem(await server.call(key, ''), 'unknown_key');
      expect(await server.size()).toBe(before);
    });
  });

  describe('a dry run', () => {
    it('reports what would happen and writes nothing, by POST and by GET', async () => {
      const { share } = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 1 });
      const before = await server.size();
      const body = 'alpha||question|ada|Dry.';
      const replies = [
        await server.call('MIRROR_APPEND', body, { share, shape: true }),
        await server.get({ invoke: 'MIRROR_APPEND', body, share, shape: '1' }),
        await server.get({ invoke: 'MIRROR_APPEND', body, share, shape: 'true' }),
      ];
      for (const { json } of replies) {
        expect(json).toMatchObject({
          ok: true,
          would_run: true,
          charged: false,
          arguments: { slug: 'alpha', kind: 'question', body: 'Dry.' },
        });
        expect((json['gates'] as { gate: string }[]).map(({ gate }) => gate)).toEqual(gates);
      }
      const wrong = await server.call('MIRROR_APPEND', 'alpha', { share, shape: true });
      expect(wrong.json).toMatchObject({
        would_run: false,
        arguments: null,
        refusal: {
          error: 'body_mismatch',
          example: 'what-the-ledger-is|c1|question|ada|Which entries does the checkpoint cover?',
          violations: [{ at: '/claim_id' }, { at: '/kind' }, { at: '/actor' }, { at: '/body' }],
        },
      });
      expect(await server.size()).toBe(before);
      expect(await server.explain(share)).toMatchObject({ uses: 0 });
    });
  });

  describe('caches', () => {
    it('must not store an answer to a request with a credential', async () => {
      const { share } = await server.mint({ scope: 'read', max_uses: 0 });
      const { id } = (await server.call('MIRROR_FEED', 'alpha', {}, owner)).json['receipt'] as { id: string };
      for (const path of [
        '/api/articles/alpha',
        '/api/articles/alpha/voxels',
        '/api/articles/alpha?format=markdown',
        '/api/dispatch?invoke=MIRROR_FEED&body=alpha',
        `/api/dispatch?receipt=${id}`,
        '/api/dispatch?explain=1',
        '/api/invocations?object_id=MIRROR_FEED',
        '/api/articles/nowhere',
      ]) {
        const url = `${path}${path.includes('?') ? '&' : '?'}share=${share}`;
        const reply = await server.send({ path: url });
        expect([url, reply.headers['cache-control']]).toEqual([url, 'private, no-store']);
        expect([url, reply.headers['referrer-policy']]).toEqual([url, 'no-referrer']);
        const inHeader = await server.send({ path, headers: { authorization: `Bearer ${share}` } });
        expect([path, inHeader.headers['cache-control']]).toEqual([path, 'private, no-store']);
      }
      expect(
        (await server.send({ path: '/api/articles/alpha', headers: owner })).headers['cache-control'],
      ).toBe('private, no-store');
      expect((await server.call('MIRROR_FEED', 'alpha', { share })).headers['cache-control']).toBe(
        'private, no-store',
      );
      expect((await server.send({ path: '/api/articles/alpha' })).headers['cache-control']).toBe(
        'public, max-age=0, must-revalidate',
      );
      expect(
        (await server.send({ path: '/api/articles/alpha?soft=1&share=sh.x' })).headers['cache-control'],
      ).toBe('private, no-store');
    });
  });
});
