import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/desk.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectProblem } from './problem.ts';

describe.each(storeEnvironments())('shares on $name', (store) => {
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

  describe('access to receipts and to the list of shares', () => {
    it('opens a receipt for the owner, its own token, and minted shares with read or its row', async () => {
      const maker = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 0 });
      const made = await server.call('MIRROR_APPEND', 'alpha||question|ada|Whose receipt?', {
        share: maker.share,
      });
      const { id } = made.json['receipt'] as { id: string };
      const act = await server.mint({ scope: 'act', max_uses: 0 });
      const read = await server.mint({ scope: 'read', max_uses: 0 });
      const readers: [string, Record<string, string>, string | undefined, boolean][] = [
        ['the owner', owner, undefined, true],
        ['its maker', {}, maker.share, true],
        ['a reader', {}, read.share, true],
        [
          'a reader cut from a reader',
          {},
          (await server.mint({ scope: 'row', key: 'MIRROR_FEED' }, read.share)).share,
          false,
        ],
        [
          'another share for the row',
          {},
          (await server.mint({ scope: 'rows', keys: ['MIRROR_APPEND', 'MIRROR_FEED'] })).share,
          true,
        ],
        ['nobody', {}, undefined, false],
        [
          'a share for another row',
          {},
          (await server.mint({ scope: 'row', key: 'MIRROR_FEED' })).share,
          false,
        ],
        ['a share of scope act', {}, act.share, false],
        [
          'a reader cut from a share of scope act',
          {},
          (await server.mint({ scope: 'read' }, act.share)).share,
          false,
        ],
        [
          'a share for the row cut from a share of scope act',
          {},
          (await server.mint({ scope: 'row', key: 'MIRROR_APPEND' }, act.share)).share,
          false,
        ],
        [
          'a reader bound to one article',
          {},
          (await server.mint({ scope: 'read', article: 'alpha' })).share,
          false,
        ],
      ];
      for (const [who, headers, share, may] of readers) {
        const reply = await server.get({ receipt: id, ...(share === undefined ? {} : { share }) }, headers);
        expect([who, reply.status]).toEqual([who, may ? 200 : 404]);
        if (!may) expectProblem(reply, 'not_found');
        const { json } = await server.send({
          path: `/api/invocations?object_id=MIRROR_APPEND&limit=1${share === undefined ? '' : `&share=${share}`}`,
          headers,
        });
        const [item] = json['invocations'] as Record<string, unknown>[];
        expect([who, [item?.['id'], Object.hasOwn(item ?? {}, 'request')]]).toEqual([who, [id, may]]);
      }
      const absent = await server.get({ receipt: 'inv_aaaaaaaaaaaaaaaa' });
      const foreign = await server.get({ receipt: id });
      expect(absent.json['detail']).toBe(
        (foreign.json['detail'] as string).replace(id, 'inv_aaaaaaaaaaaaaaaa'),
      );
    });

    it('refuses a receipt to a revoked share and to a share with a revoked ancestor', async () => {
      const parent = await server.mint({ scope: 'read', max_uses: 0 });
      const cut = await server.mint({ max_uses: 0 }, parent.share);
      const { id } = (await server.call('MIRROR_FEED', 'alpha', {}, owner)).json['receipt'] as { id: string };
      for (const { share } of [parent, cut])
        expect((await server.get({ receipt: id, share })).status).toBe(200);
      await server.deployment.did('CAP_REVOKE', parent.fingerprint);
      expectProblem(await server.get({ receipt: id, share: parent.share }), 'token_revoked');
      expectProblem(await server.get({ receipt: id, share: cut.share }), 'ancestor_revoked');
      expectProblem(
        await server.send({ path: `/api/invocations?object_id=MIRROR_FEED&share=${cut.share}` }),
        'ancestor_revoked',
      );
      expectProblem(
        await server.send({ path: `/api/articles/alpha?share=${parent.share}` }),
        'token_revoked',
      );
      expect((await server.get({ explain: '1', share: cut.share })).json).toMatchObject({
        ok: true,
        state: 'ancestor_revoked',
      });
    });

    it('lists a share as invalid for the owner once an ancestor is revoked, expired or spent', async () => {
      const listed = async (fingerprint: string): Promise<string> => {
        const { cookie } = await signIn(server.base, owner['x-terminal-key']);
        const { body } = await server.send({ path: '/owner/access', headers: { cookie } });
        const item = body.split('<tr').find((each) => each.includes(fingerprint)) ?? '';
        const [, state, uses] = [...item.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell);
        return `${state}, ${uses} left, ${item.includes('CAP_REVOKE') ? 'can' : 'cannot'} be revoked`;
      };
      const top = await server.mint({ scope: 'act', max_uses: 2, purpose: 'top' });
      const middle = await server.mint({ purpose: 'middle', max_uses: 2 }, top.share);
      const { share, fingerprint } = await server.mint({ purpose: 'bottom', max_uses: 2 }, middle.share);
      expect(await listed(fingerprint)).toBe('valid, 2 left, can be revoked');
      await server.call('MIRROR_FEED', 'alpha', { share: top.share });
      expect(await listed(fingerprint)).toBe('valid, 1 left, can be revoked');
      await server.call('MIRROR_FEED', 'alpha', { share: middle.share });
      expect(await listed(fingerprint)).toBe('exhausted, 0 left, can be revoked');
      await server.deployment.did('CAP_REVOKE', top.fingerprint);
      expect(await listed(fingerprint)).toBe('ancestor revoked, 0 left, cannot be revoked');
      expect(await listed(middle.fingerprint)).toBe('ancestor revoked, 0 left, cannot be revoked');
      expectProblem(await server.call('MIRROR_FEED', 'alpha', { share }), 'ancestor_revoked');
    });

    it('confirms an invocation to anybody, and nothing else', async () => {
      const made = await server.call('MIRROR_APPEND', 'alpha||question|ada|Confirm me.');
      const { id } = made.json['receipt'] as { id: string };
      const confirmation = await server.get({ confirm: id });
      expect(confirmation.json).toMatchObject({
        confirmed: true,
        id,
        key: 'MIRROR_APPEND',
        status: 'success',
        ran: true,
      });
      expect(confirmation.body).not.toContain('Confirm me.');
      const aid = (
        (await server.send({ path: '/api/articles/alpha' })).json['object'] as { identity: { id: string } }
      ).identity.id;
      const { fingerprint } = await server.mint({ scope: 'act' });
      for (const other of [
        'inv_aaaaaaaaaaaaaaaa',
        'inv_',
        '',
        'x',
        `${aid}.provenance`,
        `${aid}.d1`,
        `${aid}.mirror`,
        fingerprint,
        `${id} `,
        id.toUpperCase(),
        '__proto__',
      ]) {
        const reply = await server.get({ confirm: other });
        expect(expectProblem(reply, 'not_found')['confirmed']).toBe(false);
        expectProblem(await server.get({ receipt: other }, owner), 'not_found');
      }
    });
  });

  describe('a cut', () => {
    it('is never wider than its parent in any dimension', async () => {
      const parent = await server.mint({
        scope: 'rows',
        keys: ['MIRROR_APPEND', 'MIRROR_FEED'],
        ttl: 600,
        max_uses: 5,
        risk_ceiling: 'low',
        owner_gate: true,
        article: 'alpha',
        body_fixed: 'fixed',
        max_body_bytes: 100,
      });
      const wider: Record<string, unknown>[] = [
        { scope: 'act' },
        { scope: 'read' },
        { scope: 'pfx', keys: ['MIRROR_'] },
        { scope: 'row', key: 'CLAIM_POST' },
        { scope: 'rows', keys: ['MIRROR_FEED', 'CLAIM_POST'] },
        { scope: 'row', key: 'CAP_MINT' },
        { ttl: 601 },
        { max_uses: 6 },
        { max_uses: 0 },
        { risk_ceiling: 'high' },
        { owner_gate: false },
        { article: 'beta' },
        { body_fixed: 'other' },
        { max_body_bytes: 101 },
      ];
      for (const grant of wider) {
        const problem = expectProblem(
          await server.call('CAP_MINT', grant, { share: parent.share }),
          'scope_denied',
        );
        expect([JSON.stringify(grant), problem.gate]).toEqual([JSON.stringify(grant), 'scope']);
      }
      for (const grant of [
        { ttl: 0 },
        { ttl: -5 },
        { max_uses: -1 },
        { scope: 'constructor' },
        { risk_ceiling: 'none' },
        { max_body_bytes: 0 },
        { keys: [] },
        { scope: 'pfx', keys: [''] },
        { article: '' },
      ]) {
        expectProblem(await server.call('CAP_MINT', grant, { share: parent.share }), 'body_mismatch');
      }
      expectProblem(
        await server.call('CAP_MINT', { scope: 'row', key: 'NOTHING' }, { share: parent.share }),
        'unknown_key',
      );
      const cut = await server.mint({}, parent.share);
      expect(await server.explain(cut.share)).toMatchObject({
        scope: 'rows',
        keys: ['MIRROR_APPEND', 'MIRROR_FEED'],
        risk_ceiling: 'low',
        owner_gate: true,
        article: 'alpha',
        body_fixed: 'fixed',
        max_body_bytes: 100,
        parent: parent.fingerprint,
        depth: 1,
      });
      expect(await server.explain(parent.share)).toMatchObject({ uses: 0 });
      const pfx = await server.mint({ scope: 'pfx', keys: ['VOXEL_'], max_uses: 0, risk_ceiling: 'high' });
      for (const grant of [
        { scope: 'pfx', keys: ['V'] },
        { scope: 'pfx', keys: ['VOXEL_', 'CLAIM_'] },
        { scope: 'row', key: 'VOXEL_BURN' },
        { scope: 'row', key: 'VOXEL_RATIFY' },
        { scope: 'act' },
        { scope: 'read' },
      ]) {
        expectProblem(await server.call('CAP_MINT', grant, { share: pfx.share }), 'scope_denied');
      }
      expect(
        (await server.call('CAP_MINT', { scope: 'row', key: 'VOXEL_EDIT' }, { share: pfx.share })).status,
      ).toBe(200);
    });

    it('inherits what it does not name: remaining uses and time, and every bound', async () => {
      const parent = await server.mint({
        scope: 'rows',
        keys: ['MIRROR_FEED', 'OBJECTION_LOG'],
        max_uses: 5,
        ttl: 3600,
        purpose: 'reading along',
        article: 'alpha',
        max_body_bytes: 200,
      });
      expect((await server.call('MIRROR_FEED', 'alpha', { share: parent.share })).status).toBe(200);
      const byAddress = await server.get({
        self_scope: '1',
        narrow: '1',
        keys: 'MIRROR_FEED',
        share: parent.share,
      });
      const byRow = await server.call('CAP_MINT', { key: 'MIRROR_FEED' }, { share: parent.share });
      for (const { json } of [byAddress, byRow]) {
        const { capability } = json['result'] as { capability: Record<string, unknown> };
        expect(capability).toMatchObject({
          keys: ['MIRROR_FEED'],
          max_uses: 4,
          purpose: 'reading along',
          article: 'alpha',
          max_body_bytes: 200,
        });
        expect(capability['ttl']).toBeGreaterThan(3500);
      }
      const open = await server.mint({ scope: 'read', max_uses: 0 });
      const below = await server.call(
        'CAP_MINT',
        { scope: 'row', key: 'MIRROR_FEED' },
        { share: open.share },
      );
      expect(below.json['result']).toMatchObject({ max_uses: 0 });
      // The owner's share inherits from nobody: spec §8.
      const plain = await server.call('CAP_MINT', 'row|MIRROR_FEED', {}, owner);
      expect(plain.json['result']).toMatchObject({
        max_uses: 1,
        capability: { ttl: 600, owner_gate: false },
      });
    });

    it('is at most eight levels deep, and is invalid once any ancestor is invalid', async () => {
      const chain = [await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 })];
      for (let depth = 1; depth <= 8; depth++)
        chain.push(await server.mint({ max_uses: 0 }, chain.at(-1)?.share));
      expectProblem(
        await server.call('CAP_MINT', { max_uses: 0 }, { share: chain.at(-1)?.share }),
        'scope_denied',
      );
      for (const { share } of chain)
        expect((await server.call('MIRROR_FEED', 'alpha', { share })).status).toBe(200);
      await server.call('CAP_REVOKE', chain[4]?.fingerprint ?? '', { share: chain[2]?.share });
      for (const [depth, { share }] of chain.entries()) {
        const reply = await server.call('MIRROR_FEED', 'alpha', { share });
        if (depth < 4) expect(reply.status).toBe(200);
        else expectProblem(reply, depth === 4 ? 'token_revoked' : 'ancestor_revoked');
        if (depth >= 4)
          expectProblem(
            await server.call('CAP_MINT', {}, { share }),
            depth === 4 ? 'token_revoked' : 'ancestor_revoked',
          );
      }
    });

    it('is revoked by itself, an ancestor or the owner, and by no other share', async () => {
      const parent = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
      const [one, two, three] = [
        await server.mint({ max_uses: 0 }, parent.share),
        await server.mint({ max_uses: 0 }, parent.share),
        await server.mint({ max_uses: 0 }, parent.share),
      ];
      expectProblem(await server.call('CAP_REVOKE', two.fingerprint, { share: one.share }), 'not_found');
      expectProblem(await server.call('CAP_REVOKE', parent.fingerprint, { share: one.share }), 'not_found');
      expectProblem(
        await server.call('CAP_REVOKE', 'cap_0123456789abcdef', { share: one.share }),
        'not_found',
      );
      expectProblem(await server.call('CAP_REVOKE', one.fingerprint), 'credential_required');
      expect((await server.call('CAP_REVOKE', one.fingerprint, { share: one.share })).status).toBe(200);
      expect((await server.call('CAP_REVOKE', two.fingerprint, { share: parent.share })).status).toBe(200);
      expect((await server.call('CAP_REVOKE', three.fingerprint, {}, owner)).status).toBe(200);
      expectProblem(await server.call('CAP_REVOKE', three.fingerprint, {}, owner), 'conflict');
    });

    it('bound to an article reaches no other article, whatever a batch names', async () => {
      const { share } = await server.mint({
        scope: 'rows',
        keys: ['VOXEL_BATCH', 'CLAIM_POST', 'MIRROR_APPEND', 'VOXEL_EDIT', 'ARTICLE_META'],
        article: 'alpha',
        max_uses: 0,
      });
      const beta = await server.send({ path: '/api/articles/beta' });
      // For its own article it is told what is wrong with the arguments, and for another nothing of them.
      for (const [slug, code] of [
        ['alpha', 'body_mismatch'],
        ['beta', 'scope_denied'],
      ] as const)
        expectProblem(await server.call('CLAIM_POST', { slug, colour: 'red' }, { share }), code);
      const claim = {
        text: 'A claim that must not land elsewhere stands here.',
        tier: 'system',
        who_claims: 'ada',
        why_material: 'x',
      };
      for (const body of [
        { slug: 'alpha', document: { slug: 'beta', markdown: 'Sneaked in.\n' } },
        { document: { slug: 'beta', markdown: 'x\n' } },
        { document: { markdown: '# New\n' } },
        { slug: 'alpha', document: { markdown: '# New\n' } },
      ]) {
        expectProblem(await server.call('VOXEL_BATCH', body, { share }), 'scope_denied');
      }
      const mixed = await server.call(
        'VOXEL_BATCH',
        {
          slug: 'alpha',
          operations: [
            { op: 'claim', ...claim },
            { op: 'claim', slug: 'beta', ...claim },
          ],
        },
        { share },
      );
      expect(mixed.json['result']).toMatchObject({
        ok: false,
        landed: 1,
        results: [{ ok: true }, { ok: false, error: 'scope_denied' }],
      });
      expectProblem(await server.call('MIRROR_APPEND', 'beta||question|ada|x', { share }), 'scope_denied');
      expectProblem(
        await server.call(
          'VOXEL_BATCH',
          { slug: 'beta', operations: [{ op: 'claim', ...claim }] },
          { share },
        ),
        'scope_denied',
      );
      expect((await server.send({ path: '/api/articles/beta' })).json['content_hash']).toBe(
        beta.json['content_hash'],
      );
      expect((await server.send({ path: '/api/articles/beta' })).json['version']).toBe(beta.json['version']);
      expect(
        (
          await server.call(
            'VOXEL_BATCH',
            { document: { slug: 'alpha', markdown: 'Rightly added.\n' } },
            { share },
          )
        ).status,
      ).toBe(200);
    });
  });

  describe('uses', () => {
    it('of 100 parallel calls over three levels are charged exactly to the budget of each', async () => {
      const top = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 60 });
      const middle = await server.mint({ max_uses: 50 }, top.share);
      const bottom = await server.mint({ max_uses: 37 }, middle.share);
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          server.call('MIRROR_APPEND', `alpha||audit|ada|Race ${i}.`, { share: bottom.share }),
        ),
      );
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(37);
      for (const reply of replies.filter(({ status }) => status !== 200))
        expectProblem(reply, 'token_exhausted');
      expect(await server.explain(bottom.share)).toMatchObject({
        uses: 37,
        uses_left: 0,
        state: 'exhausted',
      });
      expect(await server.explain(middle.share)).toMatchObject({ uses: 37, uses_left: 13 });
      expect(await server.explain(top.share)).toMatchObject({ uses: 37, uses_left: 23 });
    });

    it('taken through one branch reduce the shared budget of the ancestor for the other branch', async () => {
      const top = await server.mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: 10 });
      const [left, right] = [
        await server.mint({ max_uses: 8 }, top.share),
        await server.mint({ max_uses: 8 }, top.share),
      ];
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          server.call('MIRROR_APPEND', `alpha||audit|ada|Branch ${i}.`, {
            share: i % 2 === 0 ? left.share : right.share,
          }),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
      const uses = [await server.explain(left.share), await server.explain(right.share)].map(
        (each) => each['uses'] as number,
      );
      expect((uses[0] as number) + (uses[1] as number)).toBe(10);
      expect(await server.explain(top.share)).toMatchObject({ uses: 10, uses_left: 0 });
      expectProblem(await server.call('CAP_MINT', { max_uses: 1 }, { share: top.share }), 'scope_denied');
    });

    it('are charged per operation of a batch, and not at all by a failed atomic batch', async () => {
      const { share } = await server.mint({
        scope: 'rows',
        keys: ['VOXEL_BATCH', 'CLAIM_POST'],
        max_uses: 3,
      });
      const claim = (word: string): object => ({
        op: 'claim',
        text: `The ${word} ledger keeps its own ${word}.`,
        tier: 'system',
        who_claims: 'ada',
        why_material: 'x',
      });
      const failed = await server.call(
        'VOXEL_BATCH',
        {
          slug: 'beta',
          atomic: true,
          operations: [claim('first'), claim('second'), { ...claim('third'), tier: 'none' }],
        },
        { share },
      );
      expectProblem(failed, 'content_rule');
      expect(await server.explain(share)).toMatchObject({ uses: 0 });
      const landed = await server.call(
        'VOXEL_BATCH',
        { slug: 'beta', operations: ['red', 'green', 'blue', 'white', 'black'].map(claim) },
        { share },
      );
      expect(landed.json['result']).toMatchObject({ landed: 3, of: 5 });
      expect(
        (landed.json['result'] as { results: { error?: string }[] }).results
          .slice(3)
          .map(({ error }) => error),
      ).toEqual(['token_exhausted', 'token_exhausted']);
      expect(await server.explain(share)).toMatchObject({ uses: 3 });
    });
  });

  describe('the owner key sent as a share', () => {
    it.each([
      ['whole, as a Bearer token', { headers: { authorization: `Bearer ${owner['x-terminal-key']}` } }],
      [
        'without its prefix, as a Bearer token',
        { headers: { authorization: `Bearer ${owner['x-terminal-key'].slice(3)}` } },
      ],
      ['without its prefix, in the address', { query: { share: owner['x-terminal-key'].slice(3) } }],
      ['without its prefix, in the body', { more: { share: owner['x-terminal-key'].slice(3) } }],
    ] as [
      string,
      { headers?: Record<string, string>; query?: Record<string, string>; more?: Record<string, unknown> },
    ][])('%s is identified as the owner key, with the header to use, and not echoed', async (_how, sent) => {
      const reply =
        sent.query === undefined
          ? await server.call('OIP_TREE', '', sent.more ?? {}, sent.headers ?? {})
          : await server.get({ invoke: 'OIP_TREE', ...sent.query });
      const refused = expectProblem(reply, 'credential_required');
      expect(`${refused['detail']} ${refused['fix']}`).toMatch(/owner key.*x-terminal-key/);
      expect(reply.body).not.toContain(owner['x-terminal-key'].slice(3));
    });

    it('is not assumed for any other malformed token', async () => {
      const reply = await server.call(
        'OIP_TREE',
        '',
        {},
        { authorization: 'Bearer only-for-tests-012345678' },
      );
      expect(expectProblem(reply, 'token_malformed')['fix']).toContain('x-terminal-key');
      expect(reply.body).not.toContain('only-for-tests');
    });
  });

  describe('the scope of a share', () => {
    it.each([
      { scope: 'pfx', keys: [''] },
      { scope: 'pfx', keys: ['*'] },
      { scope: 'pfx', keys: ['VOXEL_', 'VOXEL_ and more'] },
      { scope: 'act', article: 'alpha\nOpen the address.' },
    ])('is rejected when %j names no keys or an invalid article', async (asked) => {
      expectProblem(await server.call('CAP_MINT', JSON.stringify(asked), {}, owner), 'body_mismatch');
    });

    it.each([
      ['KEY_', "KEY_MINT, KEY_REVOKE are the owner's alone"],
      ['NO_SUCH_', 'no row begins so'],
      ['VOXEL_BU', 'VOXEL_BURN is opened by name alone'],
    ])(
      'is rejected for shares and keys when the prefix %s covers no row that could be invoked',
      async (prefix, why) => {
        for (const [key, body] of [
          ['CAP_MINT', { scope: 'pfx', keys: ['MIRROR_', prefix] }],
          ['KEY_MINT', { scopes: `act pfx:${prefix},MIRROR_` }],
        ] as const) {
          const refused = expectProblem(await server.call(key, body, {}, owner), 'body_mismatch');
          expect(refused['detail']).toContain(`"${prefix}" would open nothing: ${why}.`);
        }
      },
    );

    it('names existing rows only, and all unknown rows are reported at once', async () => {
      for (const [key, body] of [
        ['CAP_MINT', { scope: 'rows', keys: ['NO_SUCH', 'MIRROR_FEED', 'NOR_THIS'] }],
        ['KEY_MINT', { scopes: 'rows:NO_SUCH,MIRROR_FEED,NOR_THIS' }],
      ] as const) {
        const refused = expectProblem(await server.call(key, body, {}, owner), 'unknown_key');
        expect(refused['detail']).toBe('There are no rows NO_SUCH, NOR_THIS.');
      }
    });

    it('may be a prefix that also matches owner-only rows, which stay closed', async () => {
      const { share } = await server.mint({ scope: 'pfx', keys: ['MIRROR_'] });
      expect((await server.call('MIRROR_FEED', 'no-such-article', { share })).status).toBe(404);
      expectProblem(await server.call('MIRROR_RESOLVE', 'a|b|accepted|x', { share }), 'owner_only');
    });

    it('excludes owner-only rows, and the error names all of them', async () => {
      const mixed = { scope: 'rows', keys: ['KEY_MINT', 'MIRROR_FEED', 'SECRET_SCRUB'] };
      for (const [key, body] of [
        ['CAP_MINT', mixed],
        ['KEY_MINT', { scopes: 'rows:KEY_MINT,MIRROR_FEED,SECRET_SCRUB' }],
      ] as const) {
        const refused = expectProblem(await server.call(key, body, {}, owner), 'body_mismatch');
        expect(refused['detail']).toContain("KEY_MINT, SECRET_SCRUB are the owner's alone");
        expect(refused['fix']).toContain('x-terminal-key');
      }
    });

    it('is explained as the rows it may invoke: no owner-only row, none above its ceiling', async () => {
      const verbs = async (asked: Record<string, unknown>): Promise<unknown> =>
        (await server.explain((await server.mint(asked)).share))['verbs'];
      expect(await verbs({ scope: 'rows', keys: ['MIRROR_FEED', 'VOXEL_BURN'] })).toEqual(['MIRROR_FEED']);
      expect(await verbs({ scope: 'row', key: 'VOXEL_BURN', risk_ceiling: 'high' })).toEqual(['VOXEL_BURN']);
      expect(await verbs({ scope: 'row', key: 'CAP_MINT' })).toEqual(['CAP_MINT']);
      expect(await verbs({ scope: 'pfx', keys: ['ARTICLE_'], article: 'alpha' })).toEqual([
        'ARTICLE_INGEST',
        'ARTICLE_INSPECT',
        'ARTICLE_META',
      ]);
    });
  });

  describe('a fingerprint', () => {
    it('explains its share to anybody in every state, without its purpose and recipient', async () => {
      const { share, fingerprint } = await server.mint({
        scope: 'row',
        key: 'MIRROR_APPEND',
        max_uses: 3,
        ttl: 600,
        purpose: 'A secret errand.',
        article: 'alpha',
      });
      await server.call('MIRROR_APPEND', 'alpha||question|ada|Explained?', { share });
      const told = await server.get({ explain: '1', share: fingerprint });
      expect(told.status).toBe(200);
      expect(told.json).toMatchObject({
        fingerprint,
        scope: 'row',
        keys: ['MIRROR_APPEND'],
        verbs: ['MIRROR_APPEND'],
        state: 'valid',
        max_uses: 3,
        uses: 1,
        uses_left: 2,
        risk_ceiling: 'low',
        owner_gate: false,
        revoked: false,
        ancestors: [],
        ledger: [{ chain: fingerprint, action: 'mint', n: 0 }],
      });
      expect(Number(told.json['ttl_left'])).toBeGreaterThan(500);
      const members = Object.keys(told.json);
      for (const name of ['purpose', 'actor', 'article', 'body_fixed', 'max_body_bytes', 'digest'])
        expect(members).not.toContain(name);
      expect(told.body).not.toContain('errand');
      expect(told.body).not.toContain(share);
      const whole = { purpose: 'A secret errand.', article: 'alpha' };
      expect((await server.get({ explain: '1', share })).json).toMatchObject(whole);
      expect((await server.get({ explain: '1', share: fingerprint }, owner)).json).toMatchObject(whole);
      expect(
        (await server.get({ explain: '1', share: fingerprint }, { authorization: `Bearer ${share}` })).json,
      ).toMatchObject(whole);
      const { token } = ((await server.send({ path: '/start' })).json as { credential: { token: string } })
        .credential;
      const free = await server.get(
        { explain: '1', share: fingerprint },
        { authorization: `Bearer ${token}` },
      );
      expect([free.status, free.body.includes('errand')]).toEqual([200, false]);
      await server.call('CAP_REVOKE', fingerprint, {}, owner);
      expect((await server.get({ explain: '1', share: fingerprint })).json).toMatchObject({
        ok: true,
        state: 'revoked',
        revoked: true,
      });
    });

    it('is not found when it is unknown, and is rejected as a credential', async () => {
      expectProblem(await server.get({ explain: '1', share: 'cap_0000000000000000' }), 'not_found');
      const { fingerprint } = await server.mint({ scope: 'row', key: 'OIP_TREE' });
      expectProblem(await server.get({ invoke: 'OIP_TREE', share: fingerprint }), 'token_malformed');
      expectProblem(await server.get({ explain: '1', share: `${fingerprint}0` }), 'token_malformed');
    });
  });
});
