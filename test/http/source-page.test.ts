/** `/a/<slug>/s1` (contract §8): the page of one source, now and at an earlier moment. */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';

onBothStores('the page of a source', (server) => {
  const text = async (path: string): Promise<[number, string]> => {
    const answer = await server().fetch(path);
    const html = await answer.text();
    return [
      answer.status,
      (/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '),
    ];
  };

  it('shows title, exact words, the claims that rest on it, its entry and how to cite it', async () => {
    const { owner, article } = server();
    await article('# On wax\n\nBees make wax.\n', { slug: 'on-wax' });
    await owner('/api/protocol/sources', {
      slug: 'on-wax',
      sources: [
        {
          type: 'review',
          url: 'https://example.org/wax?a={1}&b=2',
          title: 'Wax & <honey>',
          quote: 'Wax is made by {bees}.',
          summary: 'A review of wax.',
          quality_score: 0.6,
          accessed_at: '2026-01-02',
        },
        { type: 'adjacent', url: 'https://example.org/other', title: 'Other', quote: 'Other words.' },
      ],
    });
    await owner('/api/protocol/claim', {
      slug: 'on-wax',
      text: 'Honey bees produce wax.',
      tier: 'human',
      who_claims: 'the garden',
      source_ids: ['s1'],
    });
    const [status, shown] = await text('/a/on-wax/s1');
    expect(status).toBe(200);
    expect(shown).toContain('Wax &amp; &lt;honey>');
    expect(shown).toContain('Source s1 of On wax , recorded by the owner');
    expect(shown).toContain('The exact words Wax is made by {bees}. A review of wax.');
    expect(shown).toContain('1 claim rests on it c1 human weight 0.8 Honey bees produce wax.');
    expect(shown).toContain('This site has not read the page again since the quote was recorded.');
    expect(shown).toContain('It is entry 1 in the article’s chain of sources, and each entry holds');
    expect(shown).toContain('@misc{on-wax-s1,');
    expect(shown).toContain('url = {https://example.org/wax?a=%7B1%7D&amp;b=2}');
    const [{ hash }] = (await server().read('/api/articles/on-wax/sources'))['sources'];
    expect(shown).toContain(`Entry 0 ${hash}`);
    expect((await text('/a/on-wax/s2'))[1]).toContain('No claim rests on it');
  });

  it('shows a source as it was cited at an earlier moment, with links to that moment', async () => {
    const [status, shown] = await text('/a/on-wax/s1?rev=2');
    expect(status).toBe(200);
    expect(shown).toContain('No claim rests on it');
    const html = await (await server().fetch('/a/on-wax/s1?rev=2')).text();
    expect(html).toContain('href="/a/on-wax?rev=2#s1"');
    expect(html).not.toContain('Propose another source');
  });

  it('refuses sources that the article does not have as pages that lead back', async () => {
    for (const [path, said] of [
      ['/a/on-wax/s9', 'The article on-wax has no source s9.'],
      ['/a/on-wax/s1?rev=1', 'The article on-wax has no source s1 at that moment.'],
    ] as const) {
      const [status, shown] = await text(path);
      expect([path, status]).toEqual([path, 404]);
      expect(shown).toContain(said);
    }
    expect(await (await server().fetch('/a/on-wax/s9')).text()).toContain('href="/a/on-wax"');
  });

  it('keeps the sources of a draft to those who may read it', async () => {
    const { owner, article } = server();
    await article('# Draft\n\nWords.\n', { slug: 'wax-draft', status: 'draft' });
    await owner('/api/protocol/sources', {
      slug: 'wax-draft',
      sources: [{ type: 'review', url: 'https://example.org/d', title: 'Secret', quote: 'Secret words.' }],
    });
    const [status, shown] = await text('/a/wax-draft/s1');
    expect(status).toBe(404);
    expect(shown).not.toContain('Secret');
  });

  it('is named by oEmbed and linked from the article, its claims, its graph and its history', async () => {
    const base = server().base;
    const embed = await server().read(`/oembed?url=${encodeURIComponent(`${base}/a/on-wax/s1`)}`);
    expect(embed['title']).toBe('s1 of On wax');
    for (const path of ['/a/on-wax', '/a/on-wax/c1', '/a/on-wax/graph', '/a/on-wax/history?from=1&to=3'])
      expect([path, (await (await server().fetch(path)).text()).includes('href="/a/on-wax/s1"')]).toEqual([
        path,
        true,
      ]);
  });
});
