/** What a public confirmation says of a write, and what it keeps to itself (contract §2, §3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';

const idOf = ({ json }: Reply): string => (json['receipt'] as { id: string }).id;

describe.each(storeKinds().map(({ name }) => name))('a confirmation on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  const base = 'http://127.0.0.1:8787';

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    const { deployment } = server;
    await deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: '# A\n\nOne.\n' } });
    await deployment.did('CLAIM_POST', {
      slug: 'alpha',
      text: 'A Merkle tree of two leaves has one inner node.',
      tier: 'system',
      who_claims: 'RFC 6962',
      why_material: 'Proofs rest on it.',
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const written = async (id: string) => (await server.get({ confirm: id })).json['written'];

  it('of a keyless contribution names article, claim and contribution, and later the decision', async () => {
    const posted = await server.send({
      path: '/api/articles/alpha/mirror',
      body: { claim_id: 'c1', kind: 'question', actor: 'ada', body: 'Which tree?' },
    });
    const { id } = posted.json['contribution'] as { id: string };
    const named = { kind: 'contribution', id, slug: 'alpha', target: 'c1', url: `${base}/a/alpha/c1` };
    expect(await written(idOf(posted))).toEqual([{ ...named, status: 'proposed', decision: null }]);
    const decided = await server.call('MIRROR_RESOLVE', `alpha|${id}|rejected|Answered.`, {}, owner);
    expect(decided.status).toBe(200);
    expect(await written(idOf(posted))).toEqual([{ ...named, status: 'rejected', decision: 'rejected' }]);
  });

  it('of an objection, a vote and a claim names what each is about and how it stands', async () => {
    const objection = await server.send({
      path: '/api/articles/alpha/objections',
      body: { actor: 'ada', objection: 'No source.' },
    });
    const entry = objection.json['entry'] as { id: string };
    expect(await written(idOf(objection))).toEqual([
      {
        kind: 'discourse',
        id: entry.id,
        slug: 'alpha',
        target: '',
        status: 'open',
        decision: null,
        url: `${base}/a/alpha#${entry.id}`,
      },
    ]);
    expect((await server.call('THREAD_SETTLE', `alpha|${entry.id}|Sourced.`, {}, owner)).status).toBe(200);
    expect(await written(idOf(objection))).toMatchObject([{ status: 'settled', decision: 'settled' }]);
    const vote = await server.call('VOXEL_VOTE', 'alpha|d2|should_split|Two ideas.|ada');
    const voteId = (vote.json['result'] as { vote_id: string }).vote_id;
    expect(await written(idOf(vote))).toMatchObject([
      { kind: 'vote', id: voteId, target: 'd2', status: 'open', decision: null },
    ]);
    await server.call('VOXEL_RATIFY', `${voteId}|rejected`, {}, owner);
    expect(await written(idOf(vote))).toMatchObject([
      { id: voteId, status: 'decided', decision: 'rejected' },
    ]);
    const failed = await server.call('OBJECTION_LOG', 'alpha');
    expect((await server.get({ confirm: idOf(failed) })).json).toMatchObject({
      status: 'failed',
      written: [],
    });
  });

  it('says nothing of a draft, of what was written before publication, nor of a closed workspace', async () => {
    const { deployment } = server;
    await deployment.did('VOXEL_BATCH', {
      document: { slug: 'hidden', markdown: '# H\n\nOne.\n', status: 'draft' },
    });
    const claim = {
      tier: 'system',
      who_claims: 'RFC 6962',
      why_material: 'Proofs rest on it.',
    };
    const drafted = await server.call(
      'CLAIM_POST',
      { ...claim, slug: 'hidden', text: 'A leaf is hashed with a zero byte in front.' },
      {},
      owner,
    );
    expect(drafted.status).toBe(200);
    expect(await written(idOf(drafted))).toEqual([]);
    const { version } = (await server.send({ path: '/api/articles/hidden', headers: owner })).json;
    server.advance(1000);
    const published = { slug: 'hidden', expected_version: version as number, status: 'published' };
    await deployment.did('ARTICLE_META', published);
    expect(await written(idOf(drafted))).toEqual([]);

    await deployment.did('WORKSPACE_CREATE', { name: 'survey', title: 'Survey', status: 'open' });
    const document = { slug: 'survey--notes', markdown: '# N\n\nOne.\n' };
    expect((await server.call('VOXEL_BATCH', { document }, {}, owner)).status).toBe(200);
    const inWorkspace = await server.call('VOXEL_VOTE', 'survey--notes|d2|should_split|Two ideas.|ada');
    expect(await written(idOf(inWorkspace))).toMatchObject([{ kind: 'vote', slug: 'survey--notes' }]);
    await deployment.did('WORKSPACE_SET', { name: 'survey', status: 'closed' });
    expect(await written(idOf(inWorkspace))).toEqual([]);
    expect((await server.get({ confirm: idOf(inWorkspace) })).body).not.toContain('notes');
  });
});

describe('the address of a receipt', () => {
  it('is a page for everybody, and JSON for who asks for it, the whole receipt for who may read it', async () => {
    const server = await openLocal();
    try {
      await server.deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: '# A\n\nOne.\n' } });
      const { share } = await server.mint({ key: 'OBJECTION_LOG', max_uses: 0 });
      const other = await server.mint({ key: 'PAPER_STATE', max_uses: 0 });
      const filed = await server.get({
        invoke: 'OBJECTION_LOG',
        'arg.slug': 'alpha',
        'arg.objection': 'No.',
        share,
      });
      const { id, url } = filed.json['receipt'] as { id: string; url: string };
      expect(url).toBe(`http://127.0.0.1:8787/receipt/${id}`);
      expect((filed.json['affordances'] as string[])[0]).toBe(url);
      expect((filed.json['_self'] as { read: string }).read).toBe(url);
      const open = (headers: Record<string, string>) => server.send({ path: `/receipt/${id}`, headers });
      const page = await open({});
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.body).toContain('objected to');
      const asBrowser = await open({ accept: 'text/html,application/json;q=0.9' });
      expect(asBrowser.headers['content-type']).toBe('text/html; charset=utf-8');
      const json = await open({ accept: 'application/json' });
      expect(json.json).toMatchObject({ confirmed: true, id });
      expect(json.json).not.toHaveProperty('request');
      const stranger = await open({ authorization: `Bearer ${other.share}` });
      expect(stranger.json).toMatchObject({ confirmed: true, id });
      expect(stranger.json).not.toHaveProperty('request');
      for (const headers of [owner, { authorization: `Bearer ${share}` }]) {
        const whole = await open(headers);
        expect(whole.json).toMatchObject({ id, request: { body: '{"objection":"No.","slug":"alpha"}' } });
        expect(whole.headers['cache-control']).toBe('private, no-store');
      }
      const damaged = await open({ authorization: `Bearer ${share.slice(0, -4)}AAAA` });
      expect(damaged.json).toMatchObject({ confirmed: true, id });
      expect(damaged.json).not.toHaveProperty('request');
    } finally {
      await server.end();
    }
  });
});
