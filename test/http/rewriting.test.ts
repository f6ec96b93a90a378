/**
 * ARTICLE_REWRITE and ARTICLE_REVERT (contract §3): all blocks of an article in one revision, by compare-and-set, and the
 * text of an old revision once more.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../verify/index.ts';
import { seededRandom } from '../fault/random.ts';
import { expectRebuilds } from '../support/both-stores.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { articlesOf, claim, expectVerified, type Div } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into member by member
type Json = Record<string, any>;
interface Block {
  readonly div_id?: string;
  readonly expected_hash?: string;
  readonly text: string;
}

const stale = '0'.repeat(64);

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

  const articleOf = async (slug: string): Promise<Json> => (await read(slug, owner)).json;
  const bodyOf = async (slug: string, query = ''): Promise<string> =>
    String((await read(`${slug}${query}`, owner)).json['body']);
  const rewrite = async (slug: string, blocks: readonly Block[], more: object = {}): Promise<Reply> => {
    const expected_version = (await articleOf(slug))['version'] as number;
    const body = { slug, expected_version, blocks, note: 'Revised.', ...more };
    return server.call('ARTICLE_REWRITE', body, {}, owner);
  };
  const revert = async (slug: string, rev: number, version?: number): Promise<Reply> => {
    const at = version ?? ((await articleOf(slug))['version'] as number);
    return server.call('ARTICLE_REVERT', `${slug}|${rev}|${at}|It read better.`, {}, owner);
  };
  const landed = (reply: Reply): Json => {
    expect([reply.status, reply.body]).toEqual([200, reply.body]);
    return reply.json['result'] as Json;
  };
  const expectSound = async (slug: string): Promise<void> => {
    const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
    for (const part of ['/bundle', '', '/voxels?include_inactive=1'])
      await expectVerified(verifyBundle((await read(`${slug}${part}`, owner)).body, key), slug + part);
  };
  const chainOf = (divs: readonly Div[], id: string): string =>
    ((divs.find(({ div_id }) => div_id === id) as unknown as Json)['chain'] as Json[])
      .map(({ op }) => String(op))
      .join(' ');

  describe('a rewrite', () => {
    it('keeps, edits, moves, makes and burns blocks in one revision', async () => {
      await make('whole', '# Whole\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n');
      const divs = await divsOf('whole');
      const result = landed(
        await rewrite('whole', [
          { div_id: 'd1', text: '# Whole' },
          { div_id: 'd4', expected_hash: divs[3]?.vx_hash, text: 'Three.' },
          { text: 'A new one.' },
          { div_id: 'd2', expected_hash: divs[1]?.vx_hash, text: 'One, edited.' },
          { div_id: 'd3', text: 'Two.' },
        ]),
      );
      expect(result).toMatchObject({ revision: 2, unchanged: false, burned: ['d5'], body_regenerated: true });
      expect((result['divs'] as Json[]).map(({ div_id, order, change }) => [div_id, order, change])).toEqual([
        ['d1', 1, 'kept'],
        ['d4', 2, 'moved'],
        ['d6', 3, 'made'],
        ['d2', 4, 'edited'],
        ['d3', 5, 'kept'],
      ]);
      const article = await articleOf('whole');
      expect(article['body']).toBe('# Whole\n\nThree.\n\nA new one.\n\nOne, edited.\n\nTwo.\n');
      expect(article).toMatchObject({ version: 2, content_hash: result['content_hash'] });
      const after = await divsOf('whole', '?include_inactive=1');
      expect(['d1', 'd2', 'd3', 'd4', 'd5', 'd6'].map((id) => chainOf(after, id))).toEqual([
        'divide',
        'divide edit',
        'divide',
        'divide move',
        'divide burn',
        'divide',
      ]);
      expect((await read('whole/revisions')).json).toMatchObject({
        head: 2,
        revisions: [{ rev: 2, action: 'rewrite', actor: 'owner' }, { rev: 1 }],
      });
      expect(await bodyOf('whole', '?rev=1')).toBe('# Whole\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n');
      await expectSound('whole');
    });

    it('keeps the id of a block that is sent without one and reads as it stood', async () => {
      await make('alike', '# Alike\n\nOne.\n\n---\n\nTwo.\n\n---\n');
      const result = landed(
        await rewrite('alike', [
          { text: 'One.' },
          { text: '---' },
          { text: '# Alike' },
          { text: '---' },
          { text: '---' },
        ]),
      );
      expect((result['divs'] as Json[]).map(({ div_id, change }) => [div_id, change])).toEqual([
        ['d2', 'kept'],
        ['d3', 'kept'],
        ['d1', 'moved'],
        ['d5', 'kept'],
        ['d6', 'made'],
      ]);
      expect(result['burned']).toEqual(['d4']);
      await expectSound('alike');
    });

    it('that changes nothing makes no revision', async () => {
      await make('same', '# Same\r\n\r\nOne.\r\n');
      const result = landed(await rewrite('same', [{ div_id: 'd1', text: '# Same' }, { text: 'One.' }]));
      expect(result).toMatchObject({
        unchanged: true,
        revision: 1,
        body_regenerated: false,
        chain_entry: null,
      });
      expect((await read('same/revisions')).json).toMatchObject({ head: 1 });
    });

    it('separates new blocks by the line ends of the article', async () => {
      await make('ends', '# Ends\r\n\r\nOne.\r\n');
      landed(
        await rewrite('ends', [
          { div_id: 'd1', text: '# Ends' },
          { text: 'New.' },
          { text: 'One.' },
          { text: 'Last.' },
        ]),
      );
      expect(await bodyOf('ends')).toBe('# Ends\r\n\r\nNew.\r\n\r\nOne.\r\n\r\nLast.\r\n');
    });

    it('of an older version or hash is refused, and writes nothing', async () => {
      await make('older', '# Older\n\nOne.\n\nTwo.\n');
      const blocks = [
        { div_id: 'd1', text: '# Older' },
        { div_id: 'd2', expected_hash: stale, text: 'New.' },
      ];
      const hash = await rewrite('older', blocks);
      expectProblem(hash, 'hash_stale');
      const [, div] = await divsOf('older');
      expect(hash.json).toMatchObject({ div_id: 'd2', current_text: 'One.', current_hash: div?.vx_hash });
      const version = await rewrite('older', blocks, { expected_version: 7 });
      expectProblem(version, 'conflict');
      expect(version.json).toMatchObject({
        current_version: 1,
        stale: [
          { at: '/blocks/1/expected_hash', div_id: 'd2', current_hash: div?.vx_hash },
          { at: '/expected_version', current_version: 1 },
        ],
      });
      // A hash is compared also where the text stays.
      expectProblem(
        await rewrite('older', [{ div_id: 'd2', expected_hash: stale, text: 'One.' }]),
        'hash_stale',
      );
      expect(await articleOf('older')).toMatchObject({ version: 1, body: '# Older\n\nOne.\n\nTwo.\n' });
    });

    it('is refused with every violation, for DIVs that left, and where blocks would run together', async () => {
      await make('bad', '# Bad\n\nOne.\n\nTwo.\n');
      await post('voxel-burn', { slug: 'bad', ids: ['d3'], reason: 'Old.' });
      const broken = await rewrite('bad', [
        { div_id: 'd1', text: ' ' },
        { div_id: 'd1', text: 'Twice.' },
        { expected_hash: stale, text: 'New.' },
      ]);
      expectProblem(broken, 'body_mismatch');
      expect((broken.json['violations'] as Json[]).map(({ code, at }) => [code, at])).toEqual([
        ['blank', '/blocks/0/text'],
        ['malformed', '/blocks/1/div_id'],
        ['not_carried', '/blocks/2/expected_hash'],
      ]);
      expectProblem(await rewrite('bad', [{ div_id: 'd3', text: 'Two.' }]), 'conflict');
      expectProblem(await rewrite('bad', [{ div_id: 'd9', text: 'Nine.' }]), 'not_found');
      expectProblem(await rewrite('bad', []), 'body_mismatch');
      expectProblem(await rewrite('bad', [{ text: 'One.' }], { note: ' ' }), 'body_mismatch');
      const open = await rewrite('bad', [{ text: '```\nopen' }, { div_id: 'd2', text: 'One.' }]);
      expectProblem(open, 'boundary_moved');
      expect(open.json['divs']).toEqual(['d4', 'd2']);
      const large = await rewrite('bad', [{ div_id: 'd2', text: 'x'.repeat(70_000) }]);
      expectProblem(large, 'payload_ceiling');
      expect(await articleOf('bad')).toMatchObject({ version: 2, body: '# Bad\n\nOne.\n\n' });
    });

    it('takes a long block that stays, and refuses a long one that is new', async () => {
      const long = 'word '.repeat(20_000).trim();
      await make('long', `# Long\n\n${long}\n`);
      landed(await rewrite('long', [{ text: 'New.' }, { div_id: 'd2', text: long }]));
      expectProblem(await rewrite('long', [{ text: `${long} more` }]), 'payload_ceiling');
    });

    it('is the act of the owner alone, whatever scopes a credential has', async () => {
      await make('owned', '# Owned\n\nOne.\n');
      const body = { slug: 'owned', expected_version: 1, blocks: [{ text: 'Mine.' }], note: 'Mine.' };
      const minted = await server.call(
        'KEY_MINT',
        'act pfx:VOXEL_ rows:VOXEL_EDIT,VOXEL_MOVE,VOXEL_BURN|a script',
        {},
        owner,
      );
      const headers = { authorization: `Bearer ${String(minted.json['key'])}` };
      for (const who of [{}, headers]) {
        expectProblem(await server.call('ARTICLE_REWRITE', body, {}, who), 'owner_only');
        expectProblem(await server.call('ARTICLE_REVERT', 'owned|1|1|Mine.', {}, who), 'owner_only');
      }
      expect(await articleOf('owned')).toMatchObject({ version: 1 });
    });

    it('scrubs secrets before anything is stored', async () => {
      await make('secret', '# Secret\n\nOne.\n');
      const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
      const reply = await rewrite('secret', [{ text: `The token is ${token}.` }]);
      expect(landed(reply)).toMatchObject({ revision: 2 });
      expect(await bodyOf('secret')).toBe('The token is [redacted:secret].\n');
    });

    it('rewrites a draft, which stays one, and leaves claims and metadata', async () => {
      await make('draft', '# Draft\n\nOne.\n', { status: 'draft', tags: ['kept'] });
      await post('claim', {
        ...claim,
        slug: 'draft',
        text: 'A Merkle tree of two leaves has one inner node.',
        why_material: 'It stays.',
      });
      landed(await rewrite('draft', [{ text: 'Other.' }]));
      expect(await articleOf('draft')).toMatchObject({
        status: 'draft',
        title: 'Draft',
        tags: ['kept'],
        body: 'Other.\n',
        claims: [{ id: 'c1', status: 'active' }],
      });
      expect((await read('draft')).status).toBe(404);
      await expectSound('draft');
    });
  });

  describe('a revert', () => {
    it('restores the text of a revision, keeps the ids of equal blocks, and leaves title and claims', async () => {
      await make('back', '# Back\n\nOne.\n\nTwo.\n\nThree.\n');
      const divs = await divsOf('back');
      await post('voxel-edit', {
        slug: 'back',
        div_id: 'd2',
        expected_hash: divs[1]?.vx_hash,
        text: 'One, edited.',
      });
      await post('voxel-burn', { slug: 'back', ids: ['d3'], reason: 'Old.' });
      await post('claim', {
        ...claim,
        slug: 'back',
        text: 'A Merkle tree of two leaves has one inner node.',
        why_material: 'It stays.',
      });
      await post('article', { slug: 'back', expected_version: 4, title: 'Another title' });
      const result = landed(await revert('back', 1));
      expect(result).toMatchObject({ restores: 1, revision: 6, burned: [] });
      expect((result['divs'] as Json[]).map(({ div_id, change }) => [div_id, change])).toEqual([
        ['d1', 'kept'],
        ['d2', 'edited'],
        ['d5', 'made'],
        ['d4', 'kept'],
      ]);
      expect(await articleOf('back')).toMatchObject({
        body: '# Back\n\nOne.\n\nTwo.\n\nThree.\n',
        title: 'Another title',
        claims: [{ id: 'c1' }],
        version: 6,
      });
      const { provenance } = (await read('back/provenance')).json as Json;
      expect(provenance.at(-1)).toMatchObject({
        action: 'revert',
        rev: 6,
        change: { restores: 1, reason: 'It read better.' },
      });
      await expectSound('back');
    });

    it('to the present text makes no revision', async () => {
      await make('present', '# Present\n\nOne.\n');
      expect(landed(await revert('present', 1))).toMatchObject({ unchanged: true, revision: 1, restores: 1 });
    });

    it('is refused for an unknown revision with the range, and for an older version', async () => {
      await make('range', '# Range\n\nOne.\n');
      landed(await rewrite('range', [{ text: 'Two.' }]));
      const unknown = await revert('range', 9);
      expectProblem(unknown, 'not_found');
      expect(unknown.json).toMatchObject({
        detail: 'range has no revision 9.',
        fix: 'Use a revision from 1 to 2; /revisions lists them.',
        last_revision: 2,
      });
      expectProblem(await revert('range', 1, 1), 'conflict');
      expectProblem(await revert('range', 0), 'body_mismatch');
      expect(await bodyOf('range')).toBe('Two.\n');
    });

    it('restores links whose definition has changed, whatever blocks have stayed', async () => {
      await make('linked', '# Linked\n\nSee [x].\n\n[x]: https://example.org/a\n');
      landed(await rewrite('linked', [{ text: '# Linked' }, { div_id: 'd2', text: 'See nothing.' }]));
      landed(
        await rewrite('linked', [
          { text: '# Linked' },
          { div_id: 'd2', text: 'See [x].' },
          { text: '[x]: https://example.org/b' },
        ]),
      );
      landed(await revert('linked', 1));
      expect(await bodyOf('linked')).toBe('# Linked\n\nSee [x].\n\n[x]: https://example.org/a\n');
    });

    it('brings back nothing that was scrubbed since', async () => {
      await make('scrubbed', '# Scrubbed\n\nThe word is tartaruga here.\n');
      landed(await rewrite('scrubbed', [{ text: 'Nothing is here.' }]));
      const scrub = { secret: 'tartaruga', slug: 'scrubbed' };
      expect((await server.call('SECRET_SCRUB', scrub, {}, owner)).status).toBe(200);
      landed(await revert('scrubbed', 1));
      expect(await bodyOf('scrubbed')).toBe('# Scrubbed\n\nThe word is [redacted:secret] here.\n');
      await expectSound('scrubbed');
    });

    it('travels in a bundle, and is part of an imported article', async () => {
      await make('travels', '# Travels\n\nOne.\n\nTwo.\n');
      landed(await rewrite('travels', [{ text: 'Two.' }, { text: 'Three.' }]));
      landed(await revert('travels', 1));
      const { json } = await read('travels/bundle', owner);
      landed(await server.call('ARTICLE_IMPORT', { bundle: json, slug: 'arrived' }, {}, owner));
      expect(await bodyOf('arrived')).toBe('# Travels\n\nOne.\n\nTwo.\n');
      landed(await rewrite('arrived', [{ text: 'New.' }]));
      landed(await revert('arrived', 1));
      expect(await bodyOf('arrived')).toBe('# Travels\n\nOne.\n\nTwo.\n');
      await expectSound('arrived');
    });
  });

  it('random rewrites keep the body the join of its blocks, and every revision can be restored', async () => {
    const random = seededRandom(4711);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const texts = [
      '# Heading',
      'One line.',
      'Two\nlines.',
      '- a\n- b',
      '1. one\n\n   more',
      '```js\nlet a;\n\nlet b;\n```',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '<div>\n\nhtml\n\n</div>',
      '> quoted',
      '---',
      '[label]: https://example.org/',
      'A [label] in text.',
      'Setext\n===',
      '    indented',
      'A paragraph.\n\nAnd another.',
      '```\nunclosed',
      '---\ntitle: x\n---',
    ];
    await make(
      'random',
      '---\ntitle: Random\n---\n\n# Random\n\nA [label] in text.\n\n[label]: https://example.org/\n',
    );
    const bodies = new Map<number, string>([[1, await bodyOf('random')]]);
    let refused = 0;
    for (let i = 0; i < 40; i++) {
      const divs = (await divsOf('random')).toSorted(() => random() - 0.5);
      const blocks = divs
        .filter(() => random() < 0.8)
        .map(({ div_id, vx_hash, text }): Block => {
          const stays = random() < 0.7 ? text : pick(texts);
          if (random() < 0.3) return { text: stays };
          return { div_id, ...(random() < 0.5 ? { expected_hash: vx_hash } : {}), text: stays };
        });
      for (let n = random() * 3; n > 1; n--)
        blocks.splice(Math.floor(random() * (blocks.length + 1)), 0, { text: pick(texts) });
      if (blocks.length === 0) blocks.push({ text: pick(texts) });
      const reply = await rewrite('random', blocks);
      if (reply.status !== 200) {
        expectProblem(reply, 'boundary_moved');
        refused++;
        continue;
      }
      const after = await divsOf('random');
      const { lead } = (await read('random/voxels')).json as { lead: string };
      const body = await bodyOf('random');
      expect(after.map(({ text }) => text)).toEqual(blocks.map(({ text }) => text));
      expect(lead + after.map(({ text, sep }) => text + sep).join('')).toBe(body);
      bodies.set(landed(reply)['revision'], body);
    }
    expect([bodies.size > 10, refused > 2]).toEqual([true, true]);
    await expectSound('random');
    for (const [rev, body] of [...bodies].toSorted(() => random() - 0.5)) {
      expect(landed(await revert('random', rev))['restores']).toBe(rev);
      expect([rev, await bodyOf('random')]).toEqual([rev, body]);
    }
    await expectSound('random');
  }, 120_000);
});
