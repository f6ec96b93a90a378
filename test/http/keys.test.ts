import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeApiKey, encodeApiKey } from '../../src/domain/capabilities/api-key-codec.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { expectReplays } from './replays.ts';

describe('the text of an API key', () => {
  const { token } = encodeApiKey(new Uint8Array(32).fill(5));

  it('is ck_ and the base64url of 32 bytes with their CRC-32', () => {
    // Made from the layout by another program in another language.
    expect(token).toBe('ck_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQVVr7AJ');
    expect(decodeApiKey(token)).toEqual({
      token,
      fingerprint: expect.stringMatching(/^cap_[0-9a-f]{16}$/) as string,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('is rejected with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'ABxyz09-_. \n'), (at, letter) => {
        fc.pre(token[at] !== letter);
        expect(isFault(decodeApiKey(token.slice(0, at) + letter + token.slice(at + 1)))).toBe(true);
      }),
    );
  });
});

describe.each(storeKinds().map(({ name }) => name))('API keys on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    for (const slug of ['alpha', 'beta'])
      await server.deployment.did('VOXEL_BATCH', {
        document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n` },
      });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const mint = async (scopes: string, more: object = {}): Promise<{ key: string; fingerprint: string }> => {
    const reply = await server.call('KEY_MINT', { scopes, ...more }, {}, owner);
    expect(reply.status).toBe(200);
    const { key, result } = reply.json as { key: string; result: { fingerprint: string } };
    return { key, fingerprint: result.fingerprint };
  };
  const divOf = async (slug: string): Promise<{ div_id: string; vx_hash: string }> => {
    const { json } = await server.send({ path: `/api/articles/${slug}/voxels` });
    return (json['divs'] as { div_id: string; vx_hash: string }[])[1] as { div_id: string; vx_hash: string };
  };
  const edit = async (slug: string, text: string, key: string, inBody = true): Promise<Reply> => {
    const { div_id, vx_hash } = await divOf(slug);
    const body = { slug, div_id, expected_hash: vx_hash, text, actor: 'ada' };
    return server.send({
      path: '/api/protocol/voxel-edit',
      body: inBody ? { ...body, key } : body,
      headers: inBody ? {} : { authorization: `Bearer ${key}` },
    });
  };

  it('authorize voxel writes from the body or the header, and only with an explicit voxel scope', async () => {
    const voxel = await mint('pfx:VOXEL_');
    expect((await edit('alpha', 'Edited by body.', voxel.key)).status).toBe(200);
    expect((await edit('alpha', 'Edited by header.', voxel.key, false)).status).toBe(200);
    const rows = await mint('rows:VOXEL_EDIT,VOXEL_MOVE');
    expect((await edit('alpha', 'Edited by row.', rows.key)).status).toBe(200);
    const act = await mint('act');
    expectProblem(await edit('alpha', 'Not by act.', act.key), 'voxel_scope_required');
    expect(
      (await server.send({ path: '/api/protocol/voxel-divide', body: { slug: 'alpha', key: act.key } }))
        .status,
    ).toBe(200);
    expectProblem(
      await server.call(
        'VOXEL_BURN',
        { slug: 'alpha', ids: ['d3'], reason: 'x' },
        {},
        { authorization: `Bearer ${voxel.key}` },
      ),
      'scope_denied',
    );
  });

  it('bound to an article are refused on every other article', async () => {
    const bound = await mint('act pfx:VOXEL_@alpha');
    expect((await edit('alpha', 'Inside the bounds.', bound.key)).status).toBe(200);
    expectProblem(await edit('beta', 'Outside of them.', bound.key), 'scope_denied');
    const source = { type: 'review', url: 'https://example.org/a', title: 'A', quote: 'exact' };
    expect(
      (
        await server.send({
          path: '/api/protocol/sources',
          body: { slug: 'beta', sources: [source], key: bound.key },
        })
      ).status,
    ).toBe(200);
  });

  it('are stored as a hash, shown once and listed by fingerprint', async () => {
    const { key, fingerprint } = await mint('read', { purpose: 'listing' });
    expect(key).toMatch(/^ck_[A-Za-z0-9_-]{48}$/);
    const list = await server.send({ path: '/api/keys', headers: owner });
    expect(
      (list.json['keys'] as { fingerprint: string }[]).find((each) => each.fingerprint === fingerprint),
    ).toMatchObject({
      scopes: ['read'],
      purpose: 'listing',
      state: 'valid',
      expires_at: null,
    });
    const explained = await server.call('CAP_EXPLAIN', fingerprint, {}, owner);
    const { id } = (await server.call('KEY_MINT', { scopes: 'act' }, {}, owner)).json['receipt'] as {
      id: string;
    };
    const receipt = await server.get({ receipt: id }, owner);
    for (const { body } of [list, explained, receipt]) {
      expect(body).not.toMatch(/ck_[A-Za-z0-9_-]{20}/);
      expect(body).not.toContain('digest');
    }
    expectProblem(await server.send({ path: '/api/keys' }), 'owner_only');
    expectProblem(
      await server.send({ path: '/api/keys', headers: { authorization: `Bearer ${key}` } }),
      'owner_only',
    );
  });

  it('are listed only in the workspace that they are for', async () => {
    await server.deployment.did('WORKSPACE_CREATE', {
      name: 'survey',
      title: 'Survey',
      purpose: 'A test',
      status: 'open',
    });
    const minted = await server.call('KEY_MINT', { scopes: 'act' }, { workspace: 'survey' }, owner);
    const { fingerprint } = minted.json['result'] as { fingerprint: string };
    const listed = async (path: string): Promise<unknown[]> => {
      const { json } = await server.send({ path, headers: owner });
      return (json['keys'] as { fingerprint: string }[]).map((each) => each.fingerprint);
    };
    expect(await listed('/api/keys')).not.toContain(fingerprint);
    expect(await listed('/api/keys?workspace=survey')).toEqual([fingerprint]);
  });

  it('are refused for writes and reads as soon as they are revoked', async () => {
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: `draft-${name}`, markdown: '# Draft\n', status: 'draft' },
    });
    const { key, fingerprint } = await mint('act pfx:VOXEL_');
    const read = (): Promise<Reply> =>
      server.send({ path: `/api/articles/draft-${name}`, headers: { authorization: `Bearer ${key}` } });
    expect((await read()).status).toBe(200);
    expect((await server.call('KEY_REVOKE', fingerprint, {}, owner)).status).toBe(200);
    expectProblem(await read(), 'token_revoked');
    expectProblem(await edit('alpha', 'After the end.', key), 'token_revoked');
    expectProblem(await server.call('KEY_REVOKE', fingerprint, {}, owner), 'conflict');
  });

  it('are refused if they were never minted or are damaged, in a URL, and for cutting a share', async () => {
    const { key } = await mint('act');
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expectProblem(
      await server.call('OIP_TREE', '', {}, bearer(encodeApiKey(new Uint8Array(32)).token)),
      'token_corrupted',
    );
    expectProblem(
      await server.call('OIP_TREE', '', {}, bearer(`${key.slice(0, -1)}${key.endsWith('A') ? 'Q' : 'A'}`)),
      'token_corrupted',
    );
    expectProblem(await server.call('OIP_TREE', '', {}, bearer(key.slice(0, -1))), 'token_malformed');
    expectProblem(await server.get({ invoke: 'OIP_TREE', share: key }), 'invalid_request');
    expectProblem(await server.call('CAP_MINT', {}, {}, bearer(key)), 'owner_only');
    expectProblem(await server.call('KEY_MINT', { scopes: 'act' }, {}, bearer(key)), 'owner_only');
  });

  it('are minted only with existing scopes, and expire', async () => {
    for (const scopes of ['', 'everything', 'rows:', 'pfx:', 'act@UPPER', 'rows:VOXEL_EDIT@@x'])
      expectProblem(await server.call('KEY_MINT', { scopes }, {}, owner), 'body_mismatch');
    expectProblem(await server.call('KEY_MINT', { scopes: 'rows:NO_SUCH_ROW' }, {}, owner), 'unknown_key');
    const { key } = await mint('read', { ttl: 5 });
    server.advance(6000);
    expectProblem(await server.call('OIP_TREE', '', {}, { authorization: `Bearer ${key}` }), 'token_expired');
  });

  it('leaves projections that a ledger replay reproduces', () => expectReplays(server));
});
