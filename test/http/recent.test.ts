/**
 * Recent changes, tags, series, backlinks and their feeds (contract §8), as a reader without JavaScript and a feed reader
 * get them: what happened in plain words, filtered and paged, and nothing of drafts and closed workspaces.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import type { Answer } from '../support/server.ts';

onBothStores('what happened', (server) => {
  const owner = (path: string, body: object): Promise<Answer> => server().owner(path, body);
  const text = async (path: string, status = 200): Promise<string> => {
    const response = await server().fetch(path);
    if (response.status !== status) throw new Error(`${path} has status ${response.status}`);
    return response.text();
  };
  const acts = (html: string): string[] =>
    [...html.matchAll(/<li><p>(.*?)<\/li>/gs)].map(([, item = '']) =>
      item
        .replaceAll(/<span class="aside">.*?<\/time>.*?<\/span>/gs, '')
        .replaceAll(/<q [^>]*>/g, ' | ')
        .replaceAll(/<[^>]*>/g, ''),
    );

  beforeAll(async () => {
    await server().article('# Pupa\n\nA draft about [ants](/a/ants).\n', {
      slug: 'pupa',
      title: 'A pupa draft',
      status: 'draft',
      tags: ['secret-tag'],
    });
    await server().article('# Ants\n\nAnts walk.\n', {
      slug: 'ants',
      title: 'Ants',
      tags: ['insects', '虫'],
    });
    await server().article(
      '# Bees\n\n## Flight\n\nBees fly; [ants](/a/ants) and <https://else.example/a/ants> do not.\n',
      { slug: 'bees', title: 'Bees & <b>wasps</b>', tags: ['insects'] },
    );
    await owner('/api/protocol/claim', {
      slug: 'ants',
      text: 'Ants walk in lines.',
      tier: 'system',
      who_claims: 'A review',
      why_material: 'It is what the article is about.',
    });
    const { contribution } = await server().anybody('/api/articles/ants/mirror', {
      claim_id: 'c1',
      kind: 'repair',
      actor: 'Zed <i>',
      body: 'Most ants walk in lines.',
    });
    await owner('/api/dispatch', {
      key: 'MIRROR_RESOLVE',
      body: `ants|${String(contribution.id)}|accepted|Truer.`,
    });
    const { divs } = await server().read('/api/articles/bees/voxels');
    const flight = (divs as Answer[]).find((div) => String(div['text']).startsWith('Bees fly')) as Answer;
    await server().anybody('/api/protocol/voxel-challenge', {
      slug: 'bees',
      expected_thread_head: 'genesis',
      target_div: flight['div_id'],
      expected_hash: flight['vx_hash'],
      stance: 'challenge',
      body: 'Which <b>bees</b>?',
      actor: 'Maya',
    });
    for (const [name, status] of [
      ['survey', 'open'],
      ['closed', 'closed'],
    ] as const) {
      await owner('/api/workspace', { name, title: `The ${name}`, purpose: 'A test.', status });
      await owner(`/api/protocol/voxel-batch?workspace=${name}`, {
        document: {
          slug: `${name}--notes`,
          title: `Notes of ${name}`,
          markdown: `# Notes\n\nSee [ants](/a/ants).\n`,
          tags: [`${name}-tag`],
        },
      });
    }
    const place = (slug: string, position: number, expected_version: number): Promise<Answer> =>
      owner('/api/protocol/article', {
        slug,
        expected_version,
        traversal: { series: 'Small & winged', position, of: 2 },
      });
    await place('bees', 1, 1);
    await place('ants', 2, 3);
  });

  it('is told on the home page in people’s words, with links to tags and series', async () => {
    const html = await text('/');
    expect(html).toContain(
      '<span class="who"><bdi>“Maya”</bdi></span> challenged block <a href="/a/bees/d3">d3</a> of <a href="/a/bees">',
    );
    expect(html).toContain('<a href="/recent">All recent changes</a>');
    expect(html).toContain('<a href="/tags/%E8%99%AB"><bdi>虫</bdi></a>');
    expect(html).toContain(
      'part 2 of <a href="/series/Small%20%26%20winged"><bdi>Small &amp; winged</bdi></a>',
    );
    expect(html).toContain('type="application/atom+xml" href="/recent/feed.xml"');
    expect(html).not.toContain('secret-tag');
  });

  describe('in /recent', () => {
    it('is told in plain words, newest first, with names quoted and markup as text', async () => {
      const html = await text('/recent');
      expect(acts(html).slice(0, 7)).toEqual([
        'the owner changed the series of Ants',
        'the owner changed the series of Bees &amp; &lt;b>wasps&lt;/b>',
        '“Maya” challenged block d3 of Bees &amp; &lt;b>wasps&lt;/b> | Which &lt;b>bees&lt;/b>?',
        'the owner accepted another wording for c1 of Ants | Truer.',
        '“Zed &lt;i>” proposed another wording of c1 of Ants | Most ants walk in lines.',
        'the owner made the claim c1 in Ants',
        'the owner wrote Bees &amp; &lt;b>wasps&lt;/b> in 3 blocks',
      ]);
      expect(html).not.toContain('pupa');
      expect(html).not.toContain('Notes of');
      expect(html).not.toContain('noindex');
    });

    it.each([
      [
        'kind=contributions',
        ['“Zed &lt;i>” proposed another wording of c1 of Ants | Most ants walk in lines.'],
      ],
      ['kind=decisions', ['the owner accepted another wording for c1 of Ants | Truer.']],
      ['kind=claims', ['the owner made the claim c1 in Ants']],
      ['kind=discussion&article=ants', []],
      [
        'article=bees&who=anonymous',
        ['“Maya” challenged block d3 of Bees &amp; &lt;b>wasps&lt;/b> | Which &lt;b>bees&lt;/b>?'],
      ],
      ['kind=published&workspace=survey', ['the owner wrote Notes of survey in 2 blocks']],
      ['tag=%E8%99%AB&kind=claims', ['the owner made the claim c1 in Ants']],
      [
        'tag=insects&article=bees&kind=published',
        ['the owner wrote Bees &amp; &lt;b>wasps&lt;/b> in 3 blocks'],
      ],
      ['tag=%E8%99%AB&article=bees', []],
      ['tag=survey-tag&workspace=survey', ['the owner wrote Notes of survey in 2 blocks']],
      ['since=2999-01-01', []],
      ['who=contributors', []],
    ])('can be filtered by %s', async (query, expected) => {
      const html = await text(`/recent?${query}`);
      expect(acts(html)).toEqual(expected);
      expect(html).toContain('<meta name="robots" content="noindex"/>');
    });

    it('explains a filter that cannot be read at its field, which keeps what was typed', async () => {
      const html = await text('/recent?article=no-such&since=soon&who=me&tag=secret-tag');
      expect(html).toContain('There is no article no-such.');
      expect(html).toContain('No published article has the tag secret-tag.');
      expect(html).toContain('value="no-such"');
      expect(html).toContain('value="secret-tag"');
      expect(html.match(/aria-invalid="true"/g)).toHaveLength(4);
      await text('/recent?before=x', 400);
    });

    it('says the same of a draft as of no article, and of a closed workspace as of none', async () => {
      const unmarked = async (path: string): Promise<string> =>
        (await text(path)).replaceAll(/[0-9a-f]{24}/g, '');
      const draft = await unmarked('/recent?article=pupa');
      expect(draft.replaceAll('pupa', 'absent')).toBe(await unmarked('/recent?article=absent'));
      await text('/recent?workspace=closed', 404);
      await text('/recent?workspace=absent', 404);
    });

    it('comes by pages', async () => {
      await server().article('# Busy\n\nVersion 0.\n', { slug: 'busy', title: 'Busy' });
      for (let i = 1; i <= 60; i++) {
        const { divs } = await server().read('/api/articles/busy/voxels');
        const [, div] = divs as Answer[];
        await owner('/api/protocol/voxel-edit', {
          slug: 'busy',
          div_id: 'd2',
          expected_hash: div?.['vx_hash'],
          text: `Version ${i}.`,
        });
      }
      const first = await text('/recent');
      expect(acts(first)).toHaveLength(50);
      const next = /href="(\/recent\?before=\d+)"/.exec(first)?.[1] ?? '';
      const second = await text(next);
      expect(acts(second).slice(9, 12)).toEqual([
        'the owner edited block d2 of Busy',
        'the owner wrote Busy in 2 blocks',
        'the owner changed the series of Ants',
      ]);
      expect(second).toContain('noindex');
    }, 60_000);
  });

  describe('as JSON', () => {
    it.each([
      ['/recent', '/api/recent'],
      ['/tags', '/api/tags'],
      ['/series', '/api/series'],
    ])('names at the head of %s what tells it as JSON', async (page, json) => {
      expect(await (await server().fetch(page)).text()).toContain(
        `<link rel="alternate" type="application/json" href="${server().base}${json}"`,
      );
    });

    it('is told by /api/recent in the same words, with the same filters', async () => {
      const { changes, count, next, feed } = await server().read(
        '/api/recent?tag=%E8%99%AB&kind=contributions',
      );
      expect([count, next, feed]).toEqual([
        1,
        null,
        `${server().base}/recent/feed.xml?kind=contributions&tag=%E8%99%AB`,
      ]);
      expect(changes).toEqual([
        {
          kind: 'contributions',
          ts: expect.stringMatching(/^\d{4}-/),
          actor: 'anonymous',
          name: 'Zed <i>',
          what: '“Zed <i>” proposed another wording of c1 of Ants',
          article: { slug: 'ants', title: 'Ants', url: `${server().base}/a/ants` },
          of: [],
          target: 'c1',
          said: 'Most ants walk in lines.',
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          receipt: expect.stringMatching(/^inv_/),
        },
      ]);
    });

    it('comes by pages that lose and repeat nothing', async () => {
      const whole = (await server().read('/api/recent?limit=7'))['changes'] as Answer[];
      const paged: Answer[] = [];
      for (let at = '/api/recent?limit=3'; paged.length < 7;) {
        const page = await server().read(at);
        paged.push(...(page['changes'] as Answer[]));
        at = String(page['next']).slice(server().base.length);
      }
      expect(paged.slice(0, 7)).toEqual(whole);
    });

    it.each([
      ['/api/recent?article=pupa', 'article'],
      ['/api/recent?tag=secret-tag', 'tag'],
      ['/api/recent?who=me', 'who'],
      ['/api/recent?since=soon', 'since'],
      ['/api/recent?before=x', 'before'],
      ['/api/recent?kind=gossip', 'kind'],
    ])('refuses %s and names the parameter', async (path, parameter) => {
      const response = await server().fetch(path);
      expect([response.status, ((await response.json()) as Answer)['parameter']]).toEqual([400, parameter]);
    });

    it('lists tags and series of published articles with their addresses', async () => {
      const { base } = server();
      const { tags } = await server().read('/api/tags');
      expect(tags).toEqual([
        {
          name: 'insects',
          count: 2,
          page: `${base}/tags/insects`,
          feed: `${base}/tags/insects/feed.xml`,
          articles: `${base}/api/articles?tag=insects`,
        },
        expect.objectContaining({ name: '虫', count: 1 }),
      ]);
      expect((await server().read('/api/series'))['series']).toEqual([
        {
          name: 'Small & winged',
          count: 2,
          page: `${base}/series/Small%20%26%20winged`,
          feed: `${base}/series/Small%20%26%20winged/feed.xml`,
          articles: [
            { slug: 'bees', title: 'Bees & <b>wasps</b>', position: 1, url: `${base}/a/bees` },
            { slug: 'ants', title: 'Ants', position: 2, url: `${base}/a/ants` },
          ],
        },
      ]);
      const { articles } = await server().read('/api/articles?tag=insects');
      expect((articles as Answer[]).map(({ slug, series }) => [slug, series])).toEqual([
        ['ants', { name: 'Small & winged', position: 2 }],
        ['bees', { name: 'Small & winged', position: 1 }],
      ]);
    });
  });

  describe('in feeds', () => {
    it.each([
      '/recent/feed.xml',
      '/a/ants/feed.xml',
      '/tags/insects/feed.xml',
      '/series/Small%20%26%20winged/feed.xml',
    ])('is Atom at %s, with stable ids, an ETag and no markup of contributors', async (path) => {
      const response = await server().fetch(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/atom+xml; charset=utf-8',
      ]);
      const xml = await response.text();
      expect(xml).not.toMatch(/<(?:b|i)>|[Pp]upa|Notes of/);
      const ids = [...xml.matchAll(/<entry>\n<id>(tag:[^<]+)<\/id>/g)].map(([, id]) => id);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
      expect(xml).toContain(
        `<link rel="self" type="application/atom+xml" href="${server().base}${path.replace('&', '&amp;')}"/>`,
      );
      const etag = response.headers.get('etag') ?? '';
      expect(etag).not.toBe('');
      const again = await server().fetch(path, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    });

    it('names who did what of one article', async () => {
      const xml = await text('/a/ants/feed.xml');
      const titles = [...xml.matchAll(/<entry>.*?<title>(.*?)<\/title>/gs)].map(([, title]) => title);
      expect(titles).toEqual([
        'the owner changed the series of Ants',
        'the owner accepted another wording for c1 of Ants',
        '“Zed &lt;i&gt;” proposed another wording of c1 of Ants',
        'the owner made the claim c1 in Ants',
        'the owner wrote Ants in 2 blocks',
      ]);
      expect(xml).toContain('<summary>Most ants walk in lines.</summary>');
    });

    it.each([
      '/a/pupa/feed.xml',
      '/a/closed--notes/feed.xml',
      '/tags/secret-tag/feed.xml',
      '/series/none/feed.xml',
    ])('does not exist at %s', async (path) => {
      expect((await server().fetch(path)).status).toBe(404);
    });
  });

  describe('by tag and series', () => {
    it('lists the tags and series of published articles with their numbers', async () => {
      const tags = await text('/tags');
      expect(tags).toMatch(/href="\/tags\/insects" dir="auto">insects<\/a> <span class="note">2 articles/);
      expect(tags).toContain('href="/tags/%E8%99%AB"');
      expect(tags).not.toMatch(/secret-tag|survey-tag|closed-tag/);
      expect(await text('/series')).toContain('>Small &amp; winged</a> <span class="note">2 articles');
    });

    it('lists the articles of a series in their order, and those of a tag by their last change', async () => {
      const order = (html: string): string[] =>
        [...html.matchAll(/<li><a href="\/a\/(\w+)"/g)].map(([, slug]) => String(slug));
      const series = await text('/series/Small%20%26%20winged');
      expect(order(series)).toEqual(['bees', 'ants']);
      expect(series).toContain('type="application/atom+xml" href="/series/Small%20%26%20winged/feed.xml"');
      expect(order(await text('/tags/insects'))).toEqual(['ants', 'bees']);
      await text('/tags/secret-tag', 404);
      await text('/tags/none', 404);
    });
  });

  describe('in what links here', () => {
    it('names the places in other articles that everybody may read', async () => {
      const found = await server().read('/api/articles/ants/links');
      expect(found['articles']).toEqual([
        {
          slug: 'bees',
          title: 'Bees & <b>wasps</b>',
          url: `${server().base}/a/bees`,
          places: [
            {
              kind: 'div',
              id: 'd3',
              url: `${server().base}/a/bees/d3`,
              heading_path: ['Bees', 'Flight'],
              excerpt: 'Bees fly; ants and do not.',
            },
          ],
        },
        expect.objectContaining({ slug: 'survey--notes' }),
      ]);
      const html = await text('/a/ants/links');
      expect(html).toContain('<a href="/a/bees/d3">block d3</a>');
      expect(html).not.toContain('pupa');
      expect(await text('/a/bees/links')).toContain('No other article links here yet.');
    });

    it('forgets a link that an edit takes away, and finds one in a claim', async () => {
      const { divs } = await server().read('/api/articles/bees/voxels');
      const flight = (divs as Answer[])[2] as Answer;
      await owner('/api/protocol/voxel-edit', {
        slug: 'bees',
        div_id: 'd3',
        expected_hash: flight['vx_hash'],
        text: 'Bees fly; <https://else.example/a/ants> do not.',
      });
      await owner('/api/protocol/claim', {
        slug: 'bees',
        text: `Bees differ from [ants](${server().base}/a/ants).`,
        tier: 'system',
        who_claims: 'A review',
        why_material: 'It compares.',
      });
      const { articles } = await server().read('/api/articles/ants/links');
      const bees = (articles as Answer[]).find(({ slug }) => slug === 'bees');
      expect(((bees as Answer)['places'] as Answer[]).map(({ kind, id }) => [kind, id])).toEqual([
        ['claim', 'c1'],
      ]);
    });
  });

  it('is made of projections that rebuild identically', () => expectRebuilds(server()));
});
