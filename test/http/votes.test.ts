/** Votes over HTTP: cast, ratified, and executed by the call that ratification returns (spec §2.11, §3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRebuilds } from '../support/both-stores.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { articlesOf, claim } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into member by member
type Json = Record<string, any>;

const votesOf = (server: () => LocalServer) => {
  const articles = articlesOf(server);
  const cast = async (slug: string, target: string, proposal: string, more: object = {}): Promise<Reply> =>
    server().send({
      path: '/api/protocol/voxel-vote',
      body: { slug, target, proposal, rationale: 'It should.', actor: 'ada', ...more },
    });
  const ratify = async (id: string, decision = 'ratified'): Promise<Json> =>
    (await articles.post('voxel-ratify', { vote_id: id, decision })).json;
  /** Casts a vote and ratifies it; the answer of the ratification. */
  const ratified = async (slug: string, target: string, proposal: string, more?: object): Promise<Json> => {
    const { status, json, body } = await cast(slug, target, proposal, more);
    expect([status, body]).toEqual([200, body]);
    return ratify(String(json['vote_id']));
  };
  /** Sends the call as it was handed over. */
  const send = async (decided: Json): Promise<Reply> => {
    expect(decided).toMatchObject({ decision: 'ratified', missing: null });
    const { key, body } = decided['execute'] as { key: string; body: object };
    const reply = await server().call(key, body, {}, owner);
    expect([key, reply.status, reply.json['error']]).toEqual([key, 200, undefined]);
    return reply;
  };
  const bodyOf = async (slug: string): Promise<string> => String((await articles.read(slug)).json['body']);
  const claimsOf = async (slug: string): Promise<Json[]> =>
    (await articles.read(`${slug}/claims`)).json['claims'] as Json[];
  const post = (slug: string, text: string): Promise<Reply> =>
    articles.post('claim', { ...claim, slug, text, why_material: 'It is voted on.' });
  return { ...articles, cast, ratify, ratified, send, bodyOf, claimsOf, claims: post };
};

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s,', (kind) => {
  let postgres: TestDatabases | undefined;
  let opened: LocalServer;
  const server = (): LocalServer => opened;

  beforeAll(async () => {
    if (kind === 'PostgreSQL') postgres = await sharedPostgres();
    opened = await openLocal(postgres === undefined ? {} : { databaseUrl: await postgres.database() });
  });

  afterAll(async () => {
    await expectRebuilds(opened);
    await opened.end();
    await postgres?.stop();
  });

  describe('a ratified vote', () => {
    it('to split a DIV splits it at the given words, and changes no other byte', async () => {
      const { make, ratified, send, bodyOf, divsOf } = votesOf(server);
      await make('split', '# Split\n\nOne holds. Two holds,\ntoo.\n\nThree.\n');
      await send(await ratified('split', 'd2', 'should_split', { at: 'Two holds' }));
      expect(await bodyOf('split')).toBe('# Split\n\nOne holds.\n\nTwo holds,\ntoo.\n\nThree.\n');
      expect((await divsOf('split')).map(({ div_id, text, order }) => [div_id, text, order])).toEqual([
        ['d1', '# Split', 1],
        ['d2', 'One holds.', 2],
        ['d4', 'Two holds,\ntoo.', 3],
        ['d3', 'Three.', 4],
      ]);
    });

    it('to split a DIV of several blocks does not change the body', async () => {
      const { make, ratified, send, bodyOf, divsOf, post } = votesOf(server);
      await make('blocks', '# Blocks\n\nOne.\n\nTwo.\n\n\n\nThree.\n');
      const divs = await divsOf('blocks');
      const merge = { div_ids: ['d2', 'd3', 'd4'], expected_hashes: divs.slice(1).map((div) => div.vx_hash) };
      await post('voxel-consolidate', { slug: 'blocks', ...merge });
      await send(await ratified('blocks', 'd2', 'should_split', { at: 'Three.' }));
      expect(await bodyOf('blocks')).toBe('# Blocks\n\nOne.\n\nTwo.\n\n\n\nThree.\n');
      expect((await divsOf('blocks')).map(({ text, sep }) => [text, sep])).toEqual([
        ['# Blocks', '\n\n'],
        ['One.\n\nTwo.', '\n\n\n\n'],
        ['Three.', '\n'],
      ]);
    });

    it('to transclude a DIV quotes it in the other article with its address and hash', async () => {
      const { make, ratified, send, bodyOf, divsOf } = votesOf(server);
      await make('shown', '# Shown\n\nFirst line.\nSecond line.\n');
      await make('shows', '# Shows\n\nBefore.\n');
      const [, div] = await divsOf('shown');
      await send(await ratified('shown', 'd2', 'should_transclude', { into: 'shows' }));
      expect(await bodyOf('shows')).toBe(
        `# Shows\n\nBefore.\n> First line.\n> Second line.\n>\n> — [d2 of shown](${server().deployment.service.base}/a/shown/d2), SHA-256 \`${div?.vx_hash}\`\n`,
      );
      expect(await bodyOf('shown')).toBe('# Shown\n\nFirst line.\nSecond line.\n');
    });

    it('to change the tier of a claim makes its next version with the weight of that tier', async () => {
      const { make, claims, ratified, send, claimsOf } = votesOf(server);
      await make('tiers', '# Tiers\n');
      await claims('tiers', 'A Merkle tree of two leaves has one inner node.');
      await send(await ratified('tiers', 'c1', 'should_retier', { tier: 'speculative' }));
      expect(
        (await claimsOf('tiers')).map(({ tier, weight, version, text }) => [tier, weight, version, text]),
      ).toEqual([['speculative', 0.1, 2, 'A Merkle tree of two leaves has one inner node.']]);
    });

    it('to merge DIVs or claims merges them into the named one', async () => {
      const { make, claims, ratified, send, bodyOf, claimsOf } = votesOf(server);
      await make('merged', '# Merged\n\nOne.\n\nTwo.\n\nThree.\n');
      await send(await ratified('merged', 'd4', 'should_merge', { into: 'd2' }));
      expect(await bodyOf('merged')).toBe('# Merged\n\nOne.\n\nThree.\n\nTwo.\n\n');
      await send(await ratified('merged', 'd2', 'should_merge'));
      await claims('merged', 'A Merkle tree of two leaves has one inner node.');
      await claims('merged', 'Every leaf of the log is hashed with a zero byte.');
      await send(await ratified('merged', 'c2', 'should_merge', { into: 'c1' }));
      expect((await claimsOf('merged')).map(({ id, status }) => [id, status])).toEqual([
        ['c1', 'active'],
        ['c2', 'retracted'],
      ]);
    });

    it('to burn an object removes a DIV, retracts a claim or archives an article', async () => {
      const { make, claims, ratified, send, bodyOf, claimsOf, read } = votesOf(server);
      await make('burnt', '# Burnt\n\nOne.\n\nTwo.\n');
      await claims('burnt', 'A Merkle tree of two leaves has one inner node.');
      await send(await ratified('burnt', 'd2', 'should_burn'));
      expect(await bodyOf('burnt')).toBe('# Burnt\n\nTwo.\n');
      await send(await ratified('burnt', 'c1', 'should_burn'));
      expect((await claimsOf('burnt')).map(({ status }) => status)).toEqual(['retracted']);
      await send(await ratified('burnt', 'burnt', 'should_burn'));
      expect((await read('burnt')).json['status']).toBe('archived');
    });

    it('to turn an object into a DIV or an article creates it', async () => {
      const { make, claims, ratified, send, bodyOf, read } = votesOf(server);
      await make('becomes', '# Becomes\n\nOne.\n');
      await claims('becomes', 'A Merkle tree of two leaves has one inner node.');
      await send(await ratified('becomes', 'becomes', 'should_be_div'));
      await send(await ratified('becomes', 'c1', 'should_be_div'));
      expect(await bodyOf('becomes')).toBe(
        '# Becomes\n\nOne.\n\nA Merkle tree of two leaves has one inner node.',
      );
      const made = await send(await ratified('becomes', 'd2', 'should_be_article'));
      expect((made.json['result'] as Json)['title']).toBe('Becomes, d2');
      const { slug } = made.json['result'] as { slug: string };
      expect((await read(slug, owner)).json).toMatchObject({ status: 'draft', body: 'One.' });
      const told = await send(await ratified('becomes', 'c1', 'should_be_article'));
      expect((told.json['result'] as Json)['slug']).toBe('a-merkle-tree-of-two-leaves-has-one-inner-node');
    });

    it('to turn a DIV into an article also works with the longest title', async () => {
      const { make, ratified, send, read } = votesOf(server);
      await make('long', '# Long\n\nOne.\n');
      const { version } = (await read('long')).json;
      const title = 'A word. '.repeat(40).slice(0, 300);
      const meta = { slug: 'long', expected_version: version, title };
      expect((await server().call('ARTICLE_META', meta, {}, owner)).status).toBe(200);
      const made = await send(await ratified('long', 'd2', 'should_be_article'));
      expect((made.json['result'] as Json)['title']).toBe(`${title.slice(0, 296)}, d2`);
    });

    it.each([
      ['d2', 'should_split', {}, /does not say where to split d2: "at" takes/],
      ['d2', 'should_transclude', {}, /"into" takes an article/],
      ['c1', 'should_retier', {}, /does not say which tier c1 should have: "tier" takes one/],
      ['c1', 'should_merge', {}, /"into" takes another claim/],
      ['d1', 'should_be_div', {}, /d1 is a DIV already/],
      ['c1', 'should_split', {}, /post the parts of c1 as claims/],
      ['missing-words', 'should_be_article', {}, /is an article already/],
      ['missing-words', 'should_merge', {}, /No single call merges articles/],
    ] as const)('on %s, %s %j returns no call, and says why', async (target, proposal, more, words) => {
      const { make, claims, cast, ratify } = votesOf(server);
      if ((await server().send({ path: '/api/articles/missing-words' })).status === 404) {
        await make('missing-words', '# Missing\n\nOne.\n');
        await claims('missing-words', 'A Merkle tree of two leaves has one inner node.');
      }
      const { status, json } = await cast('missing-words', target, proposal, more);
      expect([status, json['missing']]).toEqual([200, expect.stringMatching(words)]);
      expect(await ratify(String(json['vote_id']))).toMatchObject({
        status: 'decided',
        execute: null,
        missing: expect.stringMatching(words),
      });
    });

    it('on showing a DIV in an article that is no longer published returns no call', async () => {
      const { make, cast, ratify, read } = votesOf(server);
      await make('quoted', '# Quoted\n\nOne.\n');
      await make('quoting', '# Quoting\n');
      const { json } = await cast('quoted', 'd2', 'should_transclude', { into: 'quoting' });
      expect(json['missing']).toBeNull();
      const { version } = (await read('quoting')).json;
      const archive = { slug: 'quoting', expected_version: version, status: 'archived' };
      expect((await server().call('ARTICLE_META', archive, {}, owner)).status).toBe(200);
      expect(await ratify(String(json['vote_id']))).toMatchObject({
        status: 'decided',
        execute: null,
        missing: 'There is no other published article quoting.',
      });
    });

    it('on words that are gone by then returns no call, and says why', async () => {
      const { make, cast, ratify, divsOf, post } = votesOf(server);
      await make('gone', '# Gone\n\nOne. Two.\n');
      const { json } = await cast('gone', 'd2', 'should_split', { at: 'Two.' });
      const [, div] = await divsOf('gone');
      await post('voxel-edit', { slug: 'gone', div_id: 'd2', expected_hash: div?.vx_hash, text: 'One.' });
      expect(await ratify(String(json['vote_id']))).toMatchObject({
        status: 'decided',
        execute: null,
        missing: expect.stringContaining('does not hold the words'),
      });
    });
  });

  describe('a vote', () => {
    it('is rejected with all of its arguments that cannot be executed', async () => {
      const { make, claims, cast, read } = votesOf(server);
      await make('carries', '# Carries\n\nOne. Two. One.\n');
      await claims('carries', 'A Merkle tree of two leaves has one inner node.');
      await make('unpublished', '# Unpublished\n', { status: 'draft' });
      const violations = async (target: string, proposal: string, more: object): Promise<unknown> => {
        const problem = JSON.parse((await cast('carries', target, proposal, more)).body) as Json;
        return [
          problem['status'],
          problem['error'],
          ...(problem['violations'] as Json[]).map(({ code, at }) => `${code} ${at}`),
        ];
      };
      expect([
        await violations('c1', 'should_burn', { tier: 'human', at: 'x', into: 'd2', actor: ' ' }),
        await violations('c1', 'should_retier', { tier: 'sure', rationale: ' ' }),
        await violations('c1', 'should_retier', { tier: 'system' }),
        await violations('d2', 'should_retier', { tier: 'human' }),
        await violations('d2', 'should_split', { at: 'Three.' }),
        await violations('d2', 'should_split', { at: 'One.', rationale: ' ' }),
        await violations('d1', 'should_split', { at: '# Carries' }),
        await violations('d2', 'should_transclude', { into: 'nowhere' }),
        await violations('d2', 'should_transclude', { into: 'unpublished' }),
        await violations('d2', 'should_merge', { into: 'd9' }),
      ]).toEqual([
        [422, 'body_mismatch', 'blank /actor', 'not_carried /at', 'not_carried /into', 'not_carried /tier'],
        [422, 'body_mismatch', 'not_one_of /tier', 'blank /rationale'],
        [422, 'content_rule', 'not_executable /tier'],
        [422, 'content_rule', 'not_executable /tier'],
        [422, 'content_rule', 'not_executable /at'],
        [422, 'body_mismatch', 'blank /rationale', 'not_executable /at'],
        [422, 'content_rule', 'not_executable /at'],
        [422, 'content_rule', 'not_executable /into'],
        [422, 'content_rule', 'not_executable /into'],
        [422, 'content_rule', 'not_executable /into'],
      ]);
      expect((await read('carries/votes')).json['votes']).toEqual([]);
    });

    it('is decided separately: other votes on the question stay open and are listed', async () => {
      const { make, claims, cast, ratify, read } = votesOf(server);
      await make('beside', '# Beside\n');
      await claims('beside', 'A Merkle tree of two leaves has one inner node.');
      const ids: string[] = [];
      for (const more of [{ tier: 'human' }, { tier: 'human' }, { tier: 'speculative' }, {}])
        ids.push(String((await cast('beside', 'c1', 'should_retier', more)).json['vote_id']));
      const decided = await ratify(String(ids[0]));
      expect(decided['beside']).toEqual([
        { vote_id: ids[1], carries: { tier: 'human' }, agrees: true },
        { vote_id: ids[2], carries: { tier: 'speculative' }, agrees: false },
        { vote_id: ids[3], carries: null, agrees: false },
      ]);
      const { votes } = (await read('beside/votes')).json as { votes: Json[] };
      expect(votes.map(({ vote_id, status, carries }) => [vote_id, status, carries])).toEqual(
        expect.arrayContaining([
          [ids[0], 'decided', { tier: 'human' }],
          [ids[1], 'open', { tier: 'human' }],
          [ids[2], 'open', { tier: 'speculative' }],
          [ids[3], 'open', null],
        ]),
      );
      const again = await server().send({
        path: '/api/protocol/voxel-ratify',
        headers: owner,
        body: { vote_id: ids[0], decision: 'rejected' },
      });
      expectProblem(again, 'already_decided');
    });
  });
});
