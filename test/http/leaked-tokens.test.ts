import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDeployment } from '../support/deployment.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectReplays } from './replays.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  await server.deployment.did('VOXEL_BATCH', { document: { slug: 'wall', markdown: 'A wall.\n' } });
});

afterAll(async () => {
  await server.end();
});

/** A string in the format of a share token that was never issued. */
function madeUp(): string {
  const bytes = randomBytes(36);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 32)), 32);
  return `sh.${bytes.toString('base64url')}`;
}

const grant = { scope: 'act', ttl: 600, max_uses: 0 };
const stateOf = async (fingerprint: string): Promise<unknown> =>
  (await server.call('CAP_EXPLAIN', fingerprint, {}, owner)).json['result'];

describe('a share token in a public text', () => {
  it('is replaced by its fingerprint and revoked, regardless of its author', async () => {
    const { share, fingerprint } = await server.mint(grant);
    expect(await stateOf(fingerprint)).toMatchObject({ revoked_at: null });
    const said = await server.call('OBJECTION_LOG', `wall|Anybody may use ${share} here.`);
    expect(said.status).toBe(200);
    const { body } = await server.send({ path: '/api/articles/wall/objections' });
    expect([body.includes(fingerprint), body.includes(share)]).toEqual([true, false]);
    expect(await stateOf(fingerprint)).toMatchObject({ revoked_at: expect.any(String) });
    expect((await server.call('OIP_TREE', '', { share })).json['error']).toBe('token_revoked');
  });

  it('is revoked with all its cuts, also inside a document, a batch, a repair and a key', async () => {
    const parent = await server.mint(grant);
    const child = await server.mint({ scope: 'row', key: 'MIRROR_FEED', ttl: 60 }, parent.share);
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'note', markdown: `Use ${parent.share}.\n` },
    });
    expect((await server.call('MIRROR_FEED', 'wall', { share: child.share })).json['error']).toBe(
      'ancestor_revoked',
    );
    const two = await server.mint(grant);
    await server.deployment.did('VOXEL_BATCH', {
      operations: [
        {
          op: 'vote',
          slug: 'wall',
          target: 'd1',
          proposal: 'should_burn',
          rationale: `See ${two.share}.`,
          actor: 'a',
        },
      ],
    });
    expect(await stateOf(two.fingerprint)).toMatchObject({ revoked_at: expect.any(String) });
    const three = await server.mint(grant);
    const failed = await server.call('OBJECTION_LOG', { slug: 'wall' }, {}, owner);
    const { id } = failed.json['invocation'] as { id: string };
    const repaired = await server.call(
      'OIP_REPAIR',
      `${id}|OBJECTION_LOG|wall|It stands in ${three.share} once more.`,
      {},
      owner,
    );
    expect(repaired.status).toBe(200);
    expect(await stateOf(three.fingerprint)).toMatchObject({ revoked_at: expect.any(String) });
    const { key, fingerprint } = (await server.deployment.did('KEY_MINT', 'act|a script')) as Record<
      string,
      string
    >;
    expect((await server.call('OBJECTION_LOG', `wall|My key is ${key} by the way.`)).status).toBe(200);
    expect(await stateOf(fingerprint as string)).toMatchObject({ revoked_at: expect.any(String) });
    await expectReplays(server);
  });

  it('is looked up for at most 32 tokens per text, and a text with more is rejected', async () => {
    const text = (count: number): string => Array.from({ length: count }, madeUp).join(' ');
    expect((await server.call('OBJECTION_LOG', `wall|See ${text(32)}`)).status).toBe(200);
    const refused = await server.call('OBJECTION_LOG', `wall|See ${text(33)}`);
    expect([refused.status, refused.json['error']]).toEqual([422, 'body_mismatch']);
    expect(refused.body).toContain('33 tokens');
    expect(refused.body).not.toMatch(/sh\.[\w-]{48}/);
    const { id } = refused.json['invocation'] as { id: string };
    expect((await server.get({ receipt: id }, owner)).body).not.toMatch(/sh\.[\w-]{48}/);
  });

  it('stays valid if it was only explained, or if the write failed', async () => {
    const { share, fingerprint } = await server.mint(grant);
    expect((await server.call('CAP_EXPLAIN', share, {}, owner)).status).toBe(200);
    expect((await server.call('OBJECTION_LOG', `nowhere|It is ${share}.`)).status).toBe(404);
    expect((await server.call('OIP_TREE', '', { share })).status).toBe(200);
    expect(await stateOf(fingerprint)).toMatchObject({ revoked_at: null });
  });
});

describe('a share token on a fetched page', () => {
  let page: Server;
  afterAll(() => page.close());

  it('is scrubbed from the result and revoked', async () => {
    let text = '';
    page = createServer((_request, response) => response.setHeader('content-type', 'text/plain').end(text));
    await new Promise<void>((done) => page.listen(0, '127.0.0.1', done));
    const { port } = page.address() as AddressInfo;
    const deployment = await openDeployment({ env: { COLOPHON_EGRESS_ALLOW: '127.0.0.1' } });
    const { share, fingerprint } = (await deployment.did('CAP_MINT', { ...grant, scope: 'act' })) as Record<
      string,
      string
    >;
    text = `Somebody wrote ${share} down.`;
    const fetched = await deployment.did('WEB_FETCH', `GET|http://127.0.0.1:${port}/||`);
    expect(JSON.stringify(fetched)).toContain(fingerprint);
    expect(JSON.stringify(fetched)).not.toContain(share);
    expect(await deployment.did('CAP_EXPLAIN', fingerprint as string)).toMatchObject({
      revoked_at: expect.any(String),
    });
    // Written into the request itself, it leaves with that.
    const { share: sent, fingerprint: of } = (await deployment.did('CAP_MINT', grant)) as Record<
      string,
      string
    >;
    await deployment.did('WEB_FETCH', `GET|http://127.0.0.1:${port}/?by=${sent}||`);
    expect(await deployment.did('CAP_EXPLAIN', of as string)).toMatchObject({
      revoked_at: expect.any(String),
    });
    text = Array.from({ length: 33 }, madeUp).join(' ');
    await expect(deployment.did('WEB_FETCH', `GET|http://127.0.0.1:${port}/more||`)).rejects.toThrow(
      'more than 32',
    );
    await deployment.end();
  });

  it('is revoked even if it was never used', async () => {
    const other = await openLocal({ env: { COLOPHON_EGRESS_ALLOW: '127.0.0.1' } });
    await other.deployment.did('VOXEL_BATCH', { document: { slug: 'wall', markdown: 'A wall.\n' } });
    const { share } = (
      await other.get({ self_scope: '1', keys: 'ARTICLE_INSPECT', purpose: 'p', actor: 'ada' })
    ).json;
    const leaking = createServer((_request, response) =>
      response.setHeader('content-type', 'text/plain').end(`It is ${String(share)}.`),
    );
    await new Promise<void>((done) => leaking.listen(0, '127.0.0.1', done));
    const { port } = leaking.address() as AddressInfo;
    await other.deployment.did('WEB_FETCH', `GET|http://127.0.0.1:${port}/||`);
    expect((await other.call('ARTICLE_INSPECT', 'wall', { share })).json['error']).toBe('token_revoked');
    leaking.close();
    await other.end();
  });
});

describe.each(storeKinds().map(({ name }) => name))('an unused share token on %s', (name) => {
  let local: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    local = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await local.deployment.did('VOXEL_BATCH', { document: { slug: 'wall', markdown: 'A wall.\n' } });
  });

  afterAll(async () => {
    await local.end();
    await database?.stop();
  });

  const selfCut = async (): Promise<string> => {
    const { json } = await local.get({
      self_scope: '1',
      keys: 'ARTICLE_INSPECT',
      purpose: 'p',
      actor: 'ada',
    });
    return String(json['share']);
  };
  const started = async (): Promise<string> =>
    ((await local.send({ path: '/start' })).json['credential'] as { token: string }).token;

  it.each([
    ['a self-cut share', selfCut],
    ['the share of /start', started],
  ])('is refused everywhere once it was written into a contribution: %s', async (_name, cut) => {
    const share = await cut();
    const kept = await cut();
    const said = await local.call('MIRROR_APPEND', {
      slug: 'wall',
      claim_id: '',
      kind: 'question',
      actor: 'a',
      body: `What is ${share} for?`,
    });
    expect([said.status, said.body.includes(share)]).toEqual([200, false]);
    const refused = await local.call('ARTICLE_INSPECT', 'wall', { share });
    expect([refused.status, refused.json['error']]).toEqual([401, 'token_revoked']);
    expect((await local.get({ invoke: 'ARTICLE_INSPECT', body: 'wall', share })).status).toBe(401);
    expect((await local.call('ARTICLE_INSPECT', 'wall', { share: kept })).status).toBe(200);
    await expectReplays(local);
  });

  it('stays valid if the write failed', async () => {
    const share = await selfCut();
    expect((await local.call('OBJECTION_LOG', `nowhere|It is ${share}.`)).status).toBe(404);
    expect((await local.call('ARTICLE_INSPECT', 'wall', { share })).status).toBe(200);
  });
});
