import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { articlesOf, claim, type Div } from './articles.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;
const { post, read, make } = articlesOf(() => server);

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

describe('a draft', () => {
  it('is answered like an absent article to callers without a key of the workspace', async () => {
    await make('hidden', '# Hidden\n\nNot yet.\n', { status: 'draft' });
    const foreign = await server.mint({ scope: 'read', max_uses: 0, article: 'job' });
    const selfCut = String((await server.get({ self_scope: '1' })).json['share']);
    const parts = [
      '',
      '/voxels',
      '/claims',
      '/sources',
      '/provenance',
      '/mirror',
      '/contributions',
      '/discourse',
      '/objections',
      '/revisions',
      '/masthead',
      '/health',
      '/topology',
      '/bundle',
      '/ledger',
      '/skill',
      '/votes',
      '/question-graph',
      '/graph-topology?question=yet',
      '/prompts',
      '/annotations',
      '/citation',
      '/citation?format=bibtex',
      '/claims/c1/nanopub',
      '?format=markdown',
      '?rev=1',
      '?at=0',
    ];
    for (const part of parts) {
      for (const share of ['', foreign.share, selfCut]) {
        const query = share === '' ? '' : `${part.includes('?') ? '&' : '?'}share=${share}`;
        const [draft, absent] = [await read(`hidden${part}${query}`), await read(`absent${part}${query}`)];
        expect([part, draft.status]).toEqual([part, 404]);
        expect([part, draft.body.replaceAll('hidden', 'absent')]).toEqual([part, absent.body]);
        expect(Object.keys(draft.headers).toSorted()).toEqual(Object.keys(absent.headers).toSorted());
      }
    }
    const intake = { kind: 'question', actor: 'ada', body: 'There?' };
    for (const slug of ['hidden', 'absent'])
      expectProblem(await server.send({ path: `/api/articles/${slug}/mirror`, body: intake }), 'not_found');
    expectProblem(await server.call('MIRROR_FEED', 'hidden'), 'not_found');
    expectProblem(await server.send({ path: '/api/protocol/thread-state?target=hidden' }), 'not_found');
    expect((await server.send({ path: '/api/articles?limit=500' })).body).not.toContain('"hidden"');
    for (const path of ['/a/hidden', '/a/hidden/d1', '/a/hidden/history'])
      expect([path, (await server.send({ path })).status]).toEqual([
        path,
        (await server.send({ path: path.replace('hidden', 'absent') })).status,
      ]);
    expect((await server.send({ path: '/log' })).body).not.toContain('/a/hidden');
  });

  it('reveals no claims to anonymous callers with invalid arguments', async () => {
    await make('silent', '# Silent\n\nNot yet.\n', { status: 'draft' });
    const refused = async (slug: string) => {
      const { json } = await server.call('MIRROR_APPEND', {
        slug,
        claim_id: 'c99',
        claim_hash: sha256Hex('none'),
        kind: 'praise',
        actor: 'ada',
        body: 'There?',
      });
      return { error: json['error'], violations: json['violations'], stale: json['stale'] };
    };
    const draft = await refused('silent');
    expect(draft).toEqual(await refused('absent'));
    expect(draft).toMatchObject({ error: 'body_mismatch', violations: [{ at: '/kind' }] });
  });

  it("is readable, uncached, by the owner and by the workspace's shares", async () => {
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    for (const reply of [
      await read('hidden', owner),
      await read(`hidden?share=${share}`),
      await read('hidden/voxels', { authorization: `Bearer ${share}` }),
    ]) {
      expect(reply.status).toBe(200);
      expect(reply.headers['cache-control']).toBe('private, no-store');
    }
    expect((await read('hidden')).status).toBe(404);
  });

  it('shows content that was never public only to the workspace after publication', async () => {
    const secrets = [
      'Unpublished heading',
      'unpublished paragraph',
      'burned paragraph',
      'unpublished assertion',
      'unpublished quote',
      'Unpublished title',
      'unpublished-tag',
    ];
    await make(
      'grown',
      '# Unpublished heading\n\nAn unpublished paragraph.\n\nKept.\n\nA burned paragraph.\n',
      {
        status: 'draft',
        title: 'Unpublished title',
        tags: ['unpublished-tag'],
      },
    );
    await post('sources', {
      slug: 'grown',
      sources: [{ type: 'review', url: 'https://h.test/', title: 'T', quote: 'A quote.', summary: '' }],
    });
    await post('claim', {
      slug: 'grown',
      text: 'An unpublished assertion stands in the draft.',
      source_ids: ['s1'],
      ...claim,
    });
    const [heading, paragraph] = ((await read('grown/voxels', owner)).json['divs'] ?? []) as [Div, Div, Div];
    const burned = await post('voxel-burn', { slug: 'grown', ids: ['d4'], reason: 'Not to be published.' });
    expect(burned.status).toBe(200);
    await post('voxel-edit', {
      slug: 'grown',
      div_id: 'd1',
      expected_hash: heading.vx_hash,
      text: '# Public heading',
    });
    await post('voxel-edit', {
      slug: 'grown',
      div_id: 'd2',
      expected_hash: paragraph.vx_hash,
      text: 'A public paragraph.',
    });
    await post('repair', {
      slug: 'grown',
      claim_id: 'c1',
      text: 'A public assertion stands in the article.',
      rationale: 'r',
      expected_hash: sha256Hex('An unpublished assertion stands in the draft.'),
    });
    const version = (await read('grown', owner)).json['version'] as number;
    const published = await post('article', {
      slug: 'grown',
      expected_version: version,
      title: 'Public title',
      tags: ['public'],
      status: 'published',
    });
    expect([published.body.slice(0, 300), published.status]).toEqual([published.body.slice(0, 300), 200]);
    const paths = [
      '',
      '/voxels',
      '/voxels?include_inactive=1',
      '/claims',
      '/sources',
      '/provenance',
      '/revisions',
      '/revisions?rev=1',
      '/revisions?rev=2',
      '/ledger',
      '/bundle',
      '/bundle?format=markdown',
      '/masthead',
      '/health',
      '/topology',
      '/skill',
      '/discourse',
      '/question-graph',
      '/graph-topology?question=paragraph+heading+quote+assertion',
      '/prompts',
      '?rev=1',
      '?rev=2',
      '?rev=3',
      ...Array.from({ length: await server.size() }, (_, index) => `?at=${index}`),
      ...['/bundle', '/voxels?include_inactive=1', '/provenance', '/revisions'].flatMap((part) =>
        [1, 2, 3].map((rev) => `${part}${part.includes('?') ? '&' : '?'}rev=${rev}`),
      ),
      `/bundle?at=${(await server.size()) - 1}`,
      `/ledger?at=${(await server.size()) - 1}`,
    ];
    for (const path of [
      ...paths.map((part) => `/api/articles/grown${part}`),
      '/a/grown',
      '/a/grown/d1',
      '/a/grown/d2',
      '/a/grown/history',
      '/a/grown/history?from=1&to=3',
      '/a/grown/history?from=2',
      '/api/articles/grown/compare',
      '/api/articles/grown/compare?from=1',
      '/a/grown/c1',
      '/api/articles?limit=500',
      '/api/search?q=assertion+paragraph+heading+title+tag',
      '/',
    ]) {
      const reply = await server.send({ path });
      for (const secret of secrets)
        expect([`${path} shows "${secret}"`, reply.body.includes(secret)]).toEqual([
          `${path} shows "${secret}"`,
          false,
        ]);
    }
    const own = await read('grown?rev=1', owner);
    expect([own.status, own.json['body']]).toEqual([
      200,
      '# Unpublished heading\n\nAn unpublished paragraph.\n\nKept.\n\nA burned paragraph.\n',
    ]);
  });

  it('is not shown to others by a cache that was filled for the owner', async () => {
    await make('warmed', '# Unripe heading\n\nAn unripe sentence.\n', {
      status: 'draft',
      title: 'Unripe title',
    });
    const [heading, sentence] = ((await read('warmed/voxels', owner)).json['divs'] ?? []) as [Div, Div];
    for (const [{ div_id, vx_hash }, text] of [
      [heading, '# Heading'],
      [sentence, 'A sentence.'],
    ] as const)
      await post('voxel-edit', { slug: 'warmed', div_id, expected_hash: vx_hash, text });
    const version = (await read('warmed', owner)).json['version'] as number;
    const published = { slug: 'warmed', expected_version: version, title: 'Title', status: 'published' };
    expect((await post('article', published)).status).toBe(200);
    const reads = [
      ['', 'Unripe title'],
      ['?format=markdown', 'An unripe sentence.'],
      ['?format=markdown&raw=1', 'An unripe sentence.'],
      ['?format=markdown&from=1&chars=500', 'An unripe sentence.'],
      ['/annotations', 'Unripe title'],
      ['/citation', 'Unripe title'],
      ['/citation?format=bibtex', 'Unripe title'],
      ['/bundle', 'Unripe title'],
      ['/voxels', 'An unripe sentence.'],
    ] as const;
    for (const [part, secret] of reads) {
      const path = `warmed${part}${part.includes('?') ? '&' : '?'}rev=1`;
      const own = await read(path, owner);
      expect([path, own.status, own.body.includes(secret)]).toEqual([path, 200, true]);
      const others = await read(path);
      expect([path, others.status, others.body.includes(secret)]).toEqual([path, 404, false]);
    }
  });
});
