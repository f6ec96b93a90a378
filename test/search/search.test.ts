import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { logged } from '../support/stores.ts';

/** The same acts on either store must be found in the same order: these are written down once for both. */
const question = 'proof of inclusion in the log';
const expected = [
  'div d2',
  'article merkle-logs',
  'claim c1',
  'source s1',
  'div d1',
  'div d3',
  'discourse challenge',
];

let postgres: TestDatabases;
const servers = new Map<string, TestServer>();

beforeAll(async () => {
  postgres = await sharedPostgres();
  servers.set('sqlite', await startServer());
  servers.set('postgres', await startServer({ DATABASE_URL: await postgres.database() }));
  for (const server of servers.values()) await write(server);
}, 60_000);

afterAll(async () => {
  for (const server of servers.values()) {
    await server.stop();
    expect(server.errors).toEqual([]);
  }
  await postgres.stop();
});

async function write(server: TestServer): Promise<void> {
  await server.article(
    '# Merkle logs\n\nAn inclusion proof shows that an entry stands in the log.\n\nA log grows.\n',
    { slug: 'merkle-logs', title: 'Merkle logs', tags: ['proof'] },
  );
  await server.owner('/api/protocol/sources', {
    slug: 'merkle-logs',
    sources: [
      {
        type: 'review',
        url: 'https://www.rfc-editor.org/rfc/rfc6962',
        title: 'RFC 6962',
        quote: 'A Merkle audit path is the proof of inclusion of a leaf.',
      },
    ],
  });
  await server.owner('/api/protocol/claim', {
    slug: 'merkle-logs',
    text: 'An inclusion proof has as many hashes as the log has levels.',
    tier: 'system',
    who_claims: 'RFC 6962',
    source_ids: ['s1'],
    section: 'Growth',
  });
  const { divs } = await server.read('/api/articles/merkle-logs/voxels');
  await server.anybody('/api/protocol/voxel-challenge', {
    slug: 'merkle-logs',
    expected_thread_head: 'genesis',
    target_div: 'd3',
    expected_hash: divs[2].vx_hash,
    stance: 'challenge',
    body: 'Whether a log grows depends on its operator, of whom nothing at all is said anywhere here.',
    actor: 'ada',
  });
  await server.article('# Bread\n\nA proof of dough takes an hour; nothing else is in it.\n', {
    slug: 'bread',
  });
  await server.article('# Hidden\n\nAn unpublished inclusion proof.\n', { slug: 'hidden', status: 'draft' });
  await integrated(server);
}

/** Search follows the log: what PostgreSQL has not integrated yet is not found yet. */
async function integrated(server: TestServer): Promise<void> {
  const { id } = (await server
    .owner('/api/protocol/claim', {
      slug: 'bread',
      text: `Dough number ${Math.floor(performance.now())} rises.`,
      tier: 'system',
      who_claims: 'a baker',
      why_material: 'It is last.',
    })
    .then((answer) => answer['receipt'])) as { readonly id: string };
  for (;;) {
    const proof = (await server.read(`/api/dispatch?confirm=${id}`))['proof'] as { log_index: number | null };
    if (proof.log_index !== null) return logged(server.deployment.service.store, proof.log_index + 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function named(answer: Answer): string[] {
  return answer['results'].map((result: Answer) =>
    result['kind'] === 'discourse' ? `discourse ${result['status']}` : `${result['kind']} ${result['id']}`,
  );
}

describe.each(['sqlite', 'postgres'])('search over %s', (name) => {
  const server = (): TestServer => servers.get(name) as TestServer;
  const search = (query: Record<string, string>): Promise<Answer> =>
    server().read(`/api/search?${new URLSearchParams(query).toString()}`);

  it('finds claims, DIVs, sources, titles and discourse in the same order on every store', async () => {
    const answer = await search({ q: question });
    const results = answer['results'].filter((each: Answer) => each['article'] === 'merkle-logs');
    expect(named({ results })).toEqual(expected);
    expect(answer['behind']).toBe(0);
  });

  it('shows the passage without markup, with the positions of the words', async () => {
    const [first] = (await search({ q: 'hashes', kind: 'claim' }))['results'];
    const none = { count: 0, total: 0, entries: [] };
    expect(first).toEqual({
      kind: 'claim',
      id: 'c1',
      article: 'merkle-logs',
      url: `${server().base}/a/merkle-logs/c1`,
      title: 'Merkle logs',
      heading_path: ['Growth'],
      status: 'active',
      snippet: 'An inclusion proof has as many hashes as the log has levels.',
      marks: [[31, 37]],
      contested: { objections: none, contradictions: none, challenges: none, repairs: none },
    });
  });

  it('names the headings that a block, or the block of an entry of the discourse, stands under', async () => {
    const { results } = await search({ q: 'log' });
    const own = results.filter((each: Answer) => each['article'] === 'merkle-logs');
    expect(own.map((each: Answer) => [each['kind'], each['heading_path']]).toSorted()).toEqual([
      ['article', []],
      ['claim', ['Growth']],
      ['discourse', ['Merkle logs']],
      ['div', []],
      ['div', ['Merkle logs']],
      ['div', ['Merkle logs']],
    ]);
  });

  it('counts what was found on all pages, by kind, whatever kinds and how many are asked for', async () => {
    const all = {
      all: 6,
      article: 1,
      div: 3,
      claim: 1,
      source: 0,
      discourse: 1,
      articles: 1,
      complete: true,
    };
    const inArticle = { q: 'log', article: 'merkle-logs' };
    expect((await search(inArticle))['totals']).toEqual(all);
    expect((await search({ ...inArticle, kind: 'claim', limit: '1' }))['totals']).toEqual(all);
  });

  it('counts nothing of drafts for callers who may not read them', async () => {
    const totals = (answer: Answer): unknown[] => [answer['totals'].all, answer['totals'].articles];
    expect(totals(await search({ q: 'unpublished' }))).toEqual([0, 0]);
    const owner = await server().fetch('/api/search?q=unpublished', {
      headers: { 'x-terminal-key': terminalKey },
    });
    expect(totals((await owner.json()) as Answer)).toEqual([1, 1]);
  });

  it('groups by article: three results and the title of each, with how many there are', async () => {
    const { slug } = {
      slug: await server().article(
        `# Gneiss\n\n${Array.from({ length: 5 }, (_, i) => `Gneiss number ${i}.`).join('\n\n')}\n`,
        { slug: 'gneiss', title: 'Of gneiss' },
      ),
    };
    await server().article('# Schist\n\nSchist beside gneiss.\n', { slug: 'schist' });
    await integrated(server());
    const answer = await search({ q: 'gneiss', group: 'article' });
    expect(
      answer['articles'].map((each: Answer) => [each['slug'], each['title'], each['hits']]).toSorted(),
    ).toEqual([
      ['gneiss', 'Of gneiss', 7],
      ['schist', 'Schist', 1],
    ]);
    const own = answer['results'].filter((each: Answer) => each['article'] === slug);
    expect(own.map((each: Answer) => each['kind'])).toEqual(['article', 'div', 'div', 'div']);
    const first = await search({ q: 'gneiss', group: 'article', limit: '1' });
    expect(first['articles']).toHaveLength(1);
    const second = await server().read(String(first['next']).slice(server().base.length));
    expect([second['articles'].length, second['next']]).toEqual([1, null]);
    expect(second['articles'][0]['slug']).not.toBe(first['articles'][0]['slug']);
    const whole = await search({ q: 'gneiss', article: slug, kind: 'div' });
    expect(named(whole)).toHaveLength(6);
    expect((await server().fetch('/api/search?q=gneiss&article=hidden')).status).toBe(404);
  });

  it('suggests near words for those that nothing contains, in a search that can be followed', async () => {
    const answer = await search({ q: 'Merkel  prooof', kind: 'source' });
    expect(answer['did_you_mean']).toEqual({
      q: 'Merkle  proof',
      url: `${server().base}/api/search?q=Merkle++proof&kind=source&limit=20`,
    });
    expect(answer['_self'].next[0]).toBe(answer['did_you_mean'].url);
    const [source] = (await search({ q: 'Merkle proof', kind: 'source' }))['results'] as Answer[];
    expect(source?.['url']).toBe(
      `${server().base}/a/${String(source?.['article'])}/${String(source?.['id'])}`,
    );
    expect((await search({ q: 'merkle proof' }))['did_you_mean']).toBeNull();
    expect((await search({ q: 'merkle quixotry' }))['did_you_mean']).toBeNull();
    // Bread has dough in no source.
    expect((await search({ q: 'duogh', kind: 'source' }))['did_you_mean']).toBeNull();
    expect((await search({ q: 'duogh' }))['did_you_mean']).toMatchObject({ q: 'dough' });
  });

  it('suggests no word of a draft or of another workspace, and looks for one all the same', async () => {
    await server().article('# Secret\n\nA balderdash.\n', { slug: 'secret', status: 'draft' });
    await server().owner('/api/workspace', { name: 'crypt', title: 'Crypt', status: 'closed' });
    await server().article('# Ours\n\nThe zymurgist brews.\n', { slug: 'crypt--ours' });
    await integrated(server());
    for (const q of ['balderdahs', 'zymurgits']) expect((await search({ q }))['did_you_mean']).toBeNull();
    await server().article('# Near\n\nA balderdish.\n', { slug: 'near' });
    await integrated(server());
    // That a draft has the word changes nothing for a reader.
    for (const q of ['balderdash', 'balderdesh'])
      expect((await search({ q }))['did_you_mean']).toMatchObject({ q: 'balderdish' });
    const owner = await server().fetch('/api/search?q=balderdesh', {
      headers: { 'x-terminal-key': terminalKey },
    });
    expect(((await owner.json()) as Answer)['did_you_mean']).toMatchObject({ q: 'balderdash' });
  });

  it('filters by the requested kinds', async () => {
    expect(named(await search({ q: 'log', kind: 'claim,source' }))).toEqual(['claim c1']);
  });

  it('ranks by the terms of its own workspace: a closed workspace changes no order', async () => {
    await server().article('# One\n\nObsidian shard.\n\nObsidian flake.\n', { slug: 'obsidian' });
    await server().article('# Two\n\nCinnabar shard.\n', { slug: 'cinnabar' });
    const rarest = async (): Promise<string> => {
      let answer: Answer;
      do answer = await search({ q: 'obsidian cinnabar', kind: 'div' });
      while (answer['behind'] > 0);
      return answer['results'].map((each: Answer) => each['article'])[0];
    };
    await expect.poll(rarest).toBe('cinnabar');
    await server().owner('/api/workspace', { name: 'vault', title: 'Vault', status: 'closed' });
    await server().article(`# Ours\n\n${'Cinnabar again.\n\n'.repeat(9)}`, { slug: 'vault--ours' });
    await integrated(server());
    expect(await rarest()).toBe('cinnabar');
  });

  it('pages without losing or repeating results', async () => {
    const whole = named(await search({ q: question }));
    const paged: string[] = [];
    let next: string | null =
      `${server().base}/api/search?${new URLSearchParams({ q: question, limit: '2' })}`;
    while (next !== null) {
      const page: Answer = await server().read(next.slice(server().base.length));
      expect(page['count']).toBeLessThanOrEqual(2);
      paged.push(...named(page));
      next = page['next'];
    }
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThan(5);
  });

  it('finds a draft only with a key of its workspace', async () => {
    expect(named(await search({ q: 'unpublished' }))).toEqual([]);
    const response = await server().fetch('/api/search?q=unpublished', {
      headers: { 'x-terminal-key': terminalKey },
    });
    expect(named((await response.json()) as Answer)).toEqual(['div d2']);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });

  it('reflects edits, burns and retractions', async () => {
    const slug = await server().article('# Moving\n\nThe zebra stands.\n\nThe okapi stands.\n', {
      slug: 'moving',
    });
    const { divs } = await server().read(`/api/articles/${slug}/voxels`);
    await server().owner('/api/protocol/voxel-edit', {
      slug,
      div_id: 'd2',
      expected_hash: divs[1].vx_hash,
      text: 'The quagga stands.',
    });
    await server().owner('/api/protocol/voxel-burn', {
      slug,
      ids: ['d3'],
      expected_hashes: [divs[2].vx_hash],
      reason: 'A test.',
    });
    await server().owner('/api/protocol/claim', {
      slug,
      text: 'A tapir has four toes on each front foot.',
      tier: 'system',
      who_claims: 'a zoologist',
      why_material: 'It can be counted.',
    });
    await server().owner('/api/protocol/retract', { slug, claim_id: 'c1', reason: 'It was miscounted.' });
    await integrated(server());
    expect(named(await search({ q: 'zebra' }))).toEqual([]);
    expect(named(await search({ q: 'okapi' }))).toEqual([]);
    expect(named(await search({ q: 'quagga' }))).toEqual(['div d2']);
    expect((await search({ q: 'tapir' }))['results'][0]).toMatchObject({ id: 'c1', status: 'retracted' });
  });

  it.each([
    ['', 'q'],
    ['q=%20', 'q'],
    [`q=${'x'.repeat(401)}`, 'q'],
    ['q=log&kind=person', 'kind'],
    ['q=log&limit=0', 'limit'],
    ['q=log&limit=101', 'limit'],
    ['q=log&cursor=abc', 'cursor'],
    ['q=log&page=2', 'page'],
  ])('refuses %j and names the parameter %s', async (query, parameter) => {
    const response = await server().fetch(`/api/search?${query}`);
    expect([response.status, ((await response.json()) as Answer)['parameter']]).toEqual([400, parameter]);
  });

  it.each(['"', '*', 'a AND', 'NOT', '^', '(', "';DROP", '- -', 'col:', '{x}', '日', '\u0301'])(
    'treats %j as words, not as syntax',
    async (q) => {
      expect((await search({ q }))['ok']).toBe(true);
    },
  );
});
