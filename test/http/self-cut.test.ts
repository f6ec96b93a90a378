import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDrop } from '../../src/domain/drops/check.ts';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { expectReplays } from './replays.ts';

const idOf = (reply: Reply): string => (reply.json['invocation'] as { id: string }).id;

describe.each(storeKinds().map(({ name }) => name))('a self-cut share on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const cut = (more: Record<string, string> = {}): Promise<Reply> =>
    server.get({
      self_scope: '1',
      keys: 'OBJECTION_LOG,ARTICLE_INSPECT',
      purpose: 'one reading',
      actor: 'ada',
      ...more,
    });
  const entries = async (fingerprint: string): Promise<number> =>
    (await server.deployment.service.store.read.chain(fingerprint)).length;

  it('covers open rows for a day and 25 uses, and lists the refused rows', async () => {
    const reply = await cut({ keys: 'OBJECTION_LOG,VOXEL_EDIT,ARTICLE_INSPECT' });
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('private, no-store');
    expect(reply.json).toMatchObject({
      granted: ['OBJECTION_LOG', 'ARTICLE_INSPECT'],
      refused: ['VOXEL_EDIT'],
      max_uses: 25,
      capability: { origin: 'self', scope: 'rows', ttl: 86_400, risk_ceiling: 'low', purpose: 'one reading' },
    });
    expect(checkDrop(String(reply.json['drop'])).findings).toEqual([]);
    expect(await server.explain(String(reply.json['share']))).toMatchObject({
      state: 'valid',
      uses_left: 25,
      origin: 'self',
    });
    const none = expectProblem(await cut({ keys: 'VOXEL_EDIT,CAP_MINT' }), 'keys_not_public');
    expect(none['refused']).toEqual(['VOXEL_EDIT', 'CAP_MINT']);
  });

  it('is recorded on the ledger at its first use, not before', async () => {
    const size = await server.size();
    const { share, fingerprint } = (await cut()).json as { share: string; fingerprint: string };
    expect([await server.size(), await entries(fingerprint)]).toEqual([size, 0]);
    const read = await server.get({ invoke: 'ARTICLE_INSPECT', body: 'alpha|claims', share });
    expect(read.json['result']).toMatchObject({ slug: 'alpha', part: 'claims', claims: { count: 0 } });
    expect(await entries(fingerprint)).toBe(1);
    const filed = await server.get({ invoke: 'OBJECTION_LOG', body: 'alpha|Nothing is cited.|S2', share });
    expect(filed.status).toBe(200);
    expect(await entries(fingerprint)).toBe(1);
    expect(await server.explain(share)).toMatchObject({ uses: 2, uses_left: 23 });
    expectProblem(await server.call('MIRROR_APPEND', 'alpha||audit|ada|Outside.', { share }), 'scope_denied');
  });

  it('is recorded once when its first uses are concurrent', async () => {
    const { share, fingerprint } = (await cut()).json as { share: string; fingerprint: string };
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => server.call('ARTICLE_INSPECT', 'alpha|health', { share })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(25);
    expect(await entries(fingerprint)).toBe(1);
    expect(await server.explain(share)).toMatchObject({ uses: 25, state: 'exhausted' });
  });

  it('opens the receipts that it made, and no others', async () => {
    const mine = (await cut()).json as { share: string };
    const other = (await cut()).json as { share: string };
    const id = idOf(await server.call('ARTICLE_INSPECT', 'alpha', { share: mine.share }));
    expect((await server.get({ receipt: id, share: mine.share })).status).toBe(200);
    expectProblem(await server.get({ receipt: id, share: other.share }), 'not_found');
    const owners = idOf(await server.call('ARTICLE_INSPECT', 'alpha', {}, owner));
    expectProblem(await server.get({ receipt: owners, share: mine.share }), 'not_found');
  });

  it('can be surrendered by its holder, also before its first use, together with its cuts', async () => {
    const { share, fingerprint } = (await cut()).json as { share: string; fingerprint: string };
    const narrow = await server.get({ self_scope: '1', narrow: '1', keys: 'ARTICLE_INSPECT', share });
    expect(narrow.json['result']).toMatchObject({
      capability: { parent: fingerprint, keys: ['ARTICLE_INSPECT'], origin: 'self' },
    });
    const below = String(narrow.json['share']);
    expect((await server.call('ARTICLE_INSPECT', 'alpha', { share: below })).status).toBe(200);
    expectProblem(await server.call('OBJECTION_LOG', 'alpha|x', { share: below }), 'scope_denied');
    expect((await server.call('CAP_REVOKE', fingerprint, { share })).status).toBe(200);
    expectProblem(await server.call('ARTICLE_INSPECT', 'alpha', { share }), 'token_revoked');
    expectProblem(await server.call('ARTICLE_INSPECT', 'alpha', { share: below }), 'ancestor_revoked');
    expectProblem(await server.send({ path: `/api/articles/alpha?share=${below}` }), 'ancestor_revoked');
    const unused = (await cut()).json as { share: string; fingerprint: string };
    expect((await server.call('CAP_REVOKE', unused.fingerprint, { share: unused.share })).status).toBe(200);
    expectProblem(
      await server.get({ invoke: 'ARTICLE_INSPECT', body: 'alpha', share: unused.share }),
      'token_revoked',
    );
  });

  it('from an owner-minted share is narrower or refused, costs no use and is shown once', async () => {
    const parent = await server.mint({ scope: 'rows', keys: ['MIRROR_APPEND', 'MIRROR_FEED'], max_uses: 5 });
    const url = { self_scope: '1', narrow: '1', keys: 'MIRROR_FEED', share: parent.share };
    const first = await server.get(url);
    expect(first.json['share']).toMatch(/^sh\./);
    const { share: below, templates } = first.json as { share: string; templates: string[] };
    expect(templates[0]).toMatch(/\?invoke=MIRROR_FEED&body=\{slug\}&share=sh\./);
    expect(templates.map((each) => each.replace(/^.*share=/, ''))).toEqual([
      below,
      below,
      below,
      '{token}',
      '{token}',
    ]);
    const again = await server.get(url);
    expect(again.json).toMatchObject({
      idempotent_replay: true,
      result: { fingerprint: (first.json['result'] as { fingerprint: string }).fingerprint },
    });
    expect(again.json['share']).toBeUndefined();
    expectProblem(await server.get({ ...url, keys: 'CLAIM_POST' }), 'scope_denied');
    expectProblem(await server.get({ self_scope: '1', narrow: '1' }), 'credential_required');
    expect(await server.explain(parent.share)).toMatchObject({ uses: 0 });
  });

  it('in a chain of three is charged exactly to its budget by a hundred concurrent uses', async () => {
    const top = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 60 });
    const middle = await server.mint({ max_uses: 50 }, top.share);
    const bottom = await server.mint({ max_uses: 37 }, middle.share);
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => server.call('MIRROR_FEED', 'alpha', { share: bottom.share })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(37);
    for (const { share } of [top, middle, bottom])
      expect(await server.explain(share)).toMatchObject({ uses: 37 });
  });

  it('expires, and its record is swept', async () => {
    const { share } = (await cut()).json as { share: string };
    server.advance(86_400_000 + 1000);
    const reply = await server.call('ARTICLE_INSPECT', 'alpha', { share });
    expect(['token_expired', 'token_revoked']).toContain(
      expectProblem(reply, String(reply.json['error'])).error,
    );
    await server.deployment.service.store.ephemeral.sweep(server.deployment.service.now());
    expectProblem(await server.get({ explain: '1', share }), 'token_revoked');
  });

  it('rebuilds identically from the ledger', () => expectReplays(server));
});
