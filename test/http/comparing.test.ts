/**
 * History and comparison (contract §8) as a reader without JavaScript and a model get them: any two revisions, objects
 * that changed, reasons and receipts, long histories by pages, and nothing of what was never public.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import type { Answer, TestServer } from '../support/server.ts';

const text = `# On trees

A log proves inclusion.

Each entry make a leaf.

Moved away.

Leaves soon.
`;

onBothStores('the history of an article', (server) => {
  let receipts: Readonly<Record<number, string>>;

  const owner = (path: string, body: object): Promise<Answer> =>
    server().owner(`/api/protocol/${path}`, body);
  const rewrite = async (slug: string, change: (texts: string[]) => void, note: string): Promise<void> => {
    const { divs, version } = await server().read(`/api/articles/${slug}/voxels`);
    const known = new Map((divs as Answer[]).map((div) => [String(div['text']), String(div['div_id'])]));
    const texts = [...known.keys()];
    change(texts);
    const blocks = texts.map((each) => ({
      ...(known.has(each) ? { div_id: known.get(each) } : {}),
      text: each,
    }));
    await call(server(), 'ARTICLE_REWRITE', { slug, expected_version: version, blocks, note });
  };

  beforeAll(async () => {
    const slug = await server().article(text, { slug: 'trees', title: 'On trees', tags: ['logs'] });
    await owner('sources', {
      slug,
      sources: [
        {
          type: 'review',
          url: 'https://example.org/rfc',
          title: 'The RFC',
          quote: 'It proves.',
          summary: 'x',
        },
      ],
    });
    await owner('claim', {
      slug,
      text: 'A Merkle tree proves inclusion in few hashes.',
      tier: 'system',
      who_claims: 'RFC 9162',
      source_ids: ['s1'],
      rationale: 'It says so.',
    });
    const proposed = await server().anybody(`/api/articles/${slug}/mirror`, {
      claim_id: 'c1',
      kind: 'repair',
      actor: 'Zed <b>',
      body: 'A Merkle tree proves inclusion in at most log n hashes.',
    });
    await call(
      server(),
      'MIRROR_RESOLVE',
      `${slug}|${String(proposed['contribution'].id)}|accepted|It is sharper.`,
    );
    const { divs } = await server().read(`/api/articles/${slug}/voxels`);
    const [, , leaf] = divs as Answer[];
    await owner('voxel-edit', {
      slug,
      div_id: leaf?.['div_id'],
      expected_hash: leaf?.['vx_hash'],
      text: 'Each **entry** makes a <script>leaf</script>.',
    });
    await rewrite(
      slug,
      (texts) => {
        texts.splice(3, 2);
        texts.splice(1, 0, 'Moved away.', 'Quite new.');
      },
      'Order & <i>brevity</i>.',
    );
    const { version } = await server().read(`/api/articles/${slug}`);
    await owner('article', { slug, expected_version: version, title: 'Of trees', tags: ['logs', 'proofs'] });
    const { revisions } = await server().read(`/api/articles/${slug}/revisions`);
    const { provenance } = await server().read(`/api/articles/${slug}/provenance`);
    receipts = Object.fromEntries((provenance as Answer[]).map((item) => [item['rev'], item['receipt']]));
    expect((revisions as Answer[]).length).toBe(7);
  });

  const page = async (path: string, status = 200): Promise<string> => {
    const response = await server().fetch(path);
    expect([path, response.status]).toEqual([path, status]);
    return response.text();
  };
  const words = (html: string): string =>
    html
      .replaceAll(/<\/(?:p|h\d|li|td|header|div|section|title)>/g, ' ')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ');

  it('lists each revision with the reason that was given for it', async () => {
    const { revisions } = await server().read('/api/articles/trees/revisions');
    expect((revisions as Answer[]).map(({ rev, note }) => [rev, note])).toEqual([
      [7, undefined],
      [6, 'Order & <i>brevity</i>.'],
      [5, undefined],
      [4, 'It is sharper.'],
      [3, 'It says so.'],
      [2, undefined],
      [1, undefined],
    ]);
    const html = await page('/a/trees/history');
    expect(html).toContain('<q class="reason" dir="auto">Order &amp; &lt;i>brevity&lt;/i>.</q>');
    const sizes = [...html.matchAll(/<td class="size">(.*?)<\/td>/gs)].map(([, cell = '']) => words(cell));
    expect(sizes).toEqual([
      'text unchanged',
      '−2 characters, 2 blocks',
      '+22 characters, 1 block',
      'text unchanged',
      'text unchanged',
      'text unchanged',
      '+79 characters, 5 blocks',
    ]);
  });

  it('compares blocks, claims, sources and metadata of any two revisions, each with who changed it last', async () => {
    const found = await server().read('/api/articles/trees/compare?from=1&to=7');
    const by = (rev: number) => ({ rev, receipt: receipts[rev] });
    const path = ['On trees'];
    expect(found).toMatchObject({
      from: { rev: 1 },
      to: { rev: 7 },
      metadata: [
        { name: 'title', before: 'On trees', after: 'Of trees' },
        { name: 'tags', before: ['logs'], after: ['logs', 'proofs'] },
      ],
      blocks: [
        { id: 'd4', change: 'moved', heading_path: path, ...by(6) },
        { id: 'd6', change: 'added', ...by(6), before: null, after: 'Quite new.' },
        {
          id: 'd3',
          change: 'changed',
          ...by(5),
          diff: [
            { op: 'same', text: 'Each ' },
            { op: 'added', text: '**' },
            { op: 'same', text: 'entry' },
            { op: 'removed', text: ' make' },
            { op: 'added', text: '** makes' },
            { op: 'same', text: ' a ' },
            { op: 'added', text: '<script>' },
            { op: 'same', text: 'leaf' },
            { op: 'added', text: '</script>' },
            { op: 'same', text: '.' },
          ],
        },
        { id: 'd5', change: 'removed', ...by(6), before: 'Leaves soon.', after: null },
      ],
      claims: [{ id: 'c1', change: 'added', members: [], ...by(4), before: null }],
      sources: [{ id: 's1', change: 'added', ...by(2), before: null }],
    });
    expect((found['steps'] as Answer[]).map(({ rev, action }) => [rev, action])).toEqual([
      [2, 'source'],
      [3, 'claim'],
      [4, 'mirror_accept'],
      [5, 'voxel_edit'],
      [6, 'rewrite'],
      [7, 'meta'],
    ]);
  });

  it('names a reworded claim, who proposed the wording, and the receipt', async () => {
    const html = await page('/a/trees/history?from=3&to=4');
    expect(words(html)).toContain(
      'Claim c1 reworded by the owner in revision 4, from the repair by “Zed &lt;b>” · receipt',
    );
    expect(html).toContain(
      'A Merkle tree proves inclusion in <del>few</del><ins>at most log n</ins> hashes.',
    );
    expect(html).toContain(`<a href="/receipt/${receipts[4]}">receipt</a>`);
    expect(words(html)).toContain('What was done The owner accepted another wording for c1 by “Zed &lt;b>”');
  });

  it('renders changed blocks with whole words marked, and contributed markup as text', async () => {
    const html = await page('/a/trees/history?from=4&to=5');
    expect(html).toContain('<del>make</del>');
    expect(html).toContain('<strong>entry</strong>');
    expect(html).not.toContain('<script>leaf');
    const sides = await page('/a/trees/history?from=4&to=5&view=sides');
    expect(words(sides)).toContain('Revision 4 Each entry make a leaf.');
    const added = await page('/a/trees/history?from=5&to=6');
    expect(added).toContain('<ins>Quite new.</ins>');
    expect(added).toContain('<del>Leaves soon.</del>');
    expect(words(added)).toContain('“Moved away.” stands in another place; its text is the same.');
    expect(words(added)).toContain('Order &amp; &lt;i>brevity&lt;/i>.');
  });

  it('puts the older revision first, however they are named', async () => {
    const one = await server().read('/api/articles/trees/compare?from=2&to=5');
    const other = await server().read('/api/articles/trees/compare?from=5&to=2');
    const { _self: _one, ...told } = one;
    const { _self: _other, ...same } = other;
    expect(same).toEqual(told);
  });

  it('compares the newest with the one before it where none is named', async () => {
    expect(await server().read('/api/articles/trees/compare')).toMatchObject({
      from: { rev: 6 },
      to: { rev: 7 },
      blocks: [],
    });
  });

  it.each([
    ['/api/articles/trees/compare?from=1&to=99', 404],
    ['/api/articles/trees/compare?from=x', 400],
    ['/a/trees/history?from=0', 400],
    ['/a/trees/history?before=x', 400],
    ['/a/trees/history?from=1&to=99', 404],
  ])('refuses %s with %i', async (path, status) => {
    expect((await server().fetch(path)).status).toBe(status);
  });

  describe('of many revisions', () => {
    beforeAll(async () => {
      await server().article('# Long\n\nVersion 0.\n', { slug: 'long', title: 'Long' });
      let { divs } = await server().read('/api/articles/long/voxels');
      for (let i = 1; i < 120; i++) {
        const block = (divs as Answer[])[1];
        await owner('voxel-edit', {
          slug: 'long',
          div_id: 'd2',
          expected_hash: block?.['vx_hash'],
          text: `Version ${i}.`,
        });
        ({ divs } = await server().read('/api/articles/long/voxels'));
      }
    }, 60_000);

    const revisionsOn = (html: string): number[] =>
      [...html.matchAll(/name="from" value="(\d+)"/g)].map(([, rev]) => Number(rev));

    it('comes by pages of fifty, which keep what was chosen', async () => {
      const first = await page('/a/long/history');
      expect([revisionsOn(first)[0], revisionsOn(first).at(-1)]).toEqual([120, 71]);
      expect(first).toContain('name="before" value="71"');
      expect(first).not.toContain('noindex');
      const second = await page('/a/long/history?from=119&to=120&before=71');
      expect(revisionsOn(second).slice(0, 3)).toEqual([120, 119, 70]);
      expect(revisionsOn(second).at(-1)).toBe(21);
      expect(second).toMatch(/name="from" value="119" checked/);
      expect(second).toMatch(/name="to" value="120" checked/);
      expect(second).toContain('name="before" value="21"');
      expect(second).toContain('name="before" value="121"');
      expect(second).toContain('<meta name="robots" content="noindex"/>');
      const third = await page('/a/long/history?before=21');
      expect(revisionsOn(third)).toHaveLength(20);
      expect(third).not.toContain('Older revisions');
    });

    it('names at most the newest twenty acts between two revisions', async () => {
      const html = await page('/a/long/history?from=1&to=120');
      expect(html.match(/<li value="\d+"/g)).toHaveLength(20);
      expect(words(html)).toContain('And 99 earlier revisions, all in the history.');
      expect(html).toContain('Version <del>0</del><ins>119</ins>.');
    });
  });

  it('shows nothing of revisions from before publication', async () => {
    await server().article('# Shy\n\nUnpublished words.\n', { slug: 'shy', status: 'draft' });
    await rewrite('shy', (texts) => texts.splice(1, 1, 'Public words.'), 'An unpublished reason.').catch(
      () => undefined,
    );
    const { version } = await ownRead(server(), '/api/articles/shy');
    await owner('article', { slug: 'shy', expected_version: version, status: 'published' });
    const list = await page('/a/shy/history');
    expect(list).not.toMatch(/[Uu]npublished/);
    expect(list.match(/<th scope="row">/g)).toHaveLength(1);
    await page('/a/shy/history?from=1&to=2', 404);
    await page('/api/articles/shy/compare?from=1', 404);
  });

  it('is made of projections that rebuild identically', () => expectRebuilds(server()));
});

async function call(server: TestServer, key: string, body: unknown): Promise<Answer> {
  return server.owner('/api/dispatch', { key, body });
}

async function ownRead(server: TestServer, path: string): Promise<Answer> {
  const response = await server.fetch(path, {
    headers: { 'x-terminal-key': 'tk_terminal-key-of-the-tests' },
  });
  return (await response.json()) as Answer;
}
