/**
 * Open entries of the discourse and their answers (contract §3, §5): objections to a claim or a block, THREAD_SETTLE, and
 * votes that name the entry that they answer.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../verify/index.ts';
import { expectRebuilds } from '../support/both-stores.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { articlesOf, claim, expectVerified } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into member by member
type Json = Record<string, any>;

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s,', (kind) => {
  let postgres: TestDatabases | undefined;
  let server: LocalServer;
  const { post, read, make, divsOf } = articlesOf(() => server);

  beforeAll(async () => {
    if (kind === 'PostgreSQL') postgres = await sharedPostgres();
    server = await openLocal(postgres === undefined ? {} : { databaseUrl: await postgres.database() });
  });

  afterAll(async () => {
    await expectRebuilds(server);
    await server.end();
    await postgres?.stop();
  });

  const entryIn = (reply: Reply): Json => {
    expect([reply.status, reply.body]).toEqual([200, reply.body]);
    return (reply.json['result'] as Json)['entry'];
  };
  const object = async (address: string, objection: string): Promise<Json> =>
    entryIn(await server.call('OBJECTION_LOG', { slug: address, objection }));
  const settle = (slug: string, entry: string, note = 'It cites RFC 6962 now.', headers: object = owner) =>
    server.call('THREAD_SETTLE', `${slug}|${entry}|${note}`, {}, headers as Record<string, string>);
  const stood = async (slug: string, query = ''): Promise<Json[]> =>
    (await read(`${slug}/discourse${query}`)).json['entries'] as Json[];
  const article = async (slug: string): Promise<void> => {
    await make(slug, `# ${slug}\n\nOne holds.\n\nTwo holds.\n`);
    await post('claim', {
      ...claim,
      slug,
      text: 'A Merkle tree of two leaves has one inner node.',
      why_material: 'It is objected to.',
    });
  };

  describe('an objection', () => {
    it('targets the claim or block whose address it gives, with the hash that it has', async () => {
      await article('parts');
      const [, div] = await divsOf('parts');
      const [stated] = (await read('parts/claims')).json['claims'] as Json[];
      expect(await object('parts/c1', 'It cites nothing.')).toMatchObject({
        target: 'c1',
        target_hash: stated?.['hash'],
      });
      expect(await object('parts/d2', 'It cites nothing.')).toMatchObject({
        target: 'd2',
        target_hash: div?.vx_hash,
      });
      expect(await object('parts', 'It cites nothing.')).toMatchObject({ target: '', target_hash: null });
      expect((await read('parts/objections')).json['objections']).toMatchObject([
        { target: '', status: 'open' },
        { target: 'd2', status: 'open' },
        { target: 'c1', status: 'open' },
      ]);
      const mast = (await read('parts/masthead')).json;
      expect((mast['standing_objections'] as Json[]).map((each) => each['target'])).toEqual(['', 'd2', 'c1']);
    });

    it('is a near-duplicate of the same words about the same part alone', async () => {
      await article('twice');
      const first = await object('twice/c1', 'It cites nothing.');
      await object('twice/d2', 'It cites nothing.');
      const again = await server.call('OBJECTION_LOG', 'twice/c1|it cites NOTHING');
      expectProblem(again, 'near_duplicate');
      expect(again.json).toMatchObject({ canonical: { id: first['id'] } });
    });

    it('is refused for a part that the article lacks or that left it', async () => {
      await article('lacks');
      await post('voxel-burn', { slug: 'lacks', ids: ['d3'], reason: 'Old.' });
      await post('retract', { slug: 'lacks', claim_id: 'c1', reason: 'Wrong.' });
      for (const [address, code] of [
        ['lacks/c9', 'not_found'],
        ['lacks/d9', 'not_found'],
        ['absent/d1', 'not_found'],
        ['lacks/d3', 'conflict'],
        ['lacks/c1', 'conflict'],
        ['lacks/s1', 'body_mismatch'],
      ] as const)
        expectProblem(await server.call('OBJECTION_LOG', `${address}|It is short.`), code);
    });

    it('is marked once its claim has another wording', async () => {
      await article('changed');
      const { id } = await object('changed/c1', 'It is too general.');
      const [stated] = (await read('changed/claims')).json['claims'] as Json[];
      await post('repair', {
        slug: 'changed',
        claim_id: 'c1',
        text: 'A Merkle tree of two leaves has exactly one inner node.',
        rationale: 'Exact.',
        expected_hash: stated?.['hash'],
      });
      expect(await stood('changed')).toMatchObject([{ id, status: 'open', text_changed: true }]);
    });

    it('is not marked otherwise in a bundle than its claim or block has it', async () => {
      await article('marked');
      const about = await object('marked/d2', 'It is too general.');
      const kept = await object('marked/c1', 'It cites nothing.');
      const [, div] = await divsOf('marked');
      await post('voxel-edit', {
        slug: 'marked',
        div_id: 'd2',
        expected_hash: div?.vx_hash,
        text: 'One holds still.',
      });
      const { body } = await read('marked/bundle');
      const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
      const findings = async (mark: (entry: Json) => void): Promise<string[]> => {
        const bundle = JSON.parse(body) as Json;
        for (const entry of bundle['discourse'] as Json[]) mark(entry);
        const { checks, uncovered = [] } = await verifyBundle(bundle, key);
        expect(uncovered).not.toContain('discourse[].text_changed');
        return checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
      };
      expect(await findings(() => undefined)).toEqual([]);
      expect(await findings((entry) => (entry['text_changed'] = true))).toEqual([
        `what discourse ${String(kept['id'])} is about has kept its text, and is shown otherwise`,
      ]);
      expect(await findings((entry) => Reflect.deleteProperty(entry, 'text_changed'))).toEqual([
        `what discourse ${String(about['id'])} is about has another text by now, and is shown otherwise`,
      ]);
    });

    it('to a part is within a share that is bound to its article, and to no other', async () => {
      await article('bound');
      await article('other');
      const { share } = await server.mint({ key: 'OBJECTION_LOG', article: 'bound', max_uses: 0 });
      const allowed = await server.call('OBJECTION_LOG', 'bound/c1|It is short.', { share });
      expect(allowed.status).toBe(200);
      for (const body of ['other/c1|It is short.', { slug: 'other/c1', objection: 'It is short.' }])
        expectProblem(await server.call('OBJECTION_LOG', body, { share }), 'scope_denied');
    });
  });

  describe('a settlement', () => {
    it('closes an objection with a note, and leaves the head of the thread and the revision', async () => {
      await article('settled');
      const { id } = await object('settled/c1', 'It cites nothing.');
      const other = await object('settled', 'It is short.');
      const before = (await read('settled/discourse')).json;
      const health = async (): Promise<Json | undefined> =>
        ((await read('settled/health')).json['checks'] as Json[]).find((each) => each['id'] === 'discourse');
      expect(await health()).toEqual({
        id: 'discourse',
        ok: false,
        detail: '2 entries ask for an answer.',
        fix: 'Settle each with THREAD_SETTLE, or ratify a vote that names it.',
      });
      const reply = await settle('settled', id);
      expect(await health()).toMatchObject({ ok: false, detail: '1 entry asks for an answer.' });
      const { invocation } = reply.json as { invocation: { id: string } };
      expect(reply.json['result']).toMatchObject({
        slug: 'settled',
        revision: 2,
        thread_head: before['thread_head'],
        entry: {
          id,
          status: 'settled',
          note: 'It cites RFC 6962 now.',
          decided_by: 'owner',
          resolution: invocation.id,
        },
      });
      const after = (await read('settled/discourse')).json;
      expect(after).toMatchObject({
        thread_head: before['thread_head'],
        counts: { total: 2, open: 1, settled: 1 },
        verification: { valid: true },
        entries: [
          { id: other['id'], status: 'open' },
          { id, status: 'settled', note: 'It cites RFC 6962 now.', resolution: invocation.id },
        ],
      });
      expect((await read('settled/objections')).json['objections']).toMatchObject([
        { id: other['id'], status: 'open' },
        { id, status: 'settled' },
      ]);
      const state = await server.send({ path: '/api/protocol/thread-state?target=settled' });
      expect(state.json).toMatchObject({ open: [{ id: other['id'] }], settled: [{ id }] });
      const mast = (await read('settled/masthead')).json;
      expect((mast['standing_objections'] as Json[]).map((each) => each['id'])).toEqual([other['id']]);
      expect((await read('settled')).json['version']).toBe(2);
      const { provenance } = (await read('settled/provenance')).json as Json;
      expect(provenance.at(-1)).toMatchObject({ action: 'thread_settle', rev: null, entry: { settles: id } });
    });

    it('is refused twice, for an unknown entry, and for one that asks for no answer', async () => {
      await article('refused');
      const open = await object('refused', 'It is short.');
      const { id } = await object('refused/d2', 'It is short.');
      await settle('refused', id);
      const again = await settle('refused', id, 'Once more.');
      expectProblem(again, 'already_decided');
      expect(again.json['detail']).toMatch(/^dx_\S+ was settled at 2/);
      const unknown = await settle('refused', 'dx_aaaaaaaaaaaaaaaa');
      expectProblem(unknown, 'not_found');
      expect(unknown.json['did_you_mean']).toMatchObject([{ id: open['id'] }]);
      const review = entryIn(await server.call('OIP_ARTICLE_REVIEW', 'refused|sound|It holds.|ada'));
      expectProblem(await settle('refused', review['id']), 'conflict');
      expectProblem(await settle('refused', open['id'], ' '), 'body_mismatch');
      expectProblem(await settle('absent', open['id']), 'not_found');
      expect((await read('refused/discourse')).json['counts']).toMatchObject({ open: 1 });
    });

    it('is the act of the owner alone', async () => {
      await article('alone');
      const { id } = await object('alone', 'It is short.');
      expectProblem(await settle('alone', id, 'Mine.', {}), 'owner_only');
      const { share } = await server.mint({ scope: 'act', risk_ceiling: 'high', max_uses: 0 });
      expectProblem(await server.call('THREAD_SETTLE', `alone|${id}|Mine.`, { share }), 'owner_only');
      expect(await stood('alone')).toMatchObject([{ id, status: 'open' }]);
    });

    it('is absent from reads as of an earlier time', async () => {
      await article('earlier');
      const { id } = await object('earlier', 'It is short.');
      const index = (await server.size()) - 1;
      await settle('earlier', id);
      expect(await stood('earlier', `?at=${index}`)).toMatchObject([{ id, status: 'open' }]);
      expect(await stood('earlier')).toMatchObject([{ id, status: 'settled' }]);
      expect(await stood('earlier', `?at=${(await server.size()) - 1}`)).toMatchObject([
        { id, status: 'settled' },
      ]);
    });

    it('is part of a bundle that verifies and imports', async () => {
      await article('bundled');
      const { id } = await object('bundled/c1', 'It cites nothing.');
      await settle('bundled', id);
      const { body, json } = await read('bundled/bundle', owner);
      const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
      await expectVerified(verifyBundle(body, key), 'bundled');
      expect(json['discourse']).toMatchObject([{ id, status: 'settled' }]);
      const imported = await server.call('ARTICLE_IMPORT', { bundle: json, slug: 'taken' }, {}, owner);
      expect([imported.status, imported.json['ok']]).toEqual([200, true]);
    });
  });

  describe('a vote that names an entry', () => {
    const cast = (slug: string, entry: string) =>
      server.call('VOXEL_VOTE', {
        slug,
        target: 'd2',
        proposal: 'should_burn',
        rationale: 'The objection is right.',
        actor: 'ada',
        entry,
      });
    const decide = async (id: string, decision: string): Promise<Json> => {
      const reply = await server.call('VOXEL_RATIFY', `${id}|${decision}`, {}, owner);
      expect([reply.status, reply.body]).toEqual([200, reply.body]);
      return reply.json['result'] as Json;
    };

    it('settles it if it is ratified, and not if it is deferred or rejected', async () => {
      await article('voted');
      const { id } = await object('voted/d2', 'It is short.');
      const vote = (await cast('voted', id)).json['result'] as Json;
      expect(vote['vote']).toMatchObject({ entry: id, status: 'open' });
      const rejected = (await cast('voted', id)).json['result'] as Json;
      expect(await decide(rejected['vote_id'], 'rejected')).toMatchObject({ settled: null });
      expect(await decide(vote['vote_id'], 'deferred')).toMatchObject({ settled: null });
      expect(await stood('voted')).toMatchObject([{ id, status: 'open' }]);
      const head = (await read('voted/claims')).json['thread_head'];
      expect(await decide(vote['vote_id'], 'ratified')).toMatchObject({ settled: id, vote: { entry: id } });
      expect(await stood('voted')).toMatchObject([
        { id, status: 'settled', vote: vote['vote_id'], decided_by: 'owner' },
      ]);
      expect((await read('voted/claims')).json['thread_head']).toBe(head);
      const { body } = await read('voted/bundle', owner);
      const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
      await expectVerified(verifyBundle(body, key), 'voted');
    });

    it('leaves it open if another credential ratifies it', async () => {
      await article('delegated');
      const { id } = await object('delegated/d2', 'It is short.');
      const vote = (await cast('delegated', id)).json['result'] as Json;
      const { share } = await server.mint({ key: 'VOXEL_RATIFY', risk_ceiling: 'high', max_uses: 0 });
      const reply = await server.call('VOXEL_RATIFY', `${vote['vote_id']}|ratified`, { share });
      expect([reply.status, reply.json['result_text']]).toEqual([
        200,
        expect.stringContaining(`${id} stays open: the owner settles it.`),
      ]);
      expect(reply.json['result']).toMatchObject({ settled: null, status: 'decided', decision: 'ratified' });
      expect(await stood('delegated')).toMatchObject([{ id, status: 'open' }]);
    });

    it('is ratified without a second settlement of an entry that was settled meanwhile', async () => {
      await article('meanwhile');
      const { id } = await object('meanwhile/d2', 'It is short.');
      const vote = (await cast('meanwhile', id)).json['result'] as Json;
      await settle('meanwhile', id, 'Answered.');
      expect(await decide(vote['vote_id'], 'ratified')).toMatchObject({ settled: null, status: 'decided' });
      expect(await stood('meanwhile')).toMatchObject([{ id, status: 'settled', note: 'Answered.' }]);
    });

    it('is refused for an entry that is unknown or settled', async () => {
      await article('cast');
      const { id } = await object('cast/d2', 'It is short.');
      await settle('cast', id);
      expectProblem(await cast('cast', id), 'already_decided');
      expectProblem(await cast('cast', 'dx_aaaaaaaaaaaaaaaa'), 'not_found');
    });
  });
});
